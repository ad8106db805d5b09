// Distances of meshes on grids. The meshes are balls, for which a formula exists: complete, with
// holes, overlapping, inverted and in pieces. Also tests winding numbers.
// SPDX-License-Identifier: MIT
#include "geometry/grids/distance_sampling.h"

#include "base/matrix3/math3.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

enum { AROUND = 60, UP = 30, BALL_VERTICES = AROUND * (UP - 1) + 2 };
enum { BALL_TRIANGLES = 2 * AROUND * (UP - 1), SIDE = 48, SAMPLES = SIDE * SIDE * SIDE };

static const double PI = 3.14159265358979323846;
// Depth of the triangles' centroids below the unit sphere: rings are pi / 30 apart.
static const double CHORD = 0.006;

struct balls {
    double positions[3 * 2 * BALL_VERTICES];
    uint32_t triangles[3 * 2 * BALL_TRIANGLES];
    struct triangle_mesh mesh;
};

static struct balls balls;
static float samples[SAMPLES], others[SAMPLES];
static struct test_allocator allocator;
static struct memory memory;

static uint32_t ball_vertex(int ring, int step) {
    if (ring == 0 || ring == UP) {
        return ring == 0 ? 0 : BALL_VERTICES - 1;
    }
    return (uint32_t)(1 + (ring - 1) * AROUND + step % AROUND);
}

static void add_triangle(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *to = balls.triangles + 3 * balls.mesh.triangle_count;
    to[0] = a;
    to[1] = b;
    to[2] = c;
    balls.mesh.triangle_count++;
}

/// A unit ball about (x, 0, 0), oriented outward.
static void add_ball(double x) {
    struct triangle_mesh *mesh = &balls.mesh;
    const uint32_t first = (uint32_t)mesh->vertex_count;
    for (int ring = 0; ring <= UP; ring++) {
        for (int step = 0; step < AROUND; step++) {
            const double polar = PI * ring / UP, angle = 2.0 * PI * step / AROUND;
            double *p = balls.positions + 3 * (size_t)(first + ball_vertex(ring, step));
            p[0] = x + sin(polar) * cos(angle);
            p[1] = sin(polar) * sin(angle);
            p[2] = cos(polar);
        }
    }
    for (int ring = 0; ring < UP; ring++) {
        for (int step = 0; step < AROUND; step++) {
            const uint32_t a = first + ball_vertex(ring, step);
            const uint32_t b = first + ball_vertex(ring + 1, step);
            const uint32_t c = first + ball_vertex(ring + 1, step + 1);
            const uint32_t d = first + ball_vertex(ring, step + 1);
            if (ring < UP - 1) {
                add_triangle(a, b, c);
            }
            if (ring > 0) {
                add_triangle(a, c, d);
            }
        }
    }
    mesh->vertex_count += BALL_VERTICES;
}

static void begin(void) {
    balls.mesh = (struct triangle_mesh){balls.positions, balls.triangles, 0, 0};
}

static struct distance_grid new_grid(double x, double cell) {
    const double low = -0.5 * cell * (SIDE - 1);
    const struct distance_grid grid = {.origin = {x + low, low, low},
                                       .cell = cell,
                                       .counts = {SIDE, SIDE, SIDE},
                                       .samples = samples};
    return grid;
}

static void place_of(const struct distance_grid *grid, size_t i, double x[3]) {
    const size_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    for (int k = 0; k < 3; k++) {
        x[k] = grid->origin[k] + grid->cell * (double)at[k];
    }
}

static struct distance_sampling_report fill(const struct distance_grid *grid) {
    struct distance_sampling_report report;
    assert_ok(distance_sampling_fill(&memory, NULL, &balls.mesh, grid, samples, &report));
    return report;
}

/// An octahedron whose corners are `reach` from the origin along the axes, oriented outward.
static void add_octahedron(double reach) {
    static const uint32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < 3; k++) {
            balls.positions[3 * i + k] = k == i / 2 ? (i % 2 == 0 ? reach : -reach) : 0.0;
        }
    }
    for (int f = 0; f < 8; f++) {
        add_triangle(faces[f][0], faces[f][1], faces[f][2]);
    }
    balls.mesh.vertex_count = 6;
}

static void add_box(const double half[3]) {
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < 3; k++) {
            balls.positions[3 * i + k] = (i >> k & 1) != 0 ? half[k] : -half[k];
        }
    }
    for (int f = 0; f < 12; f++) {
        add_triangle(faces[f][0], faces[f][1], faces[f][2]);
    }
    balls.mesh.vertex_count = 8;
}

// --- closed meshes ---

/// Inside and within four cells distances are those of the ball, except for the error of the
/// triangulation; farther out they are of first order in the cell. Signs are right at all samples.
static void a_ball_is_as_far_as_it_is(void **state) {
    (void)state;
    begin();
    add_ball(0.0);
    struct distance_grid grid = new_grid(0.0, 0.07);
    const struct distance_sampling_report report = fill(&grid);
    assert_true(report.is_closed && !report.is_inverted);
    assert_int_equal(report.open_count, 0);
    for (size_t i = 0; i < SAMPLES; i++) {
        double x[3];
        place_of(&grid, i, x);
        const double exact = norm3(x) - 1.0;
        const bool is_near = exact < 4.0 * grid.cell;
        assert_near((double)samples[i], exact, is_near ? CHORD : grid.cell, "distance");
        assert_true((double)samples[i] >= exact - (is_near ? 1e-6 : 0.5 * grid.cell));
        assert_true(fabs(exact) < CHORD || (samples[i] < 0.0F) == (exact < 0.0));
    }
    assert_ok(distance_grid_check(&grid));
    assert_false(grid.is_hollow);
}

/// Two overlapping balls give their union. An inverted mesh, or one in which every triangle has its
/// own corners, changes only the report and, without shared corners, the error of the dipoles. The
/// bits are the same with two threads.
static void what_overlaps_is_one(void **state) {
    (void)state;
    begin();
    add_ball(-0.5);
    add_ball(0.6);
    const struct distance_grid grid = new_grid(0.0, 0.08);
    assert_true(fill(&grid).is_closed);
    for (size_t i = 0; i < SAMPLES; i++) {
        double x[3], y[3];
        place_of(&grid, i, x);
        memcpy(y, x, sizeof y);
        x[0] += 0.5;
        y[0] -= 0.6;
        const double exact = fmin(norm3(x), norm3(y)) - 1.0;
        assert_true(fabs(exact) < CHORD || (samples[i] < 0.0F) == (exact < 0.0));
    }
    memcpy(others, samples, sizeof samples);
    struct tasks *tasks = NULL;
    struct distance_sampling_report report;
    assert_ok(tasks_create(&memory, NULL, 2, &tasks));
    assert_ok(distance_sampling_fill(&memory, tasks, &balls.mesh, &grid, samples, &report));
    tasks_destroy(&memory, tasks);
    assert_memory_equal(samples, others, sizeof samples);
    for (size_t t = 0; t < balls.mesh.triangle_count; t++) {
        const uint32_t corner = balls.triangles[3 * t];
        balls.triangles[3 * t] = balls.triangles[3 * t + 1];
        balls.triangles[3 * t + 1] = corner;
    }
    assert_true(fill(&grid).is_inverted);
    assert_memory_equal(samples, others, sizeof samples);
}

static void triangles_need_not_know_each_other(void **state) {
    (void)state;
    static double corners[9 * BALL_TRIANGLES];
    static uint32_t numbers[3 * BALL_TRIANGLES];
    begin();
    add_ball(0.0);
    const struct distance_grid grid = new_grid(0.0, 0.07);
    fill(&grid);
    memcpy(others, samples, sizeof samples);
    const struct triangle_mesh whole = balls.mesh;
    for (size_t i = 0; i < 3 * whole.triangle_count; i++) {
        memcpy(corners + 3 * i, whole.positions + 3 * (size_t)whole.triangles[i],
               3 * sizeof *corners);
        numbers[i] = (uint32_t)i;
    }
    balls.mesh = (struct triangle_mesh){corners, numbers, 3 * whole.triangle_count,
                                        whole.triangle_count};
    assert_false(fill(&grid).is_closed);
    assert_memory_equal(samples, others, sizeof samples);
}

// --- holes ---

/// Every tenth triangle is missing, and a round hole of 0.3: every sample farther than that from
/// the surface is on its correct side.
static void holes_do_no_harm_from_afar(void **state) {
    (void)state;
    begin();
    add_ball(0.0);
    size_t kept = 0;
    for (size_t t = 0; t < balls.mesh.triangle_count; t++) {
        const double *p = balls.positions + 3 * (size_t)balls.triangles[3 * t];
        if (t % 10 != 3 && p[2] < 0.989) {
            memmove(balls.triangles + 3 * kept, balls.triangles + 3 * t, 3 * sizeof(uint32_t));
            kept++;
        }
    }
    assert_true(kept < balls.mesh.triangle_count * 91 / 100);
    balls.mesh.triangle_count = kept;
    const struct distance_grid grid = new_grid(0.0, 0.07);
    assert_false(fill(&grid).is_closed);
    for (size_t i = 0; i < SAMPLES; i++) {
        double x[3];
        place_of(&grid, i, x);
        const double exact = norm3(x) - 1.0;
        assert_true(fabs(exact) < 0.3 || (samples[i] < 0.0F) == (exact < 0.0));
    }
}

/// Half a ball does not enclose anything with certainty.
static void open_meshes_are_told(void **state) {
    (void)state;
    begin();
    add_ball(0.0);
    balls.mesh.triangle_count /= 2;
    const struct distance_grid grid = new_grid(0.0, 0.07);
    struct distance_sampling_report report;
    assert_status(distance_sampling_fill(&memory, NULL, &balls.mesh, &grid, samples, &report),
                  PBS_ERROR_MESH);
    assert_message("the mesh is open");
    const struct distance_grid elsewhere = new_grid(50.0, 0.07);
    begin();
    add_ball(0.0);
    assert_status(distance_sampling_fill(&memory, NULL, &balls.mesh, &elsewhere, samples, &report),
                  PBS_ERROR_MESH);
    assert_message("no sample of the grid comes within 4 cells");
}

// --- winding numbers ---

/// The sum over all triangles is 1 inside and 0 outside of a closed mesh. The error of a dipole
/// whose radius is less than a third of its distance is of second order in that ratio, with a small
/// factor.
static void dipoles_are_as_good_as_triangles(void **state) {
    (void)state;
    struct random random = random_seed(2);
    struct bounding_tree tree = {0};
    struct winding winding;
    begin();
    add_ball(0.0);
    const struct point_sweep points = {.count = balls.mesh.vertex_count, .x = balls.positions};
    struct box *of_points = memory_allocate(&memory, balls.mesh.vertex_count, sizeof *of_points);
    struct box *boxes = memory_allocate(&memory, balls.mesh.triangle_count, sizeof *boxes);
    boxes_of_points(NULL, &points, of_points);
    boxes_of_primitives(NULL, of_points, balls.triangles, 3, balls.mesh.triangle_count, boxes);
    assert_ok(bounding_tree_build(&memory, NULL, boxes, balls.mesh.triangle_count, NULL, 0, &tree));
    assert_ok(winding_build(&memory, &balls.mesh, &tree, &winding));
    for (int i = 0; i < 2000; i++) {
        const double x[3] = {random_uniform(&random, -2.0, 2.0), random_uniform(&random, -2.0, 2.0),
                             random_uniform(&random, -2.0, 2.0)};
        const double away = norm3(x) - 1.0;
        if (fabs(away) > CHORD) {
            assert_near(winding_number(&winding, x), away < 0.0 ? 1.0 : 0.0, 1e-2, "turns");
        }
    }
    winding_free(&memory, &winding);
    bounding_tree_free(&memory, &tree);
    memory_release(&memory, boxes);
    memory_release(&memory, of_points);
}

/// Boxes of whole numbers of cells, at sizes at which multiples of the cell are rounded either way.
/// Samples lie on their faces, and their neighbours exactly a cell away, up to rounding: whole
/// boxes were outside. An octahedron's faces go through samples obliquely, and winding numbers
/// there are those of neither side.
static void surfaces_through_samples_have_sides(void **state) {
    (void)state;
    static const double cells[] = {1e-9, 1.0 / 640.0, 0.003, 0.1, 1.0 / 3.0, 0.7, 1e6};
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
        for (int n = 1; n < 20; n += 3) {
            const double half[3] = {n * cells[c], (n + 1) * cells[c], (n % 4 + 1) * cells[c]};
            begin();
            add_box(half);
            struct distance_grid grid = new_grid(0.0, cells[c]);
            for (int k = 0; k < 3; k++) {
                grid.origin[k] = -(SIDE / 2) * cells[c];
            }
            const struct distance_sampling_report report = fill(&grid);
            assert_true(report.is_closed && !report.is_inverted);
            assert_int_equal(report.thin_count, 0);
            for (size_t i = 0; i < SAMPLES; i++) {
                double x[3], depth = INFINITY;
                place_of(&grid, i, x);
                for (int k = 0; k < 3; k++) {
                    depth = fmin(depth, half[k] - fabs(x[k]));
                }
                assert_true(fabs(depth) < 0.5 * cells[c] || (samples[i] < 0.0F) == (depth > 0.0));
            }
        }
    }
    begin();
    add_octahedron(1.0);
    struct distance_grid grid = new_grid(0.0, 0.1);
    grid.origin[0] = grid.origin[1] = grid.origin[2] = -0.1 * (SIDE / 2);
    assert_false(fill(&grid).is_inverted);
}

/// Every allocation fails in turn; all memory is released.
static void refused_memory_is_told(void **state) {
    (void)state;
    begin();
    add_ball(0.0);
    const struct distance_grid grid = new_grid(0.0, 0.07);
    struct distance_sampling_report report;
    pbs_status status = PBS_ERROR_MEMORY;
    for (uint64_t n = 0; status == PBS_ERROR_MEMORY; n++) {
        test_allocator_fail_after(&allocator, n);
        status = distance_sampling_fill(&memory, NULL, &balls.mesh, &grid, samples, &report);
        assert_true(n < 100);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
    assert_ok(status);
    assert_false(allocator.was_misused);
}

static int set_up(void **state) {
    (void)state;
    test_allocator_init(&allocator);
    const pbs_allocator hooks = test_allocator_hooks(&allocator);
    memory_init(&memory, &hooks);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_as_far_as_it_is),
        cmocka_unit_test(what_overlaps_is_one),
        cmocka_unit_test(triangles_need_not_know_each_other),
        cmocka_unit_test(holes_do_no_harm_from_afar),
        cmocka_unit_test(open_meshes_are_told),
        cmocka_unit_test(dipoles_are_as_good_as_triangles),
        cmocka_unit_test(surfaces_through_samples_have_sides),
        cmocka_unit_test(refused_memory_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

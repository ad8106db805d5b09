// Distance grids that a host computes from meshes: their values, reports about the mesh, and
// refusals. Threads change no value, and failing allocations leak nothing.
// SPDX-License-Identifier: MIT
#include <float.h>

#include "pbs/pbs.h"

#include "base/matrix3/math3.h"
#include "common/meshes/shapes.h"
#include "geometry/grids/distance_grid.h"
#include "support/host/allocator.h"
#include "support/testing.h"

// --- meshes ---

static struct surface_mesh ball, ring, box;

static int make_meshes(void **state) {
    (void)state;
    assert_true(surface_ball(1.0, 80, &ball));
    assert_true(surface_torus(0.6, 0.2, 48, &ring));
    assert_true(surface_box(1.0, 0.5, 0.25, &box));
    return 0;
}

static int free_meshes(void **state) {
    (void)state;
    surface_mesh_free(&ball);
    surface_mesh_free(&ring);
    surface_mesh_free(&box);
    return 0;
}

static pbs_grid_desc describe(const struct surface_mesh *mesh) {
    pbs_grid_desc d;
    assert_ok(pbs_grid_desc_init(&d, sizeof d));
    d.vertex_count = mesh->vertex_count;
    d.vertices = mesh->positions;
    d.triangle_count = mesh->triangle_count;
    d.triangles = mesh->triangles;
    return d;
}

/// With samples, which the caller frees.
static float *make_grid(const pbs_grid_desc *d, pbs_grid *grid) {
    *grid = (pbs_grid){.struct_size = sizeof *grid};
    assert_ok(pbs_grid_from_mesh(d, NULL, 0, grid));
    const pbs_grid layout = *grid;
    assert_true(grid->sample_count == (size_t)grid->counts[0] * grid->counts[1] * grid->counts[2]);
    float *samples = malloc(grid->sample_count * sizeof *samples);
    assert_non_null(samples);
    assert_ok(pbs_grid_from_mesh(d, samples, grid->sample_count, grid));
    assert_memory_equal(layout.counts, grid->counts, sizeof layout.counts);
    assert_memory_equal(layout.origin, grid->origin, sizeof layout.origin);
    assert_true(layout.cell == grid->cell && layout.sample_count == grid->sample_count);
    return samples;
}

static void place_of(const pbs_grid *grid, size_t i, double x[3]) {
    const size_t at[3] = {i % grid->counts[0], i / grid->counts[0] % grid->counts[1],
                          i / grid->counts[0] / grid->counts[1]};
    for (int k = 0; k < 3; k++) {
        x[k] = grid->origin[k] + grid->cell * (double)at[k];
    }
}

// --- what comes out ---

/// Chords of 80 segments lie 1 - cos(pi / 80) < 8e-4 below the ball, both ways around: 1.6e-3 m.
static void distances_are_those_of_the_shape(void **state) {
    (void)state;
    pbs_grid_desc d = describe(&ball);
    d.resolution = 24;
    pbs_grid grid;
    float *samples = make_grid(&d, &grid);
    assert_near(grid.cell, 2.0 / 24.0, 1e-15, "cell, m");
    assert_true(grid.is_closed == 1 && grid.is_inverted == 0);
    assert_int_equal(grid.open_count, 0);
    assert_int_equal(grid.thin_count, 0);
    size_t inside = 0;
    for (size_t i = 0; i < grid.sample_count; i++) {
        double x[3];
        place_of(&grid, i, x);
        const double exact = norm3(x) - 1.0;
        inside += samples[i] < 0.0F;
        // Beyond four cells first order: half a cell.
        const double tolerance = exact < 4.0 * grid.cell ? 1.6e-3 : 0.5 * grid.cell;
        assert_near((double)samples[i], exact, tolerance, "distance, m");
    }
    assert_int_equal(inside, grid.inside_count);
    free(samples);
}

/// Both interpolations get the border that a collider's check asks for, whatever the cell; the
/// mesh is in the middle; the longest side has as many cells as asked for.
static void the_border_is_wide_enough(void **state) {
    (void)state;
    const struct surface_mesh *meshes[3] = {&ball, &ring, &box};
    for (int i = 0; i < 12; i++) {
        pbs_grid_desc d = describe(meshes[i % 3]);
        d.interpolation = i / 3 % 2 == 0 ? PBS_GRID_CUBIC : PBS_GRID_LINEAR;
        d.resolution = 11;
        d.cell = i < 6 ? 0.0 : 0.0613;
        pbs_grid grid;
        float *samples = make_grid(&d, &grid);
        struct distance_grid inner = {
            .cell = grid.cell, .samples = samples, .is_linear = d.interpolation == PBS_GRID_LINEAR};
        for (int k = 0; k < 3; k++) {
            inner.origin[k] = grid.origin[k];
            inner.counts[k] = grid.counts[k];
            const double end = grid.origin[k] + grid.cell * (grid.counts[k] - 1.0);
            // The ball's box is a little smaller across: its rings have corners.
            assert_near(0.5 * (grid.origin[k] + end), 0.0, 1e-3, "middle, m");
        }
        assert_ok(distance_grid_check(&inner));
        assert_false(inner.is_hollow);
        assert_true(i >= 6 || grid.counts[0] == 12 + (i / 3 == 0 ? 8 : 6));
        assert_true(i < 6 || grid.cell == 0.0613);
        free(samples);
    }
}

/// The same bits on three threads, and where the host runs pieces backwards.
static void run_backwards(void *user, size_t count, pbs_work_fn work, void *context) {
    (void)user;
    for (size_t i = count; i-- > 0;) {
        work(context, i);
    }
}

static void threads_change_nothing(void **state) {
    (void)state;
    pbs_grid_desc d = describe(&ring);
    d.resolution = 30;
    pbs_grid grids[3];
    float *samples[3];
    for (int i = 0; i < 3; i++) {
        d.threads = i == 1 ? 3 : 1;
        d.tasks.parallel_for = i == 2 ? run_backwards : NULL;
        samples[i] = make_grid(&d, &grids[i]);
        assert_memory_equal(&grids[i], &grids[0], sizeof grids[0]);
        assert_memory_equal(samples[i], samples[0], grids[0].sample_count * sizeof(float));
    }
    for (int i = 0; i < 3; i++) {
        free(samples[i]);
    }
}

// --- what is said about the mesh ---

struct told {
    int count[4];
    char last_warning[300];
};

static void listen(void *user, int32_t level, const char *message) {
    struct told *told = user;
    told->count[level]++;
    if (level == PBS_LOG_WARNING) {
        snprintf(told->last_warning, sizeof told->last_warning, "%s", message);
    }
}

static void odd_meshes_are_told(void **state) {
    (void)state;
    struct told told = {{0}, ""};
    pbs_grid_desc d = describe(&ball);
    d.log = (pbs_log){listen, &told};
    d.resolution = 16;
    pbs_grid grid;
    free(make_grid(&d, &grid));
    assert_true(told.count[PBS_LOG_INFO] == 2 && told.count[PBS_LOG_WARNING] == 0);

    // A few triangles gone, and one that is there twice and one of no area.
    d.triangle_count -= 7;
    free(make_grid(&d, &grid));
    assert_int_equal(grid.is_closed, 0);
    d.triangle_count += 7;

    uint32_t *turned = malloc(3 * ball.triangle_count * sizeof *turned);
    assert_non_null(turned);
    for (size_t k = 0; k < 3 * ball.triangle_count; k++) {
        turned[k] = ball.triangles[k - k % 3 + (2 * (k % 3)) % 3];
    }
    d.triangles = turned;
    free(make_grid(&d, &grid));
    assert_true(grid.is_inverted == 1 && grid.is_closed == 1);
    assert_non_null(strstr(told.last_warning, "triangles face inwards"));
    free(turned);

    // A quarter of a metre thick, in cells of half a metre.
    d = describe(&box);
    d.log = (pbs_log){listen, &told};
    d.cell = 0.5;
    free(make_grid(&d, &grid));
    assert_int_equal(grid.inside_count, 0);
    assert_int_equal(grid.thin_count, box.triangle_count);
    assert_non_null(strstr(told.last_warning, "12 of 12 triangles are of parts thinner"));
}

/// Triangles of no area and triangles twice change no sample's side.
static void degenerate_triangles_do_no_harm(void **state) {
    (void)state;
    pbs_grid_desc d = describe(&ring);
    d.resolution = 20;
    pbs_grid grid, other;
    float *samples = make_grid(&d, &grid);
    uint32_t *more = malloc(3 * (ring.triangle_count + 3) * sizeof *more);
    assert_non_null(more);
    memcpy(more, ring.triangles, 3 * ring.triangle_count * sizeof *more);
    const uint32_t added[9] = {5, 5, 5, 7, 8, 7, more[30], more[31], more[32]};
    memcpy(more + 3 * ring.triangle_count, added, sizeof added);
    d.triangles = more;
    d.triangle_count += 3;
    float *others = make_grid(&d, &other);
    for (size_t i = 0; i < grid.sample_count; i++) {
        assert_near((double)others[i], (double)samples[i], 1e-7, "distance, m");
    }
    free(more);
    free(others);
    free(samples);
}

// --- refusals ---

static void impossible_requests_are_refused(void **state) {
    (void)state;
    pbs_grid grid = {.struct_size = sizeof grid};
    const pbs_grid_desc good = describe(&box);
    const pbs_grid before = grid;
    static float samples[64];
    pbs_grid_desc d = good;
    assert_status(pbs_grid_from_mesh(NULL, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_grid_desc_init(NULL, sizeof d), PBS_ERROR_ARGUMENT);
    assert_status(pbs_grid_desc_init(&d, 8), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_grid_from_mesh(&d, samples, 64, &grid), PBS_ERROR_CAPACITY);
    assert_message("capacity is 64 samples, but the grid has 73 x 41 x 25 = 74825");
    d.interpolation = 2;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    assert_message("interpolation");
    d = good;
    const double cells[] = {-1.0, NAN, INFINITY, 1e-9};
    for (size_t i = 0; i < COUNT_OF(cells); i++) {
        d.cell = cells[i];
        assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    }
    assert_message("samples, must be 268435456 in all at most");
    d.cell = 1e30;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    assert_message("must lie within");
    d = good;
    const uint32_t resolutions[] = {0, 1, 4097};
    for (size_t i = 0; i < COUNT_OF(resolutions); i++) {
        d.resolution = resolutions[i];
        assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
        assert_message("resolution");
    }
    d.cell = 0.1; // which needs none
    assert_ok(pbs_grid_from_mesh(&d, NULL, 0, &grid));
    grid = before;
    d = good;
    d.threads = -1;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    d = good;
    d.triangle_count = 0;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    assert_message("triangle_count");
    d = good;
    d.vertices = NULL;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    d = good;
    d.triangles = NULL;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    d = good;
    d.vertex_count--;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_MESH);
    assert_message("there are 7 vertices");
    d = good;
    d.allocator.allocate = (void *(*)(void *, size_t, size_t))(void (*)(void))run_backwards;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    const double bad[9] = {0, 0, 0, 1, NAN, 0, 0, 0, 1};
    const double point[9] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    const uint32_t triangle[3] = {0, 1, 2};
    d = good;
    d.vertex_count = 3;
    d.vertices = bad;
    d.triangle_count = 1;
    d.triangles = triangle;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    d.vertices = point;
    assert_status(pbs_grid_from_mesh(&d, NULL, 0, &grid), PBS_ERROR_ARGUMENT);
    assert_message("all triangles are at one point");
    assert_memory_equal(&grid, &before, sizeof grid);
}

/// Half a ball: an error, and samples as they were.
static void open_meshes_are_refused(void **state) {
    (void)state;
    pbs_grid_desc d = describe(&ball);
    d.triangle_count /= 2;
    d.resolution = 16;
    pbs_grid grid = {.struct_size = sizeof grid};
    assert_ok(pbs_grid_from_mesh(&d, NULL, 0, &grid));
    float *samples = malloc(grid.sample_count * sizeof *samples);
    assert_non_null(samples);
    for (size_t i = 0; i < grid.sample_count; i++) {
        samples[i] = 77.0F;
    }
    assert_status(pbs_grid_from_mesh(&d, samples, grid.sample_count, &grid), PBS_ERROR_MESH);
    assert_message("the mesh is open");
    for (size_t i = 0; i < grid.sample_count; i++) {
        assert_true(samples[i] == 77.0F);
    }
    free(samples);
}

static void refused_memory_is_told(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_grid_desc d = describe(&box);
    d.allocator = test_allocator_hooks(&allocator);
    d.resolution = 8;
    d.threads = 2;
    static float samples[17 * 17 * 17];
    pbs_grid grid = {.struct_size = sizeof grid};
    pbs_status status = PBS_ERROR_MEMORY;
    for (uint64_t n = 0; status == PBS_ERROR_MEMORY; n++) {
        test_allocator_fail_after(&allocator, n);
        status = pbs_grid_from_mesh(&d, samples, COUNT_OF(samples), &grid);
        assert_true(n < 100);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
    assert_ok(status);
    assert_false(allocator.was_misused);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_the_shape),
        cmocka_unit_test(the_border_is_wide_enough),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(odd_meshes_are_told),
        cmocka_unit_test(degenerate_triangles_do_no_harm),
        cmocka_unit_test(impossible_requests_are_refused),
        cmocka_unit_test(open_meshes_are_refused),
        cmocka_unit_test(refused_memory_is_told),
    };
    return cmocka_run_group_tests(tests, make_meshes, free_meshes);
}

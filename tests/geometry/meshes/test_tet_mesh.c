// Checks, boundaries, masses and normals of tetrahedral meshes: error messages, closed outward
// boundaries of boxes divided into tetrahedra, and slivers that must be accepted.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "geometry/meshes/tet_mesh.h"
#include "support/host/refusals.h"
#include "support/testing.h"

enum { CELLS = 4, SIDE = CELLS + 1, GRID_VERTICES = SIDE * SIDE * SIDE };

struct grid {
    double positions[GRID_VERTICES][3];
    uint32_t tets[CELLS * CELLS * CELLS * 6][4];
    struct tet_mesh_view view;
};

static uint32_t grid_vertex(int x, int y, int z) {
    return (uint32_t)((z * SIDE + y) * SIDE + x);
}

// Kuhn's subdivision of a cube: one tetrahedron per permutation of the axes.
static void cut_cell(const int corner[3], uint32_t tets[6][4]) {
    static const int walks[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int w = 0; w < 6; w++) {
        int at[3] = {corner[0], corner[1], corner[2]};
        uint32_t v[4] = {grid_vertex(at[0], at[1], at[2])};
        for (int i = 0; i < 3; i++) {
            at[walks[w][i]]++;
            v[i + 1] = grid_vertex(at[0], at[1], at[2]);
        }
        // Odd permutations are mirrored.
        const bool odd = w >= 3;
        const uint32_t ordered[4] = {v[0], v[odd ? 2 : 1], v[odd ? 1 : 2], v[3]};
        memcpy(tets[w], ordered, sizeof ordered);
    }
}

static void make_grid(struct grid *grid) {
    size_t count = 0;
    for (int z = 0; z < SIDE; z++) {
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                double *p = grid->positions[grid_vertex(x, y, z)];
                p[0] = 0.5 * x;
                p[1] = 0.25 * y;
                p[2] = z;
                if (x < CELLS && y < CELLS && z < CELLS) {
                    cut_cell((const int[3]){x, y, z}, grid->tets + 6 * count++);
                }
            }
        }
    }
    grid->view = (struct tet_mesh_view){GRID_VERTICES, grid->positions[0], 6 * count,
                                        grid->tets[0]};
}

static void assert_refused(const struct tet_mesh_view *mesh, const char *sentence) {
    struct memory memory;
    memory_init(&memory, NULL);
    assert_status(tet_mesh_check(mesh, &memory), PBS_ERROR_MESH);
    assert_message(sentence);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void accepts_a_grid(void **state) {
    (void)state;
    struct grid grid;
    struct memory memory;
    memory_init(&memory, NULL);
    make_grid(&grid);
    assert_int_equal(tet_mesh_check(&grid.view, &memory), PBS_OK);
    double volume = 0.0;
    for (size_t t = 0; t < grid.view.tet_count; t++) {
        volume += tet_signed_volume(&grid.view, t);
    }
    assert_true(fabs(volume - 2.0 * 1.0 * 4.0) < 1e-13);
}

static void refuses_broken_meshes(void **state) {
    (void)state;
    struct grid grid;
    make_grid(&grid);
    struct tet_mesh_view mesh = grid.view;
    mesh.tet_count = 0;
    assert_refused(&mesh, "0 tetrahedra is empty");
    mesh = grid.view;
    mesh.vertex_count = 0;
    assert_refused(&mesh, "0 vertices");

    grid.tets[17][2] = GRID_VERTICES;
    assert_refused(&grid.view, "tetrahedron 17: vertex index 125, must be below 125");
    make_grid(&grid);
    grid.tets[17][2] = grid.tets[17][0];
    assert_refused(&grid.view, "tetrahedron 17: vertex");
    make_grid(&grid);
    grid.positions[7][1] = NAN;
    assert_refused(&grid.view, "vertex 7: position");
    make_grid(&grid);
    grid.positions[7][1] = INFINITY;
    assert_refused(&grid.view, "vertex 7: position");
    make_grid(&grid);
    const uint32_t swapped[4] = {grid.tets[5][1], grid.tets[5][0], grid.tets[5][2],
                                 grid.tets[5][3]};
    memcpy(grid.tets[5], swapped, sizeof swapped);
    assert_refused(&grid.view, "tetrahedron 5: rest volume -0.0208333 m^3, must be positive");
    make_grid(&grid);
    // A corner that only tetrahedra of the last cell share, which is removed with that cell.
    grid.view.tet_count -= 6;
    assert_refused(&grid.view, "vertex 124: in no tetrahedron");
}

// Four points in a plane oblique to the axes, so that the volume is rounding rather than zero.
static void refuses_flat_tetrahedra_of_any_size(void **state) {
    (void)state;
    const uint32_t tets[4] = {0, 1, 2, 3};
    for (int exponent = -12; exponent <= 12; exponent += 3) {
        const double s = pow(10.0, exponent);
        double x[12] = {0.1, 0.2, 0.3, 1.1, 0.7, 0.3, 0.4, 1.3, 0.9, 0.0, 0.0, 0.0};
        for (int i = 0; i < 3; i++) {
            x[9 + i] = x[i] + 0.3 * (x[3 + i] - x[i]) + 0.4 * (x[6 + i] - x[i]);
        }
        for (int i = 0; i < 12; i++) {
            x[i] *= s;
        }
        const struct tet_mesh_view mesh = {4, x, 1, tets};
        assert_refused(&mesh, "tetrahedron 0: rest volume");
        // A volume above rounding, of at most 1e-11 of the longest edge cubed.
        double ab[3], ac[3], area[3];
        subtract3(x + 3, x, ab);
        subtract3(x + 6, x, ac);
        cross3(ab, ac, area);
        add_scaled3(x + 9, 1e-11 * s / norm3(area), area, x + 9);
        assert_refused(&mesh, "is flat, must be above");
    }
}

// A sliver: two opposite edges of a square, 1e-6 apart, at sizes from a micrometre to a megametre.
static void accepts_slivers_of_any_size(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    const uint32_t tets[4] = {0, 1, 2, 3};
    for (int exponent = -6; exponent <= 6; exponent += 3) {
        const double s = pow(10.0, exponent), h = 1e-6 * s;
        const double x[12] = {0.0, 0.0, 0.0, s, s, 0.0, s, 0.0, h, 0.0, s, h};
        struct tet_mesh_view mesh = {4, x, 1, tets};
        const uint32_t turned[4] = {1, 0, 2, 3};
        mesh.tets = tet_signed_volume(&mesh, 0) > 0.0 ? tets : turned;
        assert_int_equal(tet_mesh_check(&mesh, &memory), PBS_OK);
    }
}

static void masses_add_up(void **state) {
    (void)state;
    struct grid grid;
    make_grid(&grid);
    double mass[GRID_VERTICES] = {0.0}, total = 0.0;
    tet_mesh_add_lumped_mass(&grid.view, &(const double){3.0}, false, mass);
    for (size_t i = 0; i < GRID_VERTICES; i++) {
        assert_true(mass[i] > 0.0);
        total += mass[i];
    }
    assert_true(fabs(total - 3.0 * 8.0) < 1e-12);

    // One density per tetrahedron: only the first one is not zero and gives mass to its four
    // vertices.
    double densities[CELLS * CELLS * CELLS * 6] = {5.0};
    double single[GRID_VERTICES] = {0.0};
    tet_mesh_add_lumped_mass(&grid.view, densities, true, single);
    for (size_t i = 0; i < 4; i++) {
        assert_true(fabs(single[grid.tets[0][i]] - 5.0 * tet_signed_volume(&grid.view, 0) / 4.0) <
                    1e-15);
    }
}

struct boundary {
    struct memory memory;
    struct grid grid;
    uint32_t *triangles;
    size_t count;
};

static void make_boundary(struct boundary *b) {
    memory_init(&b->memory, NULL);
    make_grid(&b->grid);
    b->triangles = NULL;
    assert_ok(tet_boundary(&b->grid.view, &b->memory, &b->triangles, &b->count));
}

static void free_boundary(struct boundary *b) {
    memory_release(&b->memory, b->triangles);
    assert_int_equal(b->memory.bytes_in_use, 0);
}

// 2 * 6 * CELLS^2 triangles, every edge used once in each direction, and the volume of the box by
// the divergence theorem.
static void boundary_is_closed_and_outward(void **state) {
    (void)state;
    struct boundary b;
    make_boundary(&b);
    assert_int_equal(b.count, 12 * CELLS * CELLS);
    static int8_t balance[GRID_VERTICES][GRID_VERTICES];
    memset(balance, 0, sizeof balance);
    double volume = 0.0;
    for (size_t t = 0; t < b.count; t++) {
        const uint32_t *v = b.triangles + 3 * t;
        double bc[3];
        cross3(b.grid.positions[v[1]], b.grid.positions[v[2]], bc);
        volume += dot3(b.grid.positions[v[0]], bc) / 6.0;
        for (size_t i = 0; i < 3; i++) {
            balance[v[i]][v[(i + 1) % 3]]++;
            balance[v[(i + 1) % 3]][v[i]]--;
            assert_true(abs(balance[v[i]][v[(i + 1) % 3]]) <= 1);
        }
    }
    for (size_t i = 0; i < GRID_VERTICES * GRID_VERTICES; i++) {
        assert_int_equal((&balance[0][0])[i], 0);
    }
    assert_true(fabs(volume - 8.0) < 1e-12);
    free_boundary(&b);
}

// A fan whose tetrahedra all share two vertices, for which a bucket sort would need quadratic time.
static void boundary_of_a_fan_is_quick(void **state) {
    (void)state;
    enum { BLADES = 100000 };
    struct memory memory;
    memory_init(&memory, NULL);
    uint32_t *tets = malloc(BLADES * 4 * sizeof *tets);
    assert_non_null(tets);
    for (uint32_t t = 0; t < BLADES; t++) {
        const uint32_t v[4] = {0, 1, t + 2, t + 3};
        memcpy(tets + 4 * (size_t)t, v, sizeof v);
    }
    const struct tet_mesh_view mesh = {BLADES + 3, NULL, BLADES, tets};
    uint32_t *triangles = NULL;
    size_t count = 0;
    assert_int_equal(tet_boundary(&mesh, &memory, &triangles, &count), PBS_OK);
    assert_int_equal(count, 2 * BLADES + 2);
    memory_release(&memory, triangles);
    free(tets);
}

static pbs_status find_boundary(struct memory *memory, const void *grid) {
    uint32_t *triangles = NULL;
    size_t count = 0;
    const pbs_status status = tet_boundary(&((const struct grid *)grid)->view, memory, &triangles,
                                           &count);
    memory_release(memory, triangles);
    return status;
}

static void every_failed_allocation_is_a_status(void **state) {
    (void)state;
    struct grid grid;
    make_grid(&grid);
    assert_refusals_are_statuses(find_boundary, &grid, 10);
}

/// Every face is inner or on the boundary. The vertices of an inner face belong to both tetrahedra,
/// oriented outward for the first and inward for the second.
static void inner_faces_are_all_others(void **state) {
    (void)state;
    static struct grid grid;
    struct memory memory;
    struct tet_inner_face *faces = NULL;
    uint32_t *triangles = NULL;
    size_t face_count = 0;
    size_t triangle_count = 0;
    make_grid(&grid);
    memory_init(&memory, NULL);
    assert_ok(tet_inner_faces(&grid.view, &memory, &faces, &face_count));
    assert_ok(tet_boundary(&grid.view, &memory, &triangles, &triangle_count));
    assert_int_equal(2 * face_count + triangle_count, 4 * grid.view.tet_count);
    for (size_t f = 0; f < face_count; f++) {
        const struct tet_inner_face *face = &faces[f];
        assert_true(face->tets[0] < face->tets[1]);
        assert_true(f == 0 || faces[f - 1].tets[0] <= face->tets[0]);
        for (int side = 0; side < 2; side++) {
            // The tetrahedron's fourth vertex is behind its face.
            const uint32_t *v = grid.tets[face->tets[side]];
            double edge[2][3], normal[3], below[3];
            const double *origin = grid.positions[face->vertices[0]];
            subtract3(grid.positions[face->vertices[1]], origin, edge[0]);
            subtract3(grid.positions[face->vertices[2]], origin, edge[1]);
            cross3(edge[0], edge[1], normal);
            int found = 0;
            for (int i = 0; i < 4; i++) {
                const bool on = v[i] == face->vertices[0] || v[i] == face->vertices[1] ||
                                v[i] == face->vertices[2];
                found += on;
                subtract3(grid.positions[v[i]], origin, below);
                assert_true(on || dot3(normal, below) * (side == 0 ? -1.0 : 1.0) > 0.0);
            }
            assert_int_equal(found, 3);
        }
    }
    memory_release(&memory, faces);
    memory_release(&memory, triangles);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void a_face_of_three_is_refused(void **state) {
    (void)state;
    static const double x[15] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0,
                                 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0};
    static const uint32_t tets[12] = {0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 3};
    const struct tet_mesh_view mesh = {5, x, 3, tets};
    struct memory memory;
    struct tet_inner_face *faces = NULL;
    size_t count = 0;
    memory_init(&memory, NULL);
    assert_status(tet_inner_faces(&mesh, &memory, &faces, &count), PBS_ERROR_MESH);
    assert_message("tetrahedra 0, 1 and 2 share a face");
    assert_int_equal(memory.bytes_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_a_grid),
        cmocka_unit_test(refuses_broken_meshes),
        cmocka_unit_test(refuses_flat_tetrahedra_of_any_size),
        cmocka_unit_test(accepts_slivers_of_any_size),
        cmocka_unit_test(masses_add_up),
        cmocka_unit_test(boundary_is_closed_and_outward),
        cmocka_unit_test(boundary_of_a_fan_is_quick),
        cmocka_unit_test(inner_faces_are_all_others),
        cmocka_unit_test(a_face_of_three_is_refused),
        cmocka_unit_test(every_failed_allocation_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

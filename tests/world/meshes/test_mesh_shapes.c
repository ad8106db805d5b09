// Meshes of simple shapes: volumes and areas beside their formulas, closed and convex surfaces, and
// refusals.
// SPDX-License-Identifier: MIT
#include "mesh_testing.h"
#include "support/world_testing.h"

static const double PI = 3.14159265358979323846;

// --- boxes ---

static void boxes_are_boxes(void **state) {
    (void)state;
    static const double size[3] = {0.3, 2.0, 0.7};
    static const uint32_t cells[][3] = {{1, 1, 1}, {3, 2, 4}};
    pbs_mesh mesh = empty_mesh();
    double least = 0.0;
    for (size_t i = 0; i < 2; i++) {
        const uint32_t *n = cells[i];
        assert_ok(pbs_mesh_box(NULL, size, n, &mesh));
        const size_t count = (size_t)n[0] * n[1] * n[2];
        assert_int_equal(mesh.vertex_count, (n[0] + 1) * (n[1] + 1) * (n[2] + 1));
        assert_int_equal(mesh.tet_count, 6 * count);
        assert_int_equal(mesh.triangle_count, 4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]));
        assert_closed(&mesh);
        assert_near(mesh_volume(&mesh), 0.42, 1e-15, "volume");
        assert_near(mesh_area(&mesh), 2.0 * (0.6 + 0.21 + 1.4), 1e-14, "area");
        assert_near(mesh_tet_volume(&mesh, &least), 0.42, 1e-14, "volume of the tetrahedra");
        assert_near(least, 0.42 / (6.0 * (double)count), 1e-16, "all are of one volume");
        assert_small(mesh_concavity(&mesh), 1e-15, "concavity");
    }
    // Vertex (1, 2, 3) of 3 x 2 x 4 cells.
    const double *x = mesh.positions + 3 * (size_t)(1 + 4 * (2 + 3 * 3));
    assert_near(x[0], -0.05, 1e-16, "x");
    assert_near(x[1], 1.0, 0.0, "y");
    assert_near(x[2], 0.175, 1e-16, "z");
    pbs_mesh_free(&mesh);
}

// --- round shapes ---

/// A prism of 6 `cells` sides.
static double prism_volume(double radius, double height, uint32_t cells) {
    const double sides = 6.0 * cells;
    return 0.5 * sides * radius * radius * sin(2.0 * PI / sides) * height;
}

static void assert_solid(const pbs_mesh *mesh, double volume, double size) {
    double least = 0.0;
    assert_closed(mesh);
    assert_near(mesh_volume(mesh), volume, 1e-13 * volume, "volume");
    assert_near(mesh_tet_volume(mesh, &least), volume, 1e-13 * volume, "volume of tetrahedra");
    assert_true(least > 0.0);
    assert_small(mesh_concavity(mesh), 1e-15 * size, "concavity");
}

static void assert_surface(const pbs_mesh *mesh, double volume, double size) {
    assert_int_equal(mesh->tet_count, 0);
    assert_null(mesh->tets);
    assert_closed(mesh);
    assert_near(mesh_volume(mesh), volume, 1e-13 * volume, "volume");
    assert_small(mesh_concavity(mesh), 1e-15 * size, "concavity");
}

static void balls_approach_the_sphere(void **state) {
    (void)state;
    const double radius = 0.4, volume = 4.0 / 3.0 * PI * radius * radius * radius;
    const double area = 4.0 * PI * radius * radius;
    pbs_mesh surface = empty_mesh(), solid = empty_mesh();
    double before[2] = {0.0, 0.0};
    for (uint32_t cells = 1; cells <= 8; cells *= 2) {
        assert_ok(pbs_mesh_ball(NULL, radius, cells, 0, &surface));
        assert_ok(pbs_mesh_ball(NULL, radius, cells, 1, &solid));
        assert_int_equal(surface.vertex_count, 6 * cells * cells + 2);
        assert_int_equal(surface.triangle_count, 12 * cells * cells);
        assert_int_equal(solid.triangle_count, surface.triangle_count);
        assert_int_equal(solid.tet_count, 12 * cells * cells * cells);
        for (size_t i = 0; i < surface.vertex_count; i++) {
            assert_near(norm3(surface.positions + 3 * i), radius, 1e-15, "on the sphere");
        }
        assert_surface(&surface, mesh_volume(&solid), radius);
        assert_solid(&solid, mesh_volume(&surface), radius);
        const double lacks[2] = {1.0 - mesh_volume(&surface) / volume,
                                 1.0 - mesh_area(&surface) / area};
        for (int k = 0; k < 2 && cells > 4; k++) {
            assert_near(before[k] / lacks[k], 4.0, 0.2, "second order in the cell");
        }
        memcpy(before, lacks, sizeof before);
    }
    assert_small(before[0], 0.02, "of the volume with 8 cells");
    pbs_mesh_free(&surface);
    pbs_mesh_free(&solid);
}

static void cylinders_are_prisms(void **state) {
    (void)state;
    const double radius = 0.2, height = 1.5;
    pbs_mesh mesh = empty_mesh();
    for (uint32_t cells = 1; cells <= 4; cells++) {
        const double volume = prism_volume(radius, height, cells);
        const uint32_t n[2] = {cells, 3};
        assert_ok(pbs_mesh_cylinder(NULL, radius, height, n, 0, &mesh));
        assert_int_equal(mesh.vertex_count, 6 * cells * 4 + 2);
        assert_surface(&mesh, volume, height);
        const double sides = 6.0 * cells, edge = 2.0 * radius * sin(PI / sides);
        assert_near(mesh_area(&mesh), 2.0 * volume / height + sides * edge * height, 1e-14, "area");
        assert_ok(pbs_mesh_cylinder(NULL, radius, height, n, 1, &mesh));
        assert_int_equal(mesh.tet_count, 18 * cells * cells * 3);
        assert_solid(&mesh, volume, height);
    }
    pbs_mesh_free(&mesh);
}

static void capsules_are_a_cylinder_and_a_ball(void **state) {
    (void)state;
    const double radius = 0.2, height = 0.6;
    pbs_mesh mesh = empty_mesh(), ball = empty_mesh();
    for (uint32_t cells = 1; cells <= 4; cells++) {
        const uint32_t n[2] = {cells, 2};
        assert_ok(pbs_mesh_ball(NULL, radius, cells, 0, &ball));
        const double volume = prism_volume(radius, height, cells) + mesh_volume(&ball);
        assert_ok(pbs_mesh_capsule(NULL, radius, height, n, 0, &mesh));
        assert_surface(&mesh, volume, height);
        assert_ok(pbs_mesh_capsule(NULL, radius, height, n, 1, &mesh));
        assert_int_equal(mesh.tet_count, 12 * cells * cells * cells + 18 * cells * cells * 2);
        assert_solid(&mesh, volume, height);
        double top = 0.0;
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            top = fmax(top, mesh.positions[3 * i + 1]);
        }
        assert_near(top, 0.5, 1e-15, "top");
    }
    pbs_mesh_free(&mesh);
    pbs_mesh_free(&ball);
}

/// A millimetre, a hundred metres, and far beyond: the same mesh.
static void shapes_are_alike_at_all_sizes(void **state) {
    (void)state;
    const uint32_t cells[2] = {3, 4};
    const double sizes[] = {1e-100, 1e-3, 100.0, 1e29};
    pbs_mesh one = empty_mesh(), mesh = empty_mesh();
    assert_ok(pbs_mesh_capsule(NULL, 1.0, 2.0, cells, 1, &one));
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        assert_ok(pbs_mesh_capsule(NULL, sizes[i], 2.0 * sizes[i], cells, 1, &mesh));
        assert_int_equal(mesh.vertex_count, one.vertex_count);
        assert_memory_equal(mesh.tets, one.tets, 16 * one.tet_count);
        assert_memory_equal(mesh.triangles, one.triangles, 12 * one.triangle_count);
        for (size_t k = 0; k < 3 * one.vertex_count; k++) {
            assert_near(mesh.positions[k] / sizes[i], one.positions[k], 1e-15, "place");
        }
    }
    pbs_mesh_free(&one);
    pbs_mesh_free(&mesh);
}

// --- sheets and ropes ---

static void sheets_face_up(void **state) {
    (void)state;
    static const double size[2] = {2.0, 0.5};
    static const uint32_t cells[2] = {4, 3};
    pbs_mesh mesh = empty_mesh();
    assert_ok(pbs_mesh_sheet(NULL, size, cells, &mesh));
    assert_int_equal(mesh.vertex_count, 20);
    assert_int_equal(mesh.triangle_count, 24);
    for (size_t t = 0; t < mesh.triangle_count; t++) {
        double area[3];
        mesh_triangle_area(&mesh, t, area);
        assert_near(area[1], 1.0 / 24.0, 1e-16, "area, upward");
    }
    // Vertex (3, 2).
    assert_near(mesh.positions[3 * 13], 0.5, 0.0, "x");
    assert_near(mesh.positions[3 * 13 + 2], 0.5 * (2.0 / 3.0 - 0.5), 1e-16, "z");
    pbs_mesh_free(&mesh);
}

static void ropes_are_lines(void **state) {
    (void)state;
    pbs_mesh mesh = empty_mesh();
    assert_ok(pbs_mesh_rope(NULL, 3.0, 4, &mesh));
    assert_int_equal(mesh.vertex_count, 5);
    assert_int_equal(mesh.edge_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(mesh.edges[2 * i], i);
        assert_int_equal(mesh.edges[2 * i + 1], i + 1);
        assert_near(mesh.positions[3 * i], -1.5 + 0.75 * i, 0.0, "x");
    }
    pbs_mesh_free(&mesh);
}

// --- refusals ---

/// What a test asks for; the other arguments are right.
struct wish {
    double size[3], radius, height;
    uint32_t cells[3];
    int32_t filled;
    const char *words;
};

static pbs_status make(int which, const struct wish *wish, const pbs_allocator *allocator,
                       pbs_mesh *out) {
    switch (which) {
    case 0: return pbs_mesh_box(allocator, wish->size, wish->cells, out);
    case 1: return pbs_mesh_ball(allocator, wish->radius, wish->cells[0], wish->filled, out);
    case 2:
        return pbs_mesh_capsule(allocator, wish->radius, wish->height, wish->cells, wish->filled,
                                out);
    case 3:
        return pbs_mesh_cylinder(allocator, wish->radius, wish->height, wish->cells, wish->filled,
                                 out);
    case 4: return pbs_mesh_sheet(allocator, wish->size, wish->cells, out);
    default: return pbs_mesh_rope(allocator, wish->radius, wish->cells[0], out);
    }
}

enum { SHAPES = 6 };

static const struct wish good = {{1, 1, 1}, 1, 1, {2, 2, 2}, 1, ""};

static void wrong_numbers_are_refused(void **state) {
    (void)state;
    static const struct {
        int shape;
        struct wish wish;
    } rows[] = {
        {0, {{1, 0, 1}, 1, 1, {2, 2, 2}, 1, "size is 0"}},
        {0, {{1, 1, -1}, 1, 1, {2, 2, 2}, 1, "size is -1"}},
        {0, {{NAN, 1, 1}, 1, 1, {2, 2, 2}, 1, "size is nan"}},
        {0, {{1, INFINITY, 1}, 1, 1, {2, 2, 2}, 1, "size is inf"}},
        {0, {{1, 2e30, 1}, 1, 1, {2, 2, 2}, 1, "size is 2e+30 m"}},
        {0, {{1, 1, 1}, 1, 1, {1, 0, 1}, 1, "cells is 0"}},
        {0, {{1, 1, 1}, 1, 1, {1, 65537, 1}, 1, "cells is 65537"}},
        {0, {{1, 1, 1}, 1, 1, {65536, 65536, 65536}, 1, "number of vertices"}},
        {0, {{1, 1, 1}, 1, 1, {400, 400, 400}, 1, "number of elements is 384000000"}},
        {0, {{1, 1, 1}, 1, 1, {UINT32_MAX, 1, 1}, 1, "cells is 4294967295"}},
        {1, {{1, 1, 1}, 0, 1, {2, 2, 2}, 1, "radius is 0"}},
        {1, {{1, 1, 1}, NAN, 1, {2, 2, 2}, 1, "radius is nan"}},
        {1, {{1, 1, 1}, 1, 1, {0}, 1, "cells is 0"}},
        {1, {{1, 1, 1}, 1, 1, {300}, 1, "number of elements"}},
        {1, {{1, 1, 1}, 1, 1, {2, 2, 2}, 2, "filled is 2"}},
        {2, {{1, 1, 1}, 1, 0, {2, 2, 2}, 1, "height is 0"}},
        {2, {{1, 1, 1}, 1, -INFINITY, {2, 2, 2}, 1, "height is -inf"}},
        {2, {{1, 1, 1}, 1e30, 1e30, {2, 2, 2}, 1, "radius + height / 2"}},
        {2, {{1, 1, 1}, 1, 1, {1, 0}, 1, "cells is 0"}},
        {2, {{1, 1, 1}, 1, 1, {65536, 65536}, 0, "number of vertices"}},
        {3, {{1, 1, 1}, -1, 1, {2, 2, 2}, 1, "radius is -1"}},
        {3, {{1, 1, 1}, 1, 1, {2, 2, 2}, -1, "filled is -1"}},
        {4, {{1, NAN}, 1, 1, {2, 2, 2}, 1, "size is nan"}},
        {4, {{1, 1, 1}, 1, 1, {65536, 65536}, 1, "number of vertices"}},
        {5, {{1, 1, 1}, 0, 1, {2, 2, 2}, 1, "length is 0"}},
        {5, {{1, 1, 1}, 1, 1, {0}, 1, "cells is 0"}},
        {5, {{1, 1, 1}, 1, 1, {UINT32_MAX}, 1, "cells is 4294967295"}},
    };
    pbs_mesh mesh = empty_mesh();
    assert_ok(pbs_mesh_rope(NULL, 1.0, 3, &mesh));
    const pbs_mesh before = mesh;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_status(make(rows[i].shape, &rows[i].wish, NULL, &mesh), PBS_ERROR_ARGUMENT);
        assert_message(rows[i].wish.words);
        assert_memory_equal(&mesh, &before, sizeof mesh);
    }
    pbs_mesh_free(&mesh);
}

static void pointers_and_structs_are_checked(void **state) {
    (void)state;
    static const double size[3] = {1, 1, 1};
    static const uint32_t cells[3] = {1, 1, 1};
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_allocator half = test_allocator_hooks(&allocator);
    half.release = NULL;
    for (int shape = 0; shape < SHAPES; shape++) {
        pbs_mesh mesh = empty_mesh();
        assert_status(make(shape, &good, NULL, NULL), PBS_ERROR_ARGUMENT);
        assert_status(make(shape, &good, &half, &mesh), PBS_ERROR_ARGUMENT);
        mesh.struct_size = 8;
        assert_status(make(shape, &good, NULL, &mesh), PBS_ERROR_STRUCT_SIZE);
    }
    pbs_mesh mesh = empty_mesh();
    assert_status(pbs_mesh_box(NULL, NULL, cells, &mesh), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_box(NULL, size, NULL, &mesh), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_sheet(NULL, NULL, cells, &mesh), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_sheet(NULL, size, NULL, &mesh), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_capsule(NULL, 1.0, 1.0, NULL, 0, &mesh), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_cylinder(NULL, 1.0, 1.0, NULL, 0, &mesh), PBS_ERROR_ARGUMENT);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const pbs_allocator hooks = test_allocator_hooks(&allocator);
    for (int shape = 0; shape < SHAPES; shape++) {
        pbs_mesh mesh = empty_mesh();
        assert_ok(make(shape, &good, &hooks, &mesh));
        const pbs_mesh before = mesh;
        const size_t in_use = allocator.bytes_in_use;
        pbs_status status = PBS_ERROR_MEMORY;
        for (uint64_t k = 0; status == PBS_ERROR_MEMORY; k++) {
            test_allocator_fail_after(&allocator, k);
            status = make(shape, &good, &hooks, &mesh);
            if (status == PBS_ERROR_MEMORY) {
                assert_memory_equal(&mesh, &before, sizeof mesh);
                assert_int_equal(allocator.bytes_in_use, in_use);
            }
        }
        assert_ok(status);
        test_allocator_fail_after(&allocator, ALLOCATOR_NEVER);
        assert_int_equal(allocator.bytes_in_use, in_use); // the former mesh is freed
        pbs_mesh_free(&mesh);
        assert_int_equal(allocator.bytes_in_use, 0);
        assert_false(allocator.was_misused);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_boxes),
        cmocka_unit_test(balls_approach_the_sphere),
        cmocka_unit_test(cylinders_are_prisms),
        cmocka_unit_test(capsules_are_a_cylinder_and_a_ball),
        cmocka_unit_test(shapes_are_alike_at_all_sizes),
        cmocka_unit_test(sheets_face_up),
        cmocka_unit_test(ropes_are_lines),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(pointers_and_structs_are_checked),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

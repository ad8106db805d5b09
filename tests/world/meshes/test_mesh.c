// What is done to a mesh that is there: freeing, transforming, joining; and that bodies and
// colliders take meshes as they are.
// SPDX-License-Identifier: MIT
#include "mesh_testing.h"
#include "support/world_testing.h"

static pbs_mesh box_mesh(uint32_t cells) {
    static const double size[3] = {1.0, 2.0, 3.0};
    const uint32_t n[3] = {cells, cells, cells};
    pbs_mesh mesh = empty_mesh();
    assert_ok(pbs_mesh_box(NULL, size, n, &mesh));
    return mesh;
}

static void meshes_are_freed_more_than_once(void **state) {
    (void)state;
    pbs_mesh mesh = box_mesh(1);
    pbs_mesh_free(&mesh);
    assert_int_equal(mesh.vertex_count, 0);
    assert_null(mesh.positions);
    pbs_mesh_free(&mesh);
    pbs_mesh_free(NULL);
    mesh = empty_mesh();
    pbs_mesh_free(&mesh);
    assert_status(pbs_mesh_init(NULL, sizeof mesh), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_init(&mesh, 8), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_mesh_init(&mesh, sizeof mesh + 8), PBS_ERROR_STRUCT_SIZE);
    mesh.struct_size = 3; // not initialised: freeing touches nothing
    pbs_mesh_free(&mesh);
}

static void bodies_and_colliders_take_meshes(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_mesh mesh = empty_mesh(), rope = empty_mesh();
    pbs_solid_desc solid;
    pbs_affine_desc affine;
    pbs_springs_desc springs;
    pbs_body body;
    assert_ok(pbs_mesh_ball(NULL, 0.5, 3, 1, &mesh));
    assert_ok(pbs_mesh_rope(NULL, 1.0, 2, &rope));
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.vertex_count = mesh.vertex_count;
    solid.positions = mesh.positions;
    solid.tet_count = mesh.tet_count;
    solid.tets = mesh.tets;
    assert_ok(pbs_body_create_solid(world, &solid, &body));
    assert_ok(pbs_affine_desc_init(&affine, sizeof affine));
    affine.vertex_count = mesh.vertex_count;
    affine.positions = mesh.positions;
    affine.triangle_count = mesh.triangle_count;
    affine.triangles = mesh.triangles;
    assert_ok(pbs_body_create_affine(world, &affine, &body));
    static const double masses[3] = {1, 1, 1};
    assert_ok(pbs_springs_desc_init(&springs, sizeof springs));
    springs.vertex_count = rope.vertex_count;
    springs.positions = rope.positions;
    springs.masses = masses;
    springs.spring_count = rope.edge_count;
    springs.springs = rope.edges;
    assert_ok(pbs_body_create_springs(world, &springs, &body));
    pbs_mesh_free(&mesh);
    pbs_mesh_free(&rope);
    pbs_world_destroy(world);
}

// --- transforms ---

static void transforms_scale_turn_and_move(void **state) {
    (void)state;
    // A quarter turn about z takes x to y.
    static const double scale[3] = {2.0, 3.0, 4.0}, turn[4] = {0.0, 0.0, 0.6, 0.8};
    static const double move[3] = {10.0, 20.0, 30.0};
    pbs_mesh mesh = box_mesh(1);
    assert_ok(pbs_mesh_transform(&mesh, scale, turn, move));
    // The corner (.5, 1, 1.5) becomes (1, 3, 6); cos = .28, sin = .96.
    const double *x = mesh.positions + 3 * 7;
    assert_near(x[0], 10.0 + 0.28 * 1.0 - 0.96 * 3.0, 1e-14, "x");
    assert_near(x[1], 20.0 + 0.96 * 1.0 + 0.28 * 3.0, 1e-14, "y");
    assert_near(x[2], 36.0, 1e-14, "z");
    assert_near(mesh_volume(&mesh), 6.0 * 24.0, 1e-10, "volume");
    const pbs_mesh before = mesh;
    assert_ok(pbs_mesh_transform(&mesh, NULL, NULL, NULL));
    assert_memory_equal(&mesh, &before, sizeof mesh);
    assert_near(x[2], 36.0, 1e-14, "z as it was");
    pbs_mesh_free(&mesh);
}

static void mirror_images_keep_their_orientation(void **state) {
    (void)state;
    static const double mirror[3] = {-1.0, 1.0, 1.0}, turned[3] = {-1.0, -1.0, 1.0};
    pbs_mesh mesh = empty_mesh();
    double least = 0.0;
    assert_ok(pbs_mesh_ball(NULL, 1.0, 2, 1, &mesh));
    const double volume = mesh_volume(&mesh);
    for (int i = 0; i < 2; i++) {
        assert_ok(pbs_mesh_transform(&mesh, i == 0 ? mirror : turned, NULL, NULL));
        assert_near(mesh_volume(&mesh), volume, 1e-15 * volume, "volume");
        assert_near(mesh_tet_volume(&mesh, &least), volume, 1e-14 * volume, "tetrahedra");
        assert_true(least > 0.0);
    }
    pbs_mesh_free(&mesh);
}

static void wrong_transforms_are_refused(void **state) {
    (void)state;
    static const double flat[3] = {1, 0, 1}, nan[3] = {1, NAN, 1}, huge[3] = {1e30, 1e30, 1e30};
    static const double not_unit[4] = {0, 0, 0, 1.1}, far[3] = {0, 2e30, 0};
    pbs_mesh mesh = box_mesh(1);
    double before[24];
    memcpy(before, mesh.positions, sizeof before);
    assert_status(pbs_mesh_transform(NULL, NULL, NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_transform(&mesh, flat, NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_message("scale[1] is 0");
    assert_status(pbs_mesh_transform(&mesh, nan, NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_transform(&mesh, NULL, not_unit, NULL), PBS_ERROR_ARGUMENT);
    assert_message("orientation");
    assert_status(pbs_mesh_transform(&mesh, NULL, NULL, nan), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_transform(&mesh, NULL, NULL, far), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_transform(&mesh, huge, NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_message("vertex 0: z would become -1.5e+30 m");
    assert_same_bits(mesh.positions, before, 24);
    pbs_mesh wrong = mesh;
    wrong.positions = NULL;
    assert_status(pbs_mesh_transform(&wrong, NULL, NULL, NULL), PBS_ERROR_ARGUMENT);
    wrong = mesh;
    wrong.vertex_count = 4; // indices are beyond
    assert_status(pbs_mesh_transform(&wrong, NULL, NULL, NULL), PBS_ERROR_ARGUMENT);
    wrong = mesh;
    wrong.tet_count = SIZE_MAX;
    assert_status(pbs_mesh_transform(&wrong, NULL, NULL, NULL), PBS_ERROR_ARGUMENT);
    wrong = mesh;
    wrong.struct_size = 0;
    assert_status(pbs_mesh_transform(&wrong, NULL, NULL, NULL), PBS_ERROR_STRUCT_SIZE);
    pbs_mesh_free(&mesh);
}

// --- joining ---

static void joined_meshes_are_both(void **state) {
    (void)state;
    static const double away[3] = {0.0, 10.0, 0.0};
    pbs_mesh mesh = empty_mesh(), box = box_mesh(2), rope = empty_mesh();
    double least = 0.0;
    assert_ok(pbs_mesh_rope(NULL, 1.0, 3, &rope));
    assert_ok(pbs_mesh_join(&mesh, &box)); // to an empty one
    assert_int_equal(mesh.vertex_count, 27);
    assert_ok(pbs_mesh_transform(&box, NULL, NULL, away));
    assert_ok(pbs_mesh_join(&mesh, &box));
    assert_ok(pbs_mesh_join(&mesh, &rope));
    assert_int_equal(mesh.vertex_count, 27 + 27 + 4);
    assert_int_equal(mesh.tet_count, 2 * box.tet_count);
    assert_int_equal(mesh.triangle_count, 2 * box.triangle_count);
    assert_closed(&mesh);
    assert_near(mesh_volume(&mesh), 12.0, 1e-12, "volume");
    assert_near(mesh_tet_volume(&mesh, &least), 12.0, 1e-12, "volume of tetrahedra");
    assert_int_equal(mesh.edge_count, 3);
    assert_int_equal(mesh.edges[0], 54);
    assert_near(mesh.positions[3 * 27 + 1], 9.0, 0.0, "y of the second box");
    assert_ok(pbs_mesh_join(&mesh, &mesh));
    assert_int_equal(mesh.vertex_count, 2 * 58);
    assert_near(mesh_volume(&mesh), 24.0, 1e-12, "volume");
    pbs_mesh_free(&mesh);
    pbs_mesh_free(&box);
    pbs_mesh_free(&rope);
}

static void joining_may_run_out_of_memory(void **state) {
    (void)state;
    static const double size[3] = {1, 1, 1};
    static const uint32_t cells[3] = {1, 1, 1};
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const pbs_allocator hooks = test_allocator_hooks(&allocator);
    pbs_mesh mesh = empty_mesh();
    assert_ok(pbs_mesh_box(&hooks, size, cells, &mesh));
    const pbs_mesh before = mesh;
    pbs_status status = PBS_ERROR_MEMORY;
    for (uint64_t k = 0; status == PBS_ERROR_MEMORY; k++) {
        assert_memory_equal(&mesh, &before, sizeof mesh);
        test_allocator_fail_after(&allocator, k);
        status = pbs_mesh_join(&mesh, &mesh);
    }
    assert_ok(status);
    assert_int_equal(mesh.vertex_count, 16);
    pbs_mesh_free(&mesh);
    assert_int_equal(allocator.bytes_in_use, 0);
    assert_false(allocator.was_misused);
    // A mesh that was freed keeps its allocator.
    assert_true(mesh.allocator.user == hooks.user);
}

static void wrong_meshes_are_not_joined(void **state) {
    (void)state;
    pbs_mesh mesh = box_mesh(1), other = mesh;
    assert_status(pbs_mesh_join(NULL, &mesh), PBS_ERROR_ARGUMENT);
    assert_status(pbs_mesh_join(&mesh, NULL), PBS_ERROR_ARGUMENT);
    other.triangles = NULL;
    assert_status(pbs_mesh_join(&mesh, &other), PBS_ERROR_ARGUMENT);
    assert_message("triangles is null");
    other = mesh;
    other.vertex_count = (size_t)1 << 40;
    assert_status(pbs_mesh_join(&mesh, &other), PBS_ERROR_ARGUMENT);
    assert_message("vertex_count");
    other = mesh;
    other.vertex_count = 7;
    assert_status(pbs_mesh_join(&mesh, &other), PBS_ERROR_ARGUMENT);
    assert_message("the body has 7 vertices");
    assert_int_equal(mesh.vertex_count, 8);
    pbs_mesh_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_freed_more_than_once),
        cmocka_unit_test(bodies_and_colliders_take_meshes),
        cmocka_unit_test(transforms_scale_turn_and_move),
        cmocka_unit_test(mirror_images_keep_their_orientation),
        cmocka_unit_test(wrong_transforms_are_refused),
        cmocka_unit_test(joined_meshes_are_both),
        cmocka_unit_test(joining_may_run_out_of_memory),
        cmocka_unit_test(wrong_meshes_are_not_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

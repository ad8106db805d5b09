// A body's description as it is read makes the body again: the same numbers, and steps that give
// the same bits. After changes and steps it has the parameters and the motion of then. And
// refusals.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "support/world_testing.h"

enum { CUBE = 8 };

static const double origin[3] = {0.0, 0.0, 0.0};

static pbs_world *plain_world(void) {
    pbs_world_desc d;
    scene_settings(&d);
    return new_world_from(&d);
}

/// Both worlds, each with one body of as many vertices, take steps to the same bits.
static void assert_same_motion(pbs_world *a, pbs_world *b) {
    for (int i = 0; i < 3; i++) {
        assert_true(pbs_world_hash(a) == pbs_world_hash(b));
        assert_ok(pbs_world_step(a, 0.01));
        assert_ok(pbs_world_step(b, 0.01));
    }
    pbs_world_destroy(a);
    pbs_world_destroy(b);
}

// --- solids ---

static pbs_body add_solid(pbs_world *world) {
    struct cube_mesh mesh;
    pbs_solid_desc d;
    pbs_body body;
    double velocities[3 * CUBE], young[6], density[6];
    assert_true(cube_mesh_make(&mesh, 1, 0.5, origin));
    cube_mesh_describe(&mesh, &d);
    for (int i = 0; i < 3 * CUBE; i++) {
        velocities[i] = 0.1 * i - 0.5;
    }
    for (int i = 0; i < 6; i++) {
        young[i] = 1e5 + 1e4 * i;
        density[i] = 900.0 + 10.0 * i;
    }
    d.material = PBS_MATERIAL_NEO_HOOKEAN;
    d.poisson = 0.2;
    d.damping = 0.01;
    d.drag = 0.02;
    d.tet_young = young;
    d.tet_density = density;
    d.initial_velocities = velocities;
    d.yield_stress = 3e4;
    d.hardening = 2e3;
    d.plastic_viscosity = 7.0;
    d.plastic_limit = 0.4;
    assert_ok(pbs_body_create_solid(world, &d, &body));
    cube_mesh_free(&mesh);
    return body;
}

static void solids_are_described(void **state) {
    (void)state;
    pbs_world *world = plain_world(), *other = plain_world();
    const pbs_body body = add_solid(world);
    pbs_solid_desc d = {.struct_size = sizeof d};
    pbs_body copy;
    assert_ok(pbs_body_solid_settings(world, body, &d));
    assert_true(d.material == PBS_MATERIAL_NEO_HOOKEAN && d.vertex_count == CUBE);
    assert_true(d.poisson == 0.2 && d.damping == 0.01 && d.drag == 0.02);
    assert_true(d.yield_stress == 3e4 && d.hardening == 2e3);
    assert_true(d.plastic_viscosity == 7.0 && d.plastic_limit == 0.4);
    assert_true(d.tet_young[3] == 1.3e5 && d.tet_density[5] == 950.0 && d.tet_poisson == NULL);
    assert_true(d.initial_velocities[4] == 0.1 * 4 - 0.5);
    assert_ok(pbs_body_create_solid(other, &d, &copy));
    // After a step and with other parameters: what is now.
    assert_ok(pbs_world_step(other, 0.01));
    assert_ok(pbs_body_set_parameter(other, copy, PBS_PARAMETER_DRAG, &(double){0.5}, 1));
    assert_ok(pbs_body_solid_settings(other, copy, &d));
    assert_true(d.drag == 0.5);
    assert_same_bits(d.initial_positions, pbs_body_positions(other, copy), 3 * CUBE);
    assert_same_bits(d.initial_velocities, pbs_body_velocities(other, copy), 3 * CUBE);
    assert_same_bits(d.positions, pbs_body_rest_positions(world, body), 3 * CUBE);
    pbs_world_destroy(other);
    other = plain_world();
    assert_ok(pbs_body_solid_settings(world, body, &d));
    assert_ok(pbs_body_create_solid(other, &d, &copy));
    assert_same_motion(world, other);
}

// --- shells ---

static void shells_are_described(void **state) {
    (void)state;
    struct sheet_mesh mesh;
    pbs_world *world = plain_world(), *other = plain_world();
    pbs_shell_desc d, out = {.struct_size = sizeof out};
    pbs_body body, copy;
    const uint32_t edge[2] = {0, 1};
    const double direction[3] = {0.0, 0.0, -1.0};
    assert_true(sheet_mesh_make(&mesh, 2, 1.0, origin));
    sheet_mesh_describe(&mesh, &d);
    d.thickness = 0.02;
    d.density = 500.0;
    d.poisson = 0.1;
    d.bending_young = 3e4;
    d.damping = 0.01;
    d.flat_rest = 1;
    d.stretch_limit = 1.2;
    d.clamped_edge_count = 1;
    d.clamped_edges = edge;
    d.clamped_directions = direction;
    assert_ok(pbs_body_create_shell(world, &d, &body));
    assert_ok(pbs_body_shell_settings(world, body, &out));
    assert_true(out.thickness == 0.02 && out.density == 500.0 && out.poisson == 0.1);
    assert_true(out.bending_young == 3e4 && out.damping == 0.01 && out.stretch_limit == 1.2);
    assert_int_equal(out.flat_rest, 1);
    assert_int_equal(out.bending, PBS_BENDING_PLATE);
    assert_int_equal(out.clamped_edge_count, 1);
    assert_memory_equal(out.clamped_edges, edge, sizeof edge);
    assert_same_bits(out.clamped_directions, direction, 3);
    assert_int_equal(out.triangle_count, d.triangle_count);
    assert_memory_equal(out.triangles, d.triangles, 12 * d.triangle_count);
    assert_ok(pbs_body_create_shell(other, &out, &copy));
    sheet_mesh_free(&mesh);
    assert_same_motion(world, other);
}

// --- particles ---

static void springs_are_described(void **state) {
    (void)state;
    pbs_world *world = plain_world(), *other = plain_world();
    const double positions[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.1, 0.0};
    const double velocities[9] = {0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.5};
    const double masses[3] = {1.0, 2.0, 3.0}, stiffness[2] = {100.0, 200.0};
    const uint32_t springs[4] = {0, 1, 1, 2};
    pbs_springs_desc d, out = {.struct_size = sizeof out};
    pbs_body body, copy;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.no_gravity = 1;
    d.vertex_count = 3;
    d.positions = positions;
    d.velocities = velocities;
    d.masses = masses;
    d.spring_count = 2;
    d.springs = springs;
    d.spring_stiffness = stiffness;
    d.damping = 0.01;
    d.drag = 0.1;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    assert_ok(pbs_body_springs_settings(world, body, &out));
    assert_true(out.no_gravity == 1 && out.damping == 0.01 && out.drag == 0.1);
    assert_same_bits(out.positions, positions, 9);
    assert_same_bits(out.velocities, velocities, 9);
    assert_same_bits(out.masses, masses, 3);
    assert_same_bits(out.spring_stiffness, stiffness, 2);
    assert_near(out.rest_lengths[0], 1.0, 0.0, "rest length, m");
    assert_memory_equal(out.springs, springs, sizeof springs);
    assert_ok(pbs_body_create_springs(other, &out, &copy));
    assert_same_motion(world, other);
}

static void custom_bodies_are_described(void **state) {
    (void)state;
    pbs_world *world = plain_world(), *other = plain_world();
    const double positions[6] = {0.0, 0.0, 0.0, 0.2, 0.0, 0.0}, masses[2] = {1.0, 2.0};
    const uint32_t stencil[2] = {0, 1};
    int own = 0;
    pbs_custom_desc d, out = {.struct_size = sizeof out};
    pbs_body body, copy;
    springs_describe(&d, 2, positions, masses, 1, stencil);
    d.user = &own;
    d.damping = 0.02;
    d.concurrent = 1;
    assert_ok(pbs_body_create_custom(world, &d, &body));
    assert_ok(pbs_body_custom_settings(world, body, &out));
    assert_true(out.evaluate == spring_energy && out.user == &own && out.tag == SPRING_TAG);
    assert_true(out.damping == 0.02 && out.concurrent == 1 && out.width == 2);
    assert_int_equal(out.no_gravity, d.no_gravity);
    assert_memory_equal(out.stencils, stencil, sizeof stencil);
    assert_ok(pbs_body_create_custom(other, &out, &copy));
    assert_same_motion(world, other);
}

// --- affine bodies ---

/// The nearest rigid motion of a body that steps have strained: no bits are the same.
static void affine_bodies_are_described(void **state) {
    (void)state;
    pbs_world *world = plain_world(), *other = plain_world();
    struct box_surface box;
    pbs_affine_desc d, out = {.struct_size = sizeof out}, again = {.struct_size = sizeof again};
    pbs_body body, copy;
    box_surface_make(&box, (const double[3]){0.2, 0.3, 0.4});
    box_surface_describe(&box, &d);
    d.density = 700.0;
    d.stiffness = 2e7;
    d.damping = 0.001;
    d.drag = 0.1;
    copy3((const double[3]){1.0, 2.0, 3.0}, d.position);
    d.orientation[0] = 0.6;
    d.orientation[3] = 0.8;
    copy3((const double[3]){0.1, 0.2, 0.3}, d.velocity);
    copy3((const double[3]){-1.0, 0.5, 0.25}, d.angular_velocity);
    assert_ok(pbs_body_create_affine(world, &d, &body));
    assert_ok(pbs_body_affine_settings(world, body, &out));
    assert_true(out.density == 700.0 && out.stiffness == 2e7 && out.damping == 0.001);
    assert_true(out.drag == 0.1 && out.no_gravity == 0 && out.tets == NULL);
    assert_memory_equal(out.triangles, box.triangles, sizeof box.triangles);
    assert_same_bits(out.positions, box.positions, 24);
    assert_small(testing_max_difference(out.position, d.position, 3), 1e-14, "position, m");
    assert_small(testing_max_difference(out.orientation, d.orientation, 4), 1e-14, "orientation");
    assert_small(testing_max_difference(out.velocity, d.velocity, 3), 1e-14, "velocity, m/s");
    assert_small(testing_max_difference(out.angular_velocity, d.angular_velocity, 3), 1e-13,
                 "angular velocity, 1/s");
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_affine_settings(world, body, &out));
    assert_true(out.position[1] != 2.0);
    assert_ok(pbs_body_create_affine(other, &out, &copy));
    assert_ok(pbs_body_affine_settings(other, copy, &again));
    assert_small(testing_max_difference(again.position, out.position, 3), 1e-14, "position, m");
    assert_small(testing_max_difference(again.angular_velocity, out.angular_velocity, 3), 1e-12,
                 "angular velocity, 1/s");
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

static void other_bodies_are_refused(void **state) {
    (void)state;
    pbs_world *world = plain_world();
    const pbs_body solid = add_solid(world), none = {0};
    const pbs_body particle = add_free_particle(world, 1.0, origin, NULL);
    pbs_solid_desc a = {.struct_size = sizeof a};
    pbs_shell_desc b = {.struct_size = sizeof b};
    pbs_springs_desc c = {.struct_size = sizeof c};
    pbs_affine_desc d = {.struct_size = sizeof d};
    pbs_custom_desc e = {.struct_size = sizeof e};
    assert_status(pbs_body_solid_settings(world, particle, &a), PBS_ERROR_ARGUMENT);
    assert_message("the body was not made by pbs_body_create_solid");
    assert_status(pbs_body_shell_settings(world, solid, &b), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_springs_settings(world, solid, &c), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_affine_settings(world, solid, &d), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_custom_settings(world, solid, &e), PBS_ERROR_ARGUMENT);
    assert_message("the body was not made by pbs_body_create_custom");
    assert_status(pbs_body_solid_settings(NULL, solid, &a), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_solid_settings(world, solid, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_solid_settings(world, none, &a), PBS_ERROR_HANDLE);
    a.struct_size = 8;
    assert_status(pbs_body_solid_settings(world, solid, &a), PBS_ERROR_STRUCT_SIZE);
    assert_true(a.tet_count == 0);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_are_described),
        cmocka_unit_test(shells_are_described),
        cmocka_unit_test(springs_are_described),
        cmocka_unit_test(custom_bodies_are_described),
        cmocka_unit_test(affine_bodies_are_described),
        cmocka_unit_test(other_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Settings of one body (drag, damping, gravity) act on that body and on no other.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

static const double origin[3] = {0.0, 0.0, 0.0};

static double mean_velocity(const pbs_world *world, pbs_body body) {
    const double *v = pbs_body_velocities(world, body), *mass = pbs_body_masses(world, body);
    double momentum = 0.0, total = 0.0;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        momentum += mass[i] * v[3 * i];
        total += mass[i];
    }
    return momentum / total;
}

/// Drag alone: the velocity of implicit Euler falls by 1 / (1 + drag h) a step, and the power taken
/// out is drag m v^2 at the new velocity. The body behind it has no drag and keeps its own. Means
/// are exact; single vertices differ by the tolerance, 1e-7 of v, which energies square.
static void drag_takes_out_what_it_says(void **state) {
    (void)state;
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    pbs_world *world = new_world_from(&d);
    double velocities[24] = {0.0};
    for (int i = 0; i < 8; i++) {
        velocities[3 * i] = 2.0;
    }
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.initial_velocities = velocities;
    solid.drag = 3.0;
    const double far_away[3] = {0.0, 9.0, 0.0}, h = 0.02, mass = 1000.0;
    const pbs_body slow = add_cube(world, 1, 1.0, origin, &solid);
    solid.drag = 0.0;
    const pbs_body fast = add_cube(world, 1, 1.0, far_away, &solid);
    double v = 2.0, dissipated = 0.0;
    for (int n = 1; n <= 5; n++) {
        assert_ok(pbs_world_step(world, h));
        v /= 1.0 + 3.0 * h;
        dissipated += h * 3.0 * mass * v * v;
        // Rounding of x, 1e-15 m, over h.
        assert_near(mean_velocity(world, slow), v, n * 1e-12, "slowed down");
        assert_near(mean_velocity(world, fast), 2.0, n * 1e-12, "kept");
        assert_near(energy_of(world).dissipated, dissipated, 1e-11 * dissipated, "dissipated");
    }
    pbs_world_destroy(world);
}

/// What one body asks for holds for it whichever comes after: damping, and no gravity.
static void bodies_do_not_speak_for_the_next(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const double positions[6] = {0.0, 5.0, 0.0, 0.1, 5.0, 0.0}, masses[2] = {1.0, 1.0};
    const uint32_t stencil[2] = {0, 1};
    pbs_custom_desc springs;
    springs_describe(&springs, 2, positions, masses, 1, stencil);
    springs.no_gravity = 1;
    pbs_body weightless, heavy;
    assert_ok(pbs_body_create_custom(world, &springs, &weightless));
    springs.no_gravity = 0;
    assert_ok(pbs_body_create_custom(world, &springs, &heavy));
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    double stretched[24];
    struct cube_mesh mesh;
    assert_true(cube_mesh_make(&mesh, 1, 1.0, origin));
    for (int i = 0; i < 24; i++) {
        stretched[i] = (i % 3 == 0 ? 1.2 : 1.0) * mesh.positions[i];
    }
    cube_mesh_free(&mesh);
    solid.initial_positions = stretched;
    solid.damping = 0.1;
    add_cube(world, 1, 1.0, origin, &solid);
    solid.damping = 0.0;
    add_cube(world, 1, 1.0, (const double[3]){5.0, 0.0, 0.0}, NULL);
    assert_ok(pbs_world_step(world, 0.01));
    assert_true(energy_of(world).dissipated > 0.0);
    assert_near(pbs_body_velocities(world, weightless)[1], 0.0, 1e-12, "no gravity");
    // The springs' rest length, along x, is where they are.
    assert_near(pbs_body_velocities(world, heavy)[1], -9.81 * 0.01, 1e-9, "gravity");
    pbs_world_destroy(world);
}

static int32_t pulls_to_the_right(void *user, size_t stencil, const double *x, int32_t project,
                                  double *value, double *gradient, double *hessian) {
    (void)user;
    (void)stencil;
    (void)project;
    if (value != NULL) {
        *value = -50.0 * (x[0] + x[3]);
    }
    for (int i = 0; i < 6 && gradient != NULL; i++) {
        gradient[i] = i % 3 == 0 ? -50.0 : 0.0;
    }
    for (int i = 0; i < 36 && hessian != NULL; i++) {
        hessian[i] = 0.0;
    }
    return 0;
}

/// A built model follows the world: gravity that is set, and a callback that is registered again,
/// act from the next step on.
static void built_models_follow_the_world(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const double positions[6] = {0.0, 5.0, 0.0, 0.1, 5.0, 0.0}, masses[2] = {1.0, 1.0}, h = 0.01;
    const uint32_t stencil[2] = {0, 1};
    pbs_custom_desc springs;
    springs_describe(&springs, 2, positions, masses, 1, stencil);
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &springs, &body));
    assert_ok(pbs_world_step(world, h));
    assert_ok(pbs_world_set_gravity(world, (const double[3]){0.0, 0.0, 7.0}));
    assert_ok(pbs_world_step(world, h));
    const double *v = pbs_body_velocities(world, body);
    // The tolerance of 1e-6 times 14 N, times h over 1 kg.
    assert_near(v[1], -9.81 * h, 1e-6, "gravity as it was");
    assert_near(v[2], 7.0 * h, 1e-6, "gravity as it is");
    assert_ok(pbs_world_register_callback(world, SPRING_TAG, pulls_to_the_right, NULL));
    assert_ok(pbs_world_step(world, h));
    v = pbs_body_velocities(world, body);
    assert_near(v[0] + v[3], 2.0 * 50.0 * h, 1e-6, "the new callback");
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_takes_out_what_it_says),
        cmocka_unit_test(bodies_do_not_speak_for_the_next),
        cmocka_unit_test(built_models_follow_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

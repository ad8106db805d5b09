// Worlds and systems take their steps from the same recipes by different minimisers, matrices and
// bookkeeping: where the equations are the same, so is the motion, under steps of any length.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"

// Steps of both, s.
static const double steps[] = {0.01, 0.02, 0.02, 0.005, 0.013, 0.03, 0.07, 0.01, 0.01, 0.011};

enum { ROUNDS = 3 };

static pbs_system *new_system(size_t size, const double *mass, const double *damping,
                              const double *stiffness, const double *x, const double *v) {
    pbs_system_desc d;
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    d.size = size;
    d.mass = mass;
    d.damping = damping;
    d.stiffness = stiffness;
    d.positions = x;
    d.velocities = v;
    d.tolerance = 1e-14;
    d.relative_tolerance = 0.0;
    pbs_system *system = NULL;
    assert_ok(pbs_system_create(&d, &system));
    return system;
}

static pbs_world *new_scene(pbs_integrator *integrator, double tolerance) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.tolerance = tolerance;
    pbs_world *world = new_world_from(&d);
    assert_ok(pbs_world_set_integrator(world, integrator));
    return world;
}

// --- springs with damping ---

static const double stiffness = 30.0, damping = 0.05, rest[3] = {0.0, 1.0, 2.0};

/// k / 2 |x_1 - x_0 - e_x|^2: linear, so that lagged damping is damping.
static int32_t linear_spring(void *user, size_t stencil, const double *x, int32_t project,
                             double *value, double *gradient, double *hessian) {
    const double u[3] = {x[3] - x[0] - 1.0, x[4] - x[1], x[5] - x[2]};
    (void)user;
    (void)stencil;
    (void)project;
    if (value != NULL) {
        *value = 0.5 * stiffness * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    for (int i = 0; i < 3 && gradient != NULL; i++) {
        gradient[i] = -stiffness * u[i];
        gradient[3 + i] = stiffness * u[i];
    }
    for (int i = 0; i < 36 && hessian != NULL; i++) {
        const int r = i / 6, c = i % 6;
        hessian[i] = r % 3 != c % 3 ? 0.0 : r == c ? stiffness : -stiffness;
    }
    return 0;
}

static pbs_body add_chain(pbs_world *world, const double *u, const double *v,
                          const double *masses) {
    const uint32_t stencils[4] = {0, 1, 1, 2};
    double positions[9] = {0.0}, velocities[9] = {0.0};
    for (int i = 0; i < 3; i++) {
        positions[3 * i] = rest[i] + u[i];
        velocities[3 * i] = v[i];
    }
    pbs_custom_desc c;
    springs_describe(&c, 3, positions, masses, 2, stencils);
    c.velocities = velocities;
    c.evaluate = linear_spring;
    c.damping = damping;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &c, &body));
    return body;
}

/// Tolerances of 1e-9 N at 0.1 kg move velocities by less than 1e-8 m/s^2 times the time.
static void damped_springs_move_alike(void **state) {
    (void)state;
    const double u[3] = {0.1, -0.05, 0.2}, v[3] = {1.0, -0.5, 0.3}, masses[3] = {0.1, 0.2, 0.15};
    double mass[9] = {0.0}, k[9], d[9];
    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3;
        mass[i] = r == c ? masses[r] : 0.0;
        k[i] = stiffness * (r == c ? (r == 1 ? 2.0 : 1.0) : r == 1 || c == 1 ? -1.0 : 0.0);
        d[i] = damping * k[i];
    }
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // not for systems
        }
        if (scheme->control != CONTROL_NONE) {
            continue; // v follows an energy
        }
        pbs_integrator *integrator = scheme_integrator(scheme->id);
        pbs_world *world = new_scene(integrator, 1e-9);
        const pbs_body body = add_chain(world, u, v, masses);
        pbs_system *system = new_system(3, mass, d, k, u, v);
        for (size_t n = 0; n < ROUNDS * COUNT_OF(steps); n++) {
            const double h = steps[n % COUNT_OF(steps)];
            assert_ok(pbs_world_step(world, h));
            // Worlds divide steps that an explicit scheme cannot take; systems are told.
            const uint32_t parts = scheme->kicks ? stats_of(world).step.explicit_steps : 1;
            assert_true(parts >= 1);
            for (uint32_t part = 0; part < parts; part++) {
                assert_ok(pbs_system_step(system, integrator, h / parts));
            }
            for (int j = 0; j < 3; j++) {
                assert_near(pbs_body_positions(world, body)[3 * j] - rest[j],
                            pbs_system_positions(system)[j], 1e-8, scheme->name);
                assert_near(pbs_body_velocities(world, body)[3 * j],
                            pbs_system_velocities(system)[j], 1e-8, scheme->name);
            }
        }
        pbs_system_destroy(system);
        pbs_world_destroy(world);
        pbs_integrator_destroy(integrator);
    }
}

// --- a body with drag ---

/// A solid under drag alone is one unknown with a damping matrix; its momentum is balanced exactly,
/// whatever the weight of a stage and the tolerance are.
static void drag_slows_alike(void **state) {
    (void)state;
    const double corner[3] = {0.0, 0.0, 0.0}, drag = 2.0, x = 0.0, v = 1.0;
    double velocities[24] = {0.0};
    for (int i = 0; i < 8; i++) {
        velocities[3 * i] = v;
    }
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.drag = drag;
    solid.initial_velocities = velocities;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // not for systems
        }
        if (scheme->control != CONTROL_NONE) {
            continue;
        }
        pbs_integrator *integrator = scheme_integrator(scheme->id);
        pbs_world *world = new_scene(integrator, 1e-5);
        const pbs_body body = add_cube(world, 1, 1.0, corner, &solid);
        pbs_system *system = new_system(1, NULL, &drag, NULL, &x, &v);
        for (size_t n = 0; n < ROUNDS * COUNT_OF(steps); n++) {
            const double h = scheme->stage_limit == 0 ? 1e-3 : steps[n % COUNT_OF(steps)];
            assert_ok(pbs_world_step(world, h));
            assert_ok(pbs_system_step(system, integrator, h));
            const double *masses = pbs_body_masses(world, body);
            const double *velocity = pbs_body_velocities(world, body);
            double momentum = 0.0, mass = 0.0;
            for (size_t k = 0; k < 8; k++) {
                momentum += masses[k] * velocity[3 * k];
                mass += masses[k];
            }
            assert_near(momentum / mass, pbs_system_velocities(system)[0], 1e-11, scheme->name);
        }
        pbs_system_destroy(system);
        pbs_world_destroy(world);
        pbs_integrator_destroy(integrator);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damped_springs_move_alike),
        cmocka_unit_test(drag_slows_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// What mechanics says of motion under every scheme: free fall, momentum, angular momentum, energy,
// and what changes at once, such as gravity and pins.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"

static pbs_world *new_scene(const struct scheme_table *scheme, double gravity, double tolerance) {
    pbs_world_desc d;
    scene_settings(&d);
    d.gravity[1] = -gravity;
    d.tolerance = tolerance;
    pbs_world *world = new_world_from(&d);
    pbs_integrator *integrator = scheme_integrator(scheme->id);
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    return world;
}

struct momenta {
    double mass, centre[3], linear[3], angular[3];
};

static struct momenta momenta_of(const pbs_world *world, pbs_body body) {
    const double *x = pbs_body_positions(world, body), *v = pbs_body_velocities(world, body);
    const double *mass = pbs_body_masses(world, body);
    struct momenta m = {0};
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        m.mass += mass[i];
        for (size_t k = 0; k < 3; k++) {
            const size_t j = 3 * i + (k + 1) % 3, l = 3 * i + (k + 2) % 3;
            m.centre[k] += mass[i] * x[3 * i + k];
            m.linear[k] += mass[i] * v[3 * i + k];
            m.angular[k] += mass[i] * (x[j] * v[l] - x[l] * v[j]);
        }
    }
    for (int k = 0; k < 3; k++) {
        m.centre[k] /= m.mass;
    }
    return m;
}

/// A cube that spins, flies and stretches.
static pbs_body add_spinning_cube(pbs_world *world) {
    const double corner[3] = {-0.5, -0.5, -0.5};
    struct cube_mesh mesh;
    assert_true(cube_mesh_make(&mesh, 2, 1.0, corner));
    double velocities[81];
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const double *p = mesh.positions + 3 * i;
        velocities[3 * i] = 1.0 - 2.0 * p[1] + 0.5 * p[0];
        velocities[3 * i + 1] = 0.5 + 2.0 * p[0];
        velocities[3 * i + 2] = -0.25 - 0.5 * p[2];
    }
    pbs_solid_desc d;
    cube_mesh_describe(&mesh, &d);
    d.initial_velocities = velocities;
    d.young = 1e4;
    pbs_body body;
    assert_ok(pbs_body_create_solid(world, &d, &body));
    cube_mesh_free(&mesh);
    return body;
}

static void steps_of(pbs_world *world, int count, double h) {
    for (int i = 0; i < count; i++) {
        assert_ok(pbs_world_step(world, h));
    }
}

// --- free fall ---

/// A constant force is integrated exactly: v by all schemes, x by those of second order but for a
/// first step of implicit Euler or of the first-order theta method; the others are behind by h g t
/// / 2 at most.
static void bodies_fall_freely(void **state) {
    (void)state;
    const double g = 9.81, h = 1.0 / 100.0, t = 0.4;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        if (scheme->control != CONTROL_NONE) {
            continue; // v follows an energy
        }
        pbs_world *world = new_scene(scheme, g, 0.0);
        const pbs_body body = add_spinning_cube(world);
        const struct momenta start = momenta_of(world, body);
        steps_of(world, 40, h);
        const struct momenta end = momenta_of(world, body);
        const double speed[3] = {start.linear[0] / start.mass, start.linear[1] / start.mass - g * t,
                                 start.linear[2] / start.mass};
        const double fallen = start.centre[1] + start.linear[1] / start.mass * t - 0.5 * g * t * t;
        for (int k = 0; k < 3; k++) {
            assert_near(end.linear[k] / end.mass, speed[k], 1e-10, scheme->name);
        }
        const bool exact = scheme->order == 2 && scheme->history == 1;
        const double lead = scheme->history == 1 ? 0.5 * h * g * t : 0.75 * h * h * g;
        assert_near(end.centre[1], fallen, exact ? 1e-10 : lead * (1.0 + 1e-9), scheme->name);
        pbs_world_destroy(world);
    }
}

// --- what is conserved ---

static void linear_momentum_is_exact(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        if (scheme_tables[i]->is_static) {
            continue; // has no motion
        }
        pbs_world *world = new_scene(scheme_tables[i], 0.0, 0.0);
        const pbs_body body = add_spinning_cube(world);
        const struct momenta start = momenta_of(world, body);
        for (int n = 0; n < 40; n++) {
            assert_ok(pbs_world_step(world, n % 3 == 2 ? 0.004 : 0.008));
        }
        const struct momenta end = momenta_of(world, body);
        for (int k = 0; k < 3; k++) {
            assert_near(end.linear[k], start.linear[k], 1e-10 * start.mass, scheme_tables[i]->name);
        }
        pbs_world_destroy(world);
    }
}

static bool keeps_angular_momentum(int32_t scheme) {
    return scheme == PBS_SCHEME_IMPLICIT_MIDPOINT || scheme == PBS_SCHEME_SYMPLECTIC_EULER ||
           scheme == PBS_SCHEME_VARIATIONAL_MIDPOINT;
}

/// Searches leave the rotation out of their correction.
static bool restores_angular_momentum(int32_t scheme) {
    return scheme == PBS_SCHEME_A_SEARCH || scheme == PBS_SCHEME_SPARSE_A_SEARCH ||
           scheme == PBS_SCHEME_DECOUPLED_SDIRK2;
}

/// Relative, about z, over 0.2 s.
static double angular_drift(const struct scheme_table *scheme, int n) {
    pbs_world *world = new_scene(scheme, 0.0, 1e-8);
    const pbs_body body = add_spinning_cube(world);
    const struct momenta start = momenta_of(world, body);
    steps_of(world, n, 0.2 / n);
    const struct momenta end = momenta_of(world, body);
    pbs_world_destroy(world);
    return fabs(end.angular[2] / start.angular[2] - 1.0);
}

/// The midpoint rule and the symplectic methods keep quadratic invariants, to the torque that a
/// tolerance of 1e-8 N at 27 vertices leaves; the others drift to their order.
static void angular_momentum_drifts_to_the_order(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        const double coarse = angular_drift(scheme, 32), fine = angular_drift(scheme, 64);
        if (keeps_angular_momentum(scheme->id) || restores_angular_momentum(scheme->id)) {
            assert_small(fine, 1e-10, scheme->name);
        } else if (scheme->id != PBS_SCHEME_FIRST_ORDER_THETA) {
            assert_small(scheme->order - log2(coarse / fine), 0.3, scheme->name);
        }
    }
}

static bool keeps_energy(int32_t scheme) {
    return keeps_angular_momentum(scheme) || scheme == PBS_SCHEME_TRAPEZOIDAL ||
           scheme == PBS_SCHEME_NEWMARK;
}

/// 200 steps of an anharmonic oscillation: about 25 periods. Schemes that are symplectic, or
/// conjugate to one that is, stay within a band and come back; the others lose; none gains.
static void energy_stays_or_decays(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
        pbs_integrator *integrator = scheme_integrator(scheme->id);
        pbs_world *world = oscillator_world(integrator, &o);
        const double start = energy_of(world).total;
        double highest = start, sum[2] = {0.0, 0.0};
        for (int n = 0; n < 200; n++) {
            assert_ok(pbs_world_step(world, 0.1));
            const double energy = energy_of(world).total;
            highest = fmax(highest, energy);
            sum[n / 100] += 0.01 * energy;
        }
        // A-1 goes up and down by h w; see docs/integrators.md, "Energy control".
        const double band = scheme->stage_limit == 0          ? 0.2
                            : scheme->control != CONTROL_NONE ? 0.1
                                                              : 0.02;
        assert_small(highest / start - 1.0, band, scheme->name);
        assert_small(sum[1] / sum[0] - 1.0, 2e-3, scheme->name);
        if (keeps_energy(scheme->id)) {
            assert_near(sum[1] / sum[0], 1.0, 2e-3, scheme->name);
        } else if (scheme->control == CONTROL_NONE) {
            assert_true(sum[1] < 0.9999 * sum[0]);
        }
        pbs_world_destroy(world);
        pbs_integrator_destroy(integrator);
    }
}

// --- what changes at once ---

/// Accelerations that schemes keep end with the gravity, and the pins, that caused them.
static void changed_gravity_acts_at_once(void **state) {
    (void)state;
    const double corner[3] = {0.0, 0.0, 0.0}, h = 0.01;
    const double down[3] = {0.0, -9.81, 0.0}, up[3] = {0.0, 4.0, 0.0};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        if (scheme->control != CONTROL_NONE || scheme->history > 1) {
            continue; // which follow it within some steps
        }
        pbs_world *world = new_scene(scheme, 9.81, 0.0);
        const pbs_body body = add_cube(world, 1, 0.3, corner, NULL);
        steps_of(world, 3, h);
        assert_ok(pbs_world_set_gravity(world, down));
        steps_of(world, 2, h);
        assert_ok(pbs_world_set_gravity(world, up));
        steps_of(world, 4, h);
        const struct momenta end = momenta_of(world, body);
        assert_near(end.linear[1] / end.mass, 5.0 * h * down[1] + 4.0 * h * up[1], 1e-10,
                    scheme->name);
        pbs_world_destroy(world);
    }
}

static void released_bodies_fall_from_rest(void **state) {
    (void)state;
    const double corner[3] = {0.0, 0.0, 0.0}, h = 0.01;
    const uint32_t all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        if (scheme->control != CONTROL_NONE) {
            continue;
        }
        pbs_world *world = new_scene(scheme, 9.81, 0.0);
        const pbs_body body = add_cube(world, 1, 0.3, corner, NULL);
        assert_ok(pbs_body_pin(world, body, all, 8, PBS_AXIS_ALL));
        steps_of(world, 3, h);
        assert_near(momenta_of(world, body).linear[1], 0.0, 0.0, scheme->name);
        assert_ok(pbs_body_unpin(world, body, all, 8, PBS_AXIS_ALL));
        steps_of(world, 4, h);
        const struct momenta end = momenta_of(world, body);
        assert_near(end.linear[1] / end.mass, -9.81 * 4.0 * h, 1e-10, scheme->name);
        // Falling again held: at rest at once.
        assert_ok(pbs_body_pin(world, body, all, 8, PBS_AXIS_Y));
        steps_of(world, 2, h);
        assert_near(momenta_of(world, body).linear[1], 0.0, 0.0, scheme->name);
        pbs_world_destroy(world);
    }
}

/// Where the damping matrix and the acceleration of a first step are evaluated, pins are where the
/// host has put them, in a world that has not taken a step yet; a logarithmic material would
/// notice.
static void first_steps_know_their_pins(void **state) {
    (void)state;
    const double corner[3] = {5.0, 3.0, -4.0};
    const uint32_t pinned[4] = {0, 1, 2, 3};
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        pbs_world *world = new_scene(scheme_tables[i], 9.81, 0.0);
        pbs_solid_desc d;
        assert_ok(pbs_solid_desc_init(&d, sizeof d));
        d.material = PBS_MATERIAL_NEO_HOOKEAN;
        d.damping = 0.01;
        const pbs_body body = add_cube(world, 1, 0.3, corner, &d);
        assert_ok(pbs_body_pin(world, body, pinned, 4, PBS_AXIS_ALL));
        steps_of(world, 3, 1e-3);
        const struct momenta end = momenta_of(world, body);
        // It hangs where its weight takes it, or is still on the way there.
        const double way = scheme_tables[i]->is_static ? 1e-2 : 1e-4;
        assert_near(end.centre[1], 3.15, way, scheme_tables[i]->name);
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fall_freely),
        cmocka_unit_test(linear_momentum_is_exact),
        cmocka_unit_test(angular_momentum_drifts_to_the_order),
        cmocka_unit_test(energy_stays_or_decays),
        cmocka_unit_test(changed_gravity_acts_at_once),
        cmocka_unit_test(released_bodies_fall_from_rest),
        cmocka_unit_test(first_steps_know_their_pins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

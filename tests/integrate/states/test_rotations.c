// Rotations as nodes: the order of every scheme on a chain of bonds that turns, free spin, angular
// momentum, and the transports by themselves.
// SPDX-License-Identifier: MIT
#include "integrate/bonded_chain.h"

static const double DURATION = 0.4;

static bool is_offered(const struct scheme_table *scheme) {
    return scheme->control != CONTROL_STATE;
}

/// The error after `steps` steps, equal or alternating between h and 2 h.
static double error_after(const struct scheme_table *scheme, int steps, bool equal,
                          const struct chain_state *exact) {
    struct chain c;
    const struct chain_state start = chain_start();
    chain_create(&c, scheme, 1.0);
    chain_set(&c, &start);
    const double h = DURATION / (equal ? steps : 1.5 * steps);
    for (int n = 0; n < steps; n++) {
        chain_step(&c, equal || n % 2 == 0 ? h : 2.0 * h);
    }
    const struct chain_state end = chain_get(&c);
    chain_destroy(&c);
    return chain_distance(&end, exact);
}

/// Beside a reference whose own error is far below those measured. First-order theta, so close to
/// 1/2, has more than its order.
static void schemes_keep_their_order(void **state) {
    (void)state;
    const struct chain_state start = chain_start();
    const struct chain_state exact = chain_reference(&start, DURATION, 4000);
    const struct chain_state coarse = chain_reference(&start, DURATION, 2000);
    assert_small(chain_distance(&coarse, &exact), 1e-8, "reference");
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        // Energy control leaves little to be seen of its first order where steps are short.
        const bool slow = scheme->order == 1 && scheme->control == CONTROL_NONE;
        const int steps = slow ? 1600 : 200;
        for (int equal = 0; equal < 2 && is_offered(scheme); equal++) {
            const double coarser = error_after(scheme, steps, equal == 1, &exact);
            const double finer = error_after(scheme, 2 * steps, equal == 1, &exact);
            const double slope = log2(coarser / finer);
            assert_small(scheme->order - slope, scheme->order == 1 ? 0.15 : 0.05, scheme->name);
        }
    }
}

/// What is left of w - dv: A-1 ends with the forces at the step's start, decoupled SDIRK2 with
/// those there and at its first stage, turned into the world.
static void corrections_are_of_velocities_in_the_world(void **state) {
    (void)state;
    const int32_t schemes[2] = {PBS_SCHEME_A_1, PBS_SCHEME_DECOUPLED_SDIRK2};
    const double h = 0.02;
    const double g = 1.0 - sqrt(0.5);
    const double inertia = CHAIN_MASS * chain_radius() * chain_radius();
    for (int i = 0; i < 2; i++) {
        struct chain c;
        const struct chain_state start = chain_start();
        double force[3 * CHAIN];
        double torque[3 * CHAIN];
        chain_create(&c, scheme_find(schemes[i]), 1.0);
        c.problem.energy.choice = PBS_ALPHA_FIXED;
        chain_forces(&c, &start, force, torque);
        chain_set(&c, &start);
        chain_step(&c, h);
        const struct chain_state end = chain_get(&c);
        for (size_t k = 0; k < 3 * CHAIN; k++) {
            const double a = torque[k] / inertia;
            const double stage = c.workspace.stages[0].a[6 * (k / 3) + 3 + k % 3] / chain_radius();
            const double mean = i == 0 ? a : (1.0 - g) * stage + g * a;
            // The residual of the minimisation over the inertia, of accelerations of some 1e3.
            assert_near(end.w[k], start.w[k] + h * mean, 1e-9, "spin");
        }
        chain_destroy(&c);
    }
}

static double total_energy(struct chain *c) {
    const struct chain_state s = chain_get(c);
    const double inertia = CHAIN_MASS * chain_radius() * chain_radius();
    double force[3 * CHAIN];
    double torque[3 * CHAIN];
    double energy = chain_forces(c, &s, force, torque);
    for (size_t k = 0; k < CHAIN; k++) {
        energy += 0.5 * CHAIN_MASS * dot3(s.v + 3 * k, s.v + 3 * k);
        energy += 0.5 * inertia * dot3(s.w + 3 * k, s.w + 3 * k);
    }
    return energy;
}

/// Where the search for alpha is not at its bounds the energy is that of the start, as it is
/// quadratic in alpha with corrections that are turned with the rest.
static void energy_control_is_exact(void **state) {
    (void)state;
    const int32_t schemes[2] = {PBS_SCHEME_A_SEARCH, PBS_SCHEME_DECOUPLED_SDIRK2};
    for (int i = 0; i < 2; i++) {
        struct chain c;
        const struct chain_state start = chain_start();
        int inside = 0;
        chain_create(&c, scheme_find(schemes[i]), 1.0);
        chain_set(&c, &start);
        const double before = total_energy(&c);
        for (int n = 0; n < 100; n++) {
            const struct step_span span = {.h = 4e-3, .begin = 0.0, .end = 1.0};
            const struct step_result result = step_solve(&c.problem, &span, &c.workspace);
            assert_ok(result.status);
            step_accept(&c.workspace, NULL, span.h);
            if (result.energy.alpha_low > 0.0 && result.energy.alpha_low < 1.1) {
                assert_near(total_energy(&c) / before, 1.0, 4e-15, "energy");
                inside++;
            }
        }
        assert_true(inside >= 5);
        chain_destroy(&c);
    }
}

/// Spheres without bonds keep their spin whatever the step, also beyond the chart's limit and with
/// steps of two lengths.
static void free_spin_is_exact(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // has no motion
        }
        if (!is_offered(scheme)) {
            continue;
        }
        struct chain c;
        const struct chain_state start = chain_start();
        struct chain_state exact = start;
        chain_create(&c, scheme, 0.0);
        double time = 0.0;
        // From 0.2 to 17 radians a step.
        struct chain_state faster = start;
        scale3(20.0, start.w + 9, faster.w + 9);
        chain_set(&c, &faster);
        for (int n = 0; n < 40; n++) {
            const double h = n % 3 == 0 ? 0.12 : 0.06;
            chain_step(&c, h);
            time += h;
        }
        memcpy(exact.w, faster.w, sizeof exact.w);
        for (size_t k = 0; k < CHAIN; k++) {
            rotate_by(exact.w + 3 * k, time, start.q + 4 * k, exact.q + 4 * k);
            add_scaled3(start.p + 3 * k, time, start.v + 3 * k, exact.p + 3 * k);
        }
        const struct chain_state end = chain_get(&c);
        // 40 roundings each, and those of an angle of 500 radians.
        assert_small(testing_max_difference(end.w, exact.w, 9) / 10.0, 1e-14, scheme->name);
        assert_small(testing_max_difference(end.w + 9, exact.w + 9, 3) / 200.0, 1e-14,
                     scheme->name);
        for (size_t k = 0; k < CHAIN; k++) {
            double angle[3];
            rotation_between(end.q + 4 * k, exact.q + 4 * k, angle);
            assert_small(norm3(angle), k < 3 ? 1e-13 : 1e-12, scheme->name);
        }
        chain_destroy(&c);
    }
}

/// Where the step ends with the moments of the middle (docs/theory/bonds.md section 2.4) angular
/// momentum changes by Newton's tolerance alone.
static void midpoint_rules_keep_angular_momentum(void **state) {
    (void)state;
    const int32_t schemes[2] = {PBS_SCHEME_IMPLICIT_MIDPOINT, PBS_SCHEME_VARIATIONAL_MIDPOINT};
    for (int i = 0; i < 2; i++) {
        struct chain c;
        const struct chain_state start = chain_start();
        double before[3];
        double after[3];
        chain_create(&c, scheme_find(schemes[i]), 1.0);
        chain_set(&c, &start);
        chain_angular_momentum(&start, before);
        for (int n = 0; n < 250; n++) {
            chain_step(&c, 4e-3);
        }
        const struct chain_state end = chain_get(&c);
        chain_angular_momentum(&end, after);
        // 250 steps times 4 ms times a residual of 1e-11 N on an arm of 0.3 m.
        assert_small(testing_max_difference(before, after, 3) / norm3(before), 1e-11,
                     "angular momentum");
        chain_destroy(&c);
    }
}

/// Whoever looks from the new orientation sees the same state before: x_before leads back to the
/// former orientation, and v_before, carried there, is what it was.
static void recentring_keeps_the_state_before(void **state) {
    (void)state;
    const uint32_t node = 0;
    const double radius = 0.5;
    const double start[4] = {0.1, -0.7, 0.5, 0.5};
    double q[4];
    double x[3] = {0.4, -0.9, 0.3};
    double x_before[3] = {0.0, 0.0, 0.0};
    double v_before[3] = {1.0, 2.0, -3.0};
    double v[3];
    memcpy(q, start, sizeof q);
    memcpy(v, v_before, sizeof v);
    const struct rotations rotations = {1, &node, &radius, q, 0.0};
    rotations_recentre(&rotations, NULL, x, x_before, v_before);
    const double phi[3] = {0.8, -1.8, 0.6};
    double expected[4];
    rotate_by(phi, 1.0, start, expected);
    assert_small(testing_max_difference(q, expected, 4), 1e-15, "orientation");
    assert_true(x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0);
    assert_true(x_before[0] == -0.4 && x_before[1] == 0.9 && x_before[2] == -0.3);
    rotations_at(&rotations, 0, x_before, expected);
    assert_small(testing_max_difference(expected, start, 4), 1e-15, "the way back");
    rotations_velocities_to_world(&rotations, NULL, x_before, v_before, NULL);
    assert_small(testing_max_difference(v_before, v, 3), 1e-14, "velocity before");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_keep_their_order),
        cmocka_unit_test(corrections_are_of_velocities_in_the_world),
        cmocka_unit_test(energy_control_is_exact),
        cmocka_unit_test(free_spin_is_exact),
        cmocka_unit_test(midpoint_rules_keep_angular_momentum),
        cmocka_unit_test(recentring_keeps_the_state_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

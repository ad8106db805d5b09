// Rayleigh damping through schemes: a host's D = damping P'' is lagged, at x_n by schemes of first
// order and where the step is expected to lead by the others, which keeps their order
// (docs/theory/schemes.md section 1), and the energy that it takes out is accounted for.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"

// x'' = -(x + x^3) - 0.3 (1 + 3 x^2) x' from x = 1, x' = 0.3, by a Runge-Kutta method of fourth
// order with 20000 steps.
static const double exact[2] = {0.221732699058106, 0.337635623446678};
#define DAMPING 0.3

static double damped_error(pbs_integrator *integrator, int n) {
    struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
    o.damping = DAMPING;
    pbs_world *world = oscillator_world(integrator, &o);
    for (int i = 0; i < n; i++) {
        assert_ok(pbs_world_step(world, 5.0 / n));
    }
    const double error = oscillator_error(world, exact);
    pbs_world_destroy(world);
    return error;
}

static double damped_slope(pbs_integrator *integrator) {
    return log2(damped_error(integrator, 400) / damped_error(integrator, 800));
}

static void damping_keeps_the_order(void **state) {
    (void)state;
    for (size_t i = 0; i < scheme_row_count; i++) {
        const struct scheme_row *row = &scheme_rows[i];
        pbs_integrator *integrator = scheme_row_integrator(row);
        const double slope = row->slopes[OSCILLATOR_CUBIC];
        char what[64];
        snprintf(what, sizeof what, "scheme %d", (int)row->scheme);
        if (slope > 0.0) {
            assert_near(damped_slope(integrator), slope, slope == 2.0 ? 0.03 : 0.15, what);
        }
        pbs_integrator_destroy(integrator);
    }
}

/// Parameters that make a scheme one of second order do so with damping too.
static void parameters_of_second_order_keep_it(void **state) {
    (void)state;
    const struct scheme_row rows[] = {{PBS_SCHEME_OUTER_THETA, -1, {0.5}, {0}, {0}},
                                      {PBS_SCHEME_INNER_THETA, -1, {0.5}, {0}, {0}},
                                      {PBS_SCHEME_FIRST_ORDER_THETA, -1, {0.0}, {0}, {0}}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_integrator *integrator = scheme_row_integrator(&rows[i]);
        assert_near(damped_slope(integrator), 2.0, 0.03, "slope");
        pbs_integrator_destroy(integrator);
    }
}

/// |E(5) + what was lost - E(0)| with n equal steps.
static double balance_error(const struct scheme_table *scheme, int n) {
    pbs_integrator *integrator = scheme_integrator(scheme->id);
    struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
    o.damping = DAMPING;
    pbs_world *world = oscillator_world(integrator, &o);
    const double start = energy_of(world).total;
    for (int i = 0; i < n; i++) {
        // Every other step is longer, so that histories are of other lengths than steps.
        assert_ok(pbs_world_step(world, (i % 2 == 0 ? 4.0 : 6.0) / n));
    }
    const pbs_energy end = energy_of(world);
    assert_true(end.dissipated > 0.2 * start);
    pbs_world_destroy(world);
    pbs_integrator_destroy(integrator);
    return fabs(end.total + end.dissipated - start);
}

/// The sum of the losses has the scheme's order: they are integrated by the scheme itself.
static void losses_have_the_order_of_the_scheme(void **state) {
    (void)state;
    for (size_t i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->is_static) {
            continue; // knows no damping
        }
        if (scheme->id == PBS_SCHEME_FIRST_ORDER_THETA) {
            continue; // so close to 1/2 that its errors have no slope yet
        }
        const double slope = log2(balance_error(scheme, 400) / balance_error(scheme, 800));
        assert_small(scheme->order - slope, 0.1, scheme->name);
    }
}

/// The table of section 1.1: errors with 200 steps.
static void errors_are_those_of_the_specification(void **state) {
    (void)state;
    const struct scheme_row from_trapezoidal = {
        PBS_SCHEME_BDF2, PBS_START_TRAPEZOIDAL, {0}, {0}, {0}};
    pbs_integrator *bdf2 = scheme_row_integrator(&from_trapezoidal);
    pbs_integrator *trapezoidal = scheme_integrator(PBS_SCHEME_TRAPEZOIDAL);
    assert_near(damped_error(bdf2, 200) / 4.6e-4, 1.0, 0.1, "BDF2");
    assert_near(damped_error(trapezoidal, 200) / 1.2e-4, 1.0, 0.1, "trapezoidal");
    pbs_integrator_destroy(bdf2);
    pbs_integrator_destroy(trapezoidal);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damping_keeps_the_order),
        cmocka_unit_test(parameters_of_second_order_keep_it),
        cmocka_unit_test(losses_have_the_order_of_the_scheme),
        cmocka_unit_test(errors_are_those_of_the_specification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

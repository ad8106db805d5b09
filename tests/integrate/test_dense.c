// Schemes through pbs_system: the table of integrators.md section 1.3, damped orders, steps that
// are divided, unsymmetric Jacobians, each against what is known exactly.
#include "support/scheme_rows.h"
#include "support/testing.h"

// --- systems ---

static pbs_system_desc describe(size_t size, const double *positions, const double *velocities) {
    pbs_system_desc d;
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    d.size = size;
    d.positions = positions;
    d.velocities = velocities;
    d.tolerance = 1e-13; // divided by h it is what a step leaves in the velocity
    d.relative_tolerance = 0.0;
    return d;
}

static pbs_system *new_system(const pbs_system_desc *d) {
    pbs_system *system = NULL;
    assert_ok(pbs_system_create(d, &system));
    return system;
}

/// max(|dx|, |dv|) of a system of one unknown.
static double error_at(const pbs_system *system, const double exact[2]) {
    return fmax(fabs(pbs_system_positions(system)[0] - exact[0]),
                fabs(pbs_system_velocities(system)[0] - exact[1]));
}

// --- the table ---

static int32_t oscillate(void *user, double time, const double *x, const double *v, double *force) {
    (void)time;
    (void)v;
    force[0] = oscillator_force(*(const enum oscillator *)user, x[0]);
    return 0;
}

static int32_t oscillate_slope(void *user, double time, const double *x, const double *v,
                               double *by_x, double *by_v) {
    (void)time;
    (void)v;
    (void)by_v;
    by_x[0] = oscillator_slope(*(const enum oscillator *)user, x[0]);
    return 0;
}

static double error_of(pbs_integrator *integrator, enum oscillator problem, int steps) {
    const double x = 1.0, v = 0.3;
    pbs_system_desc d = describe(1, &x, &v);
    d.force = oscillate;
    d.jacobian = oscillate_slope;
    d.user = &problem;
    pbs_system *system = new_system(&d);
    for (int i = 0; i < steps; i++) {
        assert_ok(pbs_system_step(system, integrator, 5.0 / steps));
    }
    const double error = error_at(system, oscillator_exact[problem]);
    pbs_system_destroy(system);
    return error;
}

static void schemes_have_the_errors_of_the_table(void **state) {
    (void)state;
    for (size_t i = 0; i < scheme_row_count; i++) {
        assert_scheme_row(&scheme_rows[i], error_of);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_have_the_errors_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

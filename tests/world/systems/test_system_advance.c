// pbs_system_advance: step control, and linearly implicit steps with velocity-dependent forces,
// compared with the numbers of docs/theory/step_control.md section 1.
// SPDX-License-Identifier: MIT
#include "pbs/pbs.h"
#include "support/schemes/hardening_spring.h"
#include "support/testing.h"

/// The spring of ATS figure 1, with variations of its description that must not change its motion.
struct layout {
    double mass;    ///< kg; forces are proportional to it
    double share;   ///< fraction of the linear forces that the system's matrices give
    bool jacobian;  ///< true: by the callback; false: by differences
    double wall;    ///< m: positions beyond are refused
    int stop_after; ///< evaluations before it asks to stop; 0: it never does
};

static const struct hardening_spring spring = {100.0, 1.0};

static int32_t force(void *user, double time, const double *x, const double *v, double *out) {
    struct layout *layout = user;
    (void)time;
    if (layout->stop_after > 0 && --layout->stop_after == 0) {
        return -1;
    }
    out[0] = layout->mass * (spring_force(&spring, x[0], v[0]) +
                             layout->share * (spring.kx * x[0] + spring.kv * v[0]));
    return x[0] > layout->wall;
}

static int32_t jacobian(void *user, double time, const double *x, const double *v, double *by_x,
                        double *by_v) {
    const struct layout *layout = user;
    (void)time;
    by_x[0] = -layout->mass * spring.kx * (1.0 + 3.0 * x[0] * x[0] - layout->share);
    by_v[0] = -layout->mass * spring.kv * (1.0 + 3.0 * v[0] * v[0] - layout->share);
    return 0;
}

static pbs_system *new_spring(struct layout *layout) {
    static const double start = -1.0;
    const double stiffness = layout->mass * layout->share * spring.kx;
    const double damping = layout->mass * layout->share * spring.kv;
    pbs_system_desc d;
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    d.positions = &start;
    d.mass = &layout->mass;
    d.stiffness = &stiffness;
    d.damping = &damping;
    d.force = force;
    d.jacobian = layout->jacobian ? jacobian : NULL;
    d.user = layout;
    d.divisions = 2;
    pbs_system *system = NULL;
    assert_ok(pbs_system_create(&d, &system));
    return system;
}

static pbs_dense_stats stats_of(const pbs_system *system) {
    pbs_dense_stats stats = {.struct_size = sizeof stats};
    assert_ok(pbs_system_stats(system, &stats));
    return stats;
}

static pbs_integrator *integrate(int32_t scheme, int32_t control, double tolerance,
                                 double step_max) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    d.linearized = control == PBS_STEP_FORCE_ERROR;
    d.step_control.kind = control;
    d.step_control.tolerance = tolerance;
    d.step_control.max = step_max;
    d.step_control.initial = fmin(1e-3, step_max);
    d.step_control.growth = control == PBS_STEP_FORCE_ERROR ? INFINITY : 0.0;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(&d, &integrator));
    return integrator;
}

static struct layout layouts[] = {{1.0, 0.0, true, INFINITY, 0},
                                  {2.5, 0.0, true, INFINITY, 0},
                                  {1.0, 1.0, true, INFINITY, 0},
                                  {0.3, 0.4, false, INFINITY, 0}};

static const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_TRAPEZOIDAL,
                                  PBS_SCHEME_NEWMARK};

/// To the twelve digits that section 2.1 prints; differences are good to 1e-9.
static void linearized_steps_have_the_numbers_of_the_paper(void **state) {
    (void)state;
    static const double expected[2][3] = {{1.90476190476, -.980952380952, 6.80254832092e-4},
                                          {1.97044334975, -.990147783251, 1.90537793229e-4}};
    for (size_t k = 0; k < COUNT_OF(layouts); k++) {
        for (size_t i = 0; i < COUNT_OF(schemes); i++) {
            const double *const row = expected[i > 0];
            pbs_system *system = new_spring(&layouts[k]);
            pbs_integrator *integrator = integrate(schemes[i], PBS_STEP_FORCE_ERROR, 1e-4, 0.2);
            assert_ok(pbs_system_step(system, integrator, 0.01));
            const double tolerance = layouts[k].jacobian ? 1e-11 : 1e-9;
            assert_near(pbs_system_velocities(system)[0] / row[0], 1.0, tolerance, "v");
            assert_near(pbs_system_positions(system)[0] / row[1], 1.0, tolerance, "x");
            // The error is what is left of numbers a thousand times as large.
            assert_near(stats_of(system).step_control.error / row[2], 1.0, 1e3 * tolerance,
                        "force error");
            assert_int_equal(stats_of(system).newton_iterations, 1);
            pbs_integrator_destroy(integrator);
            pbs_system_destroy(system);
        }
    }
}

/// Many steps of changing length, beside the formulas.
static void linearized_steps_go_on_as_the_formulas(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        pbs_system *system = new_spring(&layouts[0]);
        pbs_integrator *integrator = integrate(schemes[i], PBS_STEP_FORCE_ERROR, 1e-4, 0.2);
        struct spring_step step = {.x = -1.0};
        for (int k = 0; k < 100; k++) {
            const double h = k % 3 == 0 ? 0.02 : 0.01;
            step = spring_linear_step(&spring, i > 0, step.x, step.v, h);
            assert_ok(pbs_system_step(system, integrator, h));
            assert_near(pbs_system_positions(system)[0], step.x, 1e-11, "x");
            assert_near(pbs_system_velocities(system)[0], step.v, 1e-10, "v");
        }
        pbs_integrator_destroy(integrator);
        pbs_system_destroy(system);
    }
}

/// docs/theory/step_control.md section 2; see tests/integrate/step_control/test_step_control.c for
/// the two that differ a little.
static void advances_take_as_many_steps_as_the_reference(void **state) {
    (void)state;
    static const uint32_t expected[2][3][2] = {{{20, 4}, {34, 7}, {61, 8}},
                                               {{35, 11}, {54, 15}, {90, 26}}};
    static const double tolerances[3] = {1e-2, 1e-3, 1e-4};
    for (int newmark = 0; newmark < 2; newmark++) {
        for (int i = 0; i < 3; i++) {
            pbs_system *system = new_spring(&layouts[0]);
            pbs_integrator *integrator = integrate(schemes[newmark], PBS_STEP_FORCE_ERROR,
                                                   tolerances[i], 1e3);
            assert_ok(pbs_system_advance(system, integrator, 5.0));
            const pbs_dense_stats stats = stats_of(system);
            assert_int_equal(stats.step_control.accepted, expected[newmark][i][0]);
            assert_int_equal(stats.step_control.rejected, expected[newmark][i][1]);
            assert_int_equal(stats.newton_iterations,
                             stats.step_control.accepted + stats.step_control.rejected);
            assert_true(pbs_system_time(system) == 5.0);
            pbs_integrator_destroy(integrator);
            pbs_system_destroy(system);
        }
    }
}

// --- all controls ---

static const struct {
    int32_t scheme, control;
    double tolerance;
} controls[] = {
    {PBS_SCHEME_BDF2, PBS_STEP_FIXED, 0.0},
    {PBS_SCHEME_TRAPEZOIDAL, PBS_STEP_FORCE_ERROR, 1e-4},
    {PBS_SCHEME_BDF2, PBS_STEP_SPEED_LIMIT, 0.02},
    {PBS_SCHEME_SECOND_ORDER_THETA, PBS_STEP_STRETCH_LIMIT, 0.02},
    {PBS_SCHEME_GENERALIZED_ALPHA, PBS_STEP_DOUBLING, 1e-4},
    {PBS_SCHEME_BDF2, PBS_STEP_DOUBLING, 1e-4},
};

/// x(1) and x(0.3) of the exact motion, by steps of 1e-5 with the same program's SDIRK2: any
/// control must be near.
static double exact_place(double duration) {
    pbs_system *system = new_spring(&layouts[0]);
    pbs_integrator *integrator = integrate(PBS_SCHEME_SDIRK2, PBS_STEP_FIXED, 0.0, 1e-4);
    assert_ok(pbs_system_advance(system, integrator, duration));
    const double x = pbs_system_positions(system)[0];
    pbs_integrator_destroy(integrator);
    pbs_system_destroy(system);
    return x;
}

static void every_control_lands_on_time_and_near(void **state) {
    (void)state;
    const double expected = exact_place(0.7);
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        pbs_system *system = new_spring(&layouts[0]);
        pbs_integrator *integrator = integrate(controls[i].scheme, controls[i].control,
                                               controls[i].tolerance, 0.01);
        const uint64_t calls = stats_of(system).memory.allocator_calls;
        double time = 0.0;
        for (int k = 0; k < 7; k++) {
            const double duration = k < 6 ? 0.1 + 1e-6 * (k - 2) : 0.7 - time;
            assert_ok(pbs_system_advance(system, integrator, duration));
            time += duration;
            assert_true(pbs_system_time(system) == time);
            const pbs_dense_stats stats = stats_of(system);
            assert_true(stats.step_control.longest <= 0.01 && stats.step_control.accepted >= 10);
        }
        assert_true(stats_of(system).memory.allocator_calls == calls);
        // Steps of 0.01 s, 44 a period, at order 2.
        assert_near(pbs_system_positions(system)[0], expected, 0.05, "place");
        pbs_integrator_destroy(integrator);
        pbs_system_destroy(system);
    }
}

static void a_restored_system_goes_on_with_the_same_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        pbs_system *system = new_spring(&layouts[0]), *other = new_spring(&layouts[0]);
        pbs_integrator *integrator = integrate(controls[i].scheme, controls[i].control,
                                               controls[i].tolerance, 0.01);
        assert_ok(pbs_system_advance(system, integrator, 0.033));
        unsigned char bytes[1024];
        size_t size = sizeof bytes;
        assert_ok(pbs_system_save(system, bytes, &size));
        assert_ok(pbs_system_restore(other, bytes, size));
        assert_true(stats_of(other).step_control.next == stats_of(system).step_control.next);
        assert_ok(pbs_system_advance(system, integrator, 0.1));
        assert_ok(pbs_system_advance(other, integrator, 0.1));
        assert_true(pbs_system_positions(other)[0] == pbs_system_positions(system)[0]);
        assert_true(pbs_system_velocities(other)[0] == pbs_system_velocities(system)[0]);
        assert_int_equal(stats_of(other).step_control.rejected,
                         stats_of(system).step_control.rejected);
        pbs_integrator_destroy(integrator);
        pbs_system_destroy(other);
        pbs_system_destroy(system);
    }
}

static void advances_that_fail_change_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        struct layout walled = {1.0, 0.0, true, -0.5, 0};
        pbs_system *system = new_spring(&walled);
        pbs_integrator *integrator = integrate(controls[i].scheme, controls[i].control,
                                               controls[i].tolerance, 0.01);
        assert_ok(pbs_system_advance(system, integrator, 0.02));
        const double x = pbs_system_positions(system)[0], v = pbs_system_velocities(system)[0];
        const double next = stats_of(system).step_control.next;
        assert_status(pbs_system_advance(system, integrator, 1.0), PBS_ERROR_INADMISSIBLE);
        assert_true(pbs_system_positions(system)[0] == x && pbs_system_velocities(system)[0] == v);
        assert_true(pbs_system_time(system) == 0.02 && stats_of(system).step_control.next == next);
        assert_int_equal(stats_of(system).total.failed_steps, 1);
        // A host that stops is heard at once.
        walled.wall = INFINITY;
        walled.stop_after = 40;
        assert_status(pbs_system_advance(system, integrator, 1.0), PBS_ERROR_HOST);
        assert_true(pbs_system_positions(system)[0] == x);
        assert_int_equal(walled.stop_after, 0);
        assert_true(pbs_system_advance(system, integrator, 0.1) >= 0);
        pbs_integrator_destroy(integrator);
        pbs_system_destroy(system);
    }
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    pbs_system *system = new_spring(&layouts[0]);
    pbs_integrator *integrator = integrate(PBS_SCHEME_BDF2, PBS_STEP_DOUBLING, 1e-3, 0.1);
    assert_status(pbs_system_advance(NULL, integrator, 1.0), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_advance(system, NULL, 1.0), PBS_ERROR_ARGUMENT);
    const double durations[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(durations); i++) {
        assert_status(pbs_system_advance(system, integrator, durations[i]), PBS_ERROR_ARGUMENT);
        assert_message("duration");
    }
    // More than 1e9 of the longest steps.
    assert_status(pbs_system_advance(system, integrator, 1.01e8), PBS_ERROR_ARGUMENT);
    assert_message("step_control.max");
    assert_true(pbs_system_time(system) == 0.0);
    pbs_integrator_destroy(integrator);
    pbs_system_destroy(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linearized_steps_have_the_numbers_of_the_paper),
        cmocka_unit_test(linearized_steps_go_on_as_the_formulas),
        cmocka_unit_test(advances_take_as_many_steps_as_the_reference),
        cmocka_unit_test(every_control_lands_on_time_and_near),
        cmocka_unit_test(a_restored_system_goes_on_with_the_same_bits),
        cmocka_unit_test(advances_that_fail_change_nothing),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

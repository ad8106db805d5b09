// Schemes through pbs_system: the table of docs/theory/schemes.md section 3, damped orders, steps
// that are divided, unsymmetric Jacobians, each against what is known exactly.
// SPDX-License-Identifier: MIT
#include <complex.h>

#include "integrate/final_states.h"
#include "support/schemes/scheme_rows.h"
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

static double distance_after(pbs_integrator *integrator, enum oscillator problem, int steps,
                             double tolerance, const double exact[2]) {
    const double x = 1.0, v = 0.3;
    pbs_system_desc d = describe(1, &x, &v);
    d.force = oscillate;
    d.jacobian = oscillate_slope;
    d.user = &problem;
    d.tolerance = tolerance;
    pbs_system *system = new_system(&d);
    for (int i = 0; i < steps; i++) {
        assert_ok(pbs_system_step(system, integrator, 5.0 / steps));
    }
    const double error = error_at(system, exact);
    pbs_system_destroy(system);
    return error;
}

static double error_of(pbs_integrator *integrator, enum oscillator problem, int steps) {
    return distance_after(integrator, problem, steps, 1e-13, oscillator_exact[problem]);
}

static void schemes_have_the_errors_of_the_table(void **state) {
    (void)state;
    for (size_t i = 0; i < scheme_row_count; i++) {
        if (!scheme_row_needs_energy(&scheme_rows[i])) {
            assert_scheme_row(&scheme_rows[i], error_of);
        }
    }
}

/// Independent prototypes, to the twelve digits that are known: stages are solved to rounding
/// errors, of which a step leaves 1e-16 / h in the velocity.
static void final_states_are_those_of_the_prototypes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(final_states); i++) {
        const struct final_state *f = &final_states[i];
        const struct scheme_row row = {
            f->scheme, f->start, {f->parameters[0], f->parameters[1]}, {0}, {0}};
        if (scheme_row_needs_energy(&row)) {
            continue;
        }
        pbs_integrator *integrator = scheme_row_integrator(&row);
        for (int p = 0; p < OSCILLATOR_COUNT; p++) {
            for (int k = 0; k < FINAL_COUNTS; k++) {
                char what[64];
                snprintf(what, sizeof what, "scheme %d, problem %c, %d steps", (int)f->scheme,
                         'a' + p, final_counts[k]);
                assert_small(distance_after(integrator, (enum oscillator)p, final_counts[k], 1e-18,
                                            f->state[p][k]),
                             3e-12, what);
            }
        }
        pbs_integrator_destroy(integrator);
    }
}

// --- forces that depend on the velocity, steps that change, steps that fail ---

struct duffing {
    double drag;       ///< of -drag (1 + 3 x^2) v
    uint32_t refusals; ///< so many calls are answered with "no forces here"
};

/// F = -(x + x^3) - drag (1 + 3 x^2) v (docs/theory/schemes.md section 1).
static int32_t duffing_force(void *user, double time, const double *x, const double *v,
                             double *force) {
    struct duffing *duffing = user;
    (void)time;
    if (duffing->refusals > 0) {
        duffing->refusals--;
        return 1;
    }
    force[0] = -(x[0] + x[0] * x[0] * x[0]) - duffing->drag * (1.0 + 3.0 * x[0] * x[0]) * v[0];
    return 0;
}

static pbs_system *duffing_system(struct duffing *duffing) {
    const double x = 1.0, v = 0.3;
    pbs_system_desc d = describe(1, &x, &v);
    d.force = duffing_force;
    d.user = duffing;
    d.tolerance = 1e-18; // down to rounding errors
    return new_system(&d);
}

/// Equal steps; h, 2 h, h, 2 h, ...; equal steps of which every third is halved.
enum pattern { EQUAL, ALTERNATING, HALVED };

/// The state at t = 5.
static void run_duffing(pbs_integrator *integrator, double drag, enum pattern pattern, int steps,
                        double out[2]) {
    struct duffing duffing = {.drag = drag};
    pbs_system *system = duffing_system(&duffing);
    double time = 0.0;
    for (int i = 0; i < steps; i++) {
        // 2/3 and 4/3 of the mean, an even number of times.
        const double h = 5.0 / steps * (pattern == ALTERNATING ? (i % 2 + 1) / 1.5 : 1.0);
        duffing.refusals = pattern == HALVED && i % 3 == 2;
        const pbs_status wanted = duffing.refusals > 0 ? PBS_DIVIDED : PBS_OK;
        assert_status(pbs_system_step(system, integrator, h), wanted);
        time += h;
        assert_true(pbs_system_time(system) == time); // whatever the parts' lengths add up to
    }
    assert_near(time, 5.0, 1e-9, "time");
    out[0] = pbs_system_positions(system)[0];
    out[1] = pbs_system_velocities(system)[0];
    pbs_system_destroy(system);
}

/// Against 25600 steps of TR-BDF2, whose own error is (480 / 25600)^2 of what is measured: slopes
/// are off by less than 0.002.
static double order_of(const struct scheme_row *row, enum pattern pattern) {
    static const struct scheme_row fine = {PBS_SCHEME_TR_BDF2, -1, {0}, {0}, {0}};
    static double exact[2];
    double state[2], errors[2];
    if (exact[0] == 0.0) {
        pbs_integrator *integrator = scheme_row_integrator(&fine);
        run_duffing(integrator, 0.3, EQUAL, 25600, exact);
        pbs_integrator_destroy(integrator);
    }
    pbs_integrator *integrator = scheme_row_integrator(row);
    for (int k = 0; k < 2; k++) {
        run_duffing(integrator, 0.3, pattern, 480 << k, state);
        errors[k] = fmax(fabs(state[0] - exact[0]), fabs(state[1] - exact[1]));
    }
    pbs_integrator_destroy(integrator);
    return log2(errors[0] / errors[1]);
}

/// The bounds of section 1.3, also with damping (1.1), variable steps and divided ones (1.2). For
/// these, the second-order theta method that starts with the first-order one has 1.8 .. 2.2. A-1
/// and its relatives know conservative forces only.
static void orders_survive(enum pattern pattern) {
    for (size_t i = 0; i < scheme_row_count; i++) {
        const struct scheme_row *row = &scheme_rows[i];
        const double order = row->slopes[OSCILLATOR_CUBIC];
        const bool halved_theta = pattern == HALVED &&
                                  row->scheme == PBS_SCHEME_SECOND_ORDER_THETA &&
                                  row->start == PBS_START_FIRST_ORDER_THETA;
        char what[64];
        snprintf(what, sizeof what, "order of scheme %d, pattern %d", (int)row->scheme,
                 (int)pattern);
        if (order > 0.0 && !scheme_row_needs_energy(row)) {
            assert_near(order_of(row, pattern), order,
                        halved_theta   ? 0.2
                        : order == 2.0 ? 0.03
                                       : 0.15,
                        what);
        }
    }
}

static void orders_survive_damping(void **state) {
    (void)state;
    orders_survive(EQUAL);
}

static void orders_survive_variable_steps(void **state) {
    (void)state;
    orders_survive(ALTERNATING);
}

static void orders_survive_divisions(void **state) {
    (void)state;
    orders_survive(HALVED);
}

// --- forces that depend on the time ---

/// F = t - x: x = t + cos t - 0.7 sin t, from t = 0.
static int32_t ramp(void *user, double time, const double *x, const double *v, double *force) {
    (void)user;
    (void)v;
    force[0] = time - x[0];
    return 0;
}

static double ramp_error(pbs_integrator *integrator, int steps) {
    const double begin = 1.0, end = 5.0;
    const double x = begin + cos(begin) - 0.7 * sin(begin);
    const double v = 1.0 - sin(begin) - 0.7 * cos(begin);
    const double exact[2] = {end + cos(end) - 0.7 * sin(end), 1.0 - sin(end) - 0.7 * cos(end)};
    pbs_system_desc d = describe(1, &x, &v);
    d.time = begin;
    d.force = ramp;
    pbs_system *system = new_system(&d);
    for (int i = 0; i < steps; i++) {
        assert_ok(pbs_system_step(system, integrator, (end - begin) / steps));
    }
    const double error = error_at(system, exact);
    pbs_system_destroy(system);
    return error;
}

/// Each stage takes the forces of its own time.
static void orders_survive_time(void **state) {
    (void)state;
    for (size_t i = 0; i < scheme_row_count; i++) {
        const struct scheme_row *row = &scheme_rows[i];
        const double order = row->slopes[OSCILLATOR_LINEAR];
        if (order == 0.0 || scheme_row_needs_energy(row)) {
            continue;
        }
        char what[64];
        snprintf(what, sizeof what, "order of scheme %d with a ramp", (int)row->scheme);
        pbs_integrator *integrator = scheme_row_integrator(row);
        assert_near(log2(ramp_error(integrator, 400) / ramp_error(integrator, 800)), order,
                    order == 2.0 ? 0.03 : 0.1, what);
        pbs_integrator_destroy(integrator);
    }
}

// --- alpha ---

static pbs_integrator *alpha_integrator(int32_t scheme, double alpha) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    d.energy_control.alpha_choice = PBS_ALPHA_FIXED;
    d.energy_control.alpha = alpha;
    assert_ok(pbs_integrator_create(&d, &integrator));
    return integrator;
}

static void run_with_alpha(int32_t scheme, double alpha, int steps, double out[2]) {
    pbs_integrator *integrator = alpha_integrator(scheme, alpha);
    run_duffing(integrator, 0.3, EQUAL, steps, out);
    pbs_integrator_destroy(integrator);
}

/// alpha = 0 is the scheme without control, to the rounding errors of 100 steps.
static void without_alpha_nothing_is_corrected(void **state) {
    (void)state;
    static const int32_t pairs[][2] = {{PBS_SCHEME_A_1, PBS_SCHEME_IMPLICIT_EULER},
                                       {PBS_SCHEME_A_SEARCH, PBS_SCHEME_IMPLICIT_EULER},
                                       {PBS_SCHEME_DECOUPLED_SDIRK2, PBS_SCHEME_SDIRK2}};
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        double with[2], without[2];
        run_with_alpha(pairs[i][0], 0.0, 100, with);
        run_with_alpha(pairs[i][1], 0.0, 100, without);
        assert_small(testing_max_difference(with, without, 2), 1e-12, "state");
    }
}

/// The decoupled method is of second order for any alpha, with forces that depend on the velocity
/// too: SDIRK2's velocity and its adjoint's are.
static void decoupled_sdirk2_is_of_second_order(void **state) {
    (void)state;
    double exact[2], z[2][2], errors[2];
    run_with_alpha(PBS_SCHEME_TR_BDF2, 0.0, 25600, exact);
    for (int a = 0; a <= 2; a++) {
        for (int k = 0; k < 2; k++) {
            run_with_alpha(PBS_SCHEME_DECOUPLED_SDIRK2, 0.5 * a, 480 << k, z[k]);
            errors[k] = testing_max_difference(z[k], exact, 2);
        }
        assert_near(log2(errors[0] / errors[1]), 2.0, 0.03, "order of decoupled SDIRK2");
    }
}

/// One step of A-1 by hand: x'' = -x - x^3 - 0.3 (1 + 3 x^2) v from x = 1, v = 0.3. What is taken
/// for conservative is the force at rest.
static void a_1_sees_the_forces_at_rest(void **state) {
    (void)state;
    const double h = 0.1;
    double euler[2], a_1[2];
    struct duffing duffing = {.drag = 0.3};
    for (int k = 0; k < 2; k++) {
        pbs_integrator *integrator = alpha_integrator(
            k == 0 ? PBS_SCHEME_IMPLICIT_EULER : PBS_SCHEME_A_1, 1.0);
        pbs_system *system = duffing_system(&duffing);
        assert_ok(pbs_system_step(system, integrator, h));
        double *out = k == 0 ? euler : a_1;
        out[0] = pbs_system_positions(system)[0];
        out[1] = pbs_system_velocities(system)[0];
        pbs_system_destroy(system);
        pbs_integrator_destroy(integrator);
    }
    const double x = euler[0];
    const double correction = h * ((1.0 + 1.0) - (x + x * x * x));
    assert_near(a_1[0], x, 0.0, "position");
    assert_near(a_1[1], euler[1] - correction, 1e-15, "velocity");
}

// --- how the second-order theta method is divided ---

static int32_t refuse(void *user, double time, const double *x, const double *v, double *force) {
    uint32_t *refusals = user;
    (void)time;
    (void)x;
    (void)v;
    if (*refusals == 0) {
        force[0] = 0.0;
        return 0;
    }
    (*refusals)--;
    return 1;
}

/// x'' = -x, whose forces are refused when told.
static pbs_system *refusing_system(uint32_t *refusals) {
    static const double one = 1.0;
    const double x = 1.0, v = 0.3;
    pbs_system_desc d = describe(1, &x, &v);
    d.stiffness = &one;
    d.force = refuse;
    d.user = refusals;
    d.tolerance = 1e-18;
    return new_system(&d);
}

static pbs_integrator *theta_integrator(void) {
    static const struct scheme_row theta = {PBS_SCHEME_SECOND_ORDER_THETA, -1, {0.07}, {0}, {0}};
    return scheme_row_integrator(&theta);
}

/// z_{n+1} of the method, from z_n and z_{n-1} by hand, for x'' = -x.
static void theta_by_hand(double h, const double before[2], const double now[2], double next[2]) {
    const double th = 0.07, b = h * (3.0 + th) / 6.0, half = (1.0 - th) * h / 2.0;
    const double px = now[0] + th / 3.0 * (now[0] - before[0]) + half * now[1];
    const double pv = now[1] + th / 3.0 * (now[1] - before[1]) - half * now[0];
    next[1] = (pv - b * px) / (1.0 + b * b);
    next[0] = px + b * next[1];
}

static void read_state(const pbs_system *system, double out[2]) {
    out[0] = pbs_system_positions(system)[0];
    out[1] = pbs_system_velocities(system)[0];
}

/// GAT section 2.3.2: the first half starts afresh, the second knows the first's ends, and then the
/// ends of the whole step are neighbours, also where a half was divided again.
static void divided_steps_end_as_neighbours(void **state) {
    (void)state;
    const double h = 0.4;
    for (uint32_t depth = 1; depth <= 4; depth++) {
        pbs_integrator *integrator = theta_integrator();
        uint32_t refusals = 0, never = 0;
        pbs_system *system = refusing_system(&refusals);
        assert_ok(pbs_system_step(system, integrator, h));
        double z[4][2], parts[2];
        read_state(system, z[0]);
        refusals = depth;
        assert_status(pbs_system_step(system, integrator, h), PBS_DIVIDED);
        read_state(system, z[1]);
        pbs_dense_stats stats = {.struct_size = sizeof stats};
        assert_ok(pbs_system_stats(system, &stats));
        assert_int_equal(stats.divisions, depth);
        assert_int_equal(stats.substeps, depth + 1);

        // What rounding leaves in (x - p_x) / b is 1e-16 / 0.01.
        // The parts by themselves: h / 2^depth twice, then h / 2^(depth - 1), ... each beside the
        // sum of those before.
        pbs_system *same = refusing_system(&never);
        assert_ok(pbs_system_set_state(same, h, &z[0][0], &z[0][1], 1));
        double start[2] = {z[0][0], z[0][1]}, now[2];
        assert_ok(pbs_system_step(same, integrator, h / (1 << depth)));
        read_state(same, now);
        for (uint32_t k = depth; k >= 1; k--) {
            theta_by_hand(h / (1 << k), start, now, parts);
            memcpy(now, parts, sizeof now);
        }
        assert_near(z[1][0], now[0], 1e-13, "position after a divided step");
        assert_near(z[1][1], now[1], 1e-13, "velocity after a divided step");

        assert_ok(pbs_system_step(system, integrator, h));
        read_state(system, z[2]);
        theta_by_hand(h, z[0], z[1], z[3]);
        assert_near(z[2][0], z[3][0], 1e-13, "position after the next step");
        assert_near(z[2][1], z[3][1], 1e-13, "velocity after the next step");
        pbs_system_destroy(same);
        pbs_system_destroy(system);
        pbs_integrator_destroy(integrator);
    }
}

// --- matrices, none of them symmetric, against an exact solution ---

// q'' = J (2 Omega q' + s q) - k q with J = (0 -1; 1 0), times a mass matrix: a pendulum on a
// turntable under a follower force. As z = q1 + i q2: z'' - 2 i Omega z' + (k - i s) z = 0.
static const double turn = 0.4, spring = 2.0, follower = 0.3;

static int32_t turntable(void *user, double time, const double *x, const double *v, double *force) {
    (void)time;
    const double a[2] = {-2.0 * turn * v[1] - follower * x[1] - spring * x[0],
                         2.0 * turn * v[0] + follower * x[0] - spring * x[1]};
    const double *mass = user;
    force[0] = mass[0] * a[0] + mass[1] * a[1];
    force[1] = mass[2] * a[0] + mass[3] * a[1];
    return 0;
}

static void multiply(const double a[4], const double b[4], double out[4]) {
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            out[2 * i + j] = a[2 * i] * b[j] + a[2 * i + 1] * b[2 + j];
        }
    }
}

static int32_t turntable_jacobian(void *user, double time, const double *x, const double *v,
                                  double *by_x, double *by_v) {
    (void)time;
    (void)x;
    (void)v;
    const double stiffness[4] = {-spring, -follower, follower, -spring};
    const double gyration[4] = {0.0, -2.0 * turn, 2.0 * turn, 0.0};
    multiply(user, stiffness, by_x);
    multiply(user, gyration, by_v);
    return 0;
}

enum given { BY_FORCE, BY_FORCE_AND_JACOBIAN, BY_MATRICES, GIVEN_COUNT };

/// z and z' at time t, from z(0) = 1, z'(0) = i: with the roots of w^2 - 2 i Omega w + k - i s = 0.
static void turntable_exact(double t, double out[4]) {
    const double complex root = csqrt(-turn * turn - spring + follower * I);
    const double complex w1 = turn * I + root, w2 = turn * I - root;
    const double complex b = (I - w1) / (w2 - w1), a = 1.0 - b;
    const double complex z = a * cexp(w1 * t) + b * cexp(w2 * t);
    const double complex rate = a * w1 * cexp(w1 * t) + b * w2 * cexp(w2 * t);
    out[0] = creal(z);
    out[1] = cimag(z);
    out[2] = creal(rate);
    out[3] = cimag(rate);
}

static double turntable_error(enum given given, int steps, pbs_dense_stats *stats) {
    double mass[4] = {2.0, 0.5, -0.3, 1.0}, damping[4], stiffness[4];
    const double x[2] = {1.0, 0.0}, v[2] = {0.0, 1.0};
    const double minus_stiffness[4] = {spring, follower, -follower, spring};
    const double minus_gyration[4] = {0.0, 2.0 * turn, -2.0 * turn, 0.0};
    multiply(mass, minus_stiffness, stiffness);
    multiply(mass, minus_gyration, damping);
    pbs_system_desc d = describe(2, x, v);
    d.mass = mass;
    d.force = given == BY_MATRICES ? NULL : turntable;
    d.jacobian = given == BY_FORCE_AND_JACOBIAN ? turntable_jacobian : NULL;
    d.damping = given == BY_MATRICES ? damping : NULL;
    d.stiffness = given == BY_MATRICES ? stiffness : NULL;
    d.user = mass;
    static const struct scheme_row scheme = {PBS_SCHEME_TR_BDF2, -1, {0}, {0}, {0}};
    pbs_integrator *integrator = scheme_row_integrator(&scheme);
    pbs_system *system = new_system(&d);
    for (int i = 0; i < steps; i++) {
        assert_ok(pbs_system_step(system, integrator, 5.0 / steps));
    }
    double exact[4], state[4];
    turntable_exact(5.0, exact);
    memcpy(state, pbs_system_positions(system), 2 * sizeof(double));
    memcpy(state + 2, pbs_system_velocities(system), 2 * sizeof(double));
    stats->struct_size = sizeof *stats;
    assert_ok(pbs_system_stats(system, stats));
    pbs_system_destroy(system);
    pbs_integrator_destroy(integrator);
    return testing_max_difference(state, exact, 4);
}

/// Second order against the exact solution, whichever way the equation is given; a linear equation
/// with exact derivatives takes one iteration a stage, of which a step has two.
static void unsymmetric_matrices_are_right(void **state) {
    (void)state;
    double errors[GIVEN_COUNT];
    for (int g = 0; g < GIVEN_COUNT; g++) {
        pbs_dense_stats stats;
        errors[g] = turntable_error((enum given)g, 400, &stats);
        const double fine = turntable_error((enum given)g, 800, &stats);
        assert_small(fine, 2e-4, "error");
        assert_near(log2(errors[g] / fine), 2.0, 0.01, "order");
        if (g != BY_FORCE) {
            assert_int_equal(stats.total.newton_iterations, 1600);
        }
        // Tolerance over the step's length, and as many steps, is what remains of iterations.
        assert_near(errors[g], errors[0], 400 * 1e-13 / (5.0 / 400.0), "the same equation");
    }
}

// --- any number of unknowns ---

/// GAT's first problem with more oscillators: each moves as it would alone, in one iteration a
/// stage, as the equation is linear.
static void independent_oscillators_do_not_mix(void **state) {
    (void)state;
    enum { SIZE = 50 };
    static double stiffness[SIZE * SIZE];
    double x[SIZE], v[SIZE];
    for (int i = 0; i < SIZE; i++) {
        stiffness[i * SIZE + i] = 1.0 + 2.0 * i; // GAT's 1 and 100 at the ends
        x[i] = 1.0;
        v[i] = 0.0;
    }
    pbs_system_desc d = describe(SIZE, x, v);
    d.stiffness = stiffness;
    for (size_t r = 0; r < scheme_row_count; r++) {
        if (scheme_row_needs_energy(&scheme_rows[r])) {
            continue;
        }
        pbs_integrator *integrator = scheme_row_integrator(&scheme_rows[r]);
        pbs_system *all = new_system(&d);
        for (int step = 0; step < 20; step++) {
            assert_ok(pbs_system_step(all, integrator, 0.05));
        }
        pbs_dense_stats stats = {.struct_size = sizeof stats};
        assert_ok(pbs_system_stats(all, &stats));
        assert_int_equal(stats.newton_iterations, stats.stages);
        for (int i = 0; i < SIZE; i += 7) {
            pbs_system_desc one = describe(1, x, v);
            one.stiffness = &stiffness[i * SIZE + i];
            pbs_system *alone = new_system(&one);
            for (int step = 0; step < 20; step++) {
                assert_ok(pbs_system_step(alone, integrator, 0.05));
            }
            // Rounding errors of a step, 1e-16 divided by h, times the steps.
            assert_near(pbs_system_positions(all)[i], pbs_system_positions(alone)[0], 1e-12, "x");
            assert_near(pbs_system_velocities(all)[i], pbs_system_velocities(alone)[0], 1e-11, "v");
            pbs_system_destroy(alone);
        }
        pbs_system_destroy(all);
        pbs_integrator_destroy(integrator);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_have_the_errors_of_the_table),
        cmocka_unit_test(final_states_are_those_of_the_prototypes),
        cmocka_unit_test(orders_survive_damping),
        cmocka_unit_test(orders_survive_variable_steps),
        cmocka_unit_test(orders_survive_divisions),
        cmocka_unit_test(orders_survive_time),
        cmocka_unit_test(without_alpha_nothing_is_corrected),
        cmocka_unit_test(decoupled_sdirk2_is_of_second_order),
        cmocka_unit_test(a_1_sees_the_forces_at_rest),
        cmocka_unit_test(divided_steps_end_as_neighbours),
        cmocka_unit_test(unsymmetric_matrices_are_right),
        cmocka_unit_test(independent_oscillators_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

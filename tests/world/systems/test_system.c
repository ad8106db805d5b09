// Systems through the public API: refusals and their messages, callbacks that ask to stop or refuse
// a state, a step as a transaction with every scheme, memory, and statistics.
// SPDX-License-Identifier: MIT
#include "integrate/scheme.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"
#include "world/refusal.h"

#include "pbs/pbs.h"

enum { SIZE = 3 };

/// Three unknowns that are coupled by unsymmetric matrices and nonlinear forces.
struct host {
    uint32_t force_calls, jacobian_calls;
    uint32_t fail_at;      ///< the call, counted from 1 over both kinds, with another answer
    int32_t answer;        ///< of that call
    bool fails_from_there; ///< and of all later ones
    double factor;         ///< of the derivatives: 1 is right
};

static int32_t answer_of(const struct host *host) {
    const uint32_t call = host->force_calls + host->jacobian_calls;
    const bool fails = host->fail_at > 0 &&
                       (host->fails_from_there ? call >= host->fail_at : call == host->fail_at);
    return fails ? host->answer : 0;
}

static int32_t force(void *user, double time, const double *x, const double *v, double *out) {
    struct host *host = user;
    host->force_calls++;
    for (int i = 0; i < SIZE; i++) {
        const int next = (i + 1) % SIZE;
        // What is not written is not taken for a force.
        assert_true(isnan(out[i]));
        out[i] = sin(time) - x[i] * x[i] * x[i] - 0.1 * v[i] * fabs(v[i]) + 0.2 * x[next];
    }
    return answer_of(host);
}

static int32_t jacobian(void *user, double time, const double *x, const double *v, double *by_x,
                        double *by_v) {
    struct host *host = user;
    (void)time;
    host->jacobian_calls++;
    for (int i = 0; i < SIZE; i++) {
        by_x[i * SIZE + i] = -3.0 * x[i] * x[i] * host->factor;
        by_x[i * SIZE + (i + 1) % SIZE] = 0.2 * host->factor;
        by_v[i * SIZE + i] = -0.2 * fabs(v[i]) * host->factor;
    }
    return answer_of(host);
}

static const double mass[SIZE * SIZE] = {2.0, 0.1, 0.0, 0.3, 1.0, 0.0, 0.0, -0.2, 1.5};
static const double damping[SIZE * SIZE] = {0.1, -0.3, 0.0, 0.3, 0.1, 0.0, 0.0, 0.0, 0.2};
static const double stiffness[SIZE * SIZE] = {3.0, -1.0, 0.0, -0.5, 2.0, -1.0, 0.0, 0.0, 1.0};
static const double positions[SIZE] = {0.3, -0.5, 0.8}, velocities[SIZE] = {0.1, 0.4, -0.2};

static pbs_system_desc describe(struct host *host) {
    pbs_system_desc d;
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    d.size = SIZE;
    d.mass = mass;
    d.damping = damping;
    d.stiffness = stiffness;
    d.positions = positions;
    d.velocities = velocities;
    d.force = force;
    d.jacobian = jacobian;
    d.user = host;
    return d;
}

static pbs_system *new_system(const pbs_system_desc *d) {
    pbs_system *system = NULL;
    assert_ok(pbs_system_create(d, &system));
    return system;
}

static pbs_integrator *new_integrator(int32_t scheme) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    d.energy_control.alpha_choice = PBS_ALPHA_FIXED;
    assert_ok(pbs_integrator_create(&d, &integrator));
    return integrator;
}

static pbs_dense_stats stats_of(const pbs_system *system) {
    pbs_dense_stats stats = {.struct_size = sizeof stats};
    assert_ok(pbs_system_stats(system, &stats));
    return stats;
}

static void assert_same_state(const pbs_system *a, const pbs_system *b) {
    const double times[2] = {pbs_system_time(a), pbs_system_time(b)};
    assert_same_bits(&times[0], &times[1], 1);
    assert_same_bits(pbs_system_positions(a), pbs_system_positions(b), pbs_system_size(a));
    assert_same_bits(pbs_system_velocities(a), pbs_system_velocities(b), pbs_system_size(a));
}

// --- every scheme ---

/// Calls check(integrator) with every scheme of the table that needs no energy.
static void with_every_scheme(void (*check)(pbs_integrator *integrator)) {
    for (const struct scheme_table *const *s = scheme_tables; *s != NULL; s++) {
        if ((*s)->id != PBS_SCHEME_ENERGY_BLENDING && !(*s)->is_static) {
            pbs_integrator *integrator = new_integrator((*s)->id);
            check(integrator);
            pbs_integrator_destroy(integrator);
        }
    }
}

/// The host stops, or has no forces and never will, at each of its calls in turn: the state is as
/// it was, time and what the scheme remembers included, so that later steps have the bits of a twin
/// that was never disturbed.
static void check_transaction(pbs_integrator *integrator) {
    struct host host = {.factor = 1.0}, calm = {.factor = 1.0};
    pbs_system_desc d = describe(&host);
    d.divisions = 2;
    pbs_system *system = new_system(&d);
    d.user = &calm;
    pbs_system *twin = new_system(&d);
    for (int step = 0; step < 3; step++) {
        bool was_reached = true;
        for (uint32_t k = 1; was_reached; k++) {
            host.force_calls = host.jacobian_calls = 0;
            host.fail_at = k;
            host.fails_from_there = k % 2 == 0;
            host.answer = host.fails_from_there ? 1 : -7;
            // A copy, as the last of these steps lands.
            double x[SIZE], v[SIZE];
            memcpy(x, pbs_system_positions(system), sizeof x);
            memcpy(v, pbs_system_velocities(system), sizeof v);
            const uint64_t landed = stats_of(system).total.steps;
            const pbs_status status = pbs_system_step(system, integrator, 0.1);
            was_reached = host.force_calls + host.jacobian_calls >= k;
            if (was_reached) {
                assert_status(status, k % 2 == 0 ? PBS_ERROR_INADMISSIBLE : PBS_ERROR_HOST);
                assert_message(k % 2 == 0 ? "the host has no" : "asked to stop: it returned -7");
                assert_same_bits(x, pbs_system_positions(system), SIZE);
                assert_same_bits(v, pbs_system_velocities(system), SIZE);
                assert_int_equal(stats_of(system).total.steps, landed);
                assert_int_equal(stats_of(system).status, status);
            } else {
                assert_ok(status);
            }
        }
        assert_ok(pbs_system_step(twin, integrator, 0.1));
        assert_same_state(system, twin);
    }
    pbs_system_destroy(system);
    pbs_system_destroy(twin);
}

static void failed_steps_change_nothing(void **state) {
    (void)state;
    with_every_scheme(check_transaction);
}

/// Counts are those of the host; residuals are below their tolerance; steps call no allocator.
static void check_stats(pbs_integrator *integrator) {
    struct host host = {.factor = 1.0};
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_system_desc d = describe(&host);
    d.allocator = test_allocator_hooks(&allocator);
    for (int by_differences = 0; by_differences < 2; by_differences++) {
        host = (struct host){.factor = 1.0};
        d.jacobian = by_differences ? NULL : jacobian;
        pbs_system *system = new_system(&d);
        const uint64_t calls = stats_of(system).memory.allocator_calls;
        uint64_t newton_total = 0;
        for (int step = 0; step < 10; step++) {
            host.force_calls = host.jacobian_calls = 0;
            assert_ok(pbs_system_step(system, integrator, step < 5 ? 0.1 : 0.07));
            const pbs_dense_stats stats = stats_of(system);
            newton_total += stats.newton_iterations;
            assert_int_equal(stats.force_evaluations, host.force_calls);
            assert_int_equal(host.jacobian_calls, by_differences ? 0 : stats.newton_iterations);
            assert_int_equal(stats.jacobian_evaluations, stats.newton_iterations);
            assert_true(stats.residual <= stats.tolerance);
            assert_int_equal(stats.substeps, 1);
            assert_int_equal(stats.divisions, 0);
            assert_int_equal(stats.roundoff_accepts, 0);
            assert_int_equal(stats.status, PBS_OK);
            assert_int_equal(stats.total.steps, step + 1);
            assert_int_equal(stats.total.newton_iterations, newton_total);
            assert_int_equal(stats.memory.allocator_calls, calls);
            assert_int_equal(stats.memory.bytes_in_use, allocator.bytes_in_use);
        }
        assert_int_equal(stats_of(system).memory.allocator_calls, calls);
        pbs_system_destroy(system);
        assert_int_equal(allocator.bytes_in_use, 0);
        assert_false(allocator.was_misused);
    }
}

static void stats_are_what_the_host_counts(void **state) {
    (void)state;
    with_every_scheme(check_stats);
}

/// Differences instead of derivatives, derivatives that are somewhat wrong, and another unknown end
/// at the same state: within what is left of the residual, 1e-10, divided by h, in each of 20
/// steps.
static void check_derivatives(pbs_integrator *integrator) {
    enum { WRONG = 3, DIFFERENCES, COUNT };
    double x[COUNT][SIZE], v[COUNT][SIZE];
    for (int k = 0; k < COUNT; k++) {
        struct host host = {.factor = k == WRONG ? 0.9 : 1.0};
        pbs_system_desc d = describe(&host);
        d.jacobian = k == DIFFERENCES ? NULL : jacobian;
        d.unknown = k < 3 ? PBS_UNKNOWN_POSITION + k : PBS_UNKNOWN_POSITION;
        pbs_system *system = new_system(&d);
        for (int step = 0; step < 20; step++) {
            assert_ok(pbs_system_step(system, integrator, 0.1));
        }
        memcpy(x[k], pbs_system_positions(system), sizeof x[k]);
        memcpy(v[k], pbs_system_velocities(system), sizeof v[k]);
        pbs_system_destroy(system);
    }
    for (int k = 1; k < COUNT; k++) {
        assert_small(testing_max_difference(x[0], x[k], SIZE), 20 * 1e-9, "positions");
        assert_small(testing_max_difference(v[0], v[k], SIZE), 20 * 1e-9, "velocities");
    }
}

static void derivatives_need_not_be_exact(void **state) {
    (void)state;
    with_every_scheme(check_derivatives);
}

/// Setting the state, and another integrator, start afresh: the bits of a new system.
static void check_fresh_start(pbs_integrator *integrator) {
    struct host host = {.factor = 1.0};
    pbs_integrator *other = new_integrator(PBS_SCHEME_SDIRK2);
    pbs_system_desc d = describe(&host);
    pbs_system *used = new_system(&d);
    for (int step = 0; step < 3; step++) {
        assert_ok(pbs_system_step(used, integrator, 0.1));
    }
    // What it shows may be handed in again.
    assert_ok(pbs_system_set_state(used, 2.0, pbs_system_positions(used),
                                   pbs_system_velocities(used), SIZE));
    d.time = 2.0;
    d.positions = pbs_system_positions(used);
    d.velocities = pbs_system_velocities(used);
    pbs_system *fresh = new_system(&d);
    assert_same_state(used, fresh);
    for (int step = 0; step < 3; step++) {
        assert_ok(pbs_system_step(used, integrator, 0.1));
        assert_ok(pbs_system_step(fresh, integrator, 0.1));
        assert_same_state(used, fresh);
    }
    assert_ok(pbs_system_step(used, other, 0.1));
    assert_ok(pbs_system_set_state(fresh, pbs_system_time(fresh), NULL, NULL, SIZE));
    assert_ok(pbs_system_step(fresh, other, 0.1));
    assert_same_state(used, fresh);
    pbs_system_destroy(used);
    pbs_system_destroy(fresh);
    pbs_integrator_destroy(other);
}

static void fresh_starts_forget(void **state) {
    (void)state;
    with_every_scheme(check_fresh_start);
}

/// Saved after any number of steps, a new system goes on with the bits of the old one.
static void check_saved(pbs_integrator *integrator) {
    struct host host = {.factor = 1.0};
    const pbs_system_desc d = describe(&host);
    for (int steps = 0; steps < 4; steps++) {
        pbs_system *old = new_system(&d), *new = new_system(&d);
        for (int i = 0; i < steps; i++) {
            assert_ok(pbs_system_step(old, integrator, 0.1));
        }
        // At an odd address.
        unsigned char bytes[1024];
        size_t size = 0, capacity = sizeof bytes - 1;
        assert_ok(pbs_system_save(old, NULL, &size));
        assert_ok(pbs_system_save(old, bytes + 1, &capacity));
        assert_int_equal(capacity, size);
        assert_ok(pbs_system_restore(new, bytes + 1, size));
        assert_same_state(old, new);
        for (int i = 0; i < 3; i++) {
            assert_ok(pbs_system_step(old, integrator, i == 2 ? 0.07 : 0.1));
            assert_ok(pbs_system_step(new, integrator, i == 2 ? 0.07 : 0.1));
            assert_same_state(old, new);
        }
        pbs_system_destroy(old);
        pbs_system_destroy(new);
    }
}

/// The squares of such steps are zero, and so accelerations are infinite or no numbers. Not all
/// schemes can take them; what lands can be restored.
static void check_saved_after_tiny_step(pbs_integrator *integrator) {
    struct host host = {.factor = 1.0};
    const pbs_system_desc d = describe(&host);
    pbs_system *system = new_system(&d);
    for (double h = 1e-100; h > 1e-310; h *= 1e-25) {
        unsigned char bytes[1024];
        size_t size = sizeof bytes;
        pbs_system_step(system, integrator, h);
        assert_ok(pbs_system_save(system, bytes, &size));
        assert_ok(pbs_system_restore(system, bytes, size));
    }
    pbs_system_destroy(system);
}

static void systems_are_saved_after_steps_of_any_length(void **state) {
    (void)state;
    with_every_scheme(check_saved_after_tiny_step);
}

static void saved_systems_go_on_as_they_would_have(void **state) {
    (void)state;
    with_every_scheme(check_saved);
}

/// Every byte that is changed, every length that is wrong, and bytes of another size or kind.
/// Accelerations of an earlier scheme that keeps them stayed in memory and got into the bytes.
static void equal_systems_save_equal_bytes(void **state) {
    (void)state;
    struct host host = {.factor = 1.0};
    const pbs_system_desc d = describe(&host);
    pbs_system *old = new_system(&d), *new = new_system(&d);
    pbs_integrator *keeps = new_integrator(PBS_SCHEME_GENERALIZED_ALPHA);
    pbs_integrator *keeps_not = new_integrator(PBS_SCHEME_SDIRK2);
    unsigned char bytes[2][1024];
    size_t sizes[2] = {sizeof bytes[0], sizeof bytes[1]};
    for (int i = 0; i < 3; i++) {
        assert_ok(pbs_system_step(old, i < 2 ? keeps : keeps_not, 0.1));
    }
    assert_ok(pbs_system_save(old, bytes[0], &sizes[0]));
    assert_ok(pbs_system_restore(new, bytes[0], sizes[0]));
    for (int i = 0; i < 3; i++) {
        assert_ok(pbs_system_step(old, keeps_not, 0.1));
        assert_ok(pbs_system_step(new, keeps_not, 0.1));
        assert_ok(pbs_system_save(old, bytes[0], &sizes[0]));
        assert_ok(pbs_system_save(new, bytes[1], &sizes[1]));
        assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    }
    pbs_integrator_destroy(keeps);
    pbs_integrator_destroy(keeps_not);
    pbs_system_destroy(old);
    pbs_system_destroy(new);
}

static void damaged_bytes_are_refused(void **state) {
    (void)state;
    struct host host = {.factor = 1.0};
    pbs_system_desc d = describe(&host);
    pbs_integrator *integrator = new_integrator(PBS_SCHEME_SECOND_ORDER_THETA);
    pbs_system *system = new_system(&d), *twin = new_system(&d);
    assert_ok(pbs_system_step(system, integrator, 0.1));
    unsigned char bytes[1024];
    size_t size = sizeof bytes;
    assert_ok(pbs_system_save(system, bytes, &size));
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        assert_status(pbs_system_restore(twin, bytes, size), PBS_ERROR_FORMAT);
        bytes[i] ^= 0x10;
        assert_status(pbs_system_restore(twin, bytes, i), PBS_ERROR_FORMAT);
    }
    assert_same_bits(pbs_system_positions(twin), positions, SIZE);
    assert_true(pbs_system_time(twin) == 0.0);
    size_t small = size - 1;
    assert_status(pbs_system_save(system, bytes, &small), PBS_ERROR_CAPACITY);
    assert_int_equal(small, size);
    assert_status(pbs_system_save(system, bytes, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_save(NULL, bytes, &size), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_restore(NULL, bytes, size), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_restore(twin, NULL, size), PBS_ERROR_ARGUMENT);
    pbs_system_destroy(twin);
    d.size = 2;
    twin = new_system(&d);
    assert_status(pbs_system_restore(twin, bytes, size), PBS_ERROR_FORMAT);
    assert_message("size 3 was saved, this one has 2");
    pbs_system_destroy(twin);
    pbs_system_destroy(system);
    pbs_integrator_destroy(integrator);
}

// --- failures ---

/// With no forces from some moment on, halving goes to the depth that was allowed and no further.
static void divisions_end(void **state) {
    (void)state;
    struct host host = {.factor = 1.0, .fail_at = 1, .answer = 1, .fails_from_there = true};
    pbs_integrator *integrator = new_integrator(PBS_SCHEME_IMPLICIT_EULER);
    for (uint32_t divisions = 0; divisions <= 30; divisions += 10) {
        pbs_system_desc d = describe(&host);
        d.divisions = divisions;
        pbs_system *system = new_system(&d);
        assert_status(pbs_system_step(system, integrator, 0.1), PBS_ERROR_INADMISSIBLE);
        assert_int_equal(stats_of(system).divisions, divisions);
        assert_int_equal(stats_of(system).substeps, 0);
        pbs_system_destroy(system);
    }
    pbs_integrator_destroy(integrator);
}

static void time_stays_finite(void **state) {
    (void)state;
    struct host host = {.factor = 1.0};
    pbs_integrator *integrator = new_integrator(PBS_SCHEME_IMPLICIT_EULER);
    pbs_system_desc d = describe(&host);
    d.time = 1e308;
    pbs_system *system = new_system(&d);
    assert_status(pbs_system_step(system, integrator, 1e308), PBS_ERROR_ARGUMENT);
    assert_message("the step's length is 1e+308 s, after 1e+308 s");
    assert_status(pbs_system_advance(system, integrator, 1e308), PBS_ERROR_ARGUMENT);
    assert_message("duration is 1e+308 s, after 1e+308 s");
    assert_true(pbs_system_time(system) == 1e308);
    pbs_system_destroy(system);
    pbs_integrator_destroy(integrator);
}

/// Derivatives of the wrong sign and size lead away: GAT's rule ends that after three iterations
/// without a decrease; a limit of iterations ends what is too slow.
static void newton_gives_up(void **state) {
    (void)state;
    struct host host = {.factor = 1.0};
    pbs_integrator *integrator = new_integrator(PBS_SCHEME_IMPLICIT_EULER);
    pbs_system_desc d = describe(&host);
    d.divisions = 0;
    d.newton_limit = 1;
    pbs_system *system = new_system(&d);
    assert_status(pbs_system_step(system, integrator, 1.0), PBS_ERROR_CONVERGENCE);
    assert_message("not converged after 1 Newton iterations");
    assert_true(stats_of(system).residual > stats_of(system).tolerance);
    pbs_system_destroy(system);

    d.newton_limit = 50;
    host.factor = -40.0;
    system = new_system(&d);
    assert_status(pbs_system_step(system, integrator, 1.0), PBS_ERROR_CONVERGENCE);
    assert_message("did not fall below");
    assert_int_equal(stats_of(system).newton_iterations, 3);
    assert_int_equal(stats_of(system).total.failed_steps, 1);
    pbs_system_destroy(system);
    // Short enough steps do not need the derivatives.
    d.divisions = 20;
    system = new_system(&d);
    assert_status(pbs_system_step(system, integrator, 1.0), PBS_DIVIDED);
    assert_message("halvings");
    assert_near(pbs_system_time(system), 1.0, 0.0, "time");
    const pbs_dense_stats stats = stats_of(system);
    assert_int_equal(stats.status, PBS_DIVIDED);
    assert_int_equal(stats.substeps, stats.divisions + 1);
    assert_true(stats.residual <= stats.tolerance);
    pbs_system_destroy(system);
    pbs_integrator_destroy(integrator);
}

static int32_t spoilt_force(void *user, double time, const double *x, const double *v,
                            double *out) {
    (void)time;
    (void)x;
    (void)v;
    out[0] = 1.0;
    out[1] = 0.0;
    out[2] = *(const double *)user;
    return 0;
}

static int32_t spoilt_jacobian(void *user, double time, const double *x, const double *v,
                               double *by_x, double *by_v) {
    (void)time;
    (void)x;
    (void)v;
    by_x[1] = by_v[2] = *(const double *)user;
    return 0;
}

static int32_t unit_force(void *user, double time, const double *x, const double *v, double *out) {
    (void)user;
    (void)time;
    (void)v;
    out[0] = 1.0 - x[0];
    out[1] = out[2] = 0.0;
    return 0;
}

static void numbers_of_callbacks_must_be_finite(void **state) {
    (void)state;
    double spoilt[] = {NAN, INFINITY, -INFINITY};
    pbs_integrator *integrator = new_integrator(PBS_SCHEME_IMPLICIT_EULER);
    for (size_t i = 0; i < COUNT_OF(spoilt); i++) {
        pbs_system_desc d = describe(NULL);
        d.force = spoilt_force;
        d.user = &spoilt[i];
        d.divisions = 1;
        pbs_system *system = new_system(&d);
        assert_status(pbs_system_step(system, integrator, 0.1), PBS_ERROR_INADMISSIBLE);
        assert_message("force 2 is");
        assert_same_bits(pbs_system_positions(system), positions, SIZE);
        pbs_system_destroy(system);
        d.force = unit_force;
        d.jacobian = spoilt_jacobian;
        system = new_system(&d);
        assert_status(pbs_system_step(system, integrator, 0.1), PBS_ERROR_INADMISSIBLE);
        assert_message("no finite derivatives");
        pbs_system_destroy(system);
    }
    pbs_integrator_destroy(integrator);
}

/// x'' = x / c with implicit Euler: M - c K is zero.
static void singular_newton_matrices_are_told(void **state) {
    (void)state;
    const double minus_one = -1.0, x = 1.0;
    pbs_system_desc d;
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    d.stiffness = &minus_one;
    d.positions = &x;
    d.divisions = 0;
    pbs_integrator *integrator = new_integrator(PBS_SCHEME_IMPLICIT_EULER);
    pbs_system *system = new_system(&d);
    double condition = 0.0;
    assert_ok(pbs_system_condition_number(system, &condition));
    assert_true(condition == INFINITY);
    assert_status(pbs_system_step(system, integrator, 1.0), PBS_ERROR_CONVERGENCE);
    assert_message("singular");
    assert_ok(pbs_system_step(system, integrator, 0.5));
    assert_ok(pbs_system_condition_number(system, &condition));
    assert_near(condition, 1.0, 1e-15, "condition of a 1 x 1 matrix");
    pbs_system_destroy(system);
    pbs_integrator_destroy(integrator);
}

/// A tolerance below rounding errors is met as far as numbers go, and that is counted.
static void rounding_errors_end_iterations(void **state) {
    (void)state;
    struct host host = {.factor = 1.0};
    pbs_system_desc d = describe(&host);
    d.tolerance = 1e-300;
    d.relative_tolerance = 0.0;
    pbs_integrator *integrator = new_integrator(PBS_SCHEME_TRAPEZOIDAL);
    pbs_system *system = new_system(&d);
    uint32_t accepts = 0;
    for (int step = 0; step < 20; step++) {
        assert_ok(pbs_system_step(system, integrator, 0.1));
        const pbs_dense_stats stats = stats_of(system);
        accepts += stats.roundoff_accepts;
        assert_small(stats.residual, 1e-14, "residual");
        assert_true(stats.roundoff_accepts == 1 || stats.residual <= stats.tolerance);
    }
    assert_true(accepts > 0);
    pbs_system_destroy(system);
    pbs_integrator_destroy(integrator);
}

static int32_t wild_force(void *user, double time, const double *x, const double *v, double *out) {
    const double *scale = user;
    for (int i = 0; i < SIZE; i++) {
        assert_true(isfinite(x[i]) && isfinite(v[i]));
        out[i] = *scale * (exp(x[i]) - x[(i + 1) % SIZE] * v[i] * fabs(v[i]) + cos(time));
    }
    return 0;
}

/// Matrices, states, forces and steps over a hundred orders of magnitude: a step lands in a finite
/// state or fails and changes nothing, and callbacks never see numbers that are not finite.
static void wild_numbers_end_in_statuses(void **state) {
    (void)state;
    struct random random = random_seed(5);
    uint32_t landed = 0, failed = 0;
    for (int trial = 0; trial < (testing_is_small() ? 100 : 1000); trial++) {
        double matrices[3][SIZE * SIZE], states[2][SIZE];
        for (int m = 0; m < 3; m++) {
            random_fill(&random, -1.0, 1.0, matrices[m], SIZE * SIZE);
            const double scale = pow(10.0, random_uniform(&random, -100.0, 100.0));
            for (int k = 0; k < SIZE * SIZE; k++) {
                matrices[m][k] *= m == 0 ? 1.0 : scale;
            }
        }
        for (int k = 0; k < SIZE; k++) {
            states[0][k] = pow(10.0, random_uniform(&random, -20.0, 3.0));
            states[1][k] = -pow(10.0,
                                random_uniform(&random, -50.0, trial % 2 == 0 ? 50.0 : 308.0));
        }
        double scale = pow(10.0, random_uniform(&random, -50.0, 50.0));
        pbs_system_desc d;
        assert_ok(pbs_system_desc_init(&d, sizeof d));
        d.size = SIZE;
        d.mass = matrices[0];
        d.damping = trial % 3 == 0 ? matrices[1] : NULL;
        d.stiffness = trial % 5 == 0 ? matrices[2] : NULL;
        d.positions = states[0];
        d.velocities = states[1];
        d.force = wild_force;
        d.user = &scale;
        d.divisions = 3;
        d.unknown = trial % 3;
        pbs_system *system = new_system(&d);
        size_t count = 0;
        while (scheme_tables[count] != NULL) {
            count++;
        }
        const struct scheme_table *scheme = scheme_tables[random_index(&random, count)];
        pbs_integrator *integrator = new_integrator(scheme->id);
        const double h = pow(10.0, random_uniform(&random, -30.0, trial % 4 == 0 ? 200.0 : 10.0));
        for (int step = 0;
             step < 3 && scheme->id != PBS_SCHEME_ENERGY_BLENDING && !scheme->is_static; step++) {
            double x[SIZE];
            memcpy(x, pbs_system_positions(system), sizeof x);
            const pbs_status status = pbs_system_step(system, integrator, h);
            if (status >= 0) {
                landed++;
                for (int k = 0; k < SIZE; k++) {
                    assert_true(isfinite(pbs_system_positions(system)[k]));
                    assert_true(isfinite(pbs_system_velocities(system)[k]));
                }
            } else {
                failed++;
                assert_true(status == PBS_ERROR_CONVERGENCE || status == PBS_ERROR_INADMISSIBLE);
                assert_same_bits(x, pbs_system_positions(system), SIZE);
            }
        }
        pbs_system_destroy(system);
        pbs_integrator_destroy(integrator);
    }
    assert_true(landed > 0 && failed > 0);
    print_message("%u steps landed, %u failed\n", landed, failed);
}

// --- refusals ---

static double bad_matrix[SIZE * SIZE], bad_vector[SIZE];

static void free_nothing(void *user, void *pointer, size_t size) {
    (void)user;
    (void)pointer;
    (void)size;
}

SPOIL(unknown, pbs_system_desc *d, d->unknown = 3)
SPOIL(no_size, pbs_system_desc *d, d->size = 0)
SPOIL(large_size, pbs_system_desc *d, d->size = SIZE_MAX)
SPOIL(bad_mass, pbs_system_desc *d, d->mass = bad_matrix)
SPOIL(bad_damping, pbs_system_desc *d, d->damping = bad_matrix)
SPOIL(bad_stiffness, pbs_system_desc *d, d->stiffness = bad_matrix)
SPOIL(bad_positions, pbs_system_desc *d, d->positions = bad_vector)
SPOIL(bad_velocities, pbs_system_desc *d, d->velocities = bad_vector)
SPOIL(bad_time, pbs_system_desc *d, d->time = NAN)
SPOIL(bad_tolerance, pbs_system_desc *d, d->tolerance = -1.0)
SPOIL(nan_tolerance, pbs_system_desc *d, d->tolerance = NAN)
SPOIL(bad_relative, pbs_system_desc *d, d->relative_tolerance = INFINITY)
SPOIL(no_tolerance, pbs_system_desc *d, d->tolerance = d->relative_tolerance = 0.0)
SPOIL(no_iterations, pbs_system_desc *d, d->newton_limit = 0)
SPOIL(deep, pbs_system_desc *d, d->divisions = 31)
SPOIL(half_allocator, pbs_system_desc *d, d->allocator.release = free_nothing)

static const struct refusal refusals[] = {
    {unknown, PBS_ERROR_ARGUMENT, "unknown is 3, must be 0 to 2"},
    {no_size, PBS_ERROR_ARGUMENT, "size is 0, must be 1 to 10000"},
    {large_size, PBS_ERROR_ARGUMENT, "must be 1 to 10000"},
    {bad_mass, PBS_ERROR_ARGUMENT, "mass[7] is nan, must be finite"},
    {bad_damping, PBS_ERROR_ARGUMENT, "damping[7] is nan, must be finite"},
    {bad_stiffness, PBS_ERROR_ARGUMENT, "stiffness[7] is nan, must be finite"},
    {bad_positions, PBS_ERROR_ARGUMENT, "positions[1] is inf, must be finite"},
    {bad_velocities, PBS_ERROR_ARGUMENT, "velocities[1] is inf, must be finite"},
    {bad_time, PBS_ERROR_ARGUMENT, "time is nan"},
    {bad_tolerance, PBS_ERROR_ARGUMENT, "tolerance is -1"},
    {nan_tolerance, PBS_ERROR_ARGUMENT, "tolerance is nan"},
    {bad_relative, PBS_ERROR_ARGUMENT, "relative_tolerance is inf"},
    {no_tolerance, PBS_ERROR_ARGUMENT, "are both 0"},
    {no_iterations, PBS_ERROR_ARGUMENT, "newton_limit is 0"},
    {deep, PBS_ERROR_ARGUMENT, "divisions is 31"},
    {half_allocator, PBS_ERROR_ARGUMENT, "allocator.allocate is null"},
};

static void bad_descriptions_are_named(void **state) {
    (void)state;
    struct host host = {.factor = 1.0};
    bad_matrix[7] = NAN;
    bad_vector[1] = INFINITY;
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        pbs_system_desc d = describe(&host);
        pbs_system *system = NULL;
        refusals[i].spoil(&d);
        assert_status(pbs_system_create(&d, &system), refusals[i].status);
        assert_message(refusals[i].words);
        assert_null(system);
    }
    pbs_system_desc d = describe(&host);
    assert_status(pbs_system_create(&d, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_create(NULL, NULL), PBS_ERROR_ARGUMENT);
}

/// Zero, of rank one, and of rank two but for rounding errors.
static void singular_masses_are_refused(void **state) {
    (void)state;
    const double none[9] = {0}, one[9] = {1, 2, 3, 2, 4, 6, 3, 6, 9},
                 two[9] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    const double *const masses[] = {none, one, two};
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    for (size_t i = 0; i < COUNT_OF(masses); i++) {
        pbs_system_desc d = describe(NULL);
        pbs_system *system = NULL;
        d.mass = masses[i];
        d.allocator = test_allocator_hooks(&allocator);
        assert_status(pbs_system_create(&d, &system), PBS_ERROR_ARGUMENT);
        assert_message("mass is singular");
        assert_int_equal(allocator.bytes_in_use, 0);
    }
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    struct host host = {.factor = 1.0};
    const pbs_system_desc d = describe(&host);
    pbs_system *system = new_system(&d);
    pbs_integrator *integrator = new_integrator(PBS_SCHEME_BDF2);
    const double lengths[] = {0.0, -0.1, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        assert_status(pbs_system_step(system, integrator, lengths[i]), PBS_ERROR_ARGUMENT);
        assert_message("the step's length");
    }
    assert_status(pbs_system_step(NULL, integrator, 0.1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_step(system, NULL, 0.1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_set_state(NULL, 0.0, NULL, NULL, SIZE), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_set_state(system, 0.0, NULL, NULL, SIZE + 1), PBS_ERROR_ARGUMENT);
    assert_message("count is 4, must be 3");
    assert_status(pbs_system_set_state(system, NAN, NULL, NULL, SIZE), PBS_ERROR_ARGUMENT);
    bad_vector[1] = NAN;
    const double good[SIZE] = {9.0, 9.0, 9.0};
    assert_status(pbs_system_set_state(system, 0.0, bad_vector, good, SIZE), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_set_state(system, 0.0, good, bad_vector, SIZE), PBS_ERROR_ARGUMENT);
    assert_message("velocities[1] is nan");
    double condition;
    pbs_dense_stats stats = {.struct_size = sizeof stats};
    assert_status(pbs_system_condition_number(system, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_condition_number(NULL, &condition), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_stats(NULL, &stats), PBS_ERROR_ARGUMENT);
    assert_same_bits(pbs_system_positions(system), positions, SIZE);
    assert_same_bits(pbs_system_velocities(system), velocities, SIZE);
    assert_int_equal(stats_of(system).total.failed_steps, 0);
    assert_null(pbs_system_positions(NULL));
    assert_null(pbs_system_velocities(NULL));
    assert_int_equal(pbs_system_size(NULL), 0);
    assert_int_equal(pbs_system_size(system), SIZE);
    assert_true(pbs_system_time(NULL) == 0.0);
    pbs_system_destroy(NULL);
    pbs_system_destroy(system);
    pbs_integrator_destroy(integrator);
}

/// Searches and blending are for worlds.
static void schemes_that_need_an_energy_are_refused(void **state) {
    (void)state;
    struct host host = {.factor = 1.0};
    const pbs_system_desc sd = describe(&host);
    pbs_system *system = new_system(&sd);
    for (const struct scheme_table *const *s = scheme_tables; *s != NULL; s++) {
        for (int32_t choice = PBS_ALPHA_FIXED; choice <= PBS_ALPHA_SPARSE_SEARCH; choice++) {
            const bool refused = (*s)->id == PBS_SCHEME_ENERGY_BLENDING || (*s)->is_static ||
                                 ((*s)->control != CONTROL_NONE && choice != PBS_ALPHA_FIXED);
            pbs_integrator_desc d;
            pbs_integrator *integrator = NULL;
            assert_ok(pbs_integrator_desc_init(&d, sizeof d, (*s)->id));
            d.energy_control.alpha_choice = choice;
            assert_ok(pbs_integrator_create(&d, &integrator));
            assert_status(pbs_system_step(system, integrator, 0.01),
                          refused ? PBS_ERROR_ARGUMENT : PBS_OK);
            if (refused) {
                assert_message("needs an energy");
            }
            pbs_integrator_destroy(integrator);
        }
    }
    pbs_system_destroy(system);
}

// --- memory ---

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct host host = {.factor = 1.0};
    pbs_status status = PBS_ERROR_MEMORY;
    for (uint64_t k = 0; status != PBS_OK; k++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        test_allocator_fail_after(&allocator, k);
        pbs_system_desc d = describe(&host);
        d.allocator = test_allocator_hooks(&allocator);
        pbs_system *system = NULL;
        status = pbs_system_create(&d, &system);
        assert_true((status == PBS_OK) == (system != NULL));
        assert_true(status == PBS_OK || status == PBS_ERROR_MEMORY);
        pbs_system_destroy(system);
        assert_int_equal(allocator.bytes_in_use, 0);
        assert_false(allocator.was_misused);
        assert_true(k < 1000);
    }
}

/// What is read makes the system again: both go on to the same bits. And refusals.
static void settings_are_read(void **state) {
    (void)state;
    const double own_mass[4] = {2.0, 0.5, 0.5, 3.0}, own_stiffness[4] = {50.0, 0.0, 0.0, 80.0};
    const double own_positions[2] = {1.0, -1.0}, own_velocities[2] = {0.0, 2.0};
    pbs_integrator_desc scheme;
    pbs_integrator *integrator = NULL;
    pbs_system *systems[2];
    pbs_system_desc d, out = {.struct_size = sizeof out};
    assert_ok(pbs_integrator_desc_init(&scheme, sizeof scheme, PBS_SCHEME_IMPLICIT_EULER));
    assert_ok(pbs_integrator_create(&scheme, &integrator));
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    d.size = 2;
    d.mass = own_mass;
    d.stiffness = own_stiffness;
    d.positions = own_positions;
    d.velocities = own_velocities;
    d.time = 4.0;
    d.unknown = PBS_UNKNOWN_VELOCITY;
    d.tolerance = 1e-9;
    d.newton_limit = 17;
    d.divisions = 3;
    assert_ok(pbs_system_create(&d, &systems[0]));
    assert_ok(pbs_system_step(systems[0], integrator, 0.01));
    assert_ok(pbs_system_settings(systems[0], &out));
    assert_true(out.time == pbs_system_time(systems[0]) && out.damping == NULL);
    assert_same_bits(out.mass, own_mass, 4);
    assert_same_bits(out.stiffness, own_stiffness, 4);
    assert_same_bits(out.positions, pbs_system_positions(systems[0]), 2);
    assert_true(out.unknown == PBS_UNKNOWN_VELOCITY && out.tolerance == 1e-9);
    assert_true(out.newton_limit == 17 && out.divisions == 3 && out.force == NULL);
    assert_ok(pbs_system_create(&out, &systems[1]));
    for (int i = 0; i < 2; i++) {
        assert_ok(pbs_system_step(systems[i], integrator, 0.01));
    }
    assert_same_bits(pbs_system_positions(systems[0]), pbs_system_positions(systems[1]), 2);
    assert_status(pbs_system_settings(NULL, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_system_settings(systems[0], NULL), PBS_ERROR_ARGUMENT);
    out.struct_size = 8;
    assert_status(pbs_system_settings(systems[0], &out), PBS_ERROR_STRUCT_SIZE);
    pbs_integrator_destroy(integrator);
    pbs_system_destroy(systems[0]);
    pbs_system_destroy(systems[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_steps_change_nothing),
        cmocka_unit_test(stats_are_what_the_host_counts),
        cmocka_unit_test(derivatives_need_not_be_exact),
        cmocka_unit_test(fresh_starts_forget),
        cmocka_unit_test(saved_systems_go_on_as_they_would_have),
        cmocka_unit_test(systems_are_saved_after_steps_of_any_length),
        cmocka_unit_test(equal_systems_save_equal_bytes),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(divisions_end),
        cmocka_unit_test(newton_gives_up),
        cmocka_unit_test(time_stays_finite),
        cmocka_unit_test(numbers_of_callbacks_must_be_finite),
        cmocka_unit_test(singular_newton_matrices_are_told),
        cmocka_unit_test(rounding_errors_end_iterations),
        cmocka_unit_test(wild_numbers_end_in_statuses),
        cmocka_unit_test(bad_descriptions_are_named),
        cmocka_unit_test(singular_masses_are_refused),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(schemes_that_need_an_energy_are_refused),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(settings_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Line searches on functions of one variable: both conditions where they can hold, the lowest point
// seen where they cannot, and safety against kinks, noise, walls and not-a-number.
// SPDX-License-Identifier: MIT
#include "minimize/search/line_search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pbs/world.h"

typedef void (*function_1d)(double step, struct line_sample *out);

struct probe {
    function_1d function;
    struct line_sample last, kept;
    uint32_t calls, stop_after;
};

static bool evaluate(void *context, struct line_sample *out) {
    struct probe *probe = context;
    probe->function(out->step, out);
    probe->last = *out;
    return ++probe->calls != probe->stop_after;
}

static void keep(void *context) {
    struct probe *probe = context;
    probe->kept = probe->last;
}

static const struct line_search_options standard = {
    .decrease = 1e-4, .curvature = 0.9, .limit = INFINITY, .trial_limit = 64};

static struct line_result search_from(struct probe *probe, int32_t id,
                                      const struct line_search_options *options,
                                      double first_step) {
    const struct line_function function = {probe, evaluate, keep};
    struct line_sample origin = {.step = 0.0};
    struct line_sample first = {.step = first_step};
    probe->function(0.0, &origin);
    evaluate(probe, &first);
    const struct line_result result = line_search_find(id)->search(&function, options, origin,
                                                                   first);
    if (result.outcome == LINE_ACCEPTED || result.outcome == LINE_BEST) {
        // What the search returns is what it told the caller to keep.
        assert_memory_equal(&result.sample, &probe->kept, sizeof probe->kept);
    }
    return result;
}

static struct line_result search(function_1d function, int32_t id) {
    struct probe probe = {.function = function};
    return search_from(&probe, id, &standard, 1.0);
}

static void assert_wolfe(function_1d function, struct line_sample a) {
    struct line_sample origin = {.step = 0.0};
    function(0.0, &origin);
    assert_true(a.value <= origin.value + standard.decrease * a.step * origin.slope);
    assert_true(fabs(a.slope) <= standard.curvature * fabs(origin.slope));
}

static void newton_quadratic(double a, struct line_sample *out) {
    out->value = 0.5 * (a - 1.0) * (a - 1.0);
    out->slope = a - 1.0;
}

static void far_quadratic(double a, struct line_sample *out) {
    out->value = 0.5 * (a - 1000.0) * (a - 1000.0);
    out->slope = a - 1000.0;
}

static void near_quadratic(double a, struct line_sample *out) {
    out->value = 0.5e12 * (a - 1e-6) * (a - 1e-6);
    out->slope = 1e12 * (a - 1e-6);
}

static void more_thuente_1(double a, struct line_sample *out) {
    out->value = -a / (a * a + 2.0);
    out->slope = (a * a - 2.0) / ((a * a + 2.0) * (a * a + 2.0));
}

static void wavy(double a, struct line_sample *out) {
    out->value = -a + 0.9 * sin(8.0 * a) / 8.0 + 0.2 * a * a;
    out->slope = -1.0 + 0.9 * cos(8.0 * a) + 0.4 * a;
}

static void test_first_trial_is_taken_when_it_serves(void **state) {
    (void)state;
    for (int id = 0; id < 2; id++) {
        const struct line_result result = search(newton_quadratic, id);
        assert_int_equal(result.outcome, LINE_ACCEPTED);
        assert_true(result.sample.step == 1.0);
        assert_int_equal(result.evaluations, 0);
    }
}

static void test_wolfe_holds_on_smooth_functions(void **state) {
    (void)state;
    const function_1d functions[] = {far_quadratic, near_quadratic, more_thuente_1, wavy};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct line_result result = search(functions[i], PBS_LINE_SEARCH_WOLFE);
        assert_int_equal(result.outcome, LINE_ACCEPTED);
        assert_wolfe(functions[i], result.sample);
    }
}

static void test_steps_grow_beyond_one(void **state) {
    (void)state;
    const struct line_result result = search(far_quadratic, PBS_LINE_SEARCH_WOLFE);
    // |slope| <= 0.9 * 1000 from 100 on; doubling gets to 128 after 7 trials.
    assert_true(result.sample.step == 128.0);
    assert_int_equal(result.evaluations, 7);
}

static void test_backtracking_only_decreases(void **state) {
    (void)state;
    const struct line_result result = search(near_quadratic, PBS_LINE_SEARCH_BACKTRACKING);
    assert_int_equal(result.outcome, LINE_ACCEPTED);
    // Sufficient decrease holds up to 2 (1 - c1) 1e-6; the first power of two below is 2^-20 or
    // 2^-19.
    assert_true(result.sample.step == ldexp(1.0, -19));
}

// Convex, with a kink at 0.3 between slopes -2 and +3: no point satisfies the curvature condition.
static void kink(double a, struct line_sample *out) {
    out->value = fmax(-2.0 * (a - 0.3), 3.0 * (a - 0.3));
    out->slope = a < 0.3 ? -2.0 : 3.0;
}

static void test_kink_gives_the_lowest_point_seen(void **state) {
    (void)state;
    const struct line_result result = search(kink, PBS_LINE_SEARCH_WOLFE);
    assert_int_equal(result.outcome, LINE_BEST);
    // 0.6 was to be had; the search ends when less than a hundredth of it is left.
    assert_true(result.sample.value < 0.6 * 0.02);
    assert_true(result.evaluations < 20);
}

// A logarithmic barrier: infinite from 1e-7 on.
static void wall(double a, struct line_sample *out) {
    const double t = 1e7 * a;
    out->value = t < 1.0 ? -2.0 * t - log(1.0 - t) : INFINITY;
    out->slope = t < 1.0 ? 1e7 * (-2.0 + 1.0 / (1.0 - t)) : NAN;
}

static void wall_of_nan(double a, struct line_sample *out) {
    wall(a, out);
    out->value = isinf(out->value) ? NAN : out->value;
}

static void test_walls_are_too_high(void **state) {
    (void)state;
    const function_1d walls[] = {wall, wall_of_nan};
    for (int i = 0; i < 2; i++) {
        for (int id = 0; id < 2; id++) {
            const struct line_result result = search(walls[i], id);
            assert_int_equal(result.outcome, LINE_ACCEPTED);
            assert_true(result.sample.step < 1e-7);
        }
        assert_wolfe(wall, search(walls[i], PBS_LINE_SEARCH_WOLFE).sample);
    }
}

/// A parabola with its minimum at 1e-3. Where it is higher than at 0, only a lower bound of the
/// value is known, and no slope.
static void partly_known(double a, struct line_sample *out) {
    out->value = 0.5 * (a - 1e-3) * (a - 1e-3);
    out->slope = a - 1e-3;
    if (out->value > 0.5e-6) {
        out->value = 0.5e-6 + 0.5 * (out->value - 0.5e-6);
        out->slope = NAN;
    }
}

static void test_lower_bounds_serve_where_phi_is_too_high(void **state) {
    (void)state;
    const struct line_result wolfe = search(partly_known, PBS_LINE_SEARCH_WOLFE);
    assert_int_equal(wolfe.outcome, LINE_ACCEPTED);
    assert_wolfe(partly_known, wolfe.sample);
    const struct line_result halves = search(partly_known, PBS_LINE_SEARCH_BACKTRACKING);
    assert_int_equal(halves.outcome, LINE_ACCEPTED);
    assert_true(halves.sample.value < 0.5e-6);
}

static void test_expansion_stays_below_the_limit(void **state) {
    (void)state;
    struct probe probe = {.function = far_quadratic};
    struct line_search_options options = standard;
    options.limit = 5.0;
    const struct line_result result = search_from(&probe, PBS_LINE_SEARCH_WOLFE, &options, 1.0);
    assert_int_equal(result.outcome, LINE_BEST);
    assert_true(result.sample.step > 4.9 && result.sample.step < 5.0);
    // 1, 2, 4, then nine tenths of what is left until that is less than a hundredth of the limit.
    assert_int_equal(result.evaluations, 4);
}

// Falls by a ten-thousandth of the sufficient decrease, least at 1/4.
static void barely_falling(double a, struct line_sample *out) {
    out->value = 1e-8 * (fabs(a - 0.25) - 0.25);
    out->slope = a > 0.0 ? 1e-8 * copysign(1.0, a - 0.25) : -1.0;
}

static void test_backtracking_keeps_the_lowest_point(void **state) {
    (void)state;
    const struct line_result result = search(barely_falling, PBS_LINE_SEARCH_BACKTRACKING);
    assert_int_equal(result.outcome, LINE_BEST);
    assert_true(result.sample.step == 0.25);
    assert_int_equal(result.evaluations, standard.trial_limit);
}

static void rising(double a, struct line_sample *out) {
    out->value = a;
    out->slope = a > 0.0 ? 1.0 : -1.0;
}

static void test_nothing_lower_is_said(void **state) {
    (void)state;
    for (int id = 0; id < 2; id++) {
        struct probe probe = {.function = rising};
        const struct line_result result = search_from(&probe, id, &standard, 1.0);
        assert_int_equal(result.outcome, LINE_NONE);
        assert_true(result.evaluations <= standard.trial_limit);
        assert_true(result.sample.step == 0.0);
    }
}

// Rounding noise of amplitude 1e-12 on a parabola whose whole depth is 1e-14.
static void noise(double a, struct line_sample *out) {
    out->value = 1e-14 * (a - 1.0) * (a - 1.0) + 1e-12 * sin(1e9 * a);
    out->slope = 2e-14 * (a - 1.0);
}

static void test_noise_ends(void **state) {
    (void)state;
    const struct line_result result = search(noise, PBS_LINE_SEARCH_WOLFE);
    assert_true(result.evaluations <= standard.trial_limit);
    assert_true(result.outcome == LINE_NONE || result.sample.value < 1e-14);
}

static void test_stop_is_obeyed_at_once(void **state) {
    (void)state;
    for (int id = 0; id < 2; id++) {
        struct probe probe = {.function = near_quadratic, .stop_after = 3};
        const struct line_result result = search_from(&probe, id, &standard, 1.0);
        assert_int_equal(result.outcome, LINE_STOPPED);
        assert_int_equal(probe.calls, 3);
    }
}

// Every step is lower than the last, without end.
static void bottomless(double a, struct line_sample *out) {
    out->value = -a;
    out->slope = -1.0;
}

static void test_unbounded_descent_ends(void **state) {
    (void)state;
    const struct line_result result = search(bottomless, PBS_LINE_SEARCH_WOLFE);
    assert_int_equal(result.outcome, LINE_BEST);
    assert_int_equal(result.evaluations, standard.trial_limit);
}

static void test_unknown_search_is_not_found(void **state) {
    (void)state;
    assert_null(line_search_find(7));
    assert_string_equal(line_search_find(PBS_LINE_SEARCH_WOLFE)->name, "wolfe");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_trial_is_taken_when_it_serves),
        cmocka_unit_test(test_wolfe_holds_on_smooth_functions),
        cmocka_unit_test(test_steps_grow_beyond_one),
        cmocka_unit_test(test_backtracking_only_decreases),
        cmocka_unit_test(test_kink_gives_the_lowest_point_seen),
        cmocka_unit_test(test_walls_are_too_high),
        cmocka_unit_test(test_lower_bounds_serve_where_phi_is_too_high),
        cmocka_unit_test(test_expansion_stays_below_the_limit),
        cmocka_unit_test(test_backtracking_keeps_the_lowest_point),
        cmocka_unit_test(test_nothing_lower_is_said),
        cmocka_unit_test(test_noise_ends),
        cmocka_unit_test(test_stop_is_obeyed_at_once),
        cmocka_unit_test(test_unbounded_descent_ends),
        cmocka_unit_test(test_unknown_search_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

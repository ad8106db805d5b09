// The arithmetic of step-size control: unit numbers of docs/theory/step_control.md section 1,
// limits and counts of docs/theory/step_control.md section 2.
// SPDX-License-Identifier: MIT
#include "integrate/step_control/step_control.h"

#include <float.h>

#include "support/schemes/hardening_spring.h"
#include "support/testing.h"

static pbs_integrator_desc settings(int32_t kind, double tolerance, double step_max) {
    return (pbs_integrator_desc){.step_control.kind = kind,
                                 .step_control.tolerance = tolerance,
                                 .step_control.max = step_max};
}

/// As ATS prints it: no limit on growth.
static struct step_control printed(double tolerance, double step_max) {
    pbs_integrator_desc d = settings(PBS_STEP_FORCE_ERROR, tolerance, step_max);
    d.step_control.growth = INFINITY;
    return step_control_of(&d.step_control, 1);
}

// --- unit numbers ---

static void steps_have_the_numbers_of_the_paper(void **state) {
    (void)state;
    static const struct hardening_spring spring = {100.0, 1.0};
    static const struct {
        double dv, x, linearized, force, error, next;
    } rows[] = {
        {1.90476190476, -.980952380952, 190.476190476, 183.673642155, 6.80254832092e-4,
         .00418889482596},
        {1.97044334975, -.990147783251, 194.088669951, 186.467158222, 1.90537793229e-4,
         .00640220571071},
    };
    for (int newmark = 0; newmark < 2; newmark++) {
        const struct spring_step step = spring_linear_step(&spring, newmark, -1.0, 0.0, 0.01);
        // Twelve digits are printed.
        assert_near(step.dv / rows[newmark].dv, 1.0, 1e-11, "dv");
        assert_near(step.x / rows[newmark].x, 1.0, 1e-11, "x");
        assert_near(step.linearized / rows[newmark].linearized, 1.0, 1e-11, "linearized force");
        assert_near(step.force / rows[newmark].force, 1.0, 1e-11, "force");
        assert_near(step.force_error / rows[newmark].error, 1.0, 1e-11, "force error");
        const struct step_control control = printed(1e-4, 0.2);
        struct step_memory memory = {.next = 0.01};
        const struct step_plan plan = {.h = 0.01};
        assert_int_equal(step_control_judge(&control, &memory, &plan, step.force_error),
                         STEP_REJECTED);
        assert_near(memory.next / rows[newmark].next, 1.0, 1e-11, "next step");
    }
}

// --- counts ---

struct count {
    int accepted, rejected;
};

/// The spring of section 3.5 from x = -1 to t = 5 with a first step of 1 ms.
static struct count run_spring(bool newmark, const struct step_control *control) {
    static const struct hardening_spring spring = {100.0, 1.0};
    struct step_memory memory = {.next = 1e-3};
    struct count count = {0, 0};
    double x = -1.0, v = 0.0, t = 0.0;
    while (t < 5.0) {
        const struct step_plan plan = step_control_plan(control, &memory, 5.0 - t, 0.0, 0.0);
        const struct spring_step step = spring_linear_step(&spring, newmark, x, v, plan.h);
        if (step_control_judge(control, &memory, &plan, step.force_error) == STEP_REJECTED) {
            count.rejected++;
            continue;
        }
        count.accepted++;
        x = step.x;
        v = step.v;
        t = plan.last ? 5.0 : t + plan.h;
    }
    return count;
}

/// docs/theory/step_control.md section 2; it prints 36/13 and 54/16 where this has 35/11 and 54/15.
static void the_printed_controller_takes_as_many_steps_as_the_reference(void **state) {
    (void)state;
    static const struct count expected[2][3] = {{{20, 4}, {34, 7}, {61, 8}},
                                                {{36, 13}, {54, 16}, {90, 26}}};
    static const double tolerances[3] = {1e-2, 1e-3, 1e-4};
    for (int newmark = 0; newmark < 2; newmark++) {
        for (int i = 0; i < 3; i++) {
            const struct step_control control = printed(tolerances[i], 1e3);
            const struct count count = run_spring(newmark, &control);
            const int allowed = newmark == 0 || i == 2 ? 0 : 2;
            assert_in_range(count.accepted, expected[newmark][i].accepted - allowed,
                            expected[newmark][i].accepted);
            assert_in_range(count.rejected, expected[newmark][i].rejected - allowed,
                            expected[newmark][i].rejected);
        }
    }
}

/// Growth by more than 1 / safety lands above the tolerance, as the error grows as h^4
/// (docs/theory/step_control.md section 2: rejections 4 -> 1 and 13 -> 11).
static void limited_growth_rejects_less(void **state) {
    (void)state;
    for (int newmark = 0; newmark < 2; newmark++) {
        const struct step_control wild = printed(1e-2, 1e3);
        const pbs_integrator_desc d = settings(PBS_STEP_FORCE_ERROR, 1e-2, 1e3);
        const struct step_control tame = step_control_of(&d.step_control, 1);
        assert_true(run_spring(newmark, &tame).rejected < run_spring(newmark, &wild).rejected);
    }
}

// --- limits ---

static double next_after(const struct step_control *control, struct step_memory memory, double h,
                         bool clipped, double measured, enum step_verdict expected) {
    const struct step_plan plan = {.h = h, .clipped = clipped};
    assert_int_equal(step_control_judge(control, &memory, &plan, measured), expected);
    assert_int_equal(memory.rejected, expected == STEP_REJECTED || expected == STEP_FAILED);
    return memory.next;
}

static void steps_stay_within_their_limits(void **state) {
    (void)state;
    pbs_integrator_desc d = settings(PBS_STEP_FORCE_ERROR, 1.0, 1.0);
    d.step_control.min = 1e-3;
    const struct step_control c = step_control_of(&d.step_control, 1);
    const struct step_memory fresh = {.next = 0.1}, after = {.next = 0.1, .rejected = true};
    // Grown twice at most, not at all after a rejection, never beyond the longest.
    assert_near(next_after(&c, fresh, 0.1, false, 0.0, STEP_ACCEPTED), 0.2, 1e-15, "growth");
    assert_near(next_after(&c, after, 0.1, false, 0.0, STEP_ACCEPTED), 0.1, 1e-15, "calm");
    assert_near(next_after(&c, fresh, 0.7, false, 0.0, STEP_ACCEPTED), 1.0, 0.0, "longest");
    // The tolerance itself is accepted, and followed by (1/2)^(1/3) of the step.
    assert_near(next_after(&c, fresh, 0.1, false, 1.0, STEP_ACCEPTED), 0.1 * cbrt(0.5), 1e-15,
                "safety");
    // Shrunk to a tenth at most, and to a quarter where there is no state.
    assert_near(next_after(&c, fresh, 0.1, false, 1e9, STEP_REJECTED), 0.01, 1e-15, "shrink");
    assert_near(next_after(&c, fresh, 0.1, false, NAN, STEP_REJECTED), 0.025, 1e-15, "failure");
    assert_near(next_after(&c, fresh, 0.1, false, INFINITY, STEP_REJECTED), 0.025, 1e-15,
                "infinite");
    // The shortest one lands whatever was measured, unless it has no state.
    assert_near(next_after(&c, fresh, 1e-3, false, 5.0, STEP_FORCED), 1e-3, 0.0, "shortest");
    next_after(&c, fresh, 1e-3, false, NAN, STEP_FAILED);
}

static void a_clipped_step_does_not_set_the_next(void **state) {
    (void)state;
    const pbs_integrator_desc d = settings(PBS_STEP_FORCE_ERROR, 1.0, 1.0);
    const struct step_control c = step_control_of(&d.step_control, 1);
    const struct step_memory memory = {.next = 0.5};
    const struct step_plan plan = step_control_plan(&c, &memory, 1e-5, 0.0, 0.0);
    assert_true(plan.h == 1e-5 && plan.clipped && plan.last);
    assert_near(next_after(&c, memory, plan.h, true, 1e-12, STEP_ACCEPTED), 0.5, 0.0, "accepted");
    // A rejected one does: it says that even so short a step is too long.
    assert_true(next_after(&c, memory, plan.h, true, 2.0, STEP_REJECTED) < 1e-5);
}

static void plans_end_without_slivers(void **state) {
    (void)state;
    pbs_integrator_desc d = settings(PBS_STEP_FORCE_ERROR, 1.0, 1.0);
    d.step_control.min = 1e-3;
    const struct step_control one = step_control_of(&d.step_control, 1),
                              two = step_control_of(&d.step_control, 2);
    const struct step_memory memory = {.next = 0.5};
    // 1e-4 would be left.
    const struct step_plan half = step_control_plan(&one, &memory, 0.5001, 0.0, 0.0);
    assert_true(half.h == 0.5 * 0.5001 && half.clipped && !half.last);
    const struct step_plan whole = step_control_plan(&one, &memory, 0.5, 0.0, 0.0);
    assert_true(whole.h == 0.5 && !whole.clipped && whole.last);
    // Two-step schemes: steps are at least half and at most twice the previous one.
    const struct step_plan even = step_control_plan(&two, &memory, 0.8, 0.5, 0.0);
    assert_true(even.h == 0.4 && even.clipped && !even.last);
    assert_true(step_control_plan(&two, &memory, 9.0, 0.1, 0.0).h == 0.2);
    assert_true(step_control_plan(&one, &memory, 9.0, 0.1, 0.0).h == 0.5);
}

static void the_first_step_is_short(void **state) {
    (void)state;
    pbs_integrator_desc d = settings(PBS_STEP_STRETCH_LIMIT, 1.0, 0.2);
    const struct step_memory none = {0};
    const struct step_control given = step_control_of(&d.step_control, 1);
    assert_near(step_control_plan(&given, &none, 9.0, 0.0, 0.0).h, 2e-3, 1e-18, "a hundredth");
    d.step_control.initial = 0.05;
    const struct step_control asked = step_control_of(&d.step_control, 1);
    assert_near(step_control_plan(&asked, &none, 9.0, 0.0, 0.0).h, 0.05, 0.0, "as asked");
}

/// A duration may take 1e9 of the longest steps; one without a longest step, anything.
static void durations_ask_for_countable_steps(void **state) {
    (void)state;
    for (int32_t kind = PBS_STEP_FIXED; kind <= PBS_STEP_ALPHA; kind++) {
        const pbs_integrator_desc d = settings(kind, 1.0, 0.125);
        struct step_control c = step_control_of(&d.step_control, 1);
        assert_ok(step_control_fit(&c, 1.25e8));
        assert_status(step_control_fit(&c, 1.26e8), PBS_ERROR_ARGUMENT);
        assert_message("step_control.max = 0.125 s");
    }
    const pbs_integrator_desc none = settings(PBS_STEP_FIXED, 0.0, 0.0);
    struct step_control one = step_control_of(&none.step_control, 1);
    assert_ok(step_control_fit(&one, 1e300));
}

/// Whatever the shortest step is said to be, half of it changes any time within the duration: two
/// halves of doubling add up. Neighbouring doubles are at most DBL_EPSILON times themselves apart.
static void the_shortest_step_is_seen_in_the_time(void **state) {
    (void)state;
    pbs_integrator_desc d = settings(PBS_STEP_DOUBLING, 1.0, 1.0);
    d.step_control.min = 1e-300;
    // Mantissas just below and above a power of two, where doubles lie densest and sparsest.
    const double durations[] = {1e-3, 1.0, 1.999999, 2.000001, 1e9};
    for (size_t i = 0; i < COUNT_OF(durations); i++) {
        struct step_control c = step_control_of(&d.step_control, 1);
        assert_ok(step_control_fit(&c, durations[i]));
        const volatile double before = durations[i] - c.min, middle = before + 0.5 * c.min;
        assert_true(before < middle && middle < durations[i]);
        assert_true(c.min <= 8.0 * DBL_EPSILON * durations[i]);
    }
    // One that is long enough stays.
    d.step_control.min = 1e-9;
    struct step_control c = step_control_of(&d.step_control, 1);
    assert_ok(step_control_fit(&c, 5.0));
    assert_true(c.min == 1e-9);
}

// --- the other controls ---

static void fixed_steps_are_equal_and_short_enough(void **state) {
    (void)state;
    const pbs_integrator_desc none = settings(PBS_STEP_FIXED, 0.0, 0.0);
    const struct step_control one = step_control_of(&none.step_control, 1);
    assert_near(step_control_count(&one, 123.0), 1.0, 0.0, "one step");
    const pbs_integrator_desc d = settings(PBS_STEP_FIXED, 0.0, 0.1);
    const struct step_control tenth = step_control_of(&d.step_control, 1);
    // 0.3 / 0.1 is a little below 3, 0.7 / 0.1 a little above.
    const double expected[][2] = {{0.3, 3.0}, {0.7, 7.0}, {0.71, 8.0}, {0.05, 1.0}, {1e-9, 1.0}};
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        assert_near(step_control_count(&tenth, expected[i][0]), expected[i][1], 0.0, "count");
    }
}

static void a_speed_limit_looks_ahead(void **state) {
    (void)state;
    const pbs_integrator_desc d = settings(PBS_STEP_SPEED_LIMIT, 0.01, 0.2);
    const struct step_control c = step_control_of(&d.step_control, 1);
    struct step_memory memory = {.next = 0.2};
    assert_near(step_control_plan(&c, &memory, 9.0, 0.0, 5.0).h, 0.002, 1e-18, "fast");
    assert_near(step_control_plan(&c, &memory, 9.0, 0.0, 1e-9).h, 0.2, 0.0, "slow");
    assert_near(step_control_plan(&c, &memory, 9.0, 0.0, 0.0).h, 0.2, 0.0, "at rest");
    // However far it went, and no limit follows; a failure does make it shorter.
    assert_near(next_after(&c, memory, 0.002, false, 7.0, STEP_ACCEPTED), 0.2, 0.0, "next");
    assert_near(next_after(&c, memory, 0.002, false, NAN, STEP_REJECTED), 0.0005, 1e-18, "failed");
    // As short as it may be, and still too far.
    assert_near(next_after(&c, memory, 2e-7, false, 0.011, STEP_FORCED), 0.2, 0.0, "forced");
    assert_near(next_after(&c, memory, 2e-7, false, 0.009, STEP_ACCEPTED), 0.2, 0.0, "short");
}

static void halving_halves_and_grows_by_its_factor(void **state) {
    (void)state;
    pbs_integrator_desc d = settings(PBS_STEP_STRETCH_LIMIT, 1.0, 1.0);
    d.step_control.rule = PBS_STEP_RULE_HALVING;
    const struct step_control stretch = step_control_of(&d.step_control, 1);
    const struct step_memory fresh = {.next = 0.1};
    assert_near(next_after(&stretch, fresh, 0.1, false, 0.9, STEP_ACCEPTED), 0.12, 1e-15, "1.2");
    assert_near(next_after(&stretch, fresh, 0.1, false, 1.1, STEP_REJECTED), 0.05, 1e-15, "half");
    d = settings(PBS_STEP_DOUBLING, 1.0, 1.0);
    const struct step_control doubling = step_control_of(&d.step_control, 1);
    assert_near(next_after(&doubling, fresh, 0.1, false, 0.9, STEP_ACCEPTED), 0.2, 1e-15, "double");
    d = settings(PBS_STEP_STRETCH_LIMIT, 1.0, 1.0);
    const struct step_control proportional = step_control_of(&d.step_control, 1);
    assert_near(next_after(&proportional, fresh, 0.1, false, 1.6, STEP_REJECTED), 0.05, 1e-15,
                "0.8 C / |dx|");
}

/// docs/theory/step_control.md section 4: from 0.5 to 0.01 at a break, no shorter than the
/// shortest; three quiet steps later it is gone, and a shorter one counts where there are several.
static void cracks_keep_steps_short(void **state) {
    (void)state;
    pbs_integrator_desc d = settings(PBS_STEP_STRETCH_LIMIT, 1.0, 1.0);
    d.step_control.fracture_quiet_steps = 3;
    d.step_control.min = 1e-3;
    const struct step_control c = step_control_of(&d.step_control, 1);
    struct step_memory memory = {.next = 0.5};
    step_control_follow_cracks(&c, &memory, 0.0);
    assert_true(step_control_plan(&c, &memory, 9.0, 0.0, 0.0).h == 0.5);
    step_control_follow_cracks(&c, &memory, 0.01);
    step_control_follow_cracks(&c, &memory, 0.0);
    step_control_follow_cracks(&c, &memory, 0.02);
    for (int quiet = 0; quiet < 3; quiet++) {
        memory.next = 0.5;
        const struct step_plan plan = step_control_plan(&c, &memory, 9.0, 0.0, 0.0);
        assert_true(plan.h == 0.01 && plan.cracked && !plan.clipped && !plan.last);
        // What is left is what is left, and not even two steps.
        assert_true(step_control_plan(&c, &memory, 0.01, 0.0, 0.0).last);
        assert_true(step_control_plan(&c, &memory, 0.0104, 0.0, 0.0).h == 0.0052);
        step_control_follow_cracks(&c, &memory, 0.0);
    }
    assert_true(memory.crack == 0.0 && memory.quiet == 0);
    assert_true(step_control_plan(&c, &memory, 9.0, 0.0, 0.0).h == 0.5);
    // Steps grow from there, and are no shorter than the shortest.
    step_control_follow_cracks(&c, &memory, 1e-9);
    assert_true(memory.next == 1e-3);
    assert_true(step_control_plan(&c, &memory, 9.0, 0.0, 0.0).h == 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_the_numbers_of_the_paper),
        cmocka_unit_test(the_printed_controller_takes_as_many_steps_as_the_reference),
        cmocka_unit_test(limited_growth_rejects_less),
        cmocka_unit_test(steps_stay_within_their_limits),
        cmocka_unit_test(a_clipped_step_does_not_set_the_next),
        cmocka_unit_test(plans_end_without_slivers),
        cmocka_unit_test(the_first_step_is_short),
        cmocka_unit_test(durations_ask_for_countable_steps),
        cmocka_unit_test(the_shortest_step_is_seen_in_the_time),
        cmocka_unit_test(cracks_keep_steps_short),
        cmocka_unit_test(fixed_steps_are_equal_and_short_enough),
        cmocka_unit_test(a_speed_limit_looks_ahead),
        cmocka_unit_test(halving_halves_and_grows_by_its_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

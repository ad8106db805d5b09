// The choice among solvers, on counts alone: who begins, when another takes over, what is learned,
// and that everything follows from the memory. Work is the model's, in its nanoseconds.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "linear/solver_selection.h"
#include "pbs/stats.h"
#include "support/testing.h"

/// A body of 2,000 rows whose factor is as much work as 150 iterations of block Jacobi or so.
static struct selection_system body_of(double tolerance) {
    return (struct selection_system){.rows = 2000.0, .own_blocks = 15000.0, .tolerance = tolerance};
}

static struct selection_history counted(const struct selection_system *system) {
    struct selection_history memory = {0};
    selection_set_system(&memory, system);
    selection_set_flops(&memory, 2e8, 8e5, 2e8, 8e5);
    return memory;
}

static const struct selection_plan first = {SOLVER_KIND_BLOCK_JACOBI, 0, PBS_SOLVER_FIRST};

static void learn(struct selection_history *memory, const struct selection_system *system,
                  struct selection_plan initial, uint32_t jacobi, enum solver_kind finisher,
                  uint32_t iterations) {
    const struct selection_result result = {.initial = initial,
                                            .is_complete = true,
                                            .jacobi_iterations = jacobi,
                                            .finisher = finisher,
                                            .iterations = iterations};
    selection_record(memory, system, &result);
}

/// Nothing is known: block Jacobi begins, and hands over after twice the work of the cheapest
/// other.
static void block_jacobi_begins(void **state) {
    (void)state;
    const struct selection_system system = body_of(0.03);
    struct selection_history memory = counted(&system);
    const struct selection_plan plan = selection_choose(&memory, &system);
    assert_int_equal(plan.kind, SOLVER_KIND_BLOCK_JACOBI);
    assert_int_equal(plan.reason, PBS_SOLVER_FIRST);
    assert_true(selection_work(&memory, &system, SOLVER_KIND_BLOCK_JACOBI) == 0.0);
    const double other = fmin(selection_work(&memory, &system, SOLVER_KIND_FACTOR),
                              selection_work(&memory, &system, SOLVER_KIND_TWO_LEVEL));
    // Its iterations alone: one more with a mean of 1 tells what one is.
    learn(&memory, &system, plan, 1, SOLVER_KIND_BLOCK_JACOBI, 1);
    const double one = selection_work(&memory, &system, SOLVER_KIND_BLOCK_JACOBI);
    learn(&memory, &system, plan, 3, SOLVER_KIND_BLOCK_JACOBI, 3);
    const double iteration = selection_work(&memory, &system, SOLVER_KIND_BLOCK_JACOBI) - one;
    assert_in_range(plan.iteration_budget, (uint64_t)(2.0 * other / iteration) - 1,
                    (uint64_t)(2.0 * other / iteration) + 1);
}

/// What has not been counted is not asked for before it can matter; then block Jacobi goes on for
/// as long as the count allows.
static void flops_are_counted_when_they_matter(void **state) {
    (void)state;
    const struct selection_system system = body_of(0.03);
    struct selection_history memory = {0};
    selection_set_system(&memory, &system);
    const struct selection_plan plan = selection_choose(&memory, &system);
    assert_int_equal(plan.kind, SOLVER_KIND_BLOCK_JACOBI);
    assert_true(plan.iteration_budget < UINT32_MAX);
    assert_true(selection_needs_flops(&memory, &system));
    assert_true(selection_work(&memory, &system, SOLVER_KIND_FACTOR) == 0.0);
    selection_set_flops(&memory, 2e8, 8e5, 2e8, 8e5);
    assert_false(selection_needs_flops(&memory, &system));
    const struct selection_plan turned = selection_update(
        &memory, &system, &first, SOLVER_KIND_BLOCK_JACOBI, plan.iteration_budget);
    struct selection_history same = counted(&system);
    const uint32_t whole = selection_choose(&same, &system).iteration_budget;
    assert_true(whole > plan.iteration_budget);
    assert_int_equal(turned.kind, SOLVER_KIND_BLOCK_JACOBI);
    assert_int_equal(turned.iteration_budget, whole - plan.iteration_budget);
    const struct selection_plan over = selection_update(&memory, &system, &first,
                                                        SOLVER_KIND_BLOCK_JACOBI, whole);
    assert_int_equal(over.reason, PBS_SOLVER_SWITCHED);
    assert_int_not_equal(over.kind, SOLVER_KIND_BLOCK_JACOBI);
}

/// Systems that are too large for a factor are not even counted; two levels take over.
static void large_systems_have_no_factor(void **state) {
    (void)state;
    const struct selection_system large = {.rows = 3e5, .own_blocks = 2.2e6, .tolerance = 0.03};
    struct selection_history memory = {0};
    selection_set_system(&memory, &large);
    assert_false(selection_needs_flops(&memory, &large));
    assert_int_equal(
        selection_update(&memory, &large, &first, SOLVER_KIND_BLOCK_JACOBI, UINT32_MAX - 1).kind,
        SOLVER_KIND_TWO_LEVEL);
    const struct selection_system dense = body_of(0.03);
    memory = (struct selection_history){0};
    selection_set_system(&memory, &dense);
    selection_set_flops(&memory, 1e11, 1e6, 1e11, 1e6);
    assert_true(selection_work(&memory, &dense, SOLVER_KIND_FACTOR) == 0.0);
    assert_int_equal(
        selection_update(&memory, &dense, &first, SOLVER_KIND_BLOCK_JACOBI, UINT32_MAX - 1).kind,
        SOLVER_KIND_TWO_LEVEL);
}

/// Whoever loses is not asked again for 4, 8, 16, 32 and 32 solves; a win forgets that.
static void losers_wait(void **state) {
    (void)state;
    const struct selection_system system = body_of(0.03);
    struct selection_history memory = counted(&system);
    struct selection_plan plan = selection_choose(&memory, &system);
    struct selection_plan other = selection_update(&memory, &system, &first,
                                                   SOLVER_KIND_BLOCK_JACOBI, plan.iteration_budget);
    learn(&memory, &system, plan, plan.iteration_budget, other.kind, 1);
    const int waits[] = {4, 8, 16, 32, 32};
    for (size_t k = 0; k < COUNT_OF(waits); k++) {
        for (int i = 0; i < waits[k]; i++) {
            plan = selection_choose(&memory, &system);
            assert_int_equal(plan.kind, other.kind);
            assert_int_equal(plan.reason, PBS_SOLVER_CHEAPEST);
            assert_int_equal(plan.iteration_budget, other.iteration_budget);
            learn(&memory, &system, plan, 0, plan.kind, 1);
        }
        plan = selection_choose(&memory, &system);
        assert_int_equal(plan.kind, SOLVER_KIND_BLOCK_JACOBI);
        assert_int_equal(plan.reason, PBS_SOLVER_RETRIED);
        learn(&memory, &system, plan, plan.iteration_budget, other.kind, 1);
    }
    for (int i = 0; i < 32; i++) {
        plan = selection_choose(&memory, &system);
        learn(&memory, &system, plan, 0, plan.kind, 1);
    }
    plan = selection_choose(&memory, &system);
    assert_int_equal(plan.reason, PBS_SOLVER_RETRIED);
    learn(&memory, &system, plan, 5, SOLVER_KIND_BLOCK_JACOBI, 5);
    plan = selection_choose(&memory, &system);
    assert_int_equal(plan.kind, SOLVER_KIND_BLOCK_JACOBI);
    assert_int_equal(plan.reason, PBS_SOLVER_CHEAPEST);
}

/// Two levels that were never tried are taken for as good as they can be. Where they have taken as
/// long as the factor takes, the factor goes on, and they are taken for twice as long; that fades
/// by a 64th with each solve by the factor, until they are tried again.
static void two_levels_are_tried(void **state) {
    (void)state;
    const struct selection_system system = body_of(0.03);
    struct selection_history memory = counted(&system);
    learn(&memory, &system, first, 1000, SOLVER_KIND_FACTOR, 1);
    struct selection_plan plan = selection_choose(&memory, &system);
    assert_int_equal(plan.kind, SOLVER_KIND_TWO_LEVEL);
    const double factor = selection_work(&memory, &system, SOLVER_KIND_FACTOR);
    const double few = selection_expected_iterations(&memory, &system, SOLVER_KIND_TWO_LEVEL);
    const double work = selection_work(&memory, &system, SOLVER_KIND_TWO_LEVEL);
    assert_true(work < factor);
    assert_true(plan.iteration_budget > few);
    const struct selection_plan turned = selection_update(&memory, &system, &plan, plan.kind,
                                                          plan.iteration_budget);
    assert_int_equal(turned.kind, SOLVER_KIND_FACTOR);
    assert_int_equal(turned.reason, PBS_SOLVER_SWITCHED);
    const struct selection_result result = {.initial = plan,
                                            .is_complete = true,
                                            .coarse_iterations = plan.iteration_budget,
                                            .finisher = SOLVER_KIND_FACTOR,
                                            .iterations = 1};
    selection_record(&memory, &system, &result);
    const double many = selection_expected_iterations(&memory, &system, SOLVER_KIND_TWO_LEVEL);
    assert_true(many == 2.0 * plan.iteration_budget);
    // What an iteration is worth, and so how many of them are as much as the factor.
    const double iteration = (selection_work(&memory, &system, SOLVER_KIND_TWO_LEVEL) - work) /
                             (many - few);
    const double enough = few + (factor - work) / iteration;
    int solves = 0;
    for (plan = selection_choose(&memory, &system); plan.kind != SOLVER_KIND_TWO_LEVEL; solves++) {
        const uint32_t tried = plan.kind == SOLVER_KIND_BLOCK_JACOBI ? plan.iteration_budget : 0;
        learn(&memory, &system, plan, tried, SOLVER_KIND_FACTOR, 1);
        plan = selection_choose(&memory, &system);
        assert_true(solves < 1000);
    }
    assert_in_range(solves, (int)(log(many / enough) * 63.0), (int)(log(many / enough) * 64.0) + 9);
    // Where they win, their mean is what they took.
    learn(&memory, &system, plan, 0, SOLVER_KIND_TWO_LEVEL, 1);
    assert_true(selection_expected_iterations(&memory, &system, SOLVER_KIND_TWO_LEVEL) <
                0.5 * enough + 1.0);
}

/// The mean is half the newest; what loose solves take, tight ones take at least.
static void means_are_by_decade(void **state) {
    (void)state;
    const struct selection_system loose = body_of(0.03), tight = body_of(1e-6);
    struct selection_history memory = counted(&loose);
    const struct selection_plan plan = selection_choose(&memory, &loose);
    learn(&memory, &loose, plan, 10, SOLVER_KIND_BLOCK_JACOBI, 10);
    learn(&memory, &loose, plan, 30, SOLVER_KIND_BLOCK_JACOBI, 30);
    assert_true(selection_expected_iterations(&memory, &loose, SOLVER_KIND_BLOCK_JACOBI) == 20.0);
    assert_true(selection_expected_iterations(&memory, &tight, SOLVER_KIND_BLOCK_JACOBI) == 20.0);
    learn(&memory, &tight, plan, 60, SOLVER_KIND_BLOCK_JACOBI, 60);
    assert_true(selection_expected_iterations(&memory, &tight, SOLVER_KIND_BLOCK_JACOBI) == 60.0);
    assert_true(selection_expected_iterations(&memory, &loose, SOLVER_KIND_BLOCK_JACOBI) == 20.0);
    // 5 iterations to 1e-6 are no more to .03; and where that won, not half of what it took before.
    learn(&memory, &tight, plan, 5, SOLVER_KIND_BLOCK_JACOBI, 5);
    assert_true(selection_expected_iterations(&memory, &loose, SOLVER_KIND_BLOCK_JACOBI) == 5.0);
    assert_true(selection_expected_iterations(&memory, &tight, SOLVER_KIND_BLOCK_JACOBI) == 5.0);
}

/// Solves that met negative curvature ended early and look cheap: they teach nothing.
static void incomplete_solves_teach_nothing(void **state) {
    (void)state;
    const struct selection_system system = body_of(0.03);
    struct selection_history memory = counted(&system);
    const struct selection_plan plan = selection_choose(&memory, &system);
    const struct selection_result result = {.initial = plan,
                                            .jacobi_iterations = 2,
                                            .finisher = SOLVER_KIND_BLOCK_JACOBI,
                                            .iterations = 2};
    selection_record(&memory, &system, &result);
    assert_true(selection_expected_iterations(&memory, &system, SOLVER_KIND_BLOCK_JACOBI) == 0.0);
}

/// After a matrix without factor none is asked for in some solves.
static void refusals_are_remembered(void **state) {
    (void)state;
    const struct selection_system system = body_of(0.03);
    struct selection_history memory = counted(&system);
    selection_record_indefinite(&memory, &system);
    for (int i = 0; i < 4; i++) {
        const struct selection_plan plan = selection_choose(&memory, &system);
        assert_int_equal(plan.kind, i == 0 ? SOLVER_KIND_BLOCK_JACOBI : SOLVER_KIND_TWO_LEVEL);
        assert_true(selection_work(&memory, &system, SOLVER_KIND_FACTOR) == 0.0);
        learn(&memory, &system, plan, i == 0 ? 5000 : 0, plan.kind, i == 0 ? 5000 : 60);
    }
    assert_true(selection_work(&memory, &system, SOLVER_KIND_FACTOR) > 0.0);
    assert_int_equal(selection_choose(&memory, &system).kind, SOLVER_KIND_FACTOR);
}

/// Behind contact 1e5 times as stiff as what it touches block Jacobi sees nothing move.
static void stiff_contact_is_not_for_block_jacobi(void **state) {
    (void)state;
    struct selection_system system = body_of(0.03);
    struct selection_history memory = counted(&system);
    const struct selection_plan plan = {SOLVER_KIND_BLOCK_JACOBI, 100, PBS_SOLVER_CHEAPEST};
    learn(&memory, &system, plan, 1, SOLVER_KIND_BLOCK_JACOBI, 1);
    assert_int_equal(selection_choose(&memory, &system).kind, SOLVER_KIND_BLOCK_JACOBI);
    system.contrast = 1e5;
    assert_int_not_equal(selection_choose(&memory, &system).kind, SOLVER_KIND_BLOCK_JACOBI);
    assert_int_equal(selection_choose(&memory, &system).reason, PBS_SOLVER_STIFF_CONTACT);
}

/// Contact that couples the same rows as before needs no symbolic factor: the share of such systems
/// counts, an eighth of it the newest.
static void kept_contact_is_cheaper(void **state) {
    (void)state;
    struct selection_system system = body_of(0.03);
    system.contact_blocks = 3000.0;
    system.contact_unknowns = 600.0;
    system.contact_pattern = 7;
    struct selection_history memory = counted(&system);
    const double changing = selection_work(&memory, &system, SOLVER_KIND_FACTOR);
    double kept = 0.0;
    for (int i = 0; i < 10; i++) {
        selection_set_system(&memory, &system);
        kept += 0.125 * (1.0 - kept);
    }
    const double saved = changing - selection_work(&memory, &system, SOLVER_KIND_FACTOR);
    assert_true(saved > 0.0);
    system.contact_pattern = 8;
    selection_set_system(&memory, &system);
    const double less = changing - selection_work(&memory, &system, SOLVER_KIND_FACTOR);
    assert_near(less, saved * 0.875, 1e-9 * changing, "after a change");
    selection_set_system(&memory, &system);
    const double more = changing - selection_work(&memory, &system, SOLVER_KIND_FACTOR);
    assert_near(more, saved / kept * (0.875 * 0.875 * kept + 0.125), 1e-9 * changing, "kept again");
}

/// Contact's part in the factor counts at once, and fades while no factor is made.
static void contact_fades(void **state) {
    (void)state;
    const struct selection_system system = body_of(0.03);
    struct selection_history memory = counted(&system);
    const double alone = selection_work(&memory, &system, SOLVER_KIND_FACTOR);
    selection_set_flops(&memory, 2e8, 8e5, 6e8, 1.6e6);
    const double together = selection_work(&memory, &system, SOLVER_KIND_FACTOR);
    assert_true(together > 1.5 * alone);
    const struct selection_plan plan = {SOLVER_KIND_BLOCK_JACOBI, 100, PBS_SOLVER_CHEAPEST};
    learn(&memory, &system, plan, 5, SOLVER_KIND_BLOCK_JACOBI, 5);
    assert_near(selection_work(&memory, &system, SOLVER_KIND_FACTOR),
                alone + 0.875 * (together - alone), 1e-9 * together, "work");
}

/// Few rows are factored at once, also where the matrix before had no factor; another H0 forgets
/// everything.
static void few_rows_are_not_raced(void **state) {
    (void)state;
    struct selection_system system = {
        .rows = SELECTION_FEW_ROWS, .own_blocks = 800.0, .tolerance = 0.5};
    struct selection_history memory = {0};
    selection_set_system(&memory, &system);
    selection_set_flops(&memory, 1e5, 1e4, 1e5, 1e4);
    assert_int_equal(selection_choose(&memory, &system).kind, SOLVER_KIND_FACTOR);
    assert_int_equal(selection_choose(&memory, &system).reason, PBS_SOLVER_FEW_NODES);
    selection_record_indefinite(&memory, &system);
    assert_int_equal(selection_choose(&memory, &system).kind, SOLVER_KIND_FACTOR);
    system.own_blocks++;
    selection_set_system(&memory, &system);
    // A new world that touches nothing, as the one before: an eighth of an opinion on that.
    const struct selection_history fresh = {
        .rows = system.rows, .blocks = system.own_blocks, .pattern_reuse_rate = 0.125};
    assert_memory_equal(&memory, &fresh, sizeof fresh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_jacobi_begins),
        cmocka_unit_test(flops_are_counted_when_they_matter),
        cmocka_unit_test(large_systems_have_no_factor),
        cmocka_unit_test(losers_wait),
        cmocka_unit_test(two_levels_are_tried),
        cmocka_unit_test(means_are_by_decade),
        cmocka_unit_test(incomplete_solves_teach_nothing),
        cmocka_unit_test(refusals_are_remembered),
        cmocka_unit_test(stiff_contact_is_not_for_block_jacobi),
        cmocka_unit_test(kept_contact_is_cheaper),
        cmocka_unit_test(contact_fades),
        cmocka_unit_test(few_rows_are_not_raced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

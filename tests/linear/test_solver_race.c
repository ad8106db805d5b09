// The choice among solvers, on counts alone: who begins, when another takes over, what is learned,
// and that everything follows from the memory. Work is the model's, in its nanoseconds.
#include <math.h>
#include <string.h>

#include "linear/solver_race.h"
#include "pbs/stats.h"
#include "support/testing.h"

/// A body of 2,000 rows whose factor is as much work as 150 iterations of block Jacobi or so.
static struct race_system body_of(double tolerance) {
    return (struct race_system){.rows = 2000.0, .own_blocks = 15000.0, .tolerance = tolerance};
}

static struct race_memory counted(const struct race_system *system) {
    struct race_memory memory = {0};
    race_begin_system(&memory, system);
    race_count(&memory, 2e8, 8e5, 2e8, 8e5);
    return memory;
}

static const struct race_plan first = {ENTRANT_BLOCK_JACOBI, 0, PBS_SOLVER_FIRST};

static void learn(struct race_memory *memory, const struct race_system *system,
                  struct race_plan begun, uint32_t jacobi, enum solver_entrant finisher,
                  uint32_t iterations) {
    const struct race_result result = {.begun = begun,
                                       .is_complete = true,
                                       .jacobi_iterations = jacobi,
                                       .finisher = finisher,
                                       .iterations = iterations};
    race_learn(memory, system, &result);
}

/// Nothing is known: block Jacobi begins, and hands over after twice the work of the cheapest
/// other.
static void block_jacobi_begins(void **state) {
    (void)state;
    const struct race_system system = body_of(0.03);
    struct race_memory memory = counted(&system);
    const struct race_plan plan = race_choose(&memory, &system);
    assert_int_equal(plan.entrant, ENTRANT_BLOCK_JACOBI);
    assert_int_equal(plan.reason, PBS_SOLVER_FIRST);
    assert_true(race_work(&memory, &system, ENTRANT_BLOCK_JACOBI) == 0.0);
    const double other = fmin(race_work(&memory, &system, ENTRANT_FACTOR),
                              race_work(&memory, &system, ENTRANT_TWO_LEVEL));
    // Its iterations alone: one more with a mean of 1 tells what one is.
    learn(&memory, &system, plan, 1, ENTRANT_BLOCK_JACOBI, 1);
    const double one = race_work(&memory, &system, ENTRANT_BLOCK_JACOBI);
    learn(&memory, &system, plan, 3, ENTRANT_BLOCK_JACOBI, 3);
    const double iteration = race_work(&memory, &system, ENTRANT_BLOCK_JACOBI) - one;
    assert_in_range(plan.patience, (uint64_t)(2.0 * other / iteration) - 1,
                    (uint64_t)(2.0 * other / iteration) + 1);
}

/// What has not been counted is not asked for before it can matter; then block Jacobi goes on for
/// as long as the count allows.
static void flops_are_counted_when_they_matter(void **state) {
    (void)state;
    const struct race_system system = body_of(0.03);
    struct race_memory memory = {0};
    race_begin_system(&memory, &system);
    const struct race_plan plan = race_choose(&memory, &system);
    assert_int_equal(plan.entrant, ENTRANT_BLOCK_JACOBI);
    assert_true(plan.patience < UINT32_MAX);
    assert_true(race_wants_count(&memory, &system));
    assert_true(race_work(&memory, &system, ENTRANT_FACTOR) == 0.0);
    race_count(&memory, 2e8, 8e5, 2e8, 8e5);
    assert_false(race_wants_count(&memory, &system));
    const struct race_plan turned = race_turn(&memory, &system, &first, ENTRANT_BLOCK_JACOBI,
                                              plan.patience);
    struct race_memory same = counted(&system);
    const uint32_t whole = race_choose(&same, &system).patience;
    assert_true(whole > plan.patience);
    assert_int_equal(turned.entrant, ENTRANT_BLOCK_JACOBI);
    assert_int_equal(turned.patience, whole - plan.patience);
    const struct race_plan over = race_turn(&memory, &system, &first, ENTRANT_BLOCK_JACOBI, whole);
    assert_int_equal(over.reason, PBS_SOLVER_TURNED);
    assert_int_not_equal(over.entrant, ENTRANT_BLOCK_JACOBI);
}

/// Systems that are too large for a factor are not even counted; two levels take over.
static void large_systems_have_no_factor(void **state) {
    (void)state;
    const struct race_system large = {.rows = 3e5, .own_blocks = 2.2e6, .tolerance = 0.03};
    struct race_memory memory = {0};
    race_begin_system(&memory, &large);
    assert_false(race_wants_count(&memory, &large));
    assert_int_equal(
        race_turn(&memory, &large, &first, ENTRANT_BLOCK_JACOBI, UINT32_MAX - 1).entrant,
        ENTRANT_TWO_LEVEL);
    const struct race_system dense = body_of(0.03);
    memory = (struct race_memory){0};
    race_begin_system(&memory, &dense);
    race_count(&memory, 1e11, 1e6, 1e11, 1e6);
    assert_true(race_work(&memory, &dense, ENTRANT_FACTOR) == 0.0);
    assert_int_equal(
        race_turn(&memory, &dense, &first, ENTRANT_BLOCK_JACOBI, UINT32_MAX - 1).entrant,
        ENTRANT_TWO_LEVEL);
}

/// Whoever loses is not asked again for 4, 8, 16, 32 and 32 solves; a win forgets that.
static void losers_wait(void **state) {
    (void)state;
    const struct race_system system = body_of(0.03);
    struct race_memory memory = counted(&system);
    struct race_plan plan = race_choose(&memory, &system);
    struct race_plan other = race_turn(&memory, &system, &first, ENTRANT_BLOCK_JACOBI,
                                       plan.patience);
    learn(&memory, &system, plan, plan.patience, other.entrant, 1);
    const int waits[] = {4, 8, 16, 32, 32};
    for (size_t k = 0; k < COUNT_OF(waits); k++) {
        for (int i = 0; i < waits[k]; i++) {
            plan = race_choose(&memory, &system);
            assert_int_equal(plan.entrant, other.entrant);
            assert_int_equal(plan.reason, PBS_SOLVER_CHEAPEST);
            assert_int_equal(plan.patience, other.patience);
            learn(&memory, &system, plan, 0, plan.entrant, 1);
        }
        plan = race_choose(&memory, &system);
        assert_int_equal(plan.entrant, ENTRANT_BLOCK_JACOBI);
        assert_int_equal(plan.reason, PBS_SOLVER_TRIED_AGAIN);
        learn(&memory, &system, plan, plan.patience, other.entrant, 1);
    }
    for (int i = 0; i < 32; i++) {
        plan = race_choose(&memory, &system);
        learn(&memory, &system, plan, 0, plan.entrant, 1);
    }
    plan = race_choose(&memory, &system);
    assert_int_equal(plan.reason, PBS_SOLVER_TRIED_AGAIN);
    learn(&memory, &system, plan, 5, ENTRANT_BLOCK_JACOBI, 5);
    plan = race_choose(&memory, &system);
    assert_int_equal(plan.entrant, ENTRANT_BLOCK_JACOBI);
    assert_int_equal(plan.reason, PBS_SOLVER_CHEAPEST);
}

/// Two levels that were never tried are taken for as good as they can be. Where they have taken as
/// long as the factor takes, the factor goes on, and they are taken for twice as long; that fades
/// by a 64th with each solve by the factor, until they are tried again.
static void two_levels_are_tried(void **state) {
    (void)state;
    const struct race_system system = body_of(0.03);
    struct race_memory memory = counted(&system);
    learn(&memory, &system, first, 1000, ENTRANT_FACTOR, 1);
    struct race_plan plan = race_choose(&memory, &system);
    assert_int_equal(plan.entrant, ENTRANT_TWO_LEVEL);
    const double factor = race_work(&memory, &system, ENTRANT_FACTOR);
    const double few = race_expected_iterations(&memory, &system, ENTRANT_TWO_LEVEL);
    const double work = race_work(&memory, &system, ENTRANT_TWO_LEVEL);
    assert_true(work < factor);
    assert_true(plan.patience > few);
    const struct race_plan turned = race_turn(&memory, &system, &plan, plan.entrant, plan.patience);
    assert_int_equal(turned.entrant, ENTRANT_FACTOR);
    assert_int_equal(turned.reason, PBS_SOLVER_TURNED);
    const struct race_result result = {.begun = plan,
                                       .is_complete = true,
                                       .coarse_iterations = plan.patience,
                                       .finisher = ENTRANT_FACTOR,
                                       .iterations = 1};
    race_learn(&memory, &system, &result);
    const double many = race_expected_iterations(&memory, &system, ENTRANT_TWO_LEVEL);
    assert_true(many == 2.0 * plan.patience);
    // What an iteration is worth, and so how many of them are as much as the factor.
    const double iteration = (race_work(&memory, &system, ENTRANT_TWO_LEVEL) - work) / (many - few);
    const double enough = few + (factor - work) / iteration;
    int solves = 0;
    for (plan = race_choose(&memory, &system); plan.entrant != ENTRANT_TWO_LEVEL; solves++) {
        const uint32_t tried = plan.entrant == ENTRANT_BLOCK_JACOBI ? plan.patience : 0;
        learn(&memory, &system, plan, tried, ENTRANT_FACTOR, 1);
        plan = race_choose(&memory, &system);
        assert_true(solves < 1000);
    }
    assert_in_range(solves, (int)(log(many / enough) * 63.0), (int)(log(many / enough) * 64.0) + 9);
    // Where they win, their mean is what they took.
    learn(&memory, &system, plan, 0, ENTRANT_TWO_LEVEL, 1);
    assert_true(race_expected_iterations(&memory, &system, ENTRANT_TWO_LEVEL) < 0.5 * enough + 1.0);
}

/// The mean is half the newest; what loose solves take, tight ones take at least.
static void means_are_by_decade(void **state) {
    (void)state;
    const struct race_system loose = body_of(0.03), tight = body_of(1e-6);
    struct race_memory memory = counted(&loose);
    const struct race_plan plan = race_choose(&memory, &loose);
    learn(&memory, &loose, plan, 10, ENTRANT_BLOCK_JACOBI, 10);
    learn(&memory, &loose, plan, 30, ENTRANT_BLOCK_JACOBI, 30);
    assert_true(race_expected_iterations(&memory, &loose, ENTRANT_BLOCK_JACOBI) == 20.0);
    assert_true(race_expected_iterations(&memory, &tight, ENTRANT_BLOCK_JACOBI) == 20.0);
    learn(&memory, &tight, plan, 60, ENTRANT_BLOCK_JACOBI, 60);
    assert_true(race_expected_iterations(&memory, &tight, ENTRANT_BLOCK_JACOBI) == 60.0);
    assert_true(race_expected_iterations(&memory, &loose, ENTRANT_BLOCK_JACOBI) == 20.0);
    // 5 iterations to 1e-6 are no more to .03; and where that won, not half of what it took before.
    learn(&memory, &tight, plan, 5, ENTRANT_BLOCK_JACOBI, 5);
    assert_true(race_expected_iterations(&memory, &loose, ENTRANT_BLOCK_JACOBI) == 5.0);
    assert_true(race_expected_iterations(&memory, &tight, ENTRANT_BLOCK_JACOBI) == 5.0);
}

/// Solves that met negative curvature ended early and look cheap: they teach nothing.
static void incomplete_solves_teach_nothing(void **state) {
    (void)state;
    const struct race_system system = body_of(0.03);
    struct race_memory memory = counted(&system);
    const struct race_plan plan = race_choose(&memory, &system);
    const struct race_result result = {
        .begun = plan, .jacobi_iterations = 2, .finisher = ENTRANT_BLOCK_JACOBI, .iterations = 2};
    race_learn(&memory, &system, &result);
    assert_true(race_expected_iterations(&memory, &system, ENTRANT_BLOCK_JACOBI) == 0.0);
}

/// After a matrix without factor none is asked for in some solves.
static void refusals_are_remembered(void **state) {
    (void)state;
    const struct race_system system = body_of(0.03);
    struct race_memory memory = counted(&system);
    race_refuse(&memory, &system);
    for (int i = 0; i < 4; i++) {
        const struct race_plan plan = race_choose(&memory, &system);
        assert_int_equal(plan.entrant, i == 0 ? ENTRANT_BLOCK_JACOBI : ENTRANT_TWO_LEVEL);
        assert_true(race_work(&memory, &system, ENTRANT_FACTOR) == 0.0);
        learn(&memory, &system, plan, i == 0 ? 5000 : 0, plan.entrant, i == 0 ? 5000 : 60);
    }
    assert_true(race_work(&memory, &system, ENTRANT_FACTOR) > 0.0);
    assert_int_equal(race_choose(&memory, &system).entrant, ENTRANT_FACTOR);
}

/// Behind contact 1e5 times as stiff as what it touches block Jacobi sees nothing move.
static void stiff_contact_is_not_for_block_jacobi(void **state) {
    (void)state;
    struct race_system system = body_of(0.03);
    struct race_memory memory = counted(&system);
    const struct race_plan plan = {ENTRANT_BLOCK_JACOBI, 100, PBS_SOLVER_CHEAPEST};
    learn(&memory, &system, plan, 1, ENTRANT_BLOCK_JACOBI, 1);
    assert_int_equal(race_choose(&memory, &system).entrant, ENTRANT_BLOCK_JACOBI);
    system.contrast = 1e5;
    assert_int_not_equal(race_choose(&memory, &system).entrant, ENTRANT_BLOCK_JACOBI);
    assert_int_equal(race_choose(&memory, &system).reason, PBS_SOLVER_STIFF_CONTACT);
}

/// Contact that couples the same rows as before needs no symbolic factor: the share of such systems
/// counts, an eighth of it the newest.
static void kept_contact_is_cheaper(void **state) {
    (void)state;
    struct race_system system = body_of(0.03);
    system.contact_blocks = 3000.0;
    system.contact_unknowns = 600.0;
    system.contact_pattern = 7;
    struct race_memory memory = counted(&system);
    const double changing = race_work(&memory, &system, ENTRANT_FACTOR);
    double kept = 0.0;
    for (int i = 0; i < 10; i++) {
        race_begin_system(&memory, &system);
        kept += 0.125 * (1.0 - kept);
    }
    const double saved = changing - race_work(&memory, &system, ENTRANT_FACTOR);
    assert_true(saved > 0.0);
    system.contact_pattern = 8;
    race_begin_system(&memory, &system);
    const double less = changing - race_work(&memory, &system, ENTRANT_FACTOR);
    assert_near(less, saved * 0.875, 1e-9 * changing, "after a change");
    race_begin_system(&memory, &system);
    const double more = changing - race_work(&memory, &system, ENTRANT_FACTOR);
    assert_near(more, saved / kept * (0.875 * 0.875 * kept + 0.125), 1e-9 * changing, "kept again");
}

/// Contact's part in the factor counts at once, and fades while no factor is made.
static void contact_fades(void **state) {
    (void)state;
    const struct race_system system = body_of(0.03);
    struct race_memory memory = counted(&system);
    const double alone = race_work(&memory, &system, ENTRANT_FACTOR);
    race_count(&memory, 2e8, 8e5, 6e8, 1.6e6);
    const double together = race_work(&memory, &system, ENTRANT_FACTOR);
    assert_true(together > 1.5 * alone);
    const struct race_plan plan = {ENTRANT_BLOCK_JACOBI, 100, PBS_SOLVER_CHEAPEST};
    learn(&memory, &system, plan, 5, ENTRANT_BLOCK_JACOBI, 5);
    assert_near(race_work(&memory, &system, ENTRANT_FACTOR), alone + 0.875 * (together - alone),
                1e-9 * together, "work");
}

/// Few rows are factored at once, also where the matrix before had no factor; another H0 forgets
/// everything.
static void few_rows_are_not_raced(void **state) {
    (void)state;
    struct race_system system = {.rows = RACE_FEW_ROWS, .own_blocks = 800.0, .tolerance = 0.5};
    struct race_memory memory = {0};
    race_begin_system(&memory, &system);
    race_count(&memory, 1e5, 1e4, 1e5, 1e4);
    assert_int_equal(race_choose(&memory, &system).entrant, ENTRANT_FACTOR);
    assert_int_equal(race_choose(&memory, &system).reason, PBS_SOLVER_FEW_NODES);
    race_refuse(&memory, &system);
    assert_int_equal(race_choose(&memory, &system).entrant, ENTRANT_FACTOR);
    system.own_blocks++;
    race_begin_system(&memory, &system);
    // A new world that touches nothing, as the one before: an eighth of an opinion on that.
    const struct race_memory fresh = {
        .rows = system.rows, .blocks = system.own_blocks, .kept = 0.125};
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

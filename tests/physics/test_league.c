// Ten worlds of the league (bench/scenes/league/league.h), coarse and for few steps: whatever
// random bodies, joints and colliders do, no surfaces cross (exact tests), all numbers are finite,
// a step that does not land says why and leaves the world as it was, momentum is what forces made
// of it within what the statistics say is left of the gradient, and a world goes on to the same
// bits from where it was saved. How fast that goes, and whether all steps land, is for
// bench/league.
#include "scenes/league/league_run.h"
#include "support/world_testing.h"

enum { SEEDS = 10 };

static const struct league_options coarse = {.small = true};

static void report(const struct league *league, const struct league_result *result) {
    char world[400];
    league_describe(league, world, sizeof world);
    print_message("seed %llu, %s: %s, %zu landed, %zu failed, momentum off by %.2g in body %zu\n",
                  (unsigned long long)league->seed, world, league_end_name(result->end),
                  result->landed, result->failed, result->momentum_error, result->momentum_group);
}

static void run(uint64_t seed, const struct league_options *options, size_t steps,
                struct league_result *result) {
    const struct league_limits until = {.steps = steps, .seconds = INFINITY};
    struct league league;
    assert_ok(league_create(seed, options, &league));
    league_run(&league, &until, NULL, NULL, result);
    report(&league, result);
    if (result->failed > 0) {
        const pbs_stats stats = stats_of(league.world);
        assert_true(result->status < 0 && strlen(result->message) > 20);
        assert_int_equal(stats.total.failed_steps, result->failed);
        assert_true(stats.total.steps >= result->landed);
    }
    assert_true(result->end != LEAGUE_CROSSED && result->end != LEAGUE_CHANGED);
    assert_true(result->finite && result->crossings == 0);
    assert_true(result->momentum_excess < 1.0 + 1e-6);
    league_free(&league);
}

static void nothing_crosses_and_momentum_is_told(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct league_result result;
        run(seed, &coarse, testing_is_small() ? 3 : 30, &result);
        league_result_free(&result);
    }
}

static void a_saved_world_goes_on_to_the_same_bits(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct league one, other;
        assert_ok(league_create(seed, &coarse, &one));
        assert_ok(league_create(seed, &coarse, &other));
        league_step(&one);
        const struct saved_world saved = save_world(one.world);
        assert_ok(league_restore(&other, saved.data, saved.size));
        const pbs_status first = league_step(&one), second = league_step(&other);
        assert_int_equal(first, second);
        assert_true(pbs_world_hash(one.world) == pbs_world_hash(other.world));
        free(saved.data);
        league_free(&one);
        league_free(&other);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_crosses_and_momentum_is_told),
        cmocka_unit_test(a_saved_world_goes_on_to_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

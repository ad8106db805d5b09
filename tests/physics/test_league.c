// Ten worlds of the league (bench/scenes/league/league.h), coarse and for few steps: whatever
// random bodies, joints and colliders do, no surfaces cross (exact tests), all numbers are finite,
// a step that does not land says why and leaves the world as it was, momentum is what forces made
// of it to 1 %, and within what the statistics say is left of the gradient, and a world goes on to
// the same bits from where it was saved. How fast that goes, and whether all steps land, is for
// bench/league.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
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
    // What acts on a body, in all steps, changes its momentum but for 1 %, a stage's tolerance.
    assert_true(result->momentum_error < 0.01 && result->momentum_excess < 1.0 + 1e-6);
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

/// Worlds in which no step landed any more: a stiff body of 1 mm that rolls over in a step; light
/// springs with negative curvature that the directions of conjugate gradients hardly moved.
static void stuck_worlds_land(void **state) {
    (void)state;
    static const struct {
        uint64_t seed;
        size_t steps;
    } rows[] = {{199, 5}, {95, 120}};
    const struct league_options fine = {.small = false};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct league_result result;
        run(rows[i].seed, &fine, rows[i].steps, &result);
        assert_int_equal(result.failed, 0);
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

/// Moves a body as a whole.
static void shift(struct league *league, size_t body, const double move[3]) {
    const pbs_body id = league->bodies[body].id;
    const size_t count = pbs_body_vertex_count(league->world, id);
    double *const x = malloc(3 * count * sizeof *x);
    assert_non_null(x);
    for (size_t k = 0; k < 3 * count; k++) {
        x[k] = pbs_body_positions(league->world, id)[k] + move[k % 3];
    }
    assert_ok(pbs_body_set_positions(league->world, id, x, count));
    free(x);
}

static size_t crossings(struct league_checker *checker, const struct league *league) {
    struct league_findings found;
    assert_ok(league_check(checker, league, &found));
    assert_true(found.finite);
    return found.crossings;
}

static void assert_crosses_when_moved(struct league_checker *checker, struct league *league,
                                      size_t body, const double move[3]) {
    double back[3];
    scale3(-1.0, move, back);
    shift(league, body, move);
    assert_true(crossings(checker, league) > 0);
    shift(league, body, back);
}

static bool has_flat_floor(const struct league *league) {
    return league->collider_count > 0 && league->colliders[0].upper[1] == 0.0 &&
           league->colliders[0].shape != PBS_SHAPE_MESH;
}

/// Lowers each body that has a surface until its middle is in the floor, a half-space or a box, and
/// moves each solid to where another one is. Adds how many of both there were.
static void move_bodies(struct league_checker *checker, struct league *l, size_t counts[2]) {
    for (size_t b = 0; b < l->body_count; b++) {
        const struct league_body *const body = &l->bodies[b];
        const struct league_body *const next = &l->bodies[(b + 1) % l->body_count];
        double middle[3], down[3] = {0.0}, onto[3];
        add3(body->lower, body->upper, middle);
        add3(next->lower, next->upper, onto);
        subtract3(onto, middle, onto);
        scale3(0.5, onto, onto);
        down[1] = -0.5 * middle[1] - 0.1 * body->size;
        if (strchr("SHOA", body->letter) != NULL && has_flat_floor(l)) {
            assert_crosses_when_moved(checker, l, b, down);
            counts[0]++;
        }
        if (body->letter == 'S' && next->letter == 'S' && l->joint_count == 0) {
            assert_crosses_when_moved(checker, l, b, onto);
            counts[1]++;
        }
    }
}

static void a_body_in_the_floor_or_in_another_is_found(void **state) {
    (void)state;
    struct league_checker checker;
    size_t counts[2] = {0, 0};
    league_checker_init(&checker);
    for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
        struct league league;
        assert_ok(league_create(seed, &coarse, &league));
        assert_int_equal(crossings(&checker, &league), 0);
        if (league.contact == PBS_CONTACT_BARRIER) {
            move_bodies(&checker, &league, counts);
        }
        league_free(&league);
    }
    assert_true(counts[0] > 10 && counts[1] > 3);
    league_checker_free(&checker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_crosses_and_momentum_is_told),
        cmocka_unit_test(stuck_worlds_land),
        cmocka_unit_test(a_body_in_the_floor_or_in_another_is_found),
        cmocka_unit_test(a_saved_world_goes_on_to_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

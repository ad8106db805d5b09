// Planes that part pairs against distances in double precision: nothing that comes within reach is
// parted, and of pairs that stand still everything that is out of reach is.
// SPDX-License-Identifier: MIT
#include "contact/search/separation.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/testing.h"

enum { TIMES = 9 };

static struct random numbers;

static int setup(void **state) {
    (void)state;
    numbers = random_seed(4);
    return 0;
}

/// Eight pairs of one kind with their own points: where they begin, and their ways.
struct pairs {
    enum pair_kind kind;
    double x[SEPARATION_PAIRS][PAIR_NODES][3], motion[SEPARATION_PAIRS][PAIR_NODES][3];
    double radius[SEPARATION_PAIRS][PAIR_NODES];
    struct swept_point swept[SEPARATION_PAIRS * PAIR_NODES];
    uint32_t points[SEPARATION_PAIRS][PAIR_NODES];
};

/// Which of a pair's points are in the four places.
static const int place_of[][PAIR_NODES] = {[PAIR_POINT_TRIANGLE] = {0, 1, 2, 3},
                                           [PAIR_EDGE_EDGE] = {0, 1, 2, 3},
                                           [PAIR_POINT_EDGE] = {0, 0, 1, 2},
                                           [PAIR_POINT_POINT] = {0, 0, 1, 1}};

/// Sides of size 1 within `spread` of one another, that move by up to `speed`.
static void scatter(enum pair_kind kind, double spread, double speed, struct pairs *out) {
    *out = (struct pairs){.kind = kind};
    for (int i = 0; i < SEPARATION_PAIRS; i++) {
        double apart[3];
        random_fill(&numbers, -spread, spread, apart, 3);
        for (int n = 0; n < PAIR_NODES; n++) {
            random_fill(&numbers, -0.5, 0.5, out->x[i][n], 3);
            random_fill(&numbers, -speed, speed, out->motion[i][n], 3);
            if (n < pair_first_count(kind)) {
                add3(out->x[i][n], apart, out->x[i][n]);
            }
        }
    }
}

/// As the search sees them, in single precision.
static struct separation round_pairs(struct pairs *p, double reach) {
    for (uint32_t i = 0; i < SEPARATION_PAIRS; i++) {
        for (uint32_t n = 0; n < PAIR_NODES; n++) {
            struct swept_point *way = &p->swept[PAIR_NODES * i + n];
            way->first[3] = (float)p->radius[i][n];
            for (int k = 0; k < 3; k++) {
                way->first[k] = (float)p->x[i][n][k];
                way->last[k] = (float)(p->x[i][n][k] + p->motion[i][n][k]);
            }
            p->points[i][n] = PAIR_NODES * i + (uint32_t)place_of[p->kind][n];
        }
    }
    return (struct separation){.swept = p->swept, .reach = (float)reach};
}

static uint32_t fails(struct pairs *p, double reach) {
    const struct separation separation = round_pairs(p, reach);
    return separation_fails(&separation, p->kind, p->points);
}

static void find_gaps(struct pairs *p, float apart[SEPARATION_PAIRS]) {
    const struct separation separation = round_pairs(p, 0.0);
    separation_gap(&separation, p->kind, p->points, apart);
}

/// Offsets belong to sides.
static void give_offsets(struct pairs *p) {
    for (int i = 0; i < SEPARATION_PAIRS; i++) {
        for (int n = 0; n < PAIR_NODES; n++) {
            p->radius[i][n] = n == 0 || n == pair_first_count(p->kind)
                                  ? random_uniform(&numbers, 0.0, 0.1)
                                  : p->radius[i][n - 1];
        }
    }
}

/// The least gap of a pair at nine times of its way.
static double least_gap(const struct pairs *p, int i) {
    double least = (double)INFINITY;
    for (int t = 0; t < TIMES; t++) {
        double at[PAIR_NODES][3];
        const double *x[PAIR_NODES] = {at[0], at[1], at[2], at[3]};
        for (int n = 0; n < PAIR_NODES; n++) {
            add_scaled3(p->x[i][n], t / (TIMES - 1.0), p->motion[i][n], at[n]);
        }
        least = fmin(least, sqrt(closest_squared(p->kind, x)));
    }
    return least - p->radius[i][0] - p->radius[i][pair_first_count(p->kind)];
}

/// Whatever comes within reach, offsets besides, is not parted, to the last digit of a double: also
/// far from the origin, where single precision knows places to less than the reach; most of what
/// stays far is.
static void what_comes_near_is_not_parted(void **state) {
    (void)state;
    size_t near = 0, parted = 0, far = 0;
    for (int round = 0; round < 20000; round++) {
        struct pairs p;
        scatter((enum pair_kind)(round % 4), 1.0, random_uniform(&numbers, 0.0, 1.0), &p);
        const double reach = pow(10.0, random_uniform(&numbers, -3.0, 0.0));
        const double away = round % 3 == 0 ? pow(10.0, random_uniform(&numbers, 0.0, 6.0)) : 0.0;
        give_offsets(&p);
        for (int i = 0; i < SEPARATION_PAIRS; i++) {
            for (int n = 0; n < PAIR_NODES; n++) {
                p.x[i][n][0] += away;
            }
        }
        const uint32_t met = fails(&p, reach);
        for (int i = 0; i < SEPARATION_PAIRS; i++) {
            const double gap = least_gap(&p, i);
            const bool is_parted = (met >> i & 1U) == 0;
            assert_false(is_parted && gap < reach);
            near += gap < reach;
            far += gap > 2.0 * reach + 0.1 && away == 0.0;
            parted += is_parted && gap > 2.0 * reach + 0.1 && away == 0.0;
        }
    }
    assert_true(near > 10000 && far > 10000);
    assert_true(parted > far * 9 / 10);
}

/// A gap below the reach by the last digit of that, near the origin and far from it, where places
/// are rounded by more than the difference: what is kept for rounding makes up for it.
static void what_is_hardly_within_reach_is_not_parted(void **state) {
    (void)state;
    size_t tried = 0;
    for (int round = 0; round < 4000; round++) {
        struct pairs p;
        scatter((enum pair_kind)(round % 4), 2.0, 0.0, &p);
        const double away = round % 2 == 0 ? pow(10.0, random_uniform(&numbers, 0.0, 4.0)) : 0.0;
        for (int i = 0; i < SEPARATION_PAIRS; i++) {
            for (int n = 0; n < PAIR_NODES; n++) {
                p.x[i][n][round % 3] += away;
            }
        }
        for (int i = 0; i < SEPARATION_PAIRS; i++) {
            const double gap = least_gap(&p, i);
            if (gap > 1e-3) {
                const float reach = nextafterf((float)gap, INFINITY);
                assert_true((fails(&p, reach) >> i & 1U) == 1);
                tried++;
            }
        }
    }
    assert_true(tried > 20000);
}

/// Of pairs that stand still one of the three directions is that of their distance, so what is a
/// thousandth out of reach is parted: single precision knows that direction to some 1e-6 for sides
/// of 1 m that are 0.05 m and more apart, and across a side of 1 m a direction that is off by 1e-6
/// loses as many metres.
static void what_stands_out_of_reach_is_parted(void **state) {
    (void)state;
    size_t parted = 0;
    for (int round = 0; round < 20000; round++) {
        struct pairs p;
        scatter((enum pair_kind)(round % 4), 1.0, 0.0, &p);
        const double reach = random_uniform(&numbers, 0.05, 0.5);
        const uint32_t met = fails(&p, reach);
        for (int i = 0; i < SEPARATION_PAIRS; i++) {
            const double gap = least_gap(&p, i);
            assert_true(gap < 1.001 * reach || (met >> i & 1U) == 0);
            parted += gap >= 1.001 * reach;
        }
    }
    assert_true(parted > 20000);
}

/// Nothing is said of what is not a number or out of all proportion, in whichever point of the pair
/// it is; the other lanes are what they were.
static void no_number_is_not_parted(void **state) {
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e20, 1e30, -3e38};
    for (int round = 0; round < 2000; round++) {
        struct pairs p;
        scatter((enum pair_kind)(round % 4), 1.0, 0.5, &p);
        const uint32_t before = fails(&p, 0.01);
        const int i = round % SEPARATION_PAIRS;
        const int n = (int)random_index(&numbers, (size_t)pair_node_count(p.kind));
        const double value = bad[random_index(&numbers, COUNT_OF(bad))];
        double *const where = round % 2 == 0 ? p.x[i][n] : p.motion[i][n];
        where[random_index(&numbers, 3)] = value;
        const uint32_t met = fails(&p, 0.01);
        assert_true((met >> i & 1U) == 1U);
        assert_true((before & ~met) == 0);
        assert_true(!isnan(value) || (met & ~(1U << i)) == (before & ~(1U << i)));
    }
}

/// One pair ten kilometres and more away, where single precision knows places to less than the
/// reach, takes nothing from the other seven.
static void what_is_far_away_costs_no_other_pair(void **state) {
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct pairs p;
        scatter((enum pair_kind)(round % 4), 1.0, 0.5, &p);
        const uint32_t before = fails(&p, 0.001);
        const int far = round % SEPARATION_PAIRS;
        for (int n = 0; n < PAIR_NODES; n++) {
            p.x[far][n][round % 3] += pow(10.0, random_uniform(&numbers, 4.0, 11.0));
        }
        assert_int_equal(fails(&p, 0.001) & ~(1U << far), before & ~(1U << far));
    }
}

/// What the planes say of the gap is never more than it is, also far from the origin, and nothing
/// of pairs that meet or are no numbers. Of pairs that stand still and are 0.05 m and more apart it
/// is the gap but for what single precision takes (see what_stands_out_of_reach_is_parted).
static void gaps_are_at_least_what_is_said(void **state) {
    (void)state;
    size_t told = 0, stood = 0;
    for (int round = 0; round < 20000; round++) {
        struct pairs p;
        float apart[SEPARATION_PAIRS];
        const bool stands = round % 2 == 0;
        scatter((enum pair_kind)(round / 2 % 4), 1.0, stands ? 0.0 : 0.5, &p);
        give_offsets(&p);
        const double away = round % 3 == 0 ? pow(10.0, random_uniform(&numbers, 0.0, 6.0)) : 0.0;
        const int bad = round % 5 == 0 ? (int)random_index(&numbers, SEPARATION_PAIRS) : -1;
        for (int i = 0; i < SEPARATION_PAIRS; i++) {
            for (int n = 0; n < PAIR_NODES; n++) {
                p.x[i][n][1] += away;
            }
        }
        if (bad >= 0) {
            p.motion[bad][random_index(&numbers, (size_t)pair_node_count(p.kind))][0] = (double)NAN;
        }
        find_gaps(&p, apart);
        for (int i = 0; i < SEPARATION_PAIRS; i++) {
            const double gap = i == bad ? 0.0 : least_gap(&p, i);
            assert_true(apart[i] >= 0.0F);
            assert_true((double)apart[i] <= fmax(gap, 0.0));
            told += apart[i] > 0.0F;
            if (stands && gap >= 0.05 && away == 0.0) {
                // Both offsets together are 0.2 m at most.
                assert_true((double)apart[i] >= gap - 1e-3 * (gap + 0.2));
                stood++;
            }
        }
    }
    assert_true(told > 10000 && stood > 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_comes_near_is_not_parted, setup),
        cmocka_unit_test_setup(what_is_hardly_within_reach_is_not_parted, setup),
        cmocka_unit_test_setup(what_stands_out_of_reach_is_parted, setup),
        cmocka_unit_test_setup(no_number_is_not_parted, setup),
        cmocka_unit_test_setup(what_is_far_away_costs_no_other_pair, setup),
        cmocka_unit_test_setup(gaps_are_at_least_what_is_said, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

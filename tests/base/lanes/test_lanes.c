// Each helper on eight lanes gives what the scalar operation gives, also for NaN.
// SPDX-License-Identifier: MIT
#include "base/lanes/lanes.h"

#include "support/random.h"
#include "support/testing.h"

static const double specials[] = {0.0,    -0.0, 1.0,      -1.0,      2.5,    -2.5,      1e300,
                                  1e-310, NAN,  INFINITY, -INFINITY, 1e-300, 0x1p-1074, 7.0};

static bool same(double a, double b) {
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void each_lane_is_for_itself(void **state) {
    (void)state;
    struct random random = random_seed(1);
    for (int n = 0; n < 2000; n++) {
        double a[LANES];
        double b[LANES];
        for (int i = 0; i < LANES; i++) {
            a[i] = specials[random_index(&random, COUNT_OF(specials))];
            b[i] = specials[random_index(&random, COUNT_OF(specials))];
        }
        const lanes8 a8 = lanes_load(a);
        const lanes8 b8 = lanes_load(b);
        const lanes8 smaller = lanes_min(a8, b8);
        const lanes8 greater = lanes_max(a8, b8);
        const lanes8 size = lanes_abs(a8);
        const lanes8 root = lanes_sqrt(size);
        const lanes8 selected = lanes_select(a8 > b8, a8, lanes_set(3.0));
        const mask8 both = lanes_both(a8 > b8, a8 > lanes_set(0.0));
        const mask8 either = lanes_either(a8 > b8, a8 > lanes_set(0.0));
        bool any = false;
        for (int i = 0; i < LANES; i++) {
            assert_true(same(smaller[i], a[i] < b[i] ? a[i] : b[i]));
            assert_true(same(greater[i], a[i] > b[i] ? a[i] : b[i]));
            assert_true(same(size[i], fabs(a[i])));
            assert_true(same(root[i], sqrt(fabs(a[i]))));
            assert_true(same(selected[i], a[i] > b[i] ? a[i] : 3.0));
            assert_int_equal(both[i], a[i] > b[i] && a[i] > 0.0 ? -1 : 0);
            assert_int_equal(either[i], a[i] > b[i] || a[i] > 0.0 ? -1 : 0);
            any = any || a[i] > b[i];
        }
        assert_true(lanes_any(a8 > b8) == any);
    }
}

static void one_lane_is_enough_for_any(void **state) {
    (void)state;
    for (int i = 0; i < LANES; i++) {
        lanes8 a = lanes_set(0.0);
        assert_false(lanes_any(a > lanes_set(0.5)));
        a[i] = 1.0;
        assert_true(lanes_any(a > lanes_set(0.5)));
    }
}

static void sums_have_their_order(void **state) {
    (void)state;
    const double a[LANES] = {1e16, 1.0, -1e16, 1.0, 1.0, 1e-3, 3.0, -1e16};
    const double pairs = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
    assert_true(lanes_sum(lanes_load(a)) == pairs);
}

static void what_is_stored_is_what_was_loaded(void **state) {
    (void)state;
    double a[LANES + 1];
    double b[LANES + 1] = {0.0};
    for (int i = 0; i <= LANES; i++) {
        a[i] = i;
    }
    lanes_store(b + 1, lanes_load(a + 1)); // not aligned
    assert_memory_equal(a + 1, b + 1, LANES * sizeof *a);
    assert_true(b[0] == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lane_is_for_itself),
        cmocka_unit_test(one_lane_is_enough_for_any),
        cmocka_unit_test(sums_have_their_order),
        cmocka_unit_test(what_is_stored_is_what_was_loaded),
    };
    return cmocka_run_group_tests_name("base/lanes", tests, NULL, NULL);
}

// Compares exponentials with those of extended precision.
// SPDX-License-Identifier: MIT
#include "base/lanes/exponential.h"

#include <float.h>

#include "support/random.h"
#include "support/testing.h"

#if LDBL_MANT_DIG > DBL_MANT_DIG
enum { HAS_REFERENCE = 1 };
#else
enum { HAS_REFERENCE = 0 };
#endif

static double exp_of(double x) {
    return exp_lanes(lanes_set(x))[0];
}

/// Returns the error of exp_of(x), in units of the last place.
static double error(double x) {
    const long double expected = expl((long double)x);
    const double size = (double)expected;
    return fabs((double)((long double)exp_of(x) - expected)) / (nextafter(size, INFINITY) - size);
}

/// The last product and sum round once each, at most half a unit of a result in [1 / sqrt 2, sqrt
/// 2); below 1 the sum's unit is twice that of the result. k LN2_LOW and r add their rounding, each
/// below 2^-53 ln 2.
static void two_units_in_the_last_place(void **state) {
    (void)state;
    struct random random = random_seed(7);
    double worst = 0.0;
    if (!HAS_REFERENCE) {
        skip();
    }
    for (int n = 0; n < 100000; n++) {
        const double small = pow(10.0, random_uniform(&random, -16.0, 0.0));
        worst = fmax(worst, error(random_uniform(&random, -700.0, 700.0)));
        worst = fmax(worst, error(random_uniform(&random, -1.0, 1.0)));
        worst = fmax(worst, error(small * random_uniform(&random, -1.0, 1.0)));
    }
    assert_small(worst, 2.0, "exponential");
}

static void special_values(void **state) {
    (void)state;
    assert_true(exp_of(0.0) == 1.0);
    assert_true(exp_of(-0.0) == 1.0);
    assert_true(exp_of(1e300) == exp_of(700.0));
    assert_true(exp_of(-1e300) == exp_of(-700.0));
}

static void each_lane_by_itself(void **state) {
    (void)state;
    lanes8 x = lanes_set(0.0);
    for (int l = 0; l < LANES; l++) {
        x[l] = 37.5 * l - 100.0;
    }
    const lanes8 found = exp_lanes(x);
    for (int l = 0; l < LANES; l++) {
        assert_true(found[l] == exp_of(x[l]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_units_in_the_last_place),
        cmocka_unit_test(special_values),
        cmocka_unit_test(each_lane_by_itself),
    };
    return cmocka_run_group_tests_name("base/exponential", tests, NULL, NULL);
}

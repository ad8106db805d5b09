// Compares logarithms with those of extended precision, and checks the special values.
// SPDX-License-Identifier: MIT
#include "base/lanes/logarithm.h"

#include <float.h>

#include "support/random.h"
#include "support/testing.h"

#if LDBL_MANT_DIG > DBL_MANT_DIG
enum { HAS_REFERENCE = 1 };
#else
enum { HAS_REFERENCE = 0 };
#endif

/// Returns the error of `found` as log(x), in units of the last place.
static double error(double x, double found) {
    const long double expected = logl((long double)x);
    const double size = fabs((double)expected);
    const double unit = nextafter(size, INFINITY) - size;
    return fabs((double)((long double)found - expected)) / unit;
}

static double log_of(double x) {
    return log_lanes(lanes_set(x))[0];
}

/// A random positive number; all exponents are equally likely, denormal numbers included.
static double random_positive(struct random *random) {
    const double x = ldexp(random_uniform(random, 1.0, 2.0),
                           (int)random_index(random, 2098) - 1074);
    return isfinite(x) && x > 0.0 ? x : 1.5;
}

static double worst_of(struct random *random, int kind) {
    double worst = 0.0;
    for (int n = 0; n < 100000; n++) {
        const double small = pow(10.0, random_uniform(random, -16.0, -1.0));
        const double x = kind == 0   ? random_positive(random)
                         : kind == 1 ? random_uniform(random, 0.2, 3.0)
                                     : 1.0 + small * random_uniform(random, -1.0, 1.0);
        worst = fmax(worst, error(x, log_of(x)));
    }
    return worst;
}

/// log = k ln 2 + f - s f + ...: half a unit for the last sum, plus the errors of the parts. Of
/// these s f, at most 0.2 of the result, has three roundings. For k = 1 and -1 the parts are at
/// most twice the result.
static void two_units_in_the_last_place(void **state) {
    (void)state;
    struct random random = random_seed(1);
    if (!HAS_REFERENCE) {
        skip();
    }
    assert_small(worst_of(&random, 0), 2.0, "log of any number");
    assert_small(worst_of(&random, 1), 2.0, "log of numbers of order one");
    assert_small(worst_of(&random, 2), 2.0, "log of numbers close to one");
}

/// Close to every power of two and its half, where the reduction switches.
static void no_seams(void **state) {
    (void)state;
    double worst = 0.0;
    double previous = -INFINITY;
    for (int exponent = -1070; exponent < 1023; exponent++) {
        const double seams[] = {ldexp(1.0, exponent), ldexp(sqrt(2.0), exponent)};
        for (size_t i = 0; i < COUNT_OF(seams); i++) {
            double x = nextafter(nextafter(seams[i], 0.0), 0.0);
            for (int n = 0; n < 5; n++, x = nextafter(x, INFINITY)) {
                const double found = log_of(x);
                if (x != 1.0) {
                    worst = fmax(worst, error(x, found));
                }
                assert_true(found >= previous);
                previous = found;
            }
        }
    }
    assert_small(worst, HAS_REFERENCE ? 2.0 : 3.0, "beside a seam");
}

static void numbers_without_logarithm(void **state) {
    (void)state;
    assert_true(log_of(1.0) == 0.0);
    assert_true(log_of(0.0) == (double)-INFINITY);
    assert_true(log_of(-0.0) == (double)-INFINITY);
    assert_true(log_of(INFINITY) == (double)INFINITY);
    assert_true(isnan(log_of(-1.0)));
    assert_true(isnan(log_of(-0x1p-1074)));
    assert_true(isnan(log_of(-INFINITY)));
    assert_true(isnan(log_of(NAN)));
}

static void each_lane_is_for_itself(void **state) {
    (void)state;
    static const double specials[] = {0.0, -1.0, NAN, INFINITY, 0x1p-1074, 1.0};
    struct random random = random_seed(2);
    for (int n = 0; n < 2000; n++) {
        double x[LANES];
        double together[LANES];
        double alone[LANES];
        for (int i = 0; i < LANES; i++) {
            x[i] = random_index(&random, 4) ? random_positive(&random)
                                            : specials[random_index(&random, COUNT_OF(specials))];
            alone[i] = log_of(x[i]);
        }
        lanes_store(together, log_lanes(lanes_load(x)));
        for (int i = 0; i < LANES; i++) {
            assert_true(together[i] == alone[i] || (isnan(together[i]) && isnan(alone[i])));
        }
    }
}

/// The three functions agree: the logarithms bit for bit, the excess to the rounding of (x - 1) -
/// ln x.
static void one_logarithm_for_all(void **state) {
    (void)state;
    struct random random = random_seed(3);
    for (int n = 0; n < 20000; n++) {
        const double x = n % 2 ? random_uniform(&random, 0.3, 3.0)
                               : fmax(random_positive(&random), DBL_MIN);
        lanes8 logarithm;
        lanes8 excess;
        log_with_excess_lanes(lanes_set(x), &logarithm, &excess);
        assert_true(logarithm[0] == log_of(x));
        const double size = fabs(x - 1.0) + fabs(logarithm[0]);
        assert_near(excess[0], (x - 1.0) - logarithm[0], 4.0 * DBL_EPSILON * size, "excess");
        if (x > 0.5 && x < 2.0) {
            assert_near(excess[0], log_excess_lanes(lanes_set(x - 1.0))[0],
                        8.0 * DBL_EPSILON * excess[0], "excess of x - 1");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_units_in_the_last_place), cmocka_unit_test(no_seams),
        cmocka_unit_test(numbers_without_logarithm),   cmocka_unit_test(each_lane_is_for_itself),
        cmocka_unit_test(one_logarithm_for_all),
    };
    return cmocka_run_group_tests_name("base/logarithm", tests, NULL, NULL);
}

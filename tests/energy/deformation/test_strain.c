// The measures that must not cancel near rest, beside long double.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include <float.h>

#include "base/lanes/logarithm.h"
#include "energy/deformation/strain.h"
#include "support/random.h"

/// t - log(1 + t): the series where the difference would cancel.
static long double log_excess(long double t) {
    if (fabsl(t) > 1e-2L) {
        return t - log1pl(t);
    }
    long double sum = 0.0L;
    for (int n = 20; n >= 2; n--) {
        sum = sum * t + (n % 2 ? -1.0L : 1.0L) / n;
    }
    return sum * t * t;
}

static void test_log_excess(void **state) {
    struct random random = random_seed(16);
    static const double special[] = {0.0,    1e-300,       -1e-300, 1e-8,    -1e-8, -0.25,
                                     0.4142, 0.4143,       -0.2929, -0.2928, 1.0,   1e10,
                                     1e300,  -0.999999999, -0.5,    3.0};
    (void)state;
    for (size_t trial = 0; trial < 20000; trial++) {
        const double scale = pow(10.0, random_uniform(&random, -12.0, 3.0));
        double t = scale * random_uniform(&random, -1.0, 1.0);
        t = trial < COUNT_OF(special) ? special[trial] : t <= -0.99 ? -t : t;
        const double expected = (double)log_excess((long double)t);
        const double found = log_excess_lanes(lanes_set(t))[trial % 8];
        // A dozen roundings; where the parts nearly cancel (t near 0.5) of numbers no larger than
        // t.
        assert_small(fabs(found - expected),
                     8.0 * DBL_EPSILON * fmax(fabs(expected), 0.1 * fmin(t * t, fabs(t))),
                     "t - log(1 + t)");
    }
}

/// tr E - (J - 1) for F = 1 + H with |H| = 1e-6 and exact entries, beside long double: of the order
/// of 1e-12, and known to the rounding of E and J, 1e-16 * 1e-6, where the plain difference knows
/// it to 1e-16.
static void test_trace_excess(void **state) {
    struct random random = random_seed(17);
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        lanes8 f[9];
        lanes8 c[9];
        lanes8 e[6];
        long double h[9];
        for (int i = 0; i < 9; i++) {
            const double entry = round(ldexp(random_uniform(&random, -1e-6, 1e-6), 44)) *
                                 ldexp(1.0, -44);
            h[i] = (long double)entry;
            f[i] = lanes_set(entry + (i % 4 == 0 ? 1.0 : 0.0));
        }
        cofactor_lanes(f, c);
        green_strain_lanes(f, e);
        const double found = trace_excess_lanes(e, determinant_lanes(f, c) - 1.0)[0];
        long double expected = 0.0L;
        for (int i = 0; i < 9; i++) {
            expected += 0.5L * h[i] * h[i];
        }
        expected -= h[0] * h[4] - h[1] * h[3] + h[0] * h[8] - h[2] * h[6] + h[4] * h[8] -
                    h[5] * h[7];
        expected -= h[0] * (h[4] * h[8] - h[5] * h[7]) - h[1] * (h[3] * h[8] - h[5] * h[6]) +
                    h[2] * (h[3] * h[7] - h[4] * h[6]);
        assert_near(found, (double)expected, 2e-21, "tr E - (J - 1)");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_excess),
        cmocka_unit_test(test_trace_excess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Compares angles with those of extended precision, in all quadrants and on their borders.
// SPDX-License-Identifier: MIT
#include "base/lanes/arctangent.h"

#include <float.h>

#include "support/random.h"
#include "support/testing.h"

#if LDBL_MANT_DIG > DBL_MANT_DIG
enum { HAS_REFERENCE = 1 };
#else
enum { HAS_REFERENCE = 0 };
#endif

static double angle_of(double y, double x) {
    return atan2_lanes(lanes_set(y), lanes_set(x))[0];
}

/// Returns the error of an angle of (x, y), in units of its last place.
static double error(double y, double x) {
    const long double expected = atan2l((long double)y, (long double)x);
    const double size = fabs((double)expected);
    const double unit = nextafter(size, INFINITY) - size;
    return fabs((double)((long double)angle_of(y, x) - expected)) / unit;
}

/// Roundings: the last sum, three of z (two sums and a quotient), and a tenth of one from the
/// series. Each is half a unit of a number up to twice the result.
static void three_units_in_the_last_place(void **state) {
    (void)state;
    struct random random = random_seed(1);
    double worst = 0.0;
    if (!HAS_REFERENCE) {
        skip();
    }
    for (int n = 0; n < 200000; n++) {
        const double scale = n % 2 == 0 ? 1.0 : pow(10.0, random_uniform(&random, -14.0, 14.0));
        const double y = scale * random_uniform(&random, -1.0, 1.0);
        const double x = random_uniform(&random, -1.0, 1.0);
        worst = fmax(worst, error(y, x));
    }
    assert_small(worst, 3.0, "angles in units of the last place");
}

/// Close to the lines where the reduction switches: the axes, the diagonals, tan(pi/8).
static void borders(void **state) {
    (void)state;
    static const double slopes[] = {0.0, 1e-300,      0.41421356237309503, 0.4142135623730951,
                                    1.0, 1.0 - 1e-16, 1.0 + 3e-16,         2.414213562373095};
    double worst = 0.0;
    for (size_t k = 0; k < COUNT_OF(slopes) && HAS_REFERENCE; k++) {
        for (int signs = 0; signs < 4; signs++) {
            const double y = signs % 2 == 0 ? slopes[k] : -slopes[k];
            const double x = signs / 2 == 0 ? 1.0 : -1.0;
            worst = fmax(worst, y == 0.0 && x > 0.0 ? fabs(angle_of(y, x)) : error(y, x));
            if (y != 0.0) {
                worst = fmax(worst, error(x, y));
            }
        }
    }
    assert_small(worst, 3.0, "angles beside the borders");
    assert_true(angle_of(0.0, -1.0) == ARCTANGENT_PI && angle_of(-0.0, -1.0) == -ARCTANGENT_PI);
    assert_true(angle_of(1.0, 0.0) == 0.5 * ARCTANGENT_PI && angle_of(0.0, 0.0) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_units_in_the_last_place),
        cmocka_unit_test(borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

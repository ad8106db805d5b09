// Barrier, mollifier and friction beside 20-digit references (the rows `barrier`, `friction_f` and
// `ee_mollifier` of the contact specification), beside their formulas in long double, and beside
// differences.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "contact/barrier/barrier.h"
#include "support/numerics/derivatives.h"
#include "support/random.h"
#include "support/testing.h"

#define EPSILON 0x1p-52

static const struct {
    double ratio, value, first, second;
} barrier_rows[] = {
    // stiffness 1e5 N/m, reach 1 mm
    {0.999, 1.0005003335835335001e-10, -0.00030020016681680680013, 600.60066741750760103},
    {0.9, 0.00010536051565782630123, -3.2183214242676371357, 66751.115477244272591},
    {0.75, 0.0017980129528236307965, -22.717436955922379705, 201980.85893480062993},
    {0.5, 0.017328679513998632735, -119.31471805599453094, 638629.43611198906188},
    {0.25, 0.077979057812993847309, -432.94415416798359283, 2377258.8722239781238},
    {0.1, 0.18650939253251770041, -1224.4653167389282231, 12160517.018598809137},
    {0.01, 0.45135272992869283498, -10712.823696825642091, 1020621034.0371976183},
    {1e-4, 0.92084983960051912193, -1001641.893867587797, 10002001542068.074395},
    {1e-8, 1.8420680375538752435, -10000003484.136112949, 1.0000000200000033841e+21},
};

static const struct {
    double slip, value, first, second;
} friction_rows[] = {
    // width 1
    {0, 0.33333333333333333333, 0.0, 2.0},
    {0.1, 0.34300000000000000105, 0.19000000000000000999, 1.7999999999999999889},
    {0.25, 0.390625, 0.4375, 1.5},
    {0.5, 0.54166666666666666667, 0.75, 1.0},
    {0.9, 0.90033333333333335532, 0.99000000000000000444, 0.19999999999999995559},
    {1, 1.0, 1.0, 0.0},
    {2, 2.0, 1.0, 0.0},
};

static const struct {
    double sine, ratio, value;
} mollifier_rows[] = {
    // edges of length 1
    {0.5, 250.0, 1.0}, {0.05, 2.5, 1.0},         {0.02, 0.4, 0.64},
    {0.01, 0.1, 0.19}, {0.001, 0.001, 0.001999},
};

static void assert_relative(double found, double expected, double tolerance, const char *what) {
    assert_small(fabs(found - expected), tolerance * fabs(expected), what);
}

static void barrier_references(void **state) {
    (void)state;
    const struct barrier barrier = {BARRIER_DISTANCE, 1e5, 1e-3};
    for (size_t i = 0; i < COUNT_OF(barrier_rows); i++) {
        const double ratio = barrier_rows[i].ratio;
        const struct barrier_value b = barrier_evaluate(&barrier, ratio * barrier.reach, 0.0);
        // The distance is rounded to a double before it gets here; b goes with (reach - d)^3.
        const double tolerance = 1e-13 + 3.0 * EPSILON / (1.0 - ratio);
        assert_relative(b.value, barrier_rows[i].value, tolerance, "value");
        assert_relative(b.first, barrier_rows[i].first, tolerance, "first derivative");
        assert_relative(b.second, barrier_rows[i].second, tolerance, "second derivative");
    }
}

// The formulas as published, of the gap or of the squared distance, with derivatives written out.
struct exact {
    long double value, first, second;
};

static struct exact of_distance(long double d, long double reach) {
    const long double l = logl(d / reach), ratio = reach / d;
    return (struct exact){-(d - reach) * (d - reach) * l, (reach - d) * (2.0L * l - ratio + 1.0L),
                          (ratio + 2.0L) * ratio - 2.0L * l - 3.0L};
}

static struct exact of_square(long double d, long double offset, long double reach) {
    const struct exact b = of_distance((d - offset) * (d + offset),
                                       reach * (reach + 2.0L * offset));
    return (struct exact){b.value, 2.0L * d * b.first, 4.0L * d * d * b.second + 2.0L * b.first};
}

static void barriers_are_their_formulas(void **state) {
    (void)state;
    struct random random = random_seed(1);
    for (int n = 0; n < 20000; n++) {
        const struct barrier barrier = {n % 2 ? BARRIER_SQUARED : BARRIER_DISTANCE,
                                        exp(random_uniform(&random, -5.0, 20.0)),
                                        exp(random_uniform(&random, -12.0, 2.0))};
        const double offset = n % 3 == 0 ? barrier.reach * random_uniform(&random, 0.0, 3.0) : 0.0;
        const double d = offset + barrier.reach * exp(random_uniform(&random, -18.0, -1e-3));
        const struct barrier_value b = barrier_evaluate(&barrier, d, offset);
        const struct exact e = barrier.form == BARRIER_SQUARED
                                   ? of_square(d, offset, barrier.reach)
                                   : of_distance((long double)d - offset, barrier.reach);
        // Some 20 roundings of terms of one sign, and the logarithm's; reach - g has the relative
        // error of g = d - offset times g / (reach - g), and goes in cubed.
        const double gap = d - offset;
        const double tolerance = 32.0 * EPSILON + 6.0 * EPSILON * gap / (barrier.reach - gap);
        const long double k = barrier.stiffness;
        assert_relative(b.value, (double)(k * e.value), tolerance, "value");
        assert_relative(b.first, (double)(k * e.first), tolerance, "first derivative");
        assert_relative(b.second, (double)(k * e.second), tolerance, "second derivative");
        assert_true(b.value > 0.0 && b.first < 0.0 && b.second > 0.0);
    }
}

// Twice continuously differentiable where it begins; infinite where it ends.
static void barriers_begin_and_end(void **state) {
    (void)state;
    for (int form = 0; form < BARRIER_FORMS; form++) {
        const struct barrier barrier = {(enum barrier_form)form, 1e5, 1e-3};
        for (double offset = 0.0; offset < 1e-2; offset += 5e-3) {
            const struct barrier_value out = barrier_evaluate(&barrier, offset + 1.1e-3, offset);
            assert_true(out.value == 0.0 && out.first == 0.0 && out.second == 0.0);
            const struct barrier_value half = barrier_evaluate(&barrier, offset + 5e-4, offset);
            const struct barrier_value in = barrier_evaluate(&barrier, offset + 0.99999e-3, offset);
            // b'' is zero there to first order: 1e-5 of the reach away, less than 1e-4 of its
            // value half way.
            assert_true(in.second > 0.0 && in.second < 1e-4 * half.second);
            assert_true(in.first < 0.0 && -in.first < -1e-4 * half.first);
            const double ends[3] = {offset, -1.0, (double)NAN};
            for (int i = 0; i < 3; i++) {
                const struct barrier_value end = barrier_evaluate(&barrier, ends[i], offset);
                assert_true(end.value == (double)INFINITY);
            }
        }
    }
}

static void friction_references(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(friction_rows); i++) {
        const double slip = friction_rows[i].slip;
        const struct friction_value f = friction_evaluate(slip, 1.0);
        assert_near(f.value, friction_rows[i].value, 1e-15, "f0");
        assert_near(slip * f.first_over_slip, friction_rows[i].first, 1e-15, "f1");
        assert_near(f.second, friction_rows[i].second, 1e-15, "f2");
        // Of a width other than 1: f0 goes with it, f1 does not change, f2 is over it.
        const struct friction_value wide = friction_evaluate(8.0 * slip, 8.0);
        assert_near(wide.value, 8.0 * f.value, 1e-14, "f0, scaled");
        assert_near(8.0 * slip * wide.first_over_slip, friction_rows[i].first, 1e-14, "f1, scaled");
        assert_near(8.0 * wide.second, f.second, 1e-14, "f2, scaled");
    }
}

static void mollifier_references(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(mollifier_rows); i++) {
        const double sine = mollifier_rows[i].sine;
        const double nodes[4][3] = {
            {0.3, 0.2, 0.1}, {1.3, 0.2, 0.1}, {0, 0, 0}, {sqrt(1.0 - sine * sine), sine, 0}};
        const double *const x[4] = {nodes[0], nodes[1], nodes[2], nodes[3]};
        const double c = edges_cross_squared(x, NULL);
        assert_relative(c / 1e-3, mollifier_rows[i].ratio, 1e-13, "c / threshold");
        assert_relative(mollifier_evaluate(c, 1e-3).value, mollifier_rows[i].value, 1e-13, "m");
    }
    // A rest edge without length has threshold 0, and is not mollified.
    assert_true(mollifier_evaluate(0.0, 0.0).value == 1.0);
}

// m(c(x)) as a function of the twelve coordinates.
static const double threshold = 2.0;

static double mollified(void *context, const double *x) {
    (void)context;
    const double *const nodes[4] = {x, x + 3, x + 6, x + 9};
    return mollifier_evaluate(edges_cross_squared(nodes, NULL), threshold).value;
}

static void mollified_gradient(void *context, const double *x, double *gradient) {
    (void)context;
    const double *const nodes[4] = {x, x + 3, x + 6, x + 9};
    double of_c[4][3];
    const double first = mollifier_evaluate(edges_cross_squared(nodes, of_c), threshold).first;
    for (int i = 0; i < 12; i++) {
        gradient[i] = first * of_c[i / 3][i % 3];
    }
}

static void mollifier_derivatives(void **state) {
    (void)state;
    const struct derivatives_function function = {
        .count = 12, .value = mollified, .gradient = mollified_gradient};
    struct random random = random_seed(2);
    for (int n = 0; n < 1000; n++) {
        double x[12];
        random_fill(&random, -1.0, 1.0, x, 12);
        // Fourth order in steps of 1e-3 of numbers of order 1, fifth derivatives below 1e3: 1e-9.
        // At the threshold the second derivative jumps by 2 / threshold^2 |grad c|^2, which central
        // differences see to their step: skipped.
        const double *const nodes[4] = {x, x + 3, x + 6, x + 9};
        if (fabs(edges_cross_squared(nodes, NULL) - threshold) > 0.2) {
            assert_small(derivatives_gradient_error(&function, x, 1e-3), 1e-8, "gradient of m");
        }
    }
    for (double c = 0.1; c < threshold; c += 0.1) {
        const double h = 1e-3;
        const struct barrier_value low = mollifier_evaluate(c - h, threshold);
        const struct barrier_value high = mollifier_evaluate(c + h, threshold);
        if (c + h < threshold) {
            assert_near((high.first - low.first) / (2.0 * h),
                        mollifier_evaluate(c, threshold).second, 1e-11, "m''");
        }
    }
}

/// The values of y^2 (3 - 2 y) at tenths, which begins and ends level; derivatives beside central
/// differences, exact but for rounding (1e-16 / 1e-4^2) and a third derivative of 12 / width^3.
static void taper_references(void **state) {
    (void)state;
    const double value[] = {0.0, 0.028, 0.104, 0.216, 0.352, 0.5, 0.648, 0.784, 0.896, 0.972, 1.0};
    const double width = 2.5;
    const double h = 1e-4 * width;
    for (int i = 0; i <= 10; i++) {
        const double at = 0.1 * i * width;
        const struct barrier_value here = taper_evaluate(at, width);
        assert_near(here.value, value[i], 1e-15, "phi");
        const struct barrier_value low = taper_evaluate(at - h, width);
        const struct barrier_value high = taper_evaluate(at + h, width);
        assert_near((high.value - low.value) / (2.0 * h), here.first, 4.0 * 1e-4, "phi'");
        if (i > 0 && i < 10) {
            assert_near((high.value - low.value) / (2.0 * h), here.first, 1e-7, "phi'");
            assert_near((high.first - low.first) / (2.0 * h), here.second, 1e-7, "phi''");
        }
    }
    const struct barrier_value below = taper_evaluate(-1e-300, width);
    const struct barrier_value above = taper_evaluate(width, width);
    assert_true(below.value == 0.0 && below.first == 0.0 && below.second == 0.0);
    assert_true(above.value == 1.0 && above.first == 0.0 && above.second == 0.0);
    assert_true(taper_evaluate(INFINITY, width).value == 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier_references),     cmocka_unit_test(barriers_are_their_formulas),
        cmocka_unit_test(barriers_begin_and_end), cmocka_unit_test(friction_references),
        cmocka_unit_test(mollifier_references),   cmocka_unit_test(mollifier_derivatives),
        cmocka_unit_test(taper_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

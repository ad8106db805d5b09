// Products, inverses and cross products of three dimensions, and the finite differences that other
// tests use.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"

#include "support/numerics/derivatives.h"
#include "support/random.h"
#include "support/testing.h"

#define EPSILON 2.220446049250313e-16

static void the_inverse_times_the_matrix_is_the_identity(void **state) {
    (void)state;
    struct random random = random_seed(1);
    double worst = 0.0;
    for (int n = 0; n < 10000; n++) {
        double a[9];
        double inverse[9] = {0.0};
        double product[9];
        double expected[9];
        random_fill(&random, -1.0, 1.0, a, 9);
        for (int i = 0; i < 9; i += 4) {
            a[i] += 4.0; // diagonally dominant: condition below 5
        }
        const double determinant = invert33(a, inverse);
        assert_true(determinant == determinant3(a));
        multiply33(a, inverse, product);
        identity33(expected);
        worst = fmax(worst, testing_max_difference(product, expected, 9));
    }
    assert_small(worst, 50.0 * EPSILON, "a a^-1 - 1");
}

static void a_singular_matrix_is_left_alone(void **state) {
    (void)state;
    const double a[9] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 1.0};
    double inverse[9] = {7.0};
    assert_true(invert33(a, inverse) == 0.0);
    assert_true(inverse[0] == 7.0);
}

static void the_cross_product_is_perpendicular_and_right_handed(void **state) {
    (void)state;
    struct random random = random_seed(2);
    for (int n = 0; n < 1000; n++) {
        double m[9];
        double c[3];
        random_fill(&random, -1.0, 1.0, m, 9);
        cross3(m, m + 3, c);
        assert_small(fabs(dot3(c, m)), 10.0 * EPSILON, "c . a");
        assert_small(fabs(dot3(c, m + 3)), 10.0 * EPSILON, "c . b");
        assert_near(dot3(c, m + 6), determinant3(m), 10.0 * EPSILON, "(a x b) . c");
    }
}

static void results_may_overwrite_vectors(void **state) {
    (void)state;
    const double b[3] = {4.0, 5.0, -6.0};
    const double expected[3] = {-27.0, 18.0, -3.0};
    double a[3] = {1.0, 2.0, 3.0};
    cross3(a, b, a);
    assert_same_bits(a, expected, 3);
    add_scaled3(a, 2.0, b, a);
    assert_true(a[0] == -19.0 && a[1] == 28.0 && a[2] == -15.0);
}

static void products_with_the_transpose_agree(void **state) {
    (void)state;
    const double m[9] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0};
    const double a[3] = {1.0, -1.0, 2.0};
    double forward[3];
    double transposed[3];
    multiply3(m, a, forward);
    multiply_transposed3(m, a, transposed);
    assert_true(forward[0] == 5.0 && forward[1] == 11.0 && forward[2] == 17.0);
    assert_true(transposed[0] == 11.0 && transposed[1] == 13.0 && transposed[2] == 15.0);
}

// --- the helper that checks derivatives ---

static double value(void *context, const double *x) {
    (void)context;
    return exp(x[0]) * sin(x[1]) + x[0] * x[0] * x[1];
}

static void gradient(void *context, const double *x, double *g) {
    const double *mistake = context;
    g[0] = exp(x[0]) * sin(x[1]) + 2.0 * x[0] * x[1] + *mistake;
    g[1] = exp(x[0]) * cos(x[1]) + x[0] * x[0];
}

static void hessian(void *context, const double *x, double *h) {
    const double *mistake = context;
    h[0] = exp(x[0]) * sin(x[1]) + 2.0 * x[1];
    h[1] = exp(x[0]) * cos(x[1]) + 2.0 * x[0];
    h[2] = h[1] + *mistake;
    h[3] = -exp(x[0]) * sin(x[1]);
}

static void differences_find_right_derivatives_right(void **state) {
    (void)state;
    const double x[2] = {0.3, -0.7};
    double mistake = 0.0;
    const struct derivatives_function function = {2, value, gradient, hessian, &mistake};
    // Fifth derivatives of about 2 give 2 step^4 / 30 = 7e-14, rounding epsilon / step = 2e-13.
    assert_small(derivatives_gradient_error(&function, x, 1e-3), 1e-12, "gradient");
    assert_small(derivatives_hessian_error(&function, x, 1e-3), 1e-12, "Hessian");
    assert_small(derivatives_asymmetry(&function, x), 0.0, "asymmetry");
}

static void differences_find_wrong_derivatives_wrong(void **state) {
    (void)state;
    const double x[2] = {0.3, -0.7};
    double mistake = 1e-6;
    const struct derivatives_function function = {2, value, gradient, hessian, &mistake};
    assert_true(derivatives_gradient_error(&function, x, 1e-3) > 1e-7);
    assert_true(derivatives_hessian_error(&function, x, 1e-3) > 1e-7);
    assert_true(derivatives_asymmetry(&function, x) > 1e-7);
    mistake = NAN;
    assert_true(isnan(derivatives_gradient_error(&function, x, 1e-3)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_inverse_times_the_matrix_is_the_identity),
        cmocka_unit_test(a_singular_matrix_is_left_alone),
        cmocka_unit_test(the_cross_product_is_perpendicular_and_right_handed),
        cmocka_unit_test(results_may_overwrite_vectors),
        cmocka_unit_test(products_with_the_transpose_agree),
        cmocka_unit_test(differences_find_right_derivatives_right),
        cmocka_unit_test(differences_find_wrong_derivatives_wrong),
    };
    return cmocka_run_group_tests_name("base/math3", tests, NULL, NULL);
}

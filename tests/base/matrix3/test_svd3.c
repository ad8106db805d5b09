// The decomposition is accurate to rounding for every kind of matrix, and has the documented signs
// and order.
// SPDX-License-Identifier: MIT
#include "base/matrix3/svd3.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/matrix3_widths.h"
#include "base/matrix_samples.h"
#include "support/random.h"
#include "support/testing.h"

#define EPSILON 2.220446049250313e-16

// Products of three factors, each orthogonal to a few epsilon.
#define RECONSTRUCTION (12.0 * EPSILON)
#define ORTHOGONALITY  (12.0 * EPSILON)

struct decomposition {
    double u[9], sigma[3], v[9];
};

static double orthogonality(const double m[9]) {
    double worst = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double product = m[i] * m[j] + m[3 + i] * m[3 + j] + m[6 + i] * m[6 + j];
            worst = fmax(worst, fabs(product - (i == j ? 1.0 : 0.0)));
            worst = isnan(product) ? NAN : worst;
        }
    }
    return worst;
}

/// max |U S V^T - F| / sigma_0, without overflow.
static double reconstruction(const double f[9], const struct decomposition *d) {
    double worst = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += d->u[3 * i + k] * (d->sigma[k] / d->sigma[0]) * d->v[3 * j + k];
            }
            const double error = fabs(sum - f[3 * i + j] / d->sigma[0]);
            worst = error <= worst || isnan(worst) ? worst : error;
        }
    }
    return d->sigma[0] == 0.0 ? 0.0 : worst;
}

struct worst {
    double reconstruction, u, v, determinant;
};

/// Asserts order and signs, and adds the residuals to `worst`.
static void check_parts(const double f[9], const struct decomposition *d, struct worst *worst) {
    assert_true(d->sigma[0] >= d->sigma[1]);
    assert_true(d->sigma[1] >= fabs(d->sigma[2]));
    worst->reconstruction = testing_greater(worst->reconstruction, reconstruction(f, d));
    worst->u = testing_greater(worst->u, orthogonality(d->u));
    worst->v = testing_greater(worst->v, orthogonality(d->v));
    worst->determinant = testing_greater(worst->determinant, fabs(determinant3(d->u) - 1.0));
    worst->determinant = testing_greater(worst->determinant, fabs(determinant3(d->v) - 1.0));
}

static void assert_worst(const struct worst *worst, const char *what) {
    assert_small(worst->reconstruction, RECONSTRUCTION, what);
    assert_small(worst->u, ORTHOGONALITY, what);
    assert_small(worst->v, ORTHOGONALITY, what);
    assert_small(worst->determinant, ORTHOGONALITY, what);
}

static void check(const double f[9], struct worst *worst) {
    struct decomposition d;
    svd3(f, d.u, d.sigma, d.v);
    check_parts(f, &d, worst);
}

static void random_matrices(void **state) {
    (void)state;
    struct random random = random_seed(1);
    struct worst worst = {0};
    for (int n = 0; n < 100000; n++) {
        double f[9];
        random_fill(&random, -1.0, 1.0, f, 9);
        check(f, &worst);
    }
    assert_worst(&worst, "random");
}

static void small_and_large_strains(void **state) {
    (void)state;
    struct random random = random_seed(2);
    struct worst worst = {0};
    for (int n = 0; n < 40000; n++) {
        double stretch[9];
        double f[9];
        sample_strained(&random, stretch, f);
        check(f, &worst);
        check(stretch, &worst);
    }
    assert_worst(&worst, "strain");
}

static void given_singular_values_come_out(void **state) {
    (void)state;
    static const double families[][3] = {
        {1.0, 1.0, 1.0},
        {1.0, 1.0, -1.0},
        {2.0, 2.0, 1.0},
        {2.0, 1.0, 1.0},
        {2.0, 2.0, -1.0},
        {2.0, 1.0, -1.0},
        {1.0, 1.0, 0.0},
        {1.0, 0.5, 0.0},
        {1.0, 0.0, 0.0},
        {0.0, 0.0, 0.0},
        {3.0, 2.0, -1e-3},
        {1.0, 1e-5, 1e-5},
        {1.0, 1e-8, -1e-8},
        {1.0, 1e-12, 1e-12},
        {1.0, 1e-5, 1e-10},
        {1.0, 1e-8, 1e-16},
        {1.0, 1.0, 1e-8},
        {1.0, 1.0 - 1e-12, 0.5},
        {1.0, 1.0 - 1e-8, 1.0 - 2e-8},
        {1e5, 1.0, 1e-5},
        {1.0, 0.999, -0.998},
        {1.0, 1e-3, -1e-3},
        {1.0, 1e-150, 1e-150},
    };
    struct random random = random_seed(3);
    for (size_t k = 0; k < COUNT_OF(families); k++) {
        struct worst worst = {0};
        double difference = 0.0;
        for (int n = 0; n < 1000; n++) {
            struct decomposition d;
            double f[9];
            random_stretched(&random, families[k], f);
            svd3(f, d.u, d.sigma, d.v);
            check_parts(f, &d, &worst);
            difference = testing_greater(difference,
                                         testing_max_difference(d.sigma, families[k], 3));
        }
        assert_worst(&worst, "family");
        // By Weyl's inequality the singular values change by at most the rounding of the matrix in
        // random_stretched.
        assert_small(difference, RECONSTRUCTION * families[k][0], "singular values");
    }
}

static void matrices_of_few_numbers(void **state) {
    (void)state;
    // All 3^9 matrices of entries -1, 0, 1: every rank, sign, tie and permutation.
    struct worst worst = {0};
    double difference = 0.0;
    for (int code = 0; code < 19683; code++) {
        double f[9];
        for (int i = 0, rest = code; i < 9; i++, rest /= 3) {
            f[i] = rest % 3 - 1;
        }
        struct decomposition d;
        svd3(f, d.u, d.sigma, d.v);
        check_parts(f, &d, &worst);
        const double product = d.sigma[0] * d.sigma[1] * d.sigma[2];
        difference = testing_greater(difference, fabs(product - determinant3(f)));
    }
    assert_small(difference, 50.0 * EPSILON, "determinant");
    assert_worst(&worst, "entries -1, 0, 1");
}

static void rank_one_and_two(void **state) {
    (void)state;
    struct random random = random_seed(4);
    struct worst worst = {0};
    for (int n = 0; n < 20000; n++) {
        double a[3];
        double b[3];
        double f[9];
        random_fill(&random, -1.0, 1.0, a, 3);
        random_fill(&random, -1.0, 1.0, b, 3);
        for (int i = 0; i < 9; i++) {
            f[i] = a[i / 3] * b[i % 3];
        }
        check(f, &worst);
        random_fill(&random, -1.0, 1.0, f, 9);
        for (int i = 0; i < 9; i += 3) {
            f[i + n % 3] = a[0] * f[i + (n + 1) % 3] + a[1] * f[i + (n + 2) % 3];
        }
        check(f, &worst);
    }
    assert_worst(&worst, "rank 1 and 2");
}

static void extreme_sizes(void **state) {
    (void)state;
    static const double sizes[] = {1e-320, 1e-308, 1e-300, 1e-150, 1e-20,
                                   1e20,   1e150,  1e300,  1.5e308};
    struct random random = random_seed(5);
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        struct worst worst = {0};
        for (int n = 0; n < 1000; n++) {
            double f[9];
            random_fill(&random, -0.5 * sizes[k], 0.5 * sizes[k], f, 9);
            check(f, &worst);
        }
        if (sizes[k] < 1e-307) {
            worst.reconstruction = 0.0; // entries and results are rounded to whole denormal numbers
        }
        assert_worst(&worst, "size");
    }
}

static void entries_of_every_size(void **state) {
    (void)state;
    struct random random = random_seed(6);
    struct worst worst = {0};
    for (int n = 0; n < 40000; n++) {
        double f[9];
        for (int i = 0; i < 9; i++) {
            f[i] = random_normal(&random) * pow(10.0, random_uniform(&random, -150.0, 150.0));
        }
        check(f, &worst);
        for (int i = 0; i < 9; i++) {
            f[i] = random_normal(&random) * pow(10.0, random_uniform(&random, -20.0, 0.0));
        }
        check(f, &worst);
    }
    assert_worst(&worst, "mixed sizes");
}

static void small_singular_values_keep_their_digits(void **state) {
    (void)state;
    // F = A D with A well conditioned and D diagonal. One-sided Jacobi computes every singular
    // value to full relative accuracy, where the eigenvalues of F^T F would lose everything below
    // 1e-8. The check uses dot products of the columns.
    struct random random = random_seed(7);
    double worst = 0.0;
    for (int n = 0; n < 5000; n++) {
        const double scales[3] = {1.0, 1e-6, 1e-12};
        double a[9];
        double f[9];
        double sigma[3];
        double u[9];
        double v[9];
        random_rotation(&random, a);
        for (int i = 0; i < 9; i++) {
            a[i] += 0.2 * random_uniform(&random, -1.0, 1.0);
            f[i] = a[i] * scales[i % 3];
        }
        svd3(f, u, sigma, v);
        const double product = sigma[0] * sigma[1] * sigma[2];
        const double determinant = determinant3(a) * 1e-18;
        worst = testing_greater(worst, fabs(product / determinant - 1.0));
    }
    assert_small(worst, 100.0 * EPSILON, "relative error of the product of singular values");
}

static void a_lane_does_not_know_its_neighbours(void **state) {
    (void)state;
    struct random random = random_seed(8);
    for (int n = 0; n < 3000; n++) {
        double f[LANES][9];
        lanes8 f8[9];
        lanes8 u8[9];
        lanes8 sigma8[3];
        lanes8 v8[9];
        for (int lane = 0; lane < LANES; lane++) {
            sample_of_any_size(&random, f[lane]);
            if (random_index(&random, 10) == 0) {
                f[lane][0] = NAN;
            }
            for (int i = 0; i < 9; i++) {
                f8[i][lane] = f[lane][i];
            }
        }
        svd3_lanes(f8, u8, sigma8, v8);
        for (int lane = 0; lane < LANES; lane++) {
            struct decomposition d;
            svd3(f[lane], d.u, d.sigma, d.v);
            if (isnan(f[lane][0])) {
                continue;
            }
            for (int i = 0; i < 9; i++) {
                assert_true(u8[i][lane] == d.u[i] && v8[i][lane] == d.v[i]);
            }
            for (int i = 0; i < 3; i++) {
                assert_true(sigma8[i][lane] == d.sigma[i]);
            }
        }
    }
}

typedef void decompose_fn(const double *f, double *u, double *sigma, double *v);

/// Decomposes the same eight matrices a few lanes at a time.
static void decompose(decompose_fn *kernel, int width, const double f[72], double out[168]) {
    for (int i = 0; i < LANES; i += width) {
        kernel(f + i, out + i, out + 72 + i, out + 96 + i);
    }
}

static void every_width_gives_the_same_bits(void **state) {
    (void)state;
    struct random random = random_seed(10);
    for (int n = 0; n < 3000; n++) {
        double f[72];
        double two[168];
        double wider[168];
        const double strain = pow(10.0, random_uniform(&random, -17.0, 2.0));
        random_fill(&random, -strain, strain, f, 72);
        for (int i = 0; i < 72; i += 32) {
            for (int k = 0; k < LANES; k++) {
                f[i + k] += (double)(k % 3);
            }
        }
        decompose(svd3_two, 2, f, two);
#if defined(PBS_HAS_CLONES)
        if (has_avx2()) {
            decompose(svd3_four, 4, f, wider);
            assert_same_bits(wider, two, 168);
        }
        if (!has_avx512()) {
            continue;
        }
#endif
        decompose(svd3_eight, 8, f, wider);
        assert_same_bits(wider, two, 168);
    }
}

static void identity_and_zero_are_left_in_place(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct decomposition d;
        double f[9];
        double expected[9];
        identity33(expected);
        for (int i = 0; i < 9; i++) {
            f[i] = k * expected[i];
        }
        svd3(f, d.u, d.sigma, d.v);
        for (int i = 0; i < 9; i++) {
            assert_true(d.u[i] == expected[i] && d.v[i] == expected[i]);
        }
        assert_true(d.sigma[0] == k && d.sigma[1] == k && d.sigma[2] == k);
    }
}

static void what_is_not_finite_ends_too(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int place = 0; place < 9; place++) {
        for (size_t b = 0; b < COUNT_OF(bad); b++) {
            struct decomposition d;
            double f[9] = {1.0, 0.2, 0.3, 0.4, 1.0, 0.6, 0.7, 0.8, 1.0};
            f[place] = bad[b];
            svd3(f, d.u, d.sigma, d.v);
            assert_false(isfinite(d.sigma[0]) && isfinite(d.sigma[1]) && isfinite(d.sigma[2]));
        }
    }
}

static void the_polar_rotation_is_the_nearest(void **state) {
    (void)state;
    struct random random = random_seed(9);
    double worst = 0.0;
    for (int n = 0; n < 10000; n++) {
        // F = R S with S symmetric positive definite gives R back.
        double r[9];
        double s[9];
        double f[9];
        double polar[9];
        double half[9];
        random_rotation(&random, r);
        random_fill(&random, -0.2, 0.2, half, 9);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                s[3 * i + j] = (i == j ? 1.0 : 0.0) + half[3 * i + j] + half[3 * j + i];
            }
        }
        if (s[0] <= 0.0 || s[0] * s[4] - s[1] * s[1] <= 0.0 || determinant3(s) <= 0.05) {
            continue;
        }
        multiply33(r, s, f);
        polar3(f, polar);
        worst = testing_greater(worst, testing_max_difference(polar, r, 9));
    }
    // The condition number of R is 2 / (sigma_1 + sigma_2), here below 10.
    assert_small(worst, 200.0 * EPSILON, "polar rotation");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(small_and_large_strains),
        cmocka_unit_test(given_singular_values_come_out),
        cmocka_unit_test(matrices_of_few_numbers),
        cmocka_unit_test(rank_one_and_two),
        cmocka_unit_test(extreme_sizes),
        cmocka_unit_test(entries_of_every_size),
        cmocka_unit_test(small_singular_values_keep_their_digits),
        cmocka_unit_test(a_lane_does_not_know_its_neighbours),
        cmocka_unit_test(every_width_gives_the_same_bits),
        cmocka_unit_test(identity_and_zero_are_left_in_place),
        cmocka_unit_test(what_is_not_finite_ends_too),
        cmocka_unit_test(the_polar_rotation_is_the_nearest),
    };
    return cmocka_run_group_tests_name("base/svd3", tests, NULL, NULL);
}

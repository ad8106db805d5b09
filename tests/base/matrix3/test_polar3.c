// Compares the rotation in closed form with that of the singular value decomposition, and its
// derivative with finite differences.
// SPDX-License-Identifier: MIT
#include "base/matrix3/polar3.h"

#include <float.h>

#include "base/matrix3/math3.h"
#include "base/matrix_samples.h"
#include "base/matrix3/svd3.h"
#include "support/random.h"
#include "support/testing.h"

struct polar {
    double r[9], rate[9];
};

static void cofactors(const double f[9], double c[9]) {
    cross3(f + 3, f + 6, c);
    cross3(f + 6, f, c + 3);
    cross3(f, f + 3, c + 6);
}

struct inputs {
    lanes8 f[9], cofactor[9], j;
};

static void spread(double f[LANES][9], struct inputs *in) {
    for (int lane = 0; lane < LANES; lane++) {
        double c[9];
        cofactors(f[lane], c);
        for (int i = 0; i < 9; i++) {
            in->f[i][lane] = f[lane][i];
            in->cofactor[i][lane] = c[i];
        }
        in->j[lane] = dot3(f[lane], c);
    }
}

static void decompose_eight(double f[LANES][9], double smallest_sum, struct polar out[LANES]) {
    static const int upper[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    struct inputs in;
    lanes8 r[9];
    lanes8 rate[6];
    spread(f, &in);
    polar3_with_rate_lanes(in.f, in.cofactor, in.j, smallest_sum, r, rate);
    for (int lane = 0; lane < LANES; lane++) {
        for (int i = 0; i < 9; i++) {
            out[lane].r[i] = r[i][lane];
            out[lane].rate[i] = rate[upper[i]][lane];
        }
    }
}

static void decompose(const double f[9], double smallest_sum, struct polar *out) {
    double same[LANES][9];
    struct polar results[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        memcpy(same[lane], f, sizeof same[lane]);
    }
    decompose_eight(same, smallest_sum, results);
    *out = results[0];
}

/// Returns in how many of eight lanes with the same matrix the closed form is not used: none or
/// all.
static bool is_hard(const double f[9]) {
    double same[LANES][9];
    struct inputs in;
    lanes8 r[9];
    lanes8 x;
    lanes8 inverse;
    for (int lane = 0; lane < LANES; lane++) {
        memcpy(same[lane], f, sizeof same[lane]);
    }
    spread(same, &in);
    const mask8 good = polar3_closed(in.f, in.cofactor, in.j, r, &x, &inverse);
    return lanes_any(~good);
}

/// Returns max |A B - 1|; max |A B^T - 1| if transposed.
static double off_identity(const double a[9], const double b[9], bool transposed) {
    double worst = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = i == j ? -1.0 : 0.0;
            for (int k = 0; k < 3; k++) {
                sum += a[3 * i + k] * (transposed ? b[3 * j + k] : b[3 * k + j]);
            }
            worst = testing_greater(worst, fabs(sum));
        }
    }
    return worst;
}

struct worst {
    double rotation, orthogonality, rate;
};

/// Returns errors in units of what rounding may cause. x is known to epsilon x^3 / d, and the error
/// of the closed form is x^3 / d times larger; elsewhere R is that of the decomposition. rate is
/// compared with U diag(1 / (s_i + s_j)) U^T, relative to its largest eigenvalue.
static void check(const double f[9], struct worst *worst) {
    struct polar polar;
    double u[9], s[3], v[9], expected[9];
    decompose(f, 1e-6, &polar);
    svd3(f, u, s, v);
    const double sums[3] = {s[1] + s[2], s[0] + s[2], s[0] + s[1]};
    const double x = s[0] + s[1] + s[2];
    const double loss = fmin(0.5 * x * x * x / (sums[0] * sums[1] * sums[2]),
                             1.0 / POLAR3_SMALLEST_RATIO);
    const double unit = DBL_EPSILON * loss * loss;
    polar3(f, expected);
    worst->rotation = testing_greater(worst->rotation,
                                      testing_max_difference(polar.r, expected, 9) / unit);
    worst->orthogonality = testing_greater(worst->orthogonality,
                                           off_identity(polar.r, polar.r, true) / unit);
    for (int i = 0; i < 9; i++) {
        expected[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            expected[i] += u[3 * (i / 3) + k] * u[3 * (i % 3) + k] / fmax(sums[k], 1e-6);
        }
    }
    const double error = testing_max_difference(polar.rate, expected, 9) * fmax(sums[0], 1e-6);
    worst->rate = testing_greater(worst->rate, error / unit);
}

/// About six roundings of terms up to x^4, divided by 4 d, then 5 x^3 / d times that for R. A few
/// times as many for rate, whose factors are computed from R.
static void assert_worst(const struct worst *worst, const char *what) {
    assert_small(worst->rotation, 8.0, what);
    assert_small(worst->orthogonality, 8.0, what);
    assert_small(worst->rate, 32.0, what);
}

static void random_matrices(void **state) {
    (void)state;
    struct random random = random_seed(1);
    struct worst worst = {0};
    int hard = 0;
    for (int n = 0; n < 100000; n++) {
        double f[9];
        random_fill(&random, -1.0, 1.0, f, 9);
        check(f, &worst);
        hard += n < 1000 && is_hard(f);
    }
    assert_worst(&worst, "random");
    assert_true(hard > 0 && hard < 500); // both methods are used
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
    }
    assert_worst(&worst, "strain");
}

static void equal_flat_and_inverted(void **state) {
    (void)state;
    static const double families[][3] = {
        {1.0, 1.0, 1.0},   {2.0, 2.0, 1.0},    {2.0, 1.0, 1.0},   {1.0, 1.0, 0.0},
        {1.0, 0.5, 0.0},   {1.0, 1.0, -0.5},   {2.0, 1.0, -0.3},  {1.0, 0.999, -0.998},
        {3.0, 2.0, -1e-3}, {1.0, 0.05, 0.05},  {1.0, 0.02, 0.02}, {1.0, 0.03, 0.0},
        {30.0, 1.0, 0.03}, {1.0, 1.0, 1e-8},   {1.0, 1e-3, 1e-3}, {1.0, 0.1, -0.05},
        {1e5, 1.0, 1e-5},  {1.0, 0.04, 0.031}, {0.4, 0.4, 0.4},   {1.0, 0.3, -0.2},
    };
    struct random random = random_seed(3);
    for (size_t k = 0; k < COUNT_OF(families); k++) {
        struct worst worst = {0};
        for (int n = 0; n < 1000; n++) {
            double f[9];
            random_stretched(&random, families[k], f);
            check(f, &worst);
        }
        // Near a vanishing sum of singular values, the decomposition itself is no more accurate
        // than this.
        const double s[3] = {families[k][0], families[k][1], families[k][2]};
        const double condition = s[0] / (s[1] + s[2]) * POLAR3_SMALLEST_RATIO;
        if (condition > 0.5) {
            worst.rotation /= 8.0 * condition;
            worst.rate /= 8.0 * condition;
        }
        assert_worst(&worst, "family");
    }
}

/// Singular values between 0.4 and 2, also inverted with sums of at least 0.4, are the range of the
/// closed form: no decomposition is computed.
static void common_states_are_easy(void **state) {
    (void)state;
    struct random random = random_seed(4);
    for (int n = 0; n < 20000; n++) {
        double f[9];
        double s[3];
        random_fill(&random, 0.4, 2.0, s, 3);
        if (n % 4 == 0) {
            s[2] = -0.5 * fmin(s[0], s[1]) + 0.2;
        }
        random_stretched(&random, s, f);
        assert_false(is_hard(f));
    }
}

/// Compares central differences of R with [rate w]x R.
static void the_rate_is_that_of_the_rotation(void **state) {
    (void)state;
    struct random random = random_seed(5);
    const double step = 1e-5;
    double worst = 0.0;
    for (int n = 0; n < 2000; n++) {
        double f[9], change[9], ahead[9], behind[9], spin[3], turn[3];
        struct polar at, next, last;
        double s[3];
        random_fill(&random, 0.4, 2.0, s, 3);
        s[2] = n % 2 ? s[2] : -0.5 * fmin(s[0], s[1]) + 0.2;
        random_stretched(&random, s, f);
        random_fill(&random, -1.0, 1.0, change, 9);
        for (int i = 0; i < 9; i++) {
            ahead[i] = f[i] + step * change[i];
            behind[i] = f[i] - step * change[i];
        }
        decompose(f, 0.0, &at);
        decompose(ahead, 0.0, &next);
        decompose(behind, 0.0, &last);
        double b[9]; // dF R^T
        for (int i = 0; i < 9; i++) {
            b[i] = dot3(change + 3 * (i / 3), at.r + 3 * (i % 3));
        }
        const double w[3] = {b[7] - b[5], b[2] - b[6], b[3] - b[1]};
        multiply3(at.rate, w, spin);
        for (int j = 0; j < 3; j++) {
            const double column[3] = {at.r[j], at.r[3 + j], at.r[6 + j]};
            cross3(spin, column, turn);
            for (int i = 0; i < 3; i++) {
                const double found = (next.r[3 * i + j] - last.r[3 * i + j]) / (2.0 * step);
                worst = testing_greater(worst, fabs(found - turn[i]));
            }
        }
    }
    // Third derivatives of R, at most 6 (|dF| / (s_i + s_j))^3 < 2500, times step^2 / 6, plus
    // rounding, 100 epsilon / step.
    assert_small(worst, 5e-8, "dR");
}

static void the_identity_is_exact(void **state) {
    (void)state;
    struct polar polar;
    double identity[9];
    identity33(identity);
    decompose(identity, 0.0, &polar);
    for (int i = 0; i < 9; i++) {
        assert_true(polar.r[i] == identity[i] && polar.rate[i] == 0.5 * identity[i]);
    }
}

static void any_size_and_no_number(void **state) {
    (void)state;
    static const double sizes[] = {1e-320, 1e-200, 1e-80, 1e-60, 1e-55, 1e55,
                                   1e76,   1e78,   1e103, 1e150, 1e300};
    struct random random = random_seed(6);
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        for (int n = 0; n < 500; n++) {
            double f[9];
            struct polar polar;
            random_fill(&random, -sizes[k], sizes[k], f, 9);
            decompose(f, 0.0, &polar);
            assert_small(off_identity(polar.r, polar.r, true), 512.0 * DBL_EPSILON, "R R^T");
            assert_near(determinant3(polar.r), 1.0, 512.0 * DBL_EPSILON, "det R");
        }
    }
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        const double f[9] = {1.0, 0.0, 0.0, 0.0, bad[k], 0.0, 0.0, 0.0, 1.0};
        assert_true(is_hard(f));
    }
}

static void the_rate_stays_below_its_limit(void **state) {
    (void)state;
    struct random random = random_seed(7);
    for (int n = 0; n < 1000; n++) {
        const double s[3] = {1.0, 0.5, -0.5};
        double f[9];
        struct polar polar;
        random_stretched(&random, s, f);
        decompose(f, 1e-6, &polar);
        const double trace = polar.rate[0] + polar.rate[4] + polar.rate[8];
        // 1 / 1e-6, with an error from the sum itself, 1e-15, and from the other two, 1/1.5 +
        // 1/0.5.
        assert_near(trace, 1e6 + 1.0 / 1.5 + 1.0 / 0.5, 1e-8, "trace of the rate");
    }
}

static void a_lane_does_not_know_its_neighbours(void **state) {
    (void)state;
    struct random random = random_seed(8);
    for (int n = 0; n < 3000; n++) {
        double f[LANES][9];
        struct polar together[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            sample_of_any_size(&random, f[lane]);
        }
        decompose_eight(f, 1e-6, together);
        for (int lane = 0; lane < LANES; lane++) {
            struct polar alone;
            decompose(f[lane], 1e-6, &alone);
            for (int i = 0; i < 9; i++) {
                assert_true(together[lane].r[i] == alone.r[i]);
                assert_true(together[lane].rate[i] == alone.rate[i]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(small_and_large_strains),
        cmocka_unit_test(equal_flat_and_inverted),
        cmocka_unit_test(common_states_are_easy),
        cmocka_unit_test(the_rate_is_that_of_the_rotation),
        cmocka_unit_test(the_identity_is_exact),
        cmocka_unit_test(any_size_and_no_number),
        cmocka_unit_test(the_rate_stays_below_its_limit),
        cmocka_unit_test(a_lane_does_not_know_its_neighbours),
    };
    return cmocka_run_group_tests_name("base/polar3", tests, NULL, NULL);
}

// Compares eigenvalues with known ones, and tests the projection to positive semidefinite matrices.
// SPDX-License-Identifier: MIT
#include "base/matrix3/eigen3.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/matrix3_widths.h"
#include "support/random.h"
#include "support/testing.h"

#define EPSILON 2.220446049250313e-16

/// a = Q diag(lambda) Q^T, exactly symmetric.
static void compose(const double q[9], const double lambda[3], double a[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += q[3 * i + k] * lambda[k] * q[3 * j + k];
            }
            a[3 * i + j] = sum;
            a[3 * j + i] = sum;
        }
    }
}

static double size(const double a[9]) {
    double largest = 0.0;
    for (int i = 0; i < 9; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

/// Asserts the order, and returns the largest of the errors of reconstruction (relative), of
/// orthogonality, and of det Q - 1.
static double residual(const double a[9], const double lambda[3], const double q[9]) {
    assert_true(lambda[0] <= lambda[1] && lambda[1] <= lambda[2]);
    double back[9];
    double worst = fabs(determinant3(q) - 1.0);
    compose(q, lambda, back);
    if (size(a) > 0.0) {
        for (int i = 0; i < 9; i++) {
            worst = testing_greater(worst, fabs(back[i] / size(a) - a[i] / size(a)));
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double product = q[i] * q[j] + q[3 + i] * q[3 + j] + q[6 + i] * q[6 + j];
            worst = testing_greater(worst, fabs(product - (i == j ? 1.0 : 0.0)));
        }
    }
    return worst;
}

static void random_symmetric(struct random *random, double a[9]) {
    random_fill(random, -1.0, 1.0, a, 9);
    a[3] = a[1];
    a[6] = a[2];
    a[7] = a[5];
}

static void random_matrices_are_diagonalised(void **state) {
    (void)state;
    struct random random = random_seed(1);
    double worst = 0.0;
    for (int n = 0; n < 100000; n++) {
        double a[9];
        double q[9];
        double lambda[3];
        random_symmetric(&random, a);
        eigen3(a, lambda, q);
        worst = testing_greater(worst, residual(a, lambda, q));
    }
    assert_small(worst, 20.0 * EPSILON, "random");
}

static void eigenvalues_that_are_known(void **state) {
    (void)state;
    static const double families[][3] = {
        {1.0, 2.0, 3.0},    {-3.0, 1.0, 2.0},       {1.0, 1.0, 1.0},         {1.0, 1.0, 2.0},
        {1.0, 2.0, 2.0},    {0.0, 0.0, 1.0},        {-1.0, 0.0, 1.0},        {0.0, 0.0, 0.0},
        {1e-12, 1.0, 1.0},  {-1.0, 1e-8, 1.0},      {1.0, 1.0 + 1e-13, 2.0}, {-2.0, -1.0, -1.0},
        {1e-15, 1e-8, 1.0}, {-1e150, 1e149, 1e150}, {-1e-150, 0.0, 1e-150},
    };
    struct random random = random_seed(2);
    for (size_t k = 0; k < COUNT_OF(families); k++) {
        const double largest = fmax(fabs(families[k][0]), fabs(families[k][2]));
        double worst = 0.0;
        double difference = 0.0;
        for (int n = 0; n < 1000; n++) {
            double rotation[9];
            double a[9];
            double q[9];
            double lambda[3];
            random_rotation(&random, rotation);
            compose(rotation, families[k], a);
            eigen3(a, lambda, q);
            worst = testing_greater(worst, residual(a, lambda, q));
            difference = testing_greater(difference,
                                         testing_max_difference(lambda, families[k], 3));
        }
        assert_small(worst, 20.0 * EPSILON, "family");
        assert_small(difference, 20.0 * EPSILON * largest, "eigenvalues");
    }
}

static void closed_forms(void **state) {
    (void)state;
    // The second difference matrix with eigenvalues 2 - 2 cos(k pi / 4), and the matrix of ones
    // with 0, 0, 3.
    const double difference[9] = {2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0};
    const double ones[9] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    const double expected[3] = {2.0 - sqrt(2.0), 2.0, 2.0 + sqrt(2.0)};
    const double expected_ones[3] = {0.0, 0.0, 3.0};
    double lambda[3];
    double q[9];
    eigen3(difference, lambda, q);
    assert_small(testing_max_difference(lambda, expected, 3), 10.0 * EPSILON, "second differences");
    eigen3(ones, lambda, q);
    assert_small(testing_max_difference(lambda, expected_ones, 3), 10.0 * EPSILON, "ones");
}

static void only_the_upper_triangle_is_read(void **state) {
    (void)state;
    double a[9] = {2.0, -1.0, 0.5, -1.0, 2.0, -1.0, 0.5, -1.0, 2.0};
    double lambda[3];
    double other_lambda[3];
    double q[9];
    double other_q[9];
    eigen3(a, lambda, q);
    a[3] = a[6] = a[7] = NAN;
    eigen3(a, other_lambda, other_q);
    assert_same_bits(lambda, other_lambda, 3);
    assert_same_bits(q, other_q, 9);
}

static void what_is_not_finite_ends_too(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < COUNT_OF(bad); b++) {
        for (int place = 0; place < 9; place++) {
            double a[9] = {2.0, -1.0, 0.5, -1.0, 2.0, -1.0, 0.5, -1.0, -2.0};
            double lambda[3];
            double q[9];
            a[place] = bad[b];
            eigen3(a, lambda, q);
            eigen3_project(a);
        }
    }
}

// --- projection ---

static void the_projection_drops_negative_eigenvalues(void **state) {
    (void)state;
    struct random random = random_seed(3);
    double worst = 0.0;
    double least = 0.0;
    for (int n = 0; n < 20000; n++) {
        const double scale = pow(10.0, random_uniform(&random, -160.0, 160.0));
        double lambda[3];
        double q[9];
        double a[9];
        double expected[9];
        random_fill(&random, -1.0, 1.0, lambda, 3);
        lambda[n % 3] *= n % 7 == 0 ? 0.0 : n % 5 == 0 ? 1e-15 : 1.0;
        random_rotation(&random, q);
        compose(q, lambda, a);
        for (int i = 0; i < 3; i++) {
            lambda[i] = fmax(lambda[i], 0.0);
        }
        compose(q, lambda, expected);
        for (int i = 0; i < 9; i++) {
            a[i] *= scale;
        }
        eigen3_project(a);
        for (int i = 0; i < 9; i++) {
            a[i] /= scale;
        }
        assert_true(a[1] == a[3] && a[2] == a[6] && a[5] == a[7]);
        worst = testing_greater(worst, testing_max_difference(a, expected, 9));
        eigen3(a, lambda, q);
        least = fmin(least, lambda[0]);
    }
    assert_small(worst, 20.0 * EPSILON, "nearest matrix");
    assert_small(-least, 4.0 * EPSILON, "negative eigenvalue");
}

static void semidefinite_matrices_keep_their_bits(void **state) {
    (void)state;
    struct random random = random_seed(4);
    for (int n = 0; n < 20000; n++) {
        double lambda[3];
        double q[9];
        double a[9];
        double before[9];
        random_fill(&random, 1e-10, 1.0, lambda, 3);
        random_rotation(&random, q);
        compose(q, lambda, a);
        memcpy(before, a, sizeof a);
        eigen3_project(a);
        assert_same_bits(a, before, 9);
    }
}

static void a_lane_does_not_know_its_neighbours(void **state) {
    (void)state;
    static const int upper[6] = {0, 1, 2, 4, 5, 8};
    struct random random = random_seed(5);
    for (int n = 0; n < 3000; n++) {
        double a[LANES][9];
        lanes8 a8[6];
        for (int lane = 0; lane < LANES; lane++) {
            const double scale = pow(10.0, random_uniform(&random, -10.0, 10.0));
            random_symmetric(&random, a[lane]);
            a[lane][0] += 2.0 * (double)random_index(&random, 2);
            for (int i = 0; i < 9; i++) {
                a[lane][i] *= scale;
            }
            for (int i = 0; i < 6; i++) {
                a8[i][lane] = a[lane][upper[i]];
            }
        }
        eigen3_project_lanes(a8);
        for (int lane = 0; lane < LANES; lane++) {
            eigen3_project(a[lane]);
            for (int i = 0; i < 6; i++) {
                assert_true(a8[i][lane] == a[lane][upper[i]]);
            }
        }
    }
}

static void every_width_gives_the_same_bits(void **state) {
    (void)state;
    struct random random = random_seed(6);
    for (int n = 0; n < 3000; n++) {
        double two[48];
        double wider[48];
        double a[48];
        random_fill(&random, -1.0, 1.0, a, 48);
        memcpy(two, a, sizeof a);
        for (int i = 0; i < LANES; i += 2) {
            eigen3_project_two(two + i);
        }
#if defined(PBS_HAS_CLONES)
        memcpy(wider, a, sizeof a);
        for (int i = 0; has_avx2() && i < LANES; i += 4) {
            eigen3_project_four(wider + i);
        }
        if (has_avx2()) {
            assert_same_bits(wider, two, 48);
        }
        if (!has_avx512()) {
            continue;
        }
#endif
        memcpy(wider, a, sizeof a);
        eigen3_project_eight(wider);
        assert_same_bits(wider, two, 48);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_are_diagonalised),
        cmocka_unit_test(eigenvalues_that_are_known),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(only_the_upper_triangle_is_read),
        cmocka_unit_test(what_is_not_finite_ends_too),
        cmocka_unit_test(the_projection_drops_negative_eigenvalues),
        cmocka_unit_test(semidefinite_matrices_keep_their_bits),
        cmocka_unit_test(a_lane_does_not_know_its_neighbours),
        cmocka_unit_test(every_width_gives_the_same_bits),
    };
    return cmocka_run_group_tests_name("base/eigen3", tests, NULL, NULL);
}

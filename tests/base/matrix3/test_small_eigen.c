// Eigenvalues of matrices of one to six rows that are made of known ones.
// SPDX-License-Identifier: MIT
#include "base/matrix3/small_eigen.h"

#include "support/random.h"
#include "support/testing.h"

enum { ROWS = SMALL_EIGEN_ROWS };

/// Orthonormal columns: those of random numbers, each made orthogonal to the ones before, twice.
static void random_frame(struct random *numbers, int n, double q[ROWS][ROWS]) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            q[i][j] = random_uniform(numbers, -1.0, 1.0);
        }
        for (int k = 0; k < 2 * j; k++) {
            double along = 0.0;
            for (int i = 0; i < n; i++) {
                along += q[i][j] * q[i][k % j];
            }
            for (int i = 0; i < n; i++) {
                q[i][j] -= along * q[i][k % j];
            }
        }
        double square = 0.0;
        for (int i = 0; i < n; i++) {
            square += q[i][j] * q[i][j];
        }
        for (int i = 0; i < n; i++) {
            q[i][j] /= sqrt(square);
        }
    }
}

static void compose(int n, double q[ROWS][ROWS], const double *lambda, double a[ROWS][ROWS]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = 0.0;
            for (int k = 0; k < n; k++) {
                a[i][j] += q[i][k] * lambda[k] * q[j][k];
            }
        }
    }
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The eigenvalues are those that the matrix is made of, distinct, equal or zero; Q Lambda Q^T is
/// the matrix, and Q^T Q the identity: to rounding of some tens of operations, relative to the
/// largest.
static void matrices_are_diagonalised(void **state) {
    (void)state;
    struct random numbers = random_seed(3);
    for (int trial = 0; trial < 3000; trial++) {
        const int n = 1 + trial % ROWS;
        double lambda[ROWS];
        double frame[ROWS][ROWS];
        double a[ROWS][ROWS];
        double kept[ROWS][ROWS];
        double q[ROWS][ROWS];
        double found[ROWS];
        const double scale = pow(10.0, random_uniform(&numbers, -150.0, 150.0));
        for (int i = 0; i < n; i++) {
            const double share = random_uniform(&numbers, -1.0, 1.0);
            lambda[i] = scale * (trial % 3 == 0 ? round(2.0 * share) / 2.0 : share);
        }
        random_frame(&numbers, n, frame);
        compose(n, frame, lambda, a);
        memcpy(kept, a, sizeof kept);
        small_eigen(n, a, q);
        for (int i = 0; i < n; i++) {
            found[i] = a[i][i];
        }
        compose(n, q, found, a);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double dot = 0.0;
                for (int k = 0; k < n; k++) {
                    dot += q[k][i] * q[k][j];
                }
                assert_near(dot, i == j ? 1.0 : 0.0, 1e-14, "orthogonality");
                assert_small(fabs(a[i][j] - kept[i][j]), 1e-14 * scale, "matrix");
            }
        }
        qsort(lambda, (size_t)n, sizeof *lambda, ascending);
        qsort(found, (size_t)n, sizeof *found, ascending);
        for (int i = 0; i < n; i++) {
            assert_small(fabs(found[i] - lambda[i]), 1e-14 * scale, "eigenvalue");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices_are_diagonalised)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

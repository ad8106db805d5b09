// The host's element Hessians made semidefinite, beside LAPACK's eigenvectors.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/custom/project.h"
#include "support/random.h"

/// LAPACK's symmetric eigenvalues, as Fortran calls it.
void dsyev_(const char *job, const char *triangle, const int *n, double *a, const int *leading,
            double *values, double *work, const int *work_count, int *info, size_t job_length,
            size_t triangle_length);
/// OpenBLAS otherwise wakes threads for every matrix of nine rows.
void openblas_set_num_threads(int count);

enum { MOST = PROJECT_MAX_SIZE * PROJECT_MAX_SIZE };

static void clamp_by_lapack(int size, double *a, double *smallest) {
    double vectors[MOST];
    double values[PROJECT_MAX_SIZE];
    double work[1024];
    const int work_count = 1024;
    int info = 0;
    memcpy(vectors, a, sizeof vectors);
    dsyev_("V", "U", &size, vectors, &size, values, work, &work_count, &info, 1, 1);
    assert_int_equal(info, 0);
    *smallest = values[0];
    for (int ij = 0; ij < size * size; ij++) {
        a[ij] = 0.0;
        for (int k = 0; k < size; k++) {
            a[ij] += fmax(values[k], 0.0) * vectors[size * k + ij / size] *
                     vectors[size * k + ij % size];
        }
    }
}

/// A random symmetric matrix of that rank, indefinite unless the rank is full of positive squares.
static void make_matrix(struct random *random, int size, int rank, bool positive, double *a) {
    memset(a, 0, MOST * sizeof *a);
    for (int r = 0; r < rank; r++) {
        double v[PROJECT_MAX_SIZE];
        const double sign = positive || r % 2 ? 1.0 : -1.0;
        random_fill(random, -1.0, 1.0, v, (size_t)size);
        for (int ij = 0; ij < size * size; ij++) {
            a[ij] += sign * v[ij / size] * v[ij % size];
        }
    }
}

static void test_nearest(void **state) {
    struct random random = random_seed(14);
    (void)state;
    for (int size = 3; size <= PROJECT_MAX_SIZE; size += 3) {
        for (int trial = 0; trial < 40; trial++) {
            double a[MOST];
            double expected[MOST];
            double smallest;
            make_matrix(&random, size, 1 + trial % size, trial % 3 == 0, a);
            memcpy(expected, a, sizeof a);
            clamp_by_lapack(size, expected, &smallest);
            project_symmetric(size, a);
            assert_small(testing_max_difference(a, expected, (size_t)(size * size)), 1e-13 * size,
                         "nearest semidefinite");
        }
    }
}

static void test_recognises_semidefinite(void **state) {
    struct random random = random_seed(15);
    (void)state;
    for (int size = 3; size <= PROJECT_MAX_SIZE; size += 3) {
        for (int trial = 0; trial < 40; trial++) {
            double a[MOST];
            make_matrix(&random, size, 1 + trial % size, true, a);
            assert_true(project_is_semidefinite(size, a));
            make_matrix(&random, size, 1 + trial % size, false, a);
            assert_false(project_is_semidefinite(size, a));
        }
    }
    const double zero[MOST] = {0};
    assert_true(project_is_semidefinite(24, zero));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_recognises_semidefinite),
    };
    openblas_set_num_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

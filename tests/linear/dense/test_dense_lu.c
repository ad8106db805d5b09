// LU factors of full matrices: solutions, singular matrices, condition numbers, and that none of it
// depends on how many threads OpenBLAS has.
// SPDX-License-Identifier: MIT
#include "linear/dense/dense_lu.h"

#include <cblas.h>
#include <float.h>

#include "support/host/refusals.h"
#include "support/random.h"
#include "support/testing.h"

/// To be freed with dense_lu_free; random entries in [-1, 1), unsymmetric.
static struct dense_lu random_matrix(struct memory *memory, size_t n, uint64_t seed, double *copy) {
    struct dense_lu lu;
    assert_ok(dense_lu_create(memory, n, &lu));
    struct random random = random_seed(seed);
    random_fill(&random, -1.0, 1.0, lu.matrix, n * n);
    if (copy != NULL) {
        memcpy(copy, lu.matrix, n * n * sizeof *copy);
    }
    return lu;
}

static double *numbers(size_t count) {
    double *x = calloc(count, sizeof *x);
    assert_non_null(x);
    return x;
}

/// Sizes around where a matrix needs a second panel (91), panels become narrow, and one column
/// fills one (8192 entries are more than any here has rows; 300 has panels of 27 columns).
static const size_t sizes[] = {1, 2, 3, 7, 64, 90, 91, 100, 137, 300};

/// |A x - b| <= n eps growth |A| |x|, with the growth of partial pivoting on random matrices below
/// 20 at these sizes.
static void solutions_have_small_residuals(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        const size_t n = sizes[s];
        struct memory memory;
        memory_init(&memory, NULL);
        double *a = numbers(n * n), *x = numbers(n), *b = numbers(n);
        struct dense_lu lu = random_matrix(&memory, n, n, a);
        struct random random = random_seed(1000 + n);
        random_fill(&random, -1.0, 1.0, b, n);
        memcpy(x, b, n * sizeof *x);
        assert_true(dense_lu_factor(&lu));
        dense_lu_solve(&lu, x);
        double residual = 0.0, largest = 0.0;
        for (size_t i = 0; i < n; i++) {
            double sum = -b[i];
            for (size_t j = 0; j < n; j++) {
                sum += a[i * n + j] * x[j];
            }
            residual = fmax(residual, fabs(sum));
            largest = fmax(largest, fabs(x[i]));
        }
        assert_small(residual / largest, 20.0 * (double)n * DBL_EPSILON * (double)n, "residual");
        dense_lu_free(&lu, &memory);
        assert_int_equal(memory.bytes_in_use, 0);
        free(a);
        free(x);
        free(b);
    }
}

/// The exact ||A||_1 ||A^-1||_1, column by column.
static double exact_condition(const struct dense_lu *lu, const double *a) {
    const size_t n = lu->size;
    double norm = 0.0, inverse_norm = 0.0;
    double *column = numbers(n);
    for (size_t j = 0; j < n; j++) {
        double sum = 0.0, inverse_sum = 0.0;
        memset(column, 0, n * sizeof *column);
        column[j] = 1.0;
        dense_lu_solve(lu, column);
        for (size_t i = 0; i < n; i++) {
            sum += fabs(a[i * n + j]);
            inverse_sum += fabs(column[i]);
        }
        norm = fmax(norm, sum);
        inverse_norm = fmax(inverse_norm, inverse_sum);
    }
    free(column);
    return norm * inverse_norm;
}

/// The estimate is a lower bound, and within a factor of 3.
static void condition_numbers_are_estimated(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        const size_t n = sizes[s];
        double *a = numbers(n * n);
        struct dense_lu lu = random_matrix(&memory, n, 7 + n, a);
        assert_true(dense_lu_condition(&lu) == INFINITY); // not factored yet
        assert_true(dense_lu_factor(&lu));
        const double exact = exact_condition(&lu, a), estimate = dense_lu_condition(&lu);
        assert_true(estimate <= exact * (1.0 + 1e-6) && estimate >= exact / 3.0);
        dense_lu_free(&lu, &memory);
        free(a);
    }
    // 1-norms of (1 2; 0 1) and its inverse are 3 each; the transpose is what LAPACK sees.
    struct dense_lu lu;
    assert_ok(dense_lu_create(&memory, 2, &lu));
    const double shear[4] = {1.0, 2.0, 0.0, 1.0};
    memcpy(lu.matrix, shear, sizeof shear);
    assert_true(dense_lu_factor(&lu));
    assert_near(dense_lu_condition(&lu), 9.0, 1e-14, "condition of a shear");
    dense_lu_free(&lu, &memory);
}

static void singular_matrices_are_told(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    for (size_t s = 1; s < COUNT_OF(sizes); s++) {
        const size_t n = sizes[s];
        struct dense_lu lu = random_matrix(&memory, n, 3, NULL);
        // A column of zeros, in the last panel.
        for (size_t i = 0; i < n; i++) {
            lu.matrix[i * n + n - 1] = 0.0;
        }
        assert_false(dense_lu_factor(&lu));
        assert_true(dense_lu_condition(&lu) == INFINITY);
        dense_lu_free(&lu, &memory);
    }
}

/// The bits of factors, solution and condition number; the number of threads is left as it was.
static void threads_of_openblas_do_not_matter(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    const int before = openblas_get_num_threads();
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        const size_t n = sizes[s];
        double *factors[2], *solution[2], condition[2];
        for (int k = 0; k < 2; k++) {
            openblas_set_num_threads(k == 0 ? 1 : 2);
            factors[k] = numbers(n * n);
            solution[k] = numbers(n);
            struct dense_lu lu = random_matrix(&memory, n, n, NULL);
            struct random random = random_seed(n);
            random_fill(&random, -1.0, 1.0, solution[k], n);
            assert_true(dense_lu_factor(&lu));
            memcpy(factors[k], lu.matrix, n * n * sizeof(double));
            dense_lu_solve(&lu, solution[k]);
            condition[k] = dense_lu_condition(&lu);
            assert_int_equal(openblas_get_num_threads(), k == 0 ? 1 : 2);
            dense_lu_free(&lu, &memory);
        }
        assert_same_bits(factors[0], factors[1], n * n);
        assert_same_bits(solution[0], solution[1], n);
        assert_same_bits(&condition[0], &condition[1], 1);
        for (int k = 0; k < 2; k++) {
            free(factors[k]);
            free(solution[k]);
        }
    }
    openblas_set_num_threads(before);
}

static pbs_status create_and_free(struct memory *memory, const void *context) {
    (void)context;
    struct dense_lu lu = {0};
    const pbs_status status = dense_lu_create(memory, 5, &lu);
    dense_lu_free(&lu, memory);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    assert_refusals_are_statuses(create_and_free, NULL, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_have_small_residuals),
        cmocka_unit_test(condition_numbers_are_estimated),
        cmocka_unit_test(singular_matrices_are_told),
        cmocka_unit_test(threads_of_openblas_do_not_matter),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

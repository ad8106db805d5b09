// Compares the block product with a plain one, and tests that its bits do not depend on threads or
// the order of pieces.
// SPDX-License-Identifier: MIT
#include "scenes/linear/matrix_fixture.h"
#include "support/host/jobs.h"
#include "support/random.h"
#include "support/testing.h"

static struct memory memory;

static double *random_vector(size_t count, uint64_t seed) {
    double *x = memory_allocate(&memory, count, sizeof *x);
    struct random random = random_seed(seed);
    random_fill(&random, -1.0, 1.0, x, count);
    return x;
}

/// Returns the largest error of the product in units of what rounding may cause. Each entry is a
/// sum of at most 3 * row length products, so |error| <= 3 * length * eps * sum |a| |x| (Higham,
/// Accuracy and Stability, 3.1).
static double product_error(const struct bsr *a, const double *x, const double *y) {
    const size_t n = 3 * (size_t)a->row_count;
    struct bsr absolute = *a;
    double *values = memory_allocate(&memory, 9 * a->block_count, sizeof *values);
    double *magnitude = memory_allocate(&memory, n, sizeof *magnitude);
    double *bound = memory_allocate(&memory, n, sizeof *bound);
    double *expected = memory_allocate(&memory, n, sizeof *expected);
    for (size_t i = 0; i < 9 * a->block_count; i++) {
        values[i] = fabs(a->values[i]);
    }
    for (size_t i = 0; i < n; i++) {
        magnitude[i] = fabs(x[i]);
    }
    absolute.values = values;
    fixture_multiply(&absolute, magnitude, bound);
    fixture_multiply(a, x, expected);
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double error = fabs(y[i] - expected[i]);
        worst = fmax(worst, error / (0x1p-52 * bound[i] + 1e-300));
    }
    memory_release(&memory, values);
    memory_release(&memory, magnitude);
    memory_release(&memory, bound);
    memory_release(&memory, expected);
    return worst;
}

static struct fixture make_fixture(uint32_t cells, uint32_t domain_count) {
    struct fixture_desc desc = fixture_hard(cells);
    desc.domain_count = domain_count;
    desc.deformed = false;
    struct fixture f;
    assert_ok(fixture_build(&memory, &desc, &f));
    return f;
}

static void product_agrees_with_plain_product(void **state) {
    (void)state;
    const uint32_t domain_counts[] = {1, 2, 3, 7, 16};
    for (size_t d = 0; d < 5; d++) {
        struct fixture f = make_fixture(6, domain_counts[d]);
        const size_t n = 3 * (size_t)f.matrix.row_count;
        double *x = random_vector(n, d);
        double *y = random_vector(n, d + 100);
        bsr_multiply(NULL, &f.matrix, x, y);
        // At most 27 blocks in a row of this mesh.
        assert_true(product_error(&f.matrix, x, y) < 3 * 27);
        memory_release(&memory, x);
        memory_release(&memory, y);
        fixture_free(&memory, &f);
    }
}

static void product_is_symmetric(void **state) {
    (void)state;
    struct fixture f = make_fixture(7, 5);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *x = random_vector(n, 1);
    double *y = random_vector(n, 2);
    double *ax = random_vector(n, 3);
    double *ay = random_vector(n, 4);
    bsr_multiply(NULL, &f.matrix, x, ax);
    bsr_multiply(NULL, &f.matrix, y, ay);
    double left = 0.0;
    double right = 0.0;
    double magnitude = 0.0;
    for (size_t i = 0; i < n; i++) {
        left += y[i] * ax[i];
        right += x[i] * ay[i];
        magnitude += fabs(y[i] * ax[i]) + fabs(x[i] * ay[i]);
    }
    // Sums of n terms, each a sum of at most 81 products with at most tenfold cancellation.
    assert_true(fabs(left - right) <= 10.0 * ((double)n + 81.0) * 0x1p-53 * magnitude);
    memory_release(&memory, x);
    memory_release(&memory, y);
    memory_release(&memory, ax);
    memory_release(&memory, ay);
    fixture_free(&memory, &f);
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    struct fixture f = make_fixture(9, 7);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *x = random_vector(n, 1);
    double *serial = random_vector(n, 2);
    double *other = random_vector(n, 3);
    bsr_multiply(NULL, &f.matrix, x, serial);
    for (int32_t threads = 1; threads <= 8; threads++) {
        struct tasks *tasks = NULL;
        assert_ok(tasks_create(&memory, NULL, threads, &tasks));
        memset(other, 0x7f, n * sizeof *other);
        bsr_multiply(tasks, &f.matrix, x, other);
        assert_memory_equal(serial, other, n * sizeof *other);
        tasks_destroy(&memory, tasks);
    }
    struct test_jobs jobs;
    const pbs_tasks host = test_jobs_hooks(&jobs, 1, 1);
    struct tasks *tasks = NULL;
    assert_ok(tasks_create(&memory, &host, 0, &tasks));
    memset(other, 0x7f, n * sizeof *other);
    bsr_multiply(tasks, &f.matrix, x, other);
    assert_true(jobs.loop_count > 0);
    assert_memory_equal(serial, other, n * sizeof *other);
    tasks_destroy(&memory, tasks);
    memory_release(&memory, x);
    memory_release(&memory, serial);
    memory_release(&memory, other);
    fixture_free(&memory, &f);
}

static void find_knows_exactly_the_pattern(void **state) {
    (void)state;
    struct fixture f = make_fixture(3, 3);
    const struct bsr *a = &f.matrix;
    size_t found = 0;
    for (uint32_t row = 0; row < a->row_count; row++) {
        assert_int_equal(bsr_find(a, row, row), a->row_start[row]);
        for (uint32_t column = row; column < a->row_count; column++) {
            const size_t k = bsr_find(a, row, column);
            if (k != SIZE_MAX) {
                assert_in_range(k, a->row_start[row], a->row_start[row + 1] - 1);
                assert_int_equal(a->column[k], column);
                found++;
            }
        }
    }
    assert_int_equal(found, a->block_count);
    fixture_free(&memory, &f);
}

static void outer_and_incoming_blocks_pair_up(void **state) {
    (void)state;
    struct fixture f = make_fixture(5, 6);
    const struct bsr *a = &f.matrix;
    size_t outer = 0;
    for (uint32_t row = 0; row < a->row_count; row++) {
        const uint32_t domain = layout_domain_of(a->layout, row);
        for (uint32_t k = a->row_start[row]; k < a->row_start[row + 1]; k++) {
            const bool inside = layout_domain_of(a->layout, a->column[k]) == domain;
            assert_int_equal(inside, k < a->outer_start[row]);
            outer += !inside;
        }
        for (uint32_t s = a->incoming_start[row]; s < a->incoming_start[row + 1]; s++) {
            assert_int_equal(a->column[a->incoming_block[s]], row);
            assert_int_equal(bsr_find(a, a->incoming_row[s], row), a->incoming_block[s]);
            assert_true(layout_domain_of(a->layout, a->incoming_row[s]) < domain);
        }
    }
    assert_int_equal(outer, a->incoming_start[a->row_count]);
    fixture_free(&memory, &f);
}

/// A matrix without couplings: every row is its diagonal block, whatever follows the last value in
/// memory.
static void diagonal_matrix_and_its_padding(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 9; n++) {
        struct assembly assembly;
        assert_ok(assembly_build(&memory, n, n > 4 ? 4 : 1, NULL, 0, &assembly));
        assert_int_equal(assembly.pattern.block_count, n);
        struct bsr a = assembly.pattern;
        double *values = random_vector(9 * (size_t)n + BSR_VALUE_PADDING, n);
        for (size_t i = 9 * (size_t)n; i < 9 * (size_t)n + BSR_VALUE_PADDING; i++) {
            values[i] = NAN;
        }
        a.values = values;
        double *x = random_vector(3 * (size_t)n, 2);
        double *y = random_vector(3 * (size_t)n + 1, 3);
        const double beyond = y[3 * n];
        bsr_multiply(NULL, &a, x, y);
        assert_true(product_error(&a, x, y) < 3.0);
        assert_true(memcmp(&y[3 * n], &beyond, sizeof beyond) == 0);
        memory_release(&memory, x);
        memory_release(&memory, y);
        memory_release(&memory, values);
        assembly_free(&memory, &assembly);
    }
}

/// A NaN in one block must reach the rows of that block and no others.
static void not_a_number_stays_in_its_rows(void **state) {
    (void)state;
    struct fixture f = make_fixture(4, 3);
    const struct bsr *a = &f.matrix;
    const size_t n = 3 * (size_t)a->row_count;
    double *x = random_vector(n, 1);
    double *y = random_vector(n, 2);
    for (size_t k = 0; k < a->block_count; k += 37) {
        uint32_t row = 0;
        while (a->row_start[row + 1] <= k) {
            row++;
        }
        const double kept = a->values[9 * k];
        f.values[9 * k] = NAN;
        bsr_multiply(NULL, a, x, y);
        f.values[9 * k] = kept;
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(isnan(y[i]) != 0,
                             i == 3 * (size_t)row || i == 3 * (size_t)a->column[k]);
        }
    }
    memory_release(&memory, x);
    memory_release(&memory, y);
    fixture_free(&memory, &f);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_agrees_with_plain_product),
        cmocka_unit_test(product_is_symmetric),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(find_knows_exactly_the_pattern),
        cmocka_unit_test(outer_and_incoming_blocks_pair_up),
        cmocka_unit_test(diagonal_matrix_and_its_padding),
        cmocka_unit_test(not_a_number_stays_in_its_rows),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

// Supernodal Cholesky: the same solution as dense elimination, the fill that elimination makes, the
// same bits for any number of threads, and a sentence for every matrix that it cannot factor.
// SPDX-License-Identifier: MIT
#include "linear/supernodal/supernodal.h"
#include "linear/linear_cases.h"
#include "sparse/matrices/nested_dissection.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>

static struct memory memory;

static struct supernodal *create(enum supernodal_precision precision, const struct bsr *a,
                                 const uint32_t *order) {
    struct supernodal *s = NULL;
    assert_int_equal(supernodal_create(&memory, precision, &s), PBS_OK);
    assert_int_equal(supernodal_analyze(s, a, order), PBS_OK);
    return s;
}

static double unit_of(enum supernodal_precision precision) {
    return precision == SUPERNODAL_FLOAT ? (double)FLT_EPSILON : DBL_EPSILON;
}

/// The residual of a Cholesky solution is below a small multiple of n u |A| |x| (Higham, Accuracy
/// and Stability, theorem 10.4); what is checked is the part of |A| |x| that is left.
static void assert_solves(struct supernodal *s, enum supernodal_precision precision,
                          const struct bsr *a) {
    const size_t n = 3 * (size_t)a->row_count;
    double *expected = random_vector(&memory, n, 1);
    double *b = random_vector(&memory, n, 2);
    double *x = random_vector(&memory, n, 3);
    double *r = random_vector(&memory, n, 4);
    assert_int_equal(supernodal_factor(s, NULL, a, 0.0), PBS_OK);
    fixture_multiply(a, expected, b);
    supernodal_solve(s, NULL, b, x);
    fixture_multiply(a, x, r);
    double scale = 0.0;
    for (size_t k = 0; k < 9 * (size_t)a->row_start[a->row_count]; k++) {
        scale += a->values[k] * a->values[k];
    }
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(b[i] - r[i]));
    }
    assert_true(worst <= 4.0 * unit_of(precision) * sqrt(2.0 * scale) * sqrt(dot(n, x, x)));
    // In place.
    supernodal_solve(s, NULL, b, b);
    assert_memory_equal(b, x, n * sizeof *b);
    memory_release(&memory, expected);
    memory_release(&memory, b);
    memory_release(&memory, x);
    memory_release(&memory, r);
}

static void solves_elastic_bodies(void **state) {
    (void)state;
    for (uint32_t cells = 1; cells < 12; cells += 3) {
        struct fixture f = make_fixture(&memory, cells, 0);
        for (int p = SUPERNODAL_DOUBLE; p <= SUPERNODAL_FLOAT; p++) {
            const enum supernodal_precision precision = (enum supernodal_precision)p;
            struct supernodal *s = create(precision, &f.matrix, NULL);
            assert_solves(s, precision, &f.matrix);
            supernodal_destroy(s);
        }
        fixture_free(&memory, &f);
    }
}

/// Cholesky by LAPACK of the whole matrix.
static void as_lapack_does(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 4, 0);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *dense = memory_allocate(&memory, n * n, sizeof *dense);
    double *x = random_vector(&memory, n, 1);
    for (size_t j = 0; j < n; j++) {
        memset(x, 0, n * sizeof *x);
        x[j] = 1.0;
        fixture_multiply(&f.matrix, x, dense + j * n);
    }
    const lapack_int size = (lapack_int)n;
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', size, dense, size), 0);
    double *expected = random_vector(&memory, n, 2);
    memcpy(x, expected, n * sizeof *x);
    assert_int_equal(LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', size, 1, dense, size, expected, size),
                     0);
    struct supernodal *s = create(SUPERNODAL_DOUBLE, &f.matrix, NULL);
    assert_int_equal(supernodal_factor(s, NULL, &f.matrix, 0.0), PBS_OK);
    supernodal_solve(s, NULL, x, x);
    for (size_t i = 0; i < n; i++) {
        expected[i] -= x[i];
    }
    // The condition of the matrix is below 1e5 (its entries vary by 1e3, its length is 4 cells).
    assert_true(sqrt(dot(n, expected, expected)) < 1e5 * DBL_EPSILON * sqrt(dot(n, x, x)));
    supernodal_destroy(s);
    memory_release(&memory, dense);
    memory_release(&memory, x);
    memory_release(&memory, expected);
    fixture_free(&memory, &f);
}

/// Entries of the factor of a pattern eliminated in an order, by marking couplings; the diagonal
/// blocks count 6.
static size_t naive_fill(const struct bsr *a, const uint32_t *order) {
    const size_t n = a->row_count;
    bool *coupled = memory_allocate(&memory, n * n, sizeof *coupled);
    uint32_t *position = memory_allocate(&memory, n, sizeof *position);
    for (uint32_t k = 0; k < n; k++) {
        position[order[k]] = k;
    }
    for (uint32_t row = 0; row < n; row++) {
        for (uint32_t b = a->row_start[row]; b < a->row_start[row + 1]; b++) {
            const size_t p = position[row];
            const size_t q = position[a->column[b]];
            coupled[p * n + q] = true;
            coupled[q * n + p] = true;
        }
    }
    size_t entries = 0;
    for (size_t k = 0; k < n; k++) {
        entries += 6;
        for (size_t i = k + 1; i < n; i++) {
            entries += coupled[k * n + i] ? 9 : 0;
            for (size_t j = k + 1; j < n && coupled[k * n + i]; j++) {
                coupled[i * n + j] = coupled[i * n + j] || coupled[k * n + j];
            }
        }
    }
    memory_release(&memory, coupled);
    memory_release(&memory, position);
    return entries;
}

static uint32_t *natural_order(uint32_t count) {
    uint32_t *order = memory_allocate(&memory, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    return order;
}

static void shuffle(uint32_t *order, uint32_t count, uint64_t seed) {
    double *numbers = random_vector(&memory, count, seed);
    for (uint32_t i = count; i-- > 1;) {
        const uint32_t j = (uint32_t)((numbers[i] + 1.0) / 2.0 * (i + 1));
        const uint32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    memory_release(&memory, numbers);
}

/// A graph of `count` nodes and `pair_count` random couplings, dominated by its diagonal.
static struct small_matrix random_matrix(uint32_t count, size_t pair_count, uint64_t seed) {
    uint32_t *pairs = memory_allocate(&memory, 2 * pair_count + 2, sizeof *pairs);
    double *numbers = random_vector(&memory, 11 * pair_count + 1, seed);
    for (size_t i = 0; i < 2 * pair_count; i++) {
        pairs[i] = (uint32_t)((numbers[i] + 1.0) / 2.0 * count);
        if (i % 2 == 1 && pairs[i] == pairs[i - 1]) {
            pairs[i] = (pairs[i] + 1) % count;
        }
    }
    struct small_matrix m = small_create(&memory, count, 1, pairs, pair_count);
    for (uint32_t i = 0; i < count; i++) {
        small_set_scalar(&m, i, i, 4.0 + 3.0 * (double)pair_count);
    }
    for (size_t i = 0; i < pair_count; i++) {
        small_set(&m, pairs[2 * i], pairs[2 * i + 1], numbers + 2 * pair_count + 9 * i);
    }
    memory_release(&memory, pairs);
    memory_release(&memory, numbers);
    return m;
}

/// Whatever the graph and the order: what is stored covers the fill, and by little more; the
/// solution is right.
static void any_graph_in_any_order(void **state) {
    (void)state;
    struct supernodal *s = NULL;
    assert_int_equal(supernodal_create(&memory, SUPERNODAL_DOUBLE, &s), PBS_OK);
    for (uint64_t seed = 0; seed < 60; seed++) {
        const uint32_t count = (uint32_t)(2 + seed * seed % 97);
        struct small_matrix m = random_matrix(count, count * (seed % 5) / 2, seed);
        uint32_t *order = natural_order(count);
        shuffle(order, count, seed);
        assert_int_equal(supernodal_analyze(s, &m.a, order), PBS_OK);
        const size_t fill = naive_fill(&m.a, order);
        assert_true(supernodal_factor_entries(s) >= fill);
        // Merged pairs of columns may be half zeros, wider supernodes far less.
        assert_true(supernodal_factor_entries(s) <= 2 * fill);
        assert_solves(s, SUPERNODAL_DOUBLE, &m.a);
        memory_release(&memory, order);
        small_free(&memory, &m);
    }
    supernodal_destroy(s);
}

/// On a body the zeros that are let in are few, and dissection saves most of the fill.
static void fill_of_a_body(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 9, 1);
    const uint32_t n = f.matrix.row_count;
    uint32_t *order = natural_order(n);
    struct supernodal *given = create(SUPERNODAL_DOUBLE, &f.matrix, order);
    const size_t banded = naive_fill(&f.matrix, order);
    assert_in_range(supernodal_factor_entries(given), banded, banded + banded / 10);
    struct supernodal *dissected = create(SUPERNODAL_DOUBLE, &f.matrix, NULL);
    assert_int_equal(nested_dissection_order_all(&memory, &f.matrix, order), PBS_OK);
    const size_t fill = naive_fill(&f.matrix, order);
    assert_in_range(supernodal_factor_entries(dissected), fill, fill + fill / 10);
    assert_true(fill < banded);
    // A multiplication and an addition per entry of a column and entry below it, and more.
    assert_true(supernodal_flops(dissected) < supernodal_flops(given));
    assert_true(supernodal_flops(dissected) > (double)supernodal_factor_entries(dissected));
    assert_true(supernodal_bytes(dissected) > 8 * supernodal_factor_entries(dissected));
    assert_solves(given, SUPERNODAL_DOUBLE, &f.matrix);
    supernodal_destroy(given);
    supernodal_destroy(dissected);
    memory_release(&memory, order);
    fixture_free(&memory, &f);
}

/// Large enough for fronts in several panels and tiles, and for pieces below them.
static void same_bits_for_any_threads(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 13, 0);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *first = memory_allocate(&memory, n, sizeof *first);
    double *x = memory_allocate(&memory, n, sizeof *x);
    const int host_threads = openblas_get_num_threads();
    for (int p = SUPERNODAL_DOUBLE; p <= SUPERNODAL_FLOAT; p++) {
        struct supernodal *s = create((enum supernodal_precision)p, &f.matrix, NULL);
        for (int variant = 0; variant < TASK_VARIANTS; variant++) {
            struct tasks *tasks = make_tasks(&memory, variant);
            const uint64_t calls = memory.call_count;
            openblas_set_num_threads(variant == 3 ? 1 : 2);
            assert_int_equal(supernodal_factor(s, tasks, &f.matrix, 1e-3), PBS_OK);
            // What the host has set is there again.
            assert_int_equal(openblas_get_num_threads(), variant == 3 ? 1 : 2);
            supernodal_solve(s, tasks, f.rhs, variant == 0 ? first : x);
            assert_true(memory.call_count == calls);
            if (variant > 0) {
                assert_memory_equal(x, first, n * sizeof *x);
            }
            tasks_destroy(&memory, tasks);
        }
        supernodal_destroy(s);
    }
    openblas_set_num_threads(host_threads);
    memory_release(&memory, first);
    memory_release(&memory, x);
    fixture_free(&memory, &f);
}

/// A shift of s is as good as diagonal entries 1 + s times as large.
static void shifts_the_diagonal(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 3, 0);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *x = memory_allocate(&memory, n, sizeof *x);
    struct supernodal *s = create(SUPERNODAL_DOUBLE, &f.matrix, NULL);
    assert_int_equal(supernodal_factor(s, NULL, &f.matrix, 0.25), PBS_OK);
    supernodal_solve(s, NULL, f.rhs, x);
    for (uint32_t row = 0; row < f.matrix.row_count; row++) {
        for (size_t e = 0; e < 9; e += 4) {
            f.values[9 * (size_t)f.matrix.row_start[row] + e] *= 1.25;
        }
    }
    // The condition of the shifted matrix is below 100.
    assert_true(true_residual(&memory, &f.matrix, f.rhs, x) < 100.0 * DBL_EPSILON);
    supernodal_destroy(s);
    memory_release(&memory, x);
    fixture_free(&memory, &f);
}

static void nothing_is_allocated_when_analysed_again(void **state) {
    (void)state;
    struct fixture large = make_fixture(&memory, 6, 0);
    struct fixture small = make_fixture(&memory, 3, 0);
    uint32_t *order = natural_order(large.matrix.row_count);
    uint32_t *small_order = natural_order(small.matrix.row_count);
    struct supernodal *s = create(SUPERNODAL_DOUBLE, &small.matrix, small_order);
    assert_solves(s, SUPERNODAL_DOUBLE, &small.matrix);
    assert_int_equal(supernodal_analyze(s, &large.matrix, order), PBS_OK);
    assert_solves(s, SUPERNODAL_DOUBLE, &large.matrix);
    const size_t bytes = supernodal_bytes(s);
    const uint64_t calls = memory.call_count;
    assert_int_equal(supernodal_analyze(s, &small.matrix, small_order), PBS_OK);
    assert_int_equal(supernodal_factor(s, NULL, &small.matrix, 0.0), PBS_OK);
    assert_int_equal(supernodal_analyze(s, &large.matrix, order), PBS_OK);
    assert_int_equal(supernodal_factor(s, NULL, &large.matrix, 0.0), PBS_OK);
    assert_true(memory.call_count == calls);
    assert_int_equal(supernodal_bytes(s), bytes);
    assert_int_equal(supernodal_analyze(s, &small.matrix, small_order), PBS_OK);
    assert_solves(s, SUPERNODAL_DOUBLE, &small.matrix);
    supernodal_destroy(s);
    memory_release(&memory, order);
    memory_release(&memory, small_order);
    fixture_free(&memory, &large);
    fixture_free(&memory, &small);
}

static void assert_refused(struct supernodal *s, const struct bsr *a, uint32_t row) {
    char expected[32];
    snprintf(expected, sizeof expected, "row %u ", row);
    for (int variant = 0; variant < TASK_VARIANTS; variant++) {
        struct tasks *tasks = make_tasks(&memory, variant);
        assert_int_equal(supernodal_factor(s, tasks, a, 0.0), PBS_ERROR_CONVERGENCE);
        assert_non_null(strstr(pbs_last_error(), expected));
        tasks_destroy(&memory, tasks);
    }
}

/// One entry spoils the matrix; the row is the one whose pivot it is. In the natural order of a
/// chain row i loses what its only earlier neighbor takes.
static void any_threads_tell_the_row_that_fails(void **state) {
    (void)state;
    const uint32_t count = 50;
    for (int p = SUPERNODAL_DOUBLE; p <= SUPERNODAL_FLOAT; p++) {
        struct small_matrix m = random_matrix(count, 0, 1);
        uint32_t *order = natural_order(count);
        struct supernodal *s = create((enum supernodal_precision)p, &m.a, order);
        const double bad[] = {-1.0, 0.0, (double)NAN, (double)INFINITY, -(double)INFINITY};
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            const uint32_t row = (uint32_t)(7 * k + 3);
            double *entry = m.a.values + 9 * (size_t)m.a.row_start[row] + 4 * (k % 3);
            const double good = *entry;
            *entry = bad[k];
            assert_refused(s, &m.a, row);
            // Two bad ones: the first in the order is told.
            m.a.values[9 * (size_t)m.a.row_start[49]] *= -1.0;
            assert_refused(s, &m.a, row);
            m.a.values[9 * (size_t)m.a.row_start[49]] *= -1.0;
            *entry = good;
            assert_solves(s, (enum supernodal_precision)p, &m.a);
        }
        supernodal_destroy(s);
        memory_release(&memory, order);
        small_free(&memory, &m);
    }
}

static void refuses_what_is_not_definite(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 8, 0);
    const size_t blocks = f.matrix.row_start[f.matrix.row_count];
    struct supernodal *s = create(SUPERNODAL_DOUBLE, &f.matrix, NULL);
    // Indefinite by half of the mean diagonal.
    const double amount = 0.5 * mean_diagonal(&f.matrix);
    shift_diagonal(&f.matrix, -amount);
    assert_int_equal(supernodal_factor(s, NULL, &f.matrix, 0.0), PBS_ERROR_CONVERGENCE);
    shift_diagonal(&f.matrix, amount);
    // A number that is none, in any block; of diagonal blocks the upper triangle is read.
    for (size_t k = 2; k < 9 * blocks; k += 9 * (blocks / 10)) {
        const double good = f.values[k];
        f.values[k] = (double)NAN;
        assert_int_equal(supernodal_factor(s, NULL, &f.matrix, 0.0), PBS_ERROR_CONVERGENCE);
        f.values[k] = good;
    }
    assert_solves(s, SUPERNODAL_DOUBLE, &f.matrix);
    supernodal_destroy(s);
    fixture_free(&memory, &f);
}

/// A chain of springs that nothing holds: its last pivot is zero but for rounding, whichever sign
/// that has.
static void refuses_the_singular(void **state) {
    (void)state;
    const uint32_t count = 30;
    uint32_t pairs[58];
    for (uint32_t i = 0; i < 29; i++) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    struct small_matrix m = small_create(&memory, count, 1, pairs, 29);
    for (uint32_t i = 0; i < count; i++) {
        const double before = i > 0 ? 1.0 + 0.1 * i : 0.0;
        const double after = i + 1 < count ? 1.0 + 0.1 * (i + 1) : 0.0;
        small_set_scalar(&m, i, i, before + after);
        if (i + 1 < count) {
            small_set_scalar(&m, i, i + 1, -after);
        }
    }
    struct supernodal *s = create(SUPERNODAL_DOUBLE, &m.a, NULL);
    assert_int_equal(supernodal_factor(s, NULL, &m.a, 0.0), PBS_ERROR_CONVERGENCE);
    assert_int_equal(supernodal_factor(s, NULL, &m.a, 1e-6), PBS_OK);
    supernodal_destroy(s);
    small_free(&memory, &m);
}

/// A single row; many rows without couplings; several bodies; rows and columns scaled by up to
/// 1e12.
static void unusual_matrices(void **state) {
    (void)state;
    for (int p = SUPERNODAL_DOUBLE; p <= SUPERNODAL_FLOAT; p++) {
        const enum supernodal_precision precision = (enum supernodal_precision)p;
        const uint32_t counts[] = {1, 2, 1000};
        for (int i = 0; i < 3; i++) {
            struct small_matrix m = random_matrix(counts[i], 0, 5);
            struct supernodal *s = create(precision, &m.a, NULL);
            assert_int_equal(supernodal_factor_entries(s), 6 * (size_t)counts[i]);
            assert_solves(s, precision, &m.a);
            supernodal_destroy(s);
            small_free(&memory, &m);
        }
        // Some of 300 nodes are alone, others in small groups.
        struct small_matrix pieces = random_matrix(300, 150, 6);
        struct supernodal *s = create(precision, &pieces.a, NULL);
        assert_solves(s, precision, &pieces.a);
        supernodal_destroy(s);
        small_free(&memory, &pieces);
        // A star: one node with everyone.
        uint32_t pairs[2 * 400];
        for (uint32_t i = 0; i < 400; i++) {
            pairs[2 * i] = i + 1;
            pairs[2 * i + 1] = 0;
        }
        struct small_matrix star = small_create(&memory, 401, 1, pairs, 400);
        for (uint32_t i = 0; i <= 400; i++) {
            small_set_scalar(&star, i, i, i == 0 ? 500.0 : 2.0);
            if (i > 0) {
                small_set_scalar(&star, 0, i, 1.0);
            }
        }
        s = create(precision, &star.a, NULL);
        assert_solves(s, precision, &star.a);
        supernodal_destroy(s);
        small_free(&memory, &star);
    }
}

/// Cholesky does not mind how rows and columns are scaled: x_i s_i comes out as before, to
/// rounding.
static void scaling_does_not_matter(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 5, 0);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *plain = memory_allocate(&memory, n, sizeof *plain);
    double *x = memory_allocate(&memory, n, sizeof *x);
    double *scale = random_vector(&memory, f.matrix.row_count, 9);
    struct supernodal *s = create(SUPERNODAL_DOUBLE, &f.matrix, NULL);
    assert_int_equal(supernodal_factor(s, NULL, &f.matrix, 0.0), PBS_OK);
    supernodal_solve(s, NULL, f.rhs, plain);
    // Powers of two, whose squares span 1e12: not even a rounding differs.
    for (uint32_t row = 0; row < f.matrix.row_count; row++) {
        scale[row] = ldexp(1.0, (int)(10.0 * scale[row]));
    }
    for (uint32_t row = 0; row < f.matrix.row_count; row++) {
        for (uint32_t b = f.matrix.row_start[row]; b < f.matrix.row_start[row + 1]; b++) {
            for (size_t e = 0; e < 9; e++) {
                f.values[9 * (size_t)b + e] *= scale[row] * scale[f.matrix.column[b]];
            }
        }
        for (size_t e = 0; e < 3; e++) {
            x[3 * (size_t)row + e] = scale[row] * f.rhs[3 * (size_t)row + e];
        }
    }
    assert_int_equal(supernodal_factor(s, NULL, &f.matrix, 0.0), PBS_OK);
    supernodal_solve(s, NULL, x, x);
    for (size_t i = 0; i < n; i++) {
        assert_true(x[i] * scale[i / 3] == plain[i]);
    }
    supernodal_destroy(s);
    memory_release(&memory, plain);
    memory_release(&memory, x);
    memory_release(&memory, scale);
    fixture_free(&memory, &f);
}

static void refuses_what_is_no_order(void **state) {
    (void)state;
    struct small_matrix m = random_matrix(4, 3, 1);
    struct supernodal *s = NULL;
    assert_int_equal(supernodal_create(&memory, SUPERNODAL_DOUBLE, &s), PBS_OK);
    const uint32_t twice[] = {0, 1, 1, 3};
    const uint32_t beyond[] = {0, 1, 4, 3};
    assert_int_equal(supernodal_analyze(s, &m.a, twice), PBS_ERROR_ARGUMENT);
    assert_non_null(strstr(pbs_last_error(), "entry 2 is row 1"));
    assert_int_equal(supernodal_analyze(s, &m.a, beyond), PBS_ERROR_ARGUMENT);
    assert_non_null(strstr(pbs_last_error(), "entry 2 is row 4"));
    supernodal_destroy(s);
    supernodal_destroy(NULL);
    small_free(&memory, &m);
}

/// Every allocation fails once, with METIS and with an order, and when buffers must grow.
static void survives_lack_of_memory(void **state) {
    (void)state;
    struct fixture small = make_fixture(&memory, 2, 0);
    struct fixture large = make_fixture(&memory, 4, 0);
    uint32_t *order = natural_order(large.matrix.row_count);
    size_t fail_at = 0;
    for (bool done = false; !done; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const pbs_allocator allocator = {failing_allocate, failing_release, &failing};
        struct memory limited;
        memory_init(&limited, &allocator);
        struct supernodal *s = NULL;
        pbs_status status = supernodal_create(&limited, SUPERNODAL_FLOAT, &s);
        if (status == PBS_OK) {
            status = supernodal_analyze(s, &small.matrix, NULL);
        }
        if (status == PBS_OK) {
            status = supernodal_analyze(s, &large.matrix, order);
        }
        assert_true(status == PBS_OK || status == PBS_ERROR_MEMORY);
        done = status == PBS_OK;
        if (s != NULL) {
            // It is as good as new once there is memory.
            assert_int_equal(supernodal_analyze(s, &large.matrix, order), PBS_OK);
            assert_solves(s, SUPERNODAL_FLOAT, &large.matrix);
        }
        supernodal_destroy(s);
        assert_int_equal(failing.alive, 0);
        assert_int_equal(limited.bytes_in_use, 0);
    }
    assert_true(fail_at > 10);
    memory_release(&memory, order);
    fixture_free(&memory, &small);
    fixture_free(&memory, &large);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_elastic_bodies),
        cmocka_unit_test(as_lapack_does),
        cmocka_unit_test(any_graph_in_any_order),
        cmocka_unit_test(fill_of_a_body),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(shifts_the_diagonal),
        cmocka_unit_test(nothing_is_allocated_when_analysed_again),
        cmocka_unit_test(any_threads_tell_the_row_that_fails),
        cmocka_unit_test(refuses_what_is_not_definite),
        cmocka_unit_test(refuses_the_singular),
        cmocka_unit_test(unusual_matrices),
        cmocka_unit_test(scaling_does_not_matter),
        cmocka_unit_test(refuses_what_is_no_order),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

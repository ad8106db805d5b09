// Matrices, vectors and a dense reference for the tests of the floor `linear`.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_LINEAR_CASES_H
#define PBS_TESTS_LINEAR_CASES_H

#include "linear/krylov/pcg.h"
#include "pbs/world.h"
#include "scenes/linear/matrix_fixture.h"
#include "support/testing.h"

/// A matrix given by its couplings, values still zero.
struct small_matrix {
    struct assembly assembly;
    struct bsr a;
};

static inline struct small_matrix small_create(struct memory *memory, uint32_t node_count,
                                               uint32_t domain_count, const uint32_t *pairs,
                                               size_t pair_count) {
    const struct stencils set = {pair_count, 2, pairs};
    struct small_matrix m;
    assert_int_equal(assembly_build(memory, node_count, domain_count, &set, 1, &m.assembly),
                     PBS_OK);
    m.a = m.assembly.pattern;
    m.a.values = memory_allocate(memory, 9 * m.assembly.block_slot_count, sizeof(double));
    assert_non_null(m.a.values);
    return m;
}

static inline void small_free(struct memory *memory, struct small_matrix *m) {
    memory_release(memory, m->a.values);
    assembly_free(memory, &m->assembly);
}

/// Sets block (i, j) of nodes to a 3x3 matrix, transposed where the order of rows wants it.
static inline void small_set(struct small_matrix *m, uint32_t i, uint32_t j,
                             const double block[9]) {
    const uint32_t row = m->assembly.layout.row[i];
    const uint32_t column = m->assembly.layout.row[j];
    const size_t k = row <= column ? bsr_find(&m->a, row, column) : bsr_find(&m->a, column, row);
    assert_true(k != SIZE_MAX);
    for (size_t e = 0; e < 9; e++) {
        m->a.values[9 * k + e] = row <= column ? block[e] : block[3 * (e % 3) + e / 3];
    }
}

/// The same with s times the identity.
static inline void small_set_scalar(struct small_matrix *m, uint32_t i, uint32_t j, double s) {
    const double block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    small_set(m, i, j, block);
}

static inline struct fixture make_fixture(struct memory *memory, uint32_t cells,
                                          uint32_t domain_count) {
    struct fixture_desc desc = fixture_hard(cells);
    desc.domain_count = domain_count;
    struct fixture f;
    assert_int_equal(fixture_build(memory, &desc, &f), PBS_OK);
    return f;
}

/// Takes from every diagonal entry: enough to make the matrix indefinite when part is above the
/// least eigenvalue.
static inline void shift_diagonal(const struct bsr *a, double amount) {
    for (uint32_t i = 0; i < a->row_count; i++) {
        for (int e = 0; e < 9; e += 4) {
            a->values[9 * (size_t)a->row_start[i] + (size_t)e] += amount;
        }
    }
}

static inline double mean_diagonal(const struct bsr *a) {
    double sum = 0.0;
    for (uint32_t i = 0; i < a->row_count; i++) {
        for (int e = 0; e < 9; e += 4) {
            sum += a->values[9 * (size_t)a->row_start[i] + (size_t)e];
        }
    }
    return sum / (3.0 * a->row_count);
}

static inline double *random_vector(struct memory *memory, size_t count, uint64_t seed) {
    double *x = memory_allocate(memory, count, sizeof *x);
    assert_non_null(x);
    uint64_t state = seed * 2654435761u + 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(state >> 11) * 0x1p-52 - 1.0;
    }
    return x;
}

static inline double dot(size_t count, const double *x, const double *y) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// Solves A x = b by dense Gaussian elimination with row exchange.
static inline void dense_solve(struct memory *memory, const struct bsr *a, const double *b,
                               double *x) {
    const size_t n = 3 * (size_t)a->row_count;
    double *m = memory_allocate(memory, n * (n + 1), sizeof *m);
    double *unit = memory_allocate(memory, n, sizeof *unit);
    double *column = memory_allocate(memory, n, sizeof *column);
    for (size_t j = 0; j < n; j++) {
        unit[j] = 1.0;
        fixture_multiply(a, unit, column);
        unit[j] = 0.0;
        for (size_t i = 0; i < n; i++) {
            m[i * (n + 1) + j] = column[i];
        }
        m[j * (n + 1) + n] = b[j];
    }
    for (size_t p = 0; p < n; p++) {
        size_t best = p;
        for (size_t i = p; i < n; i++) {
            best = fabs(m[i * (n + 1) + p]) > fabs(m[best * (n + 1) + p]) ? i : best;
        }
        for (size_t j = p; j <= n; j++) {
            const double kept = m[p * (n + 1) + j];
            m[p * (n + 1) + j] = m[best * (n + 1) + j];
            m[best * (n + 1) + j] = kept;
        }
        for (size_t i = p + 1; i < n; i++) {
            const double factor = m[i * (n + 1) + p] / m[p * (n + 1) + p];
            for (size_t j = p; j <= n && factor != 0.0; j++) {
                m[i * (n + 1) + j] -= factor * m[p * (n + 1) + j];
            }
        }
    }
    for (size_t i = n; i-- > 0;) {
        double sum = m[i * (n + 1) + n];
        for (size_t j = i + 1; j < n; j++) {
            sum -= m[i * (n + 1) + j] * x[j];
        }
        x[i] = sum / m[i * (n + 1) + i];
    }
    memory_release(memory, m);
    memory_release(memory, unit);
    memory_release(memory, column);
}

/// |b - A x| / |b|, by the plain product.
static inline double true_residual(struct memory *memory, const struct bsr *a, const double *b,
                                   const double *x) {
    const size_t n = 3 * (size_t)a->row_count;
    double *r = memory_allocate(memory, n, sizeof *r);
    fixture_multiply(a, x, r);
    for (size_t i = 0; i < n; i++) {
        r[i] = b[i] - r[i];
    }
    const double residual = sqrt(dot(n, r, r) / dot(n, b, b));
    memory_release(memory, r);
    return residual;
}

/// A host's job system that runs the pieces backwards and interleaved.
static inline void scrambled_for(void *user, size_t count, pbs_work_fn work, void *context) {
    (void)user;
    for (size_t i = count; i-- > 0;) {
        if (i % 2 == 1) {
            work(context, i);
        }
    }
    for (size_t i = 0; i < count; i += 2) {
        work(context, i);
    }
}

/// Threads 1, 2, 3, 8, then the scrambled host.
#define TASK_VARIANTS 5

static inline struct tasks *make_tasks(struct memory *memory, int variant) {
    const int32_t threads[] = {1, 2, 3, 8, 0};
    const pbs_tasks host = {scrambled_for, NULL};
    struct tasks *tasks = NULL;
    assert_int_equal(tasks_create(memory, variant == 4 ? &host : NULL, threads[variant], &tasks),
                     PBS_OK);
    return tasks;
}

/// An allocator whose allocation number fail_at fails.
struct failing {
    size_t calls;
    size_t fail_at;
    size_t alive;
};

static inline void *failing_allocate(void *user, size_t size, size_t alignment) {
    struct failing *f = user;
    if (f->calls++ == f->fail_at) {
        return NULL;
    }
    f->alive++;
    return aligned_alloc(alignment, size);
}

static inline void failing_release(void *user, void *pointer, size_t size) {
    (void)size;
    ((struct failing *)user)->alive--;
    free(pointer);
}

#endif

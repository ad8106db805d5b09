// See dense_lu.h. LAPACK expects column-major storage, so a row-major A is factored as A^T and
// solved with the transpose. From 10000 entries on OpenBLAS divides a factorisation among threads.
// The result then depends on their number (measured: 0.3.21, n = 100 .. 600), and on a busy machine
// threads wait. The thread count belongs to the host. Therefore LAPACK factors only panels below
// that size, and this file updates the columns to their right.
// SPDX-License-Identifier: MIT
#include "linear/dense/dense_lu.h"

#include <lapacke.h>
#include <math.h>

#include "base/config.h"

// Entries of a panel; a matrix of up to 90 rows is a single panel.
enum { PANEL_ENTRIES = 8192 };

_Static_assert(sizeof(lapack_int) == sizeof(int), "LAPACKE with 32-bit integers");

pbs_status dense_lu_create(struct memory *memory, size_t size, struct dense_lu *out) {
    struct dense_lu lu = {.size = size};
    lu.matrix = memory_allocate(memory, size * size, sizeof *lu.matrix);
    if (lu.matrix != NULL) {
        lu.pivots = memory_allocate(memory, size, sizeof *lu.pivots);
    }
    if (lu.pivots != NULL) {
        lu.work = memory_allocate(memory, 4 * size, sizeof *lu.work);
    }
    if (lu.work != NULL) {
        lu.integer_work = memory_allocate(memory, size, sizeof *lu.integer_work);
    }
    if (lu.integer_work == NULL) {
        dense_lu_free(&lu, memory);
        return PBS_ERROR_MEMORY;
    }
    *out = lu;
    return PBS_OK;
}

void dense_lu_free(struct dense_lu *lu, struct memory *memory) {
    memory_release(memory, lu->matrix);
    memory_release(memory, lu->pivots);
    memory_release(memory, lu->work);
    memory_release(memory, lu->integer_work);
    *lu = (struct dense_lu){0};
}

/// Returns the 1-norm of A: the maximum over columns (stored with stride n) of the sum of
/// magnitudes.
static double norm_of(struct dense_lu *lu) {
    const size_t n = lu->size;
    double norm = 0.0;
    for (size_t j = 0; j < n; j++) {
        lu->work[j] = 0.0;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            lu->work[j] += fabs(lu->matrix[i * n + j]);
        }
    }
    for (size_t j = 0; j < n; j++) {
        norm = fmax(norm, lu->work[j]);
    }
    return norm;
}

/// Applies the panel's row interchanges to another column.
static void exchange_rows(const struct dense_lu *lu, size_t begin, size_t end, double *column) {
    for (size_t i = begin; i < end; i++) {
        const size_t other = (size_t)lu->pivots[i];
        const double value = column[i];
        column[i] = column[other];
        column[other] = value;
    }
}

/// Updates a column to the right of the panel: forward substitution gives its entries of U beside
/// the panel, then L U is subtracted below.
PBS_MULTIVERSION
static void update_column(const double *restrict factors, size_t stride, size_t begin, size_t end,
                          double *restrict column) {
    for (size_t j = begin; j < end; j++) {
        const double *restrict lower = factors + j * stride;
        const double u = column[j];
        for (size_t i = j + 1; i < stride; i++) {
            column[i] -= lower[i] * u;
        }
    }
}

bool dense_lu_factor(struct dense_lu *lu) {
    const size_t n = lu->size;
    lu->norm = norm_of(lu);
    lu->is_usable = true;
    for (size_t begin = 0; begin < n;) {
        const size_t rows = n - begin;
        const size_t fit = PANEL_ENTRIES / rows;
        const size_t end = fit == 0 ? begin + 1 : fit < rows ? begin + fit : n;
        const lapack_int singular = LAPACKE_dgetrf_work(
            LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)(end - begin),
            lu->matrix + begin * n + begin, (lapack_int)n, lu->pivots + begin);
        lu->is_usable = lu->is_usable && singular == 0;
        // LAPACK's pivots are one-based within the panel; these are zero-based in the matrix.
        for (size_t i = begin; i < end; i++) {
            lu->pivots[i] += (int)begin - 1;
        }
        for (size_t j = 0; j < n; j++) {
            if (j < begin || j >= end) {
                exchange_rows(lu, begin, end, lu->matrix + j * n);
            }
            if (j >= end) {
                update_column(lu->matrix, n, begin, end, lu->matrix + j * n);
            }
        }
        begin = end;
    }
    // LAPACK's solver expects one-based pivots.
    for (size_t i = 0; i < n; i++) {
        lu->pivots[i]++;
    }
    return lu->is_usable;
}

void dense_lu_solve(const struct dense_lu *lu, double *b) {
    const lapack_int n = (lapack_int)lu->size;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, lu->matrix, n, lu->pivots, b, n);
}

double dense_lu_condition(const struct dense_lu *lu) {
    if (!lu->is_usable) {
        return INFINITY;
    }
    // The 1-norm of A is the infinity norm of the transpose.
    const lapack_int n = (lapack_int)lu->size;
    double reciprocal = 0.0;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, 'I', n, lu->matrix, n, lu->norm, &reciprocal, lu->work,
                        lu->integer_work);
    return reciprocal > 0.0 ? 1.0 / reciprocal : INFINITY;
}

// LU factorisation of a dense matrix with partial pivoting, by LAPACK. Allocates only in
// dense_lu_create. The result does not depend on the thread count of LAPACK's BLAS, because LAPACK
// gets only panels that are too small to be divided among threads.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_DENSE_DENSE_LU_H
#define PBS_LINEAR_DENSE_DENSE_LU_H

#include "base/runtime/memory.h"

struct dense_lu {
    size_t size;
    double *matrix; ///< size x size, row-major; overwritten by its factors
    int *pivots;
    double *work; ///< 4 size
    int *integer_work;
    double norm;    ///< 1-norm of the matrix
    bool is_usable; ///< factored without a zero pivot
};

pbs_status dense_lu_create(struct memory *memory, size_t size, struct dense_lu *out);
void dense_lu_free(struct dense_lu *lu, struct memory *memory);

/// Factors lu->matrix, whose entries must be finite. Returns false if a pivot is exactly zero.
bool dense_lu_factor(struct dense_lu *lu);

/// Replaces b by A^-1 b.
void dense_lu_solve(const struct dense_lu *lu, double *b);

/// Returns a lower bound of ||A||_1 ||A^-1||_1 that is rarely too small by more than a factor of 3
/// (Higham 1988). Returns infinity if A is singular or not factored.
double dense_lu_condition(const struct dense_lu *lu);

#endif

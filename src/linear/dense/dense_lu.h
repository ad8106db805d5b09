// LU factors of a full matrix, by LAPACK, with partial pivoting. Allocates only when made. What is
// computed does not depend on how many threads LAPACK's BLAS has: it is handed panels so small that
// it uses one.
#ifndef PBS_LINEAR_DENSE_DENSE_LU_H
#define PBS_LINEAR_DENSE_DENSE_LU_H

#include "base/runtime/memory.h"

struct dense_lu {
    size_t size;
    double *matrix; ///< size x size, row-major; its factors once factored
    int *pivots;
    double *work; ///< 4 size
    int *integer_work;
    double norm;    ///< of the matrix, 1-norm
    bool is_usable; ///< factored, and no pivot was zero
};

pbs_status dense_lu_create(struct memory *memory, size_t size, struct dense_lu *out);
void dense_lu_free(struct dense_lu *lu, struct memory *memory);

/// Factors what is in lu->matrix; all finite. False where it is singular to the bit.
bool dense_lu_factor(struct dense_lu *lu);

/// b becomes A^-1 b.
void dense_lu_solve(const struct dense_lu *lu, double *b);

/// An estimate of ||A||_1 ||A^-1||_1 from below, hardly ever by more than a factor of 3 (Higham
/// 1988); infinity where A is singular or was not factored.
double dense_lu_condition(const struct dense_lu *lu);

#endif

// Singular values of 3x3 matrices, rotation variant: F = U diag(sigma) V^T with U and V proper
// rotations, sigma_0 >= sigma_1 >= |sigma_2|, and sigma_2 carrying the sign of det F. Exact to
// rounding also for inverted, flat and zero matrices. One-sided Jacobi on the columns of F, which
// does not square the condition number as F^T F would.
#ifndef PBS_BASE_MATRIX3_SVD3_H
#define PBS_BASE_MATRIX3_SVD3_H

#include "base/lanes/lanes.h"

/// Eight matrices at a time: entry (i, j) of all of them is f[3 * i + j].
void svd3_lanes(const lanes8 f[9], lanes8 u[9], lanes8 sigma[3], lanes8 v[9]);

/// One matrix, row-major.
void svd3(const double f[9], double u[9], double sigma[3], double v[9]);

/// The rotation R = U V^T nearest to F.
void polar3(const double f[9], double r[9]);

#endif

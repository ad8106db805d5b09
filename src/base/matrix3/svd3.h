// Singular value decomposition of 3x3 matrices, rotation variant: F = U diag(sigma) V^T with proper
// rotations U and V, sigma_0 >= sigma_1 >= |sigma_2|, and sigma_2 with the sign of det F. Accurate
// to rounding also for inverted, flat and zero matrices. The method is one-sided Jacobi on the
// columns of F, which does not square the condition number as F^T F would.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_SVD3_H
#define PBS_BASE_MATRIX3_SVD3_H

#include "base/lanes/lanes.h"

/// Decomposes eight matrices: entry (i, j) of all of them is f[3 * i + j].
void svd3_lanes(const lanes8 f[9], lanes8 u[9], lanes8 sigma[3], lanes8 v[9]);

/// Decomposes one matrix, row-major.
void svd3(const double f[9], double u[9], double sigma[3], double v[9]);

/// Computes R = U V^T, the rotation nearest to F.
void polar3(const double f[9], double r[9]);

#endif

// Eigenvalues and eigenvectors of symmetric matrices of up to six rows, by cyclic Jacobi
// rotations.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_SMALL_EIGEN_H
#define PBS_BASE_MATRIX3_SMALL_EIGEN_H

enum { SMALL_EIGEN_ROWS = 6 };

/// Diagonalises the leading n x n block of a, n <= 6, both triangles of which are read: its
/// eigenvalues are on the diagonal afterwards, in no order, and column i of q is the eigenvector of
/// a[i][i], of length 1.
void small_eigen(int n, double a[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS],
                 double q[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS]);

#endif

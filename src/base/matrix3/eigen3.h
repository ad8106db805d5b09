// Eigenvalues and eigenvectors of symmetric 3x3 matrices by cyclic Jacobi rotations: A = Q
// diag(lambda) Q^T, Q a rotation, lambda ascending.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_EIGEN3_H
#define PBS_BASE_MATRIX3_EIGEN3_H

#include "base/lanes/lanes.h"

/// Diagonalises a (row-major; only the upper triangle is read).
void eigen3(const double a[9], double lambda[3], double q[9]);

/// Replaces eight symmetric matrices by the nearest positive semidefinite ones. a: upper triangle
/// 00 01 02 11 12 22.
void eigen3_project_lanes(lanes8 a[6]);

/// Replaces a symmetric matrix (row-major) by the nearest positive semidefinite one.
void eigen3_project(double a[9]);

#endif

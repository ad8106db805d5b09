// Projects small symmetric matrices (a host's element Hessians) onto the positive semidefinite
// ones, in place and without allocation. Theory: docs/theory/materials.md section 8.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_CUSTOM_PROJECT_H
#define PBS_ENERGY_CUSTOM_PROJECT_H

#include <stdbool.h>

/// Rows of the largest matrix: eight nodes.
enum { PROJECT_MAX_SIZE = 24 };

/// Returns true if a (size x size, row-major) is positive semidefinite up to rounding: a Cholesky
/// factor exists after 1e-13 size max |a_ij| is added to the diagonal. Without this shift the
/// factorisation would fail, as an element's Hessian is singular: its kernel contains the
/// translations.
bool project_is_semidefinite(int size, const double *a);

/// Replaces a symmetric matrix by the nearest positive semidefinite one, by cyclic Jacobi rotations
/// (Golub and Van Loan, "Matrix Computations", section 8.5).
void project_symmetric(int size, double *a);

#endif

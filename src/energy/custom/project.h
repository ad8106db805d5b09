// Symmetric matrices of a few rows (a host's element Hessians) made positive semidefinite, in place
// and without allocation.
// Theory: docs/theory/materials.md section 8.
#ifndef PBS_ENERGY_CUSTOM_PROJECT_H
#define PBS_ENERGY_CUSTOM_PROJECT_H

#include <stdbool.h>

/// Rows of the largest matrix: eight nodes.
enum { PROJECT_MAX_SIZE = 24 };

/// True if a (size x size, row-major) is positive semidefinite to rounding: it has a Cholesky
/// factor once 1e-13 of its size is added to the diagonal (an element's Hessian is singular, as
/// moving all its nodes changes nothing).
bool project_is_semidefinite(int size, const double *a);

/// Replaces a symmetric matrix by its nearest positive semidefinite one, by cyclic Jacobi rotations
/// (Golub and Van Loan, "Matrix Computations", section 8.5).
void project_symmetric(int size, double *a);

#endif

// The inverse of a diagonal 3x3 block for preconditioners: always symmetric positive definite.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_JACOBI_DIAGONAL_BLOCK_H
#define PBS_LINEAR_JACOBI_DIAGONAL_BLOCK_H

#include <stdbool.h>

/// m: row-major, symmetric. A block that is not positive definite is replaced by its absolute value
/// Q |Lambda| Q^T before it is inverted. Its positive semidefinite part could be singular, and a
/// shift would change the scale of all directions, so that one bad node could dominate. Returns
/// false without writing if the block is not finite.
bool diagonal_block_invert(const double m[9], double inverse[9]);

#endif

// The inverse of a diagonal 3x3 block as a preconditioner wants it: symmetric and positive definite
// whatever the block.
#ifndef PBS_LINEAR_JACOBI_DIAGONAL_BLOCK_H
#define PBS_LINEAR_JACOBI_DIAGONAL_BLOCK_H

#include <stdbool.h>

/// m: row-major, symmetric. A block that is not positive definite is replaced by its absolute value
/// Q |Lambda| Q^T before it is inverted: unlike the positive semidefinite part that leaves no null
/// space, and unlike a shift it keeps the scale of every direction, so that one bad node does not
/// outweigh all others. False, and nothing written, when the block is not finite.
bool diagonal_block_invert(const double m[9], double inverse[9]);

#endif

// The inverse of a symmetric positive definite 3x3 matrix by L D L^T. Stiff contact causes
// condition numbers of 1e8 and more. A determinant by cofactors would lose the square of that.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_JACOBI_DEFINITE3_H
#define PBS_LINEAR_JACOBI_DEFINITE3_H

#include <stdbool.h>

#include "base/config.h"

/// Inverts m (row-major, upper triangle read). Returns false without writing unless every pivot
/// exceeds `least` (not negative) and, after the first, the rounding error of its diagonal entry.
ALWAYS_INLINE bool invert_definite3(const double m[9], double least, double inverse[9]) {
    const double rounding = 0x1p-50;
    const double p0 = m[0];
    if (!(p0 > least)) {
        return false;
    }
    const double l1 = m[1] / p0;
    const double l2 = m[2] / p0;
    const double p1 = m[4] - l1 * m[1];
    if (!(p1 > least) || !(p1 > rounding * m[4])) {
        return false;
    }
    const double c = m[5] - l1 * m[2];
    const double l = c / p1;
    const double p2 = m[8] - l2 * m[2] - l * c;
    if (!(p2 > least) || !(p2 > rounding * m[8])) {
        return false;
    }
    // Rows of L^-1: (1 0 0), (-l1 1 0), (k -l 1).
    const double k = l1 * l - l2;
    const double i0 = 1.0 / p0;
    const double i1 = 1.0 / p1;
    const double i2 = 1.0 / p2;
    inverse[0] = i0 + l1 * l1 * i1 + k * k * i2;
    inverse[1] = inverse[3] = -l1 * i1 - k * l * i2;
    inverse[2] = inverse[6] = k * i2;
    inverse[4] = i1 + l * l * i2;
    inverse[5] = inverse[7] = -l * i2;
    inverse[8] = i2;
    return true;
}

#endif

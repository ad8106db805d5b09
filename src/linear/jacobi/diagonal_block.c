// See diagonal_block.h.
// SPDX-License-Identifier: MIT
#include "linear/jacobi/diagonal_block.h"

#include <math.h>

#include "base/matrix3/eigen3.h"
#include "linear/jacobi/definite3.h"

// Eigenvalues of a repaired block are raised to at least this fraction of the largest one.
#define SMALLEST_EIGENVALUE 1e-6

static void invert_absolute(const double m[9], double inverse[9]) {
    double lambda[3];
    double q[9];
    eigen3(m, lambda, q);
    const double largest = fmax(fabs(lambda[0]), fabs(lambda[2]));
    for (int i = 0; i < 9; i++) {
        inverse[i] = 0.0;
    }
    for (int e = 0; e < 3; e++) {
        const double magnitude = fmax(fabs(lambda[e]), SMALLEST_EIGENVALUE * largest);
        for (int i = 0; i < 9; i++) {
            inverse[i] += q[3 * (i / 3) + e] * q[3 * (i % 3) + e] /
                          (largest > 0.0 ? magnitude : 1.0);
        }
    }
}

bool diagonal_block_invert(const double m[9], double inverse[9]) {
    double sum = 0.0;
    for (int i = 0; i < 9; i++) {
        sum += m[i];
    }
    if (!isfinite(sum)) {
        return false;
    }
    if (!invert_definite3(m, 0.0, inverse)) {
        invert_absolute(m, inverse);
    }
    return true;
}

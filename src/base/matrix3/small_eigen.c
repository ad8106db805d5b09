// SPDX-License-Identifier: MIT
#include "base/matrix3/small_eigen.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

// Rotations converge quadratically, after three or four sweeps.
enum { SWEEPS = 12 };

/// Rotates columns p and r of n rows by the angle of the cosine and the sine.
static void rotate_columns(int n, double m[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS], int p, int r,
                           double cosine, double sine) {
    for (int k = 0; k < n; k++) {
        const double left = m[k][p];
        m[k][p] = cosine * left - sine * m[k][r];
        m[k][r] = sine * left + cosine * m[k][r];
    }
}

static void rotate_rows(int n, double m[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS], int p, int r,
                        double cosine, double sine) {
    for (int k = 0; k < n; k++) {
        const double upper = m[p][k];
        m[p][k] = cosine * upper - sine * m[r][k];
        m[r][k] = sine * upper + cosine * m[r][k];
    }
}

/// Makes a[p][r] zero. Returns false if it is already, to rounding.
static bool eliminate(int n, double a[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS],
                      double q[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS], int p, int r) {
    const double entry = a[p][r];
    if (!(fabs(entry) > DBL_EPSILON * sqrt(fabs(a[p][p])) * sqrt(fabs(a[r][r])))) {
        return false;
    }
    const double cotangent = 0.5 * (a[r][r] - a[p][p]) / entry;
    // A cotangent whose square overflows leaves a tangent of 0.
    const double tangent = copysign(1.0, cotangent) /
                           (fabs(cotangent) + sqrt(1.0 + cotangent * cotangent));
    const double cosine = 1.0 / sqrt(1.0 + tangent * tangent);
    rotate_columns(n, a, p, r, cosine, tangent * cosine);
    rotate_rows(n, a, p, r, cosine, tangent * cosine);
    rotate_columns(n, q, p, r, cosine, tangent * cosine);
    a[p][r] = a[r][p] = 0.0;
    return true;
}

void small_eigen(int n, double a[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS],
                 double q[SMALL_EIGEN_ROWS][SMALL_EIGEN_ROWS]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            q[i][j] = i == j ? 1.0 : 0.0;
        }
    }
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < n; p++) {
            for (int r = p + 1; r < n; r++) {
                turned = eliminate(n, a, q, p, r) || turned;
            }
        }
    }
}

// Inline functions on vectors of three entries and row-major 3x3 matrices.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_MATH3_H
#define PBS_BASE_MATRIX3_MATH3_H

#include <math.h>

#include "base/config.h"

ALWAYS_INLINE double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ALWAYS_INLINE double norm3(const double a[3]) {
    return sqrt(dot3(a, a));
}

ALWAYS_INLINE void copy3(const double a[3], double out[3]) {
    out[0] = a[0];
    out[1] = a[1];
    out[2] = a[2];
}

ALWAYS_INLINE void add3(const double a[3], const double b[3], double out[3]) {
    out[0] = a[0] + b[0];
    out[1] = a[1] + b[1];
    out[2] = a[2] + b[2];
}

ALWAYS_INLINE void subtract3(const double a[3], const double b[3], double out[3]) {
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

/// out = a + s b
ALWAYS_INLINE void add_scaled3(const double a[3], double s, const double b[3], double out[3]) {
    out[0] = a[0] + s * b[0];
    out[1] = a[1] + s * b[1];
    out[2] = a[2] + s * b[2];
}

ALWAYS_INLINE void scale3(double s, const double a[3], double out[3]) {
    out[0] = s * a[0];
    out[1] = s * a[1];
    out[2] = s * a[2];
}

ALWAYS_INLINE void cross3(const double a[3], const double b[3], double out[3]) {
    const double x = a[1] * b[2] - a[2] * b[1];
    const double y = a[2] * b[0] - a[0] * b[2];
    const double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/// Computes two unit vectors orthogonal to a unit normal and to each other.
ALWAYS_INLINE void tangents3(const double normal[3], double tangent[2][3]) {
    int least = fabs(normal[1]) < fabs(normal[0]) ? 1 : 0;
    least = fabs(normal[2]) < fabs(normal[least]) ? 2 : least;
    double axis[3] = {0.0, 0.0, 0.0};
    axis[least] = 1.0;
    cross3(normal, axis, tangent[0]);
    scale3(1.0 / norm3(tangent[0]), tangent[0], tangent[0]);
    cross3(normal, tangent[0], tangent[1]);
}

ALWAYS_INLINE double determinant3(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/// out = m a; out must not be a.
ALWAYS_INLINE void multiply3(const double m[9], const double a[3], double out[3]) {
    out[0] = dot3(m, a);
    out[1] = dot3(m + 3, a);
    out[2] = dot3(m + 6, a);
}

/// out = m^T a; out must not be a.
ALWAYS_INLINE void multiply_transposed3(const double m[9], const double a[3], double out[3]) {
    for (int j = 0; j < 3; j++) {
        out[j] = m[j] * a[0] + m[3 + j] * a[1] + m[6 + j] * a[2];
    }
}

/// out = a b; out must be neither.
ALWAYS_INLINE void multiply33(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

/// Computes out = m^-1 by cofactors and returns det m. Writes nothing if the determinant is zero.
ALWAYS_INLINE double invert33(const double m[9], double out[9]) {
    const double determinant = determinant3(m);
    if (determinant == 0.0) {
        return determinant;
    }
    const double s = 1.0 / determinant;
    out[0] = s * (m[4] * m[8] - m[5] * m[7]);
    out[1] = s * (m[2] * m[7] - m[1] * m[8]);
    out[2] = s * (m[1] * m[5] - m[2] * m[4]);
    out[3] = s * (m[5] * m[6] - m[3] * m[8]);
    out[4] = s * (m[0] * m[8] - m[2] * m[6]);
    out[5] = s * (m[2] * m[3] - m[0] * m[5]);
    out[6] = s * (m[3] * m[7] - m[4] * m[6]);
    out[7] = s * (m[1] * m[6] - m[0] * m[7]);
    out[8] = s * (m[0] * m[4] - m[1] * m[3]);
    return determinant;
}

ALWAYS_INLINE void identity33(double out[9]) {
    for (int i = 0; i < 9; i++) {
        out[i] = i % 4 == 0 ? 1.0 : 0.0;
    }
}

#endif

// Eigenvectors of symmetric 3x3 matrices in closed form (Smith 1961), one matrix in each lane. The
// eigenvector of the well separated eigenvalue is computed first. svd3 and eigen3 use the result as
// the start of Jacobi rotations, which restore full accuracy.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_EIGEN3_CLOSED_H
#define PBS_BASE_MATRIX3_EIGEN3_CLOSED_H

#include "base/lanes/lanes.h"

/// Entry (i, c) of a row-major 3x3 matrix.
#define AT(m, i, c) ((m)[3 * (i) + (c)])

// A squared length below this counts as zero, relative to a largest length of about 1: its square
// would underflow.
#define VANISHING 1.0e-140

/// Computes the power of two that scales the largest entry into [1, 2), and its inverse. Both are
/// normal numbers.
ALWAYS_INLINE void choose_scale(const lanes8 *a, int count, lanes8 *scale, lanes8 *inverse) {
    lanes8 largest = lanes_abs(a[0]);
    for (int i = 1; i < count; i++) {
        largest = lanes_max(largest, lanes_abs(a[i]));
    }
    largest = lanes_max(largest, lanes_set(0x1p-1022));
    largest = lanes_min(largest, lanes_set(0x1p1022));
    const mask8 power = (mask8)largest & (mask8)lanes_set(INFINITY);
    *inverse = (lanes8)power;
    *scale = (lanes8)((mask8)lanes_set(0x1p1023) - power);
}

/// Computes cosine and sine of the rotation that diagonalises [[app, apq], [apq, aqq]] with the
/// larger eigenvalue first: tan(2 theta) = 2 apq / d with d = app - aqq. Returns the identity if d
/// and apq vanish.
ALWAYS_INLINE void choose_rotation(lanes8 d, lanes8 apq, lanes8 *c, lanes8 *s) {
    const lanes8 h = lanes_sqrt(d * d + 4.0 * (apq * apq));
    // Half the angle of (|d|, 2 apq). For d < 0 its complement, which exchanges the columns.
    const lanes8 large = lanes_abs(d) + h;
    const lanes8 small = 2.0 * lanes_abs(apq);
    const lanes8 scale = 1.0 / lanes_sqrt(large * large + small * small);
    const mask8 exchange = d < lanes_set(0.0);
    const mask8 nothing = large < lanes_set(VANISHING);
    const mask8 sign = (mask8)apq & INT64_MIN;
    *c = lanes_select(nothing, lanes_set(1.0), scale * lanes_select(exchange, small, large));
    *s = (lanes8)(~nothing & ((mask8)(scale * lanes_select(exchange, large, small)) ^ sign));
}

/// Returns the root of x^3 - 3 x - 2 r in [sqrt(3), 2] for 0 <= r <= 1, which is 2 cos(acos(r) /
/// 3). Two Newton steps refine a polynomial approximation (error 1.6e-7); the slope is that of the
/// polynomial.
ALWAYS_INLINE lanes8 separated_root(lanes8 r) {
    const lanes8 r2 = r * r;
    const lanes8 low = 1.73205096479 + 0.333317135462 * r;
    const lanes8 middle = -0.095947340068 + 0.0475399478564 * r;
    const lanes8 high = -0.0250210704218 + 0.0101084589894 * r - 0.00204821526411 * r2;
    lanes8 x = low + r2 * (middle + r2 * high);
    // Newton's method divides by 3 x^2 - 3, which is 2 / x'(r).
    const lanes8 slope = (0.333317135462 - 0.191894680136 * r) +
                         r2 * ((0.142619843569 - 0.100084281687 * r) +
                               r2 * (0.050542294947 - 0.0122892915847 * r));
    x -= 0.5 * slope * (x * (x * x - 3.0) - 2.0 * r);
    return x - 0.5 * slope * (x * (x * x - 3.0) - 2.0 * r);
}

ALWAYS_INLINE void cross(const lanes8 a[3], const lanes8 b[3], lanes8 out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

ALWAYS_INLINE lanes8 dot(const lanes8 a[3], const lanes8 b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ALWAYS_INLINE void multiply_symmetric(const lanes8 k[6], const lanes8 a[3], lanes8 out[3]) {
    out[0] = k[0] * a[0] + k[1] * a[1] + k[2] * a[2];
    out[1] = k[1] * a[0] + k[3] * a[1] + k[4] * a[2];
    out[2] = k[2] * a[0] + k[4] * a[1] + k[5] * a[2];
}

/// Computes the unit null vector of K - x I: the longest cross product of two of its rows.
ALWAYS_INLINE void null_vector(const lanes8 k[6], lanes8 x, lanes8 e[3]) {
    const lanes8 row0[3] = {k[0] - x, k[1], k[2]};
    const lanes8 row1[3] = {k[1], k[3] - x, k[4]};
    const lanes8 row2[3] = {k[2], k[4], k[5] - x};
    lanes8 a[3];
    lanes8 b[3];
    lanes8 c[3];
    cross(row0, row1, a);
    cross(row2, row0, b);
    cross(row1, row2, c);
    const lanes8 aa = dot(a, a);
    const lanes8 bb = dot(b, b);
    const lanes8 cc = dot(c, c);
    const mask8 use_b = bb > aa;
    const lanes8 ab = lanes_select(use_b, bb, aa);
    const mask8 use_c = cc > ab;
    const lanes8 scale = 1.0 / lanes_sqrt(lanes_select(use_c, cc, ab));
    for (int i = 0; i < 3; i++) {
        e[i] = scale * lanes_select(use_c, c[i], lanes_select(use_b, b[i], a[i]));
    }
}

/// Computes two unit vectors with u x w = e (Duff et al. 2017).
ALWAYS_INLINE void complete_basis(const lanes8 e[3], lanes8 u[3], lanes8 w[3]) {
    const lanes8 sign = (lanes8)(((mask8)e[2] & INT64_MIN) | (mask8)lanes_set(1.0));
    const lanes8 a = -1.0 / (sign + e[2]);
    const lanes8 b = e[0] * e[1] * a;
    u[0] = 1.0 + sign * e[0] * e[0] * a;
    u[1] = sign * b;
    u[2] = -sign * e[0];
    w[0] = b;
    w[1] = sign + e[1] * e[1] * a;
    w[2] = -e[1];
}

/// Computes the eigenvectors of a (upper triangle 00 01 02 11 12 22) as the columns of the rotation
/// v, the largest eigenvalue first. Errors are of the size of a's rounding. For a multiple of the
/// identity v is NaN, because every vector is an eigenvector.
ALWAYS_INLINE void closed_eigenvectors(const lanes8 a[6], lanes8 v[9]) {
    // K = (A - mean) / p has the eigenvalues 2 cos(phi + 2 pi k / 3) with cos(3 phi) = det K / 2.
    const lanes8 mean = (a[0] + a[3] + a[5]) * (1.0 / 3.0);
    const lanes8 d0 = a[0] - mean;
    const lanes8 d1 = a[3] - mean;
    const lanes8 d2 = a[5] - mean;
    const lanes8 off = a[1] * a[1] + a[2] * a[2] + a[4] * a[4];
    const lanes8 pp = (d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * off) * (1.0 / 6.0);
    const lanes8 s = 1.0 / lanes_sqrt(pp);
    const lanes8 k[6] = {s * d0, s * a[1], s * a[2], s * d1, s * a[4], s * d2};
    const lanes8 determinant = k[0] * (k[3] * k[5] - k[4] * k[4]) -
                               k[1] * (k[1] * k[5] - k[4] * k[2]) +
                               k[2] * (k[1] * k[4] - k[3] * k[2]);

    // One of the two extreme eigenvalues is at least sqrt(3) away from the others: the smallest if
    // det K < 0, otherwise the largest.
    const mask8 last = determinant < lanes_set(0.0);
    const mask8 sign = (mask8)determinant & INT64_MIN;
    const lanes8 r = lanes_min(0.5 * lanes_abs(determinant), lanes_set(1.0));
    lanes8 e[3];
    null_vector(k, (lanes8)((mask8)separated_root(r) ^ sign), e);

    // The other two eigenvectors lie in the plane perpendicular to this one.
    lanes8 u[3];
    lanes8 w[3];
    lanes8 ku[3];
    lanes8 kw[3];
    lanes8 cosine;
    lanes8 sine;
    complete_basis(e, u, w);
    multiply_symmetric(k, u, ku);
    multiply_symmetric(k, w, kw);
    choose_rotation(dot(u, ku) - dot(w, kw), dot(u, kw), &cosine, &sine);
    for (int i = 0; i < 3; i++) {
        const lanes8 larger = cosine * u[i] + sine * w[i];
        const lanes8 smaller = cosine * w[i] - sine * u[i];
        AT(v, i, 0) = lanes_select(last, larger, e[i]);
        AT(v, i, 1) = lanes_select(last, smaller, larger);
        AT(v, i, 2) = lanes_select(last, e[i], smaller);
    }
}

#endif

// Polar decomposition F = R S (S symmetric) of eight 3x3 matrices, and the derivative of R with
// respect to F, without singular vectors. For energies that depend on F and R only. R = U V^T is
// the rotation of svd3.h, also for inverted F.
//
// x = tr S is the largest root of x^4 - 2 |F|^2 x^2 - 8 J x + |F|^4 - 4 |cof F|^2. The roots are
// the sums of the signed singular values with none or two of their signs changed. R is the
// derivative of x with respect to F; differentiating the equation gives
//     R = ((x^2 + |F|^2) F + 2 x cof F - 2 F F^T F) / d,
//     d = x (x^2 - |F|^2) - 2 J = 2 (s0 + s1) (s0 + s2) (s1 + s2).
// Digits are lost where d is small compared with x^3: F nearly of rank one, or inverted with two
// singular values nearly equal and of opposite sign. There R is computed from svd3_lanes.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_POLAR3_H
#define PBS_BASE_MATRIX3_POLAR3_H

#include "base/lanes/lanes.h"

// Smallest d / x^3 (16/27 at rest) and smallest d for which the closed form is used. The relative
// error of x is epsilon x^3 / d, that of R is x^3 / d times larger. POLAR3_SMALLEST keeps x^4 from
// underflowing.
#define POLAR3_SMALLEST_RATIO 0.125
#define POLAR3_SMALLEST       1e-180

/// Computes R, and rate if it is not null (see polar3_with_rate_lanes), from the singular value
/// decomposition. Writes the lanes of the mask only.
void polar3_from_svd(const mask8 *lanes, const lanes8 f[9], double smallest_sum, lanes8 r[9],
                     lanes8 rate[6]);

/// Returns the sum of squares, associated so that the chain of dependent additions is shortest.
ALWAYS_INLINE lanes8 polar3_squares(const lanes8 a[9]) {
    const lanes8 first = a[0] * a[0] + a[4] * a[4];
    const lanes8 second = a[1] * a[1] + a[3] * a[3];
    const lanes8 third = a[2] * a[2] + a[6] * a[6];
    const lanes8 fourth = a[5] * a[5] + a[7] * a[7];
    return ((first + a[8] * a[8]) + second) + (third + fourth);
}

/// Computes x = tr S by Newton-like iterations. Returns the lanes that converged.
ALWAYS_INLINE mask8 polar3_trace(lanes8 norm, lanes8 j, lanes8 cofactor_norm, lanes8 *trace) {
    // The iteration starts above the root and decreases monotonically. It is Chebyshev's method of
    // third order, rearranged to one division. With the Newton correction n, the error after a step
    // is about 2 n (n P'' / 2 P')^2.
    lanes8 x = lanes_sqrt(3.0 * norm);
    mask8 active = x == x;
    for (int i = 0; i < 8 && lanes_any(active); i++) {
        const lanes8 xx = x * x;
        const lanes8 y = xx - norm;
        const lanes8 inverse = 0.25 / (x * y - 2.0 * j);
        const lanes8 n = (y * y - 8.0 * j * x - 4.0 * cofactor_norm) * inverse;
        const lanes8 m = n * (6.0 * xx - 2.0 * norm) * inverse;
        x = lanes_select(active, x - n * (1.0 + m), x);
        active = lanes_both(active, ~(lanes_abs(n) * (m * m) <= 0x1p-54 * x));
    }
    *trace = x;
    return ~active;
}

/// Computes R in closed form, x and 1/d. Returns the lanes in which they are accurate. cofactor and
/// j are those of F.
ALWAYS_INLINE mask8 polar3_closed(const lanes8 f[9], const lanes8 cofactor[9], lanes8 j,
                                  lanes8 r[9], lanes8 *trace, lanes8 *inverse) {
    const lanes8 norm = polar3_squares(f);
    const lanes8 cofactor_norm = polar3_squares(cofactor);
    lanes8 x;
    const mask8 converged = polar3_trace(norm, j, cofactor_norm, &x);
    const lanes8 xx = x * x;
    const lanes8 d = x * (xx - norm) - 2.0 * j;
    const mask8 good = lanes_both(d >= POLAR3_SMALLEST_RATIO * (x * xx), d >= POLAR3_SMALLEST);
    const lanes8 scale = 1.0 / d;
    const lanes8 of_f = (xx + norm) * scale;
    const lanes8 of_cofactor = 2.0 * x * scale;
    lanes8 gram[9];
    for (int i = 0; i < 3; i++) {
        for (int k = i; k < 3; k++) {
            const lanes8 sum = f[i] * f[k] + f[3 + i] * f[3 + k] + f[6 + i] * f[6 + k];
            gram[3 * i + k] = -2.0 * scale * sum;
            gram[3 * k + i] = gram[3 * i + k];
        }
        gram[4 * i] += of_f;
    }
    for (int i = 0; i < 9; i += 3) {
        for (int k = 0; k < 3; k++) {
            r[i + k] = f[i] * gram[k] + f[i + 1] * gram[3 + k] + f[i + 2] * gram[6 + k] +
                       of_cofactor * cofactor[i + k];
        }
    }
    *trace = x;
    *inverse = scale;
    return lanes_both(good, converged);
}

ALWAYS_INLINE void polar3_lanes(const lanes8 f[9], const lanes8 cofactor[9], lanes8 j,
                                lanes8 r[9]) {
    lanes8 trace;
    lanes8 inverse;
    const mask8 hard = ~polar3_closed(f, cofactor, j, r, &trace, &inverse);
    if (lanes_any(hard)) {
        polar3_from_svd(&hard, f, 0.0, r, NULL);
    }
}

/// Computes R and the symmetric matrix `rate` (00 01 02 11 12 22) that maps a change of F to the
/// change of R: dR = [rate w]x R with [w]x = dF R^T - R dF^T. rate = (tr L - L)^-1 for the left
/// stretch L = F R^T; its eigenvalues are 1 / (s_i + s_j). In lanes that use the singular value
/// decomposition, these denominators are clamped to at least smallest_sum.
ALWAYS_INLINE void polar3_with_rate_lanes(const lanes8 f[9], const lanes8 cofactor[9], lanes8 j,
                                          double smallest_sum, lanes8 r[9], lanes8 rate[6]) {
    lanes8 x;
    lanes8 inverse;
    const mask8 hard = ~polar3_closed(f, cofactor, j, r, &x, &inverse);
    lanes8 k[6]; // tr L - L, whose determinant is d / 2
    for (int i = 0, n = 0; i < 3; i++) {
        for (int l = i; l < 3; l++, n++) {
            const lanes8 sum = f[3 * i] * r[3 * l] + f[3 * i + 1] * r[3 * l + 1] +
                               f[3 * i + 2] * r[3 * l + 2];
            k[n] = i == l ? x - sum : -sum;
        }
    }
    const lanes8 scale = 2.0 * inverse;
    rate[0] = scale * (k[3] * k[5] - k[4] * k[4]);
    rate[1] = scale * (k[2] * k[4] - k[1] * k[5]);
    rate[2] = scale * (k[1] * k[4] - k[2] * k[3]);
    rate[3] = scale * (k[0] * k[5] - k[2] * k[2]);
    rate[4] = scale * (k[1] * k[2] - k[0] * k[4]);
    rate[5] = scale * (k[0] * k[3] - k[1] * k[1]);
    if (lanes_any(hard)) {
        polar3_from_svd(&hard, f, smallest_sum, r, rate);
    }
}

#endif

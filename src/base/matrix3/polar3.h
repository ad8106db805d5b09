// The rotation R of F = R S, S symmetric, of eight 3x3 matrices, and how it changes with F, without
// singular vectors: for energies in which only R appears. The rotation is that of svd3.h, R = U
// V^T, also for inverted F.
//
// x = tr S is the largest root of x^4 - 2 |F|^2 x^2 - 8 J x + |F|^4 - 4 |cof F|^2: its roots are
// the sums of the signed singular values with none or two of their signs changed. R is its
// derivative by F, and differentiating the equation gives
//     R = ((x^2 + |F|^2) F + 2 x cof F - 2 F F^T F) / d,
//     d = x (x^2 - |F|^2) - 2 J = 2 (s0 + s1) (s0 + s2) (s1 + s2).
// Where d is small beside x^3 (nearly a line, or inverted with two stretches nearly equal and
// opposite), the digits that this loses come from svd3_lanes.
#ifndef PBS_BASE_MATRIX3_POLAR3_H
#define PBS_BASE_MATRIX3_POLAR3_H

#include "base/lanes/lanes.h"

// Smallest d / x^3 (16/27 at rest) and smallest d of the closed form. x is off by
// epsilon x^3 / d, and R by as much again times x^3 / d; numbers of the size of x^4 may not
// underflow.
#define POLAR3_SMALLEST_RATIO 0.125
#define POLAR3_SMALLEST       1e-180

/// From the singular value decomposition, in the lanes of the mask: R, and unless null rate, as
/// polar3_with_rate_lanes has it. Other lanes are left as they are.
void polar3_from_svd(const mask8 *lanes, const lanes8 f[9], double smallest_sum, lanes8 r[9],
                     lanes8 rate[6]);

/// The sum of squares, in the order that waits least.
ALWAYS_INLINE lanes8 polar3_squares(const lanes8 a[9]) {
    const lanes8 first = a[0] * a[0] + a[4] * a[4];
    const lanes8 second = a[1] * a[1] + a[3] * a[3];
    const lanes8 third = a[2] * a[2] + a[6] * a[6];
    const lanes8 fourth = a[5] * a[5] + a[7] * a[7];
    return ((first + a[8] * a[8]) + second) + (third + fourth);
}

/// x as far as the closed form needs it; returns the lanes where it converged.
ALWAYS_INLINE mask8 polar3_trace(lanes8 norm, lanes8 j, lanes8 cofactor_norm, lanes8 *trace) {
    // From above, where the root is approached from one side. Third order (Chebyshev's), with one
    // division; what a step leaves is about 2 n (n P'' / 2 P')^2.
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

/// R in closed form, with x and 1/d; returns the lanes in which it is good. cofactor and j are
/// those of F.
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

/// Also the symmetric matrix (00 01 02 11 12 22) that turns a change of F into one of R: dR = [rate
/// w]x R with [w]x = dF R^T - R dF^T. It is (tr L - L)^-1 for the left stretch L = F R^T, and has
/// the eigenvalues 1 / (s_i + s_j), whose denominators are taken to be smallest_sum at least where
/// F asks for singular values.
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

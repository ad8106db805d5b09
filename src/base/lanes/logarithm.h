// Natural logarithms of eight numbers at a time. Uses arithmetic alone, so that the result has the
// same bits on every processor and with every mathematical library.
//
// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)). With s = f / (2 + f), log(1 + f) = 2 atanh(s)
// and f - 2 s = s f.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_LANES_LOGARITHM_H
#define PBS_BASE_LANES_LOGARITHM_H

#include "base/lanes/lanes.h"

typedef uint64_t bits8 __attribute__((vector_size(8 * LANES)));

// ln 2 as the sum of two doubles. The last bits of the first one are zero, so that its product with
// an exponent is exact.
#define LN2_HIGH 0x1.62e42fefa0000p-1
#define LN2_LOW  0x1.cf79abc9e3b3ap-40

/// Computes k and f of a positive normal number. f is exact.
ALWAYS_INLINE void log_reduce(lanes8 x, lanes8 *k, lanes8 *f) {
    const uint64_t one = 0x3ff0000000000000U;
    const uint64_t root_half = 0x3fe6a09e667f3bcdU;
    const bits8 shifted = (bits8)x + (one - root_half);
    // Converts the biased exponent to double by placing it into the mantissa of 2^52; no conversion
    // instruction is needed.
    *k = (lanes8)((shifted >> 52) | 0x4330000000000000U) - (4503599627370496.0 + 1023.0);
    *f = (lanes8)((shifted & 0x000fffffffffffffU) + root_half) - 1.0;
}

/// Returns f - log(1 + f) for the f of log_reduce: s f minus the rest of the series of 2 atanh(s).
/// The coefficients interpolate (atanh(s) / s - 1) / s^2 at Chebyshev points, to 2e-16.
ALWAYS_INLINE lanes8 log_series(lanes8 f) {
    const lanes8 s = f / (2.0 + f);
    const lanes8 z = s * s;
    const lanes8 zz = z * z;
    const lanes8 low = 0.3333333333333335 + 0.19999999999949752 * z;
    const lanes8 middle = 0.14285714312987743 + 0.1111110556739754 * z;
    const lanes8 high = (0.09091444562630861 + 0.07665860800278021 * z) + 0.07308224842521703 * zz;
    return s * f - 2.0 * s * z * ((low + zz * middle) + (zz * zz) * high);
}

/// Computes ln x and (x - 1) - ln x of a positive normal number.
ALWAYS_INLINE void log_with_excess_lanes(lanes8 x, lanes8 *logarithm, lanes8 *excess) {
    lanes8 k;
    lanes8 f;
    log_reduce(x, &k, &f);
    const lanes8 series = log_series(f);
    *logarithm = k * LN2_HIGH + (f - (series - k * LN2_LOW));
    *excess = ((x - 1.0) - f) - k * (LN2_HIGH + LN2_LOW) + series;
}

/// Returns ln x to 2 units in the last place, also for denormal numbers. Zero gives -infinity,
/// infinity gives infinity, negative numbers give NaN.
ALWAYS_INLINE lanes8 log_lanes(lanes8 x) {
    const mask8 denormal = x < 0x1p-1022;
    lanes8 k;
    lanes8 f;
    log_reduce(lanes_select(denormal, x * 0x1p54, x), &k, &f);
    k -= (lanes8)(denormal & (mask8)lanes_set(54.0));
    const lanes8 result = k * LN2_HIGH + (f - (log_series(f) - k * LN2_LOW));
    const lanes8 special = lanes_select(x == 0.0, lanes_set(-INFINITY),
                                        lanes_select(x > 0.0, x, lanes_set(NAN)));
    return lanes_select(lanes_both(x > 0.0, x < INFINITY), result, special);
}

/// Returns t - log(1 + t) for t > -1, to full relative accuracy also for small t, where it is about
/// t^2 / 2.
ALWAYS_INLINE lanes8 log_excess_lanes(lanes8 t) {
    lanes8 k;
    lanes8 f;
    log_reduce(1.0 + t, &k, &f);
    f = lanes_select(k == 0.0, t, f);
    return (t - f) - k * (LN2_HIGH + LN2_LOW) + log_series(f);
}

#endif

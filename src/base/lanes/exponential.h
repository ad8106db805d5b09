// The exponential of eight numbers at a time. Uses arithmetic alone, so that the result has the
// same bits on every processor and with every mathematical library.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_LANES_EXPONENTIAL_H
#define PBS_BASE_LANES_EXPONENTIAL_H

#include "base/lanes/logarithm.h"

/// Returns e^x to 2 units in the last place for |x| <= 700; arguments beyond that count as +-700.
///
/// With x = k ln 2 + r, |r| <= ln 2 / 2, e^x = 2^k e^r. The Taylor series of e^r up to r^13 has an
/// error of 4e-18.
ALWAYS_INLINE lanes8 exp_lanes(lanes8 x) {
    // Adding 1.5 * 2^52 rounds to an integer, whose last bits are then those of the sum.
    const double round = 0x1.8p52;
    x = lanes_max(lanes_min(x, lanes_set(700.0)), lanes_set(-700.0));
    const lanes8 shifted = x * 0x1.71547652b82fep+0 + round;
    const lanes8 k = shifted - round;
    const lanes8 r = (x - k * LN2_HIGH) - k * LN2_LOW;
    lanes8 sum = lanes_set(1.0 / 6227020800.0);
    static const double coefficients[] = {1.0 / 479001600.0,
                                          1.0 / 39916800.0,
                                          1.0 / 3628800.0,
                                          1.0 / 362880.0,
                                          1.0 / 40320.0,
                                          1.0 / 5040.0,
                                          1.0 / 720.0,
                                          1.0 / 120.0,
                                          1.0 / 24.0,
                                          1.0 / 6.0,
                                          0.5,
                                          1.0};
    for (size_t i = 0; i < sizeof coefficients / sizeof coefficients[0]; i++) {
        sum = sum * r + coefficients[i];
    }
    const lanes8 power = (lanes8)(((bits8)shifted << 52) + 0x3ff0000000000000U);
    return power * (sum * r + 1.0);
}

#endif

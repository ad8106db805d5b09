// Angles of eight plane vectors at a time. Uses arithmetic alone, so that the result has the same
// bits on every processor and with every mathematical library.
//
// The vector is reflected to 0 <= y <= x, and above tan(pi/8) rotated by -pi/4. What remains is |z|
// < tan(pi/8), where atan z = z - z w Q(w) with w = z^2.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_LANES_ARCTANGENT_H
#define PBS_BASE_LANES_ARCTANGENT_H

#include "base/lanes/lanes.h"

#define ARCTANGENT_PI     0x1.921fb54442d18p+1
#define ARCTANGENT_PI_LOW 0x1.1a62633145c07p-53 ///< pi - ARCTANGENT_PI

/// Returns atan z for |z| < tan(pi/8). Q interpolates (1 - atan(z) / z) / w at Chebyshev points;
/// the error of atan(z) / z is 1e-17.
ALWAYS_INLINE lanes8 arctangent_series(lanes8 z) {
    const lanes8 w = z * z;
    const lanes8 w2 = w * w;
    const lanes8 w4 = w2 * w2;
    const lanes8 q0 = 0.3333333333333333 - 0.1999999999999552 * w;
    const lanes8 q2 = 0.14285714284666542 - 0.11111111015256361 * w;
    const lanes8 q4 = 0.09090904578123903 - 0.07692183190826087 * w;
    const lanes8 q6 = 0.06664511447381948 - 0.0585814891280221 * w;
    const lanes8 q8 = (0.0508544973794026 - 0.03923165829558719 * w) + 0.01917688711906226 * w2;
    return z - z * w * ((q0 + w2 * q2) + w4 * ((q4 + w2 * q6) + w4 * q8));
}

/// Returns the angle of (x, y) from the x axis, in [-pi, pi] with the sign of y, like atan2, to 3
/// units in the last place. The angle of the null vector is 0. x, y and x + y must be finite.
ALWAYS_INLINE lanes8 atan2_lanes(lanes8 y, lanes8 x) {
    const lanes8 ax = lanes_abs(x);
    const lanes8 ay = lanes_abs(y);
    const lanes8 low = lanes_min(ax, ay);
    const lanes8 high = lanes_max(ax, ay);
    const mask8 reduced = lanes_less(0.41421356237309503 * high, low);
    const lanes8 top = lanes_select(reduced, low - high, low);
    const lanes8 bottom = lanes_select(reduced, low + high, high);
    const lanes8 zero = lanes_set(0.0);
    const lanes8 z = top / lanes_select(lanes_less(zero, bottom), bottom, lanes_set(1.0));
    // The angle is fraction * pi + part. The low word of fraction * pi is added to part first.
    lanes8 part = arctangent_series(z);
    lanes8 fraction = lanes_select(reduced, lanes_set(0.25), zero);
    const mask8 steep = lanes_less(ax, ay);
    part = lanes_select(steep, -part, part);
    fraction = lanes_select(steep, 0.5 - fraction, fraction);
    const mask8 behind = lanes_less(x, zero);
    part = lanes_select(behind, -part, part);
    fraction = lanes_select(behind, 1.0 - fraction, fraction);
    const lanes8 angle = fraction * ARCTANGENT_PI + (part + fraction * ARCTANGENT_PI_LOW);
    return (lanes8)((mask8)angle | ((mask8)y & INT64_MIN));
}

#endif

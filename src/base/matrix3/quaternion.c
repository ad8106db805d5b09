// SPDX-License-Identifier: MIT
#include "base/matrix3/quaternion.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

void rotation_of(const double orientation[4], double rotation[9]) {
    const double x = orientation[0], y = orientation[1], z = orientation[2], w = orientation[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(rotation, r, sizeof r);
}

void quaternion_of(const double rotation[9], double orientation[4]) {
    // `square` is four times the square of each component. The others are computed by dividing by
    // the largest one (Shepperd 1978).
    const double trace = rotation[0] + rotation[4] + rotation[8];
    const double square[4] = {1 + 2 * rotation[0] - trace, 1 + 2 * rotation[4] - trace,
                              1 + 2 * rotation[8] - trace, 1 + trace};
    int largest = 3;
    for (int i = 0; i < 3; i++) {
        largest = square[i] > square[largest] ? i : largest;
    }
    const double skew[3] = {rotation[7] - rotation[5], rotation[2] - rotation[6],
                            rotation[3] - rotation[1]};
    for (int i = 0; i < 3; i++) {
        const double mixed = largest < 3 ? rotation[3 * i + largest] + rotation[3 * largest + i]
                                         : skew[i];
        orientation[i] = i == largest ? square[i] : mixed;
    }
    orientation[3] = largest < 3 ? skew[largest] : square[3];
    const double norm = copysign(
        sqrt(dot3(orientation, orientation) + orientation[3] * orientation[3]), orientation[3]);
    for (int i = 0; i < 4; i++) {
        orientation[i] /= norm;
    }
}

/// out = a b: rotates by b, then by a.
static void multiply(const double a[4], const double b[4], double out[4]) {
    cross3(a, b, out);
    for (int i = 0; i < 3; i++) {
        out[i] += a[3] * b[i] + b[3] * a[i];
    }
    out[3] = a[3] * b[3] - dot3(a, b);
}

void rotation_between(const double from[4], const double to[4], double vector[3]) {
    const double inverse[4] = {-from[0], -from[1], -from[2], from[3]};
    double q[4];
    multiply(to, inverse, q);
    const double sign = q[3] < 0.0 ? -1.0 : 1.0;
    const double sine = norm3(q);
    const double angle = 2.0 * atan2(sine, sign * q[3]);
    scale3(sine > 0.0 ? sign * angle / sine : 0.0, q, vector);
}

void rotate_by(const double vector[3], double fraction, const double from[4], double out[4]) {
    const double half = 0.5 * fraction * norm3(vector);
    double rotation[4] = {0.0, 0.0, 0.0, cos(half)};
    if (half > 0.0) {
        scale3(0.5 * fraction * sin(half) / half, vector, rotation);
    }
    multiply(rotation, from, out);
}

// Computes turning points by the quadratic formula in its form without cancellation, and roots by
// bisection to the last bit.
// SPDX-License-Identifier: MIT
#include "energy/deformation/cubic.h"

#include <math.h>

double cubic_value(const double c[4], double t) {
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

int cubic_turning_points(const double c[4], double out[2]) {
    const double discriminant = c[2] * c[2] - 3.0 * c[3] * c[1];
    if (discriminant < 0.0) {
        return 0;
    }
    const double q = -(c[2] + copysign(sqrt(discriminant), c[2]));
    const double first = q / (3.0 * c[3]);
    const double second = c[1] / q;
    int count = 0;
    if (isfinite(first)) {
        out[count++] = first;
    }
    if (isfinite(second)) {
        out[count++] = second;
    }
    if (count == 2 && out[0] > out[1]) {
        const double swap = out[0];
        out[0] = out[1];
        out[1] = swap;
    }
    return count;
}

double cubic_bisect(const double c[4], double low, double high) {
    for (;;) {
        const double middle = low + 0.5 * (high - low);
        if (middle <= low || middle >= high) {
            return low;
        }
        if (cubic_value(c, middle) > 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

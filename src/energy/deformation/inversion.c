// Finds the first root of det(F + t D); see inversion.h.
// SPDX-License-Identifier: MIT
#include "energy/deformation/inversion.h"

#include <float.h>

#include "energy/deformation/cubic.h"

// The cubic is monotone between its turning points, so it suffices to test these and the limit.
double inversion_first_root(const double c[4], double limit) {
    double stops[3];
    int count = cubic_turning_points(c, stops);
    stops[count++] = limit;
    double low = 0.0;
    for (int i = 0; i < count; i++) {
        const double t = fmin(stops[i], limit);
        if (!(t > low)) {
            continue;
        }
        const double size = fabs(c[0]) + t * (fabs(c[1]) + t * (fabs(c[2]) + t * fabs(c[3])));
        const double value = cubic_value(c, t);
        if (value <= 0.0) {
            return cubic_bisect(c, low, t);
        }
        // A double root that rounding has moved above zero. The element is flat there up to
        // rounding.
        if (t < limit && value <= 4.0 * DBL_EPSILON * size && value < 0.5 * cubic_value(c, low)) {
            return t;
        }
        low = t;
    }
    return limit;
}

// SPDX-License-Identifier: MIT
#include "geometry/shapes/ray_hits.h"

#include "base/matrix3/math3.h"

bool ray_roots(const double o[3], const double d[3], unsigned axes, double radius, double out[2]) {
    double along = 0.0;
    double square = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        if ((axes >> k & 1U) != 0) {
            along += o[k] * d[k];
            square += d[k] * d[k];
        }
    }
    if (square == 0.0) {
        return false;
    }
    // The roots are computed relative to the midpoint between them, from which the distance is
    // small and loses no digits.
    const double middle = -along / square;
    double distance_squared = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        if ((axes >> k & 1U) != 0) {
            const double at = o[k] + middle * d[k];
            distance_squared += at * at;
        }
    }
    const double left = radius * radius - distance_squared;
    if (!(left >= 0.0)) {
        return false;
    }
    const double half = sqrt(left / square);
    out[0] = middle - half;
    out[1] = middle + half;
    return true;
}

void ray_hit_sphere(const double o[3], const double d[3], double y, double radius,
                    struct shape_hit *hit) {
    const double from[3] = {o[0], o[1] - y, o[2]};
    double t[2];
    if (!ray_roots(from, d, 7, radius, t)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        double at[3];
        add_scaled3(from, t[i], d, at);
        if (y == 0.0 || at[1] * copysign(1.0, y) >= -RAY_SEAM * (radius + fabs(y))) {
            shape_hit_record(hit, t[i], at);
        }
    }
}

void ray_hit_side(const double o[3], const double d[3], const double size[3],
                  struct shape_hit *hit) {
    double t[2];
    if (!ray_roots(o, d, 5, size[0], t)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        double at[3];
        add_scaled3(o, t[i], d, at);
        if (fabs(at[1]) <= size[1] + RAY_SEAM * (size[0] + size[1])) {
            shape_hit_record(hit, t[i], (double[3]){at[0], 0.0, at[2]});
        }
    }
}

// See solid_angle.h.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/solid_angle.h"

#include <math.h>

#include "base/matrix3/math3.h"

double solid_angle(const double *const corners[3], const double point[3]) {
    double a[3], b[3], c[3], across[3];
    subtract3(corners[0], point, a);
    subtract3(corners[1], point, b);
    subtract3(corners[2], point, c);
    const double la = norm3(a), lb = norm3(b), lc = norm3(c);
    cross3(b, c, across);
    return 2.0 * atan2(dot3(a, across),
                       la * lb * lc + dot3(a, b) * lc + dot3(b, c) * la + dot3(c, a) * lb);
}

double solid_angle_turns(const double *x, const uint32_t *triangles, size_t triangle_count,
                         const double point[3]) {
    double sum = 0.0;
    for (size_t t = 0; t < triangle_count; t++) {
        const uint32_t *v = triangles + 3 * t;
        const double *const corners[3] = {x + 3 * (size_t)v[0], x + 3 * (size_t)v[1],
                                          x + 3 * (size_t)v[2]};
        sum += solid_angle(corners, point);
    }
    return sum / (4.0 * 3.14159265358979323846);
}

bool solid_angle_encloses(const double *x, const uint32_t *triangles, size_t triangle_count,
                          const double point[3]) {
    const double turns = fabs(solid_angle_turns(x, triangles, triangle_count, point));
    return turns > 0.5 && fabs(turns - round(turns)) < 1e-3;
}

// See volume_step.h. Along a line the volume is a cubic polynomial of the step.
// SPDX-License-Identifier: MIT
#include "energy/pressure/volume_step.h"

#include <math.h>

#include "base/matrix3/math3.h"

static const double PI = 3.14159265358979323846;
// Advances until this part of what is allowed is left.
static const double LEFT = 0.5;
enum { ADVANCES = 100 };

static double triple(const double a[3], const double b[3], const double c[3]) {
    double area[3];
    cross3(b, c, area);
    return dot3(a, area);
}

/// The corners of a triangle relative to a point that moves along.
static void take_corners(const uint32_t *triangle, const double *field, uint32_t origin,
                         double out[3][3]) {
    for (size_t a = 0; a < 3; a++) {
        subtract3(field + 3 * (size_t)triangle[a], field + 3 * (size_t)origin, out[a]);
    }
}

/// The coefficients of V(step) - V(0) by the powers 1 to 3 of the step.
static void expand(const uint32_t *triangles, size_t count, const double *x,
                   const double *direction, double power[3]) {
    power[0] = power[1] = power[2] = 0.0;
    for (size_t t = 0; t < count; t++) {
        double c[3][3], d[3][3];
        take_corners(triangles + 3 * t, x, triangles[0], c);
        take_corners(triangles + 3 * t, direction, triangles[0], d);
        power[0] += triple(d[0], c[1], c[2]) + triple(c[0], d[1], c[2]) + triple(c[0], c[1], d[2]);
        power[1] += triple(c[0], d[1], d[2]) + triple(d[0], c[1], d[2]) + triple(d[0], d[1], c[2]);
        power[2] += triple(d[0], d[1], d[2]);
    }
    scale3(1.0 / 6.0, power, power);
}

/// A step that none of the powers changes by more than a third of `change`.
static double certain_step(const double power[3], double change) {
    const double third = change / 3.0;
    return fmin(fmin(third / fabs(power[0]), sqrt(third / fabs(power[1]))),
                cbrt(third / fabs(power[2])));
}

double volume_step(const uint32_t *triangles, size_t count, double area, const double *x,
                   const double *direction, double limit) {
    const double most = area * sqrt(area / PI) / 6.0;
    double power[3], step = 0.0, left = most;
    expand(triangles, count, x, direction, power);
    for (int i = 0; i < ADVANCES && step < limit && left > LEFT * most; i++) {
        const double here[3] = {power[0] + step * (2.0 * power[1] + step * 3.0 * power[2]),
                                power[1] + 3.0 * step * power[2], power[2]};
        step += certain_step(here, left);
        left = most - fabs(step * (power[0] + step * (power[1] + step * power[2])));
    }
    return fmin(step, limit);
}

// Computes the distances of opt_distance.h.
// SPDX-License-Identifier: MIT
#include "scenes/opt/opt_distance.h"

#include <math.h>

/// Transforms a point to the obstacle's frame.
static void to_frame(const struct opt_obstacle *o, const double x[3], double out[3]) {
    const double *q = o->orientation;
    double v[3], t[3];
    for (int k = 0; k < 3; k++) {
        v[k] = x[k] - o->position[k];
    }
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        t[k] = 2.0 * (-q[a] * v[b] + q[b] * v[a]);
    }
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = v[k] + q[3] * t[k] - q[a] * t[b] + q[b] * t[a];
    }
}

static double box_distance(const double half[3], const double y[3]) {
    double outside = 0.0, inside = -INFINITY;
    for (int k = 0; k < 3; k++) {
        const double d = fabs(y[k]) - half[k];
        outside += d > 0.0 ? d * d : 0.0;
        inside = fmax(inside, d);
    }
    return outside > 0.0 ? sqrt(outside) : inside;
}

double opt_distance(const struct opt_obstacle *o, const double x[3]) {
    const double *size = o->desc.size;
    double y[3];
    to_frame(o, x, y);
    switch (o->desc.shape) {
    case PBS_SHAPE_HALF_SPACE: return y[1];
    case PBS_SHAPE_SPHERE: return sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) - size[0];
    case PBS_SHAPE_BOX: return box_distance(size, y);
    case PBS_SHAPE_TORUS: return hypot(hypot(y[0], y[2]) - size[0], y[1]) - size[1];
    default: return INFINITY;
    }
}

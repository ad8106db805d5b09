// Bounds the step of triangles: n(t) = n0 + n1 t + n2 t^2, the cross product of two edges at step
// t, must not vanish.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "energy/deformation/cubic.h"
#include "energy/shells/membrane_lanes.h"
#include "energy/deformation/tangent.h"

// n(t) counts as zero if its norm is at most this fraction of |n0| + |n1| t + |n2| t^2. A path
// through zero reaches this value in spite of rounding; a path that does not has finite energy
// everywhere.
static const double VANISHING = 1e-9;

/// Returns the first t in (0, limit) at which n(t) vanishes; limit if there is none. The minima of
/// |n(t)|^2 are where its derivative, a cubic, changes from negative to positive.
static double first_collapse(double n[3][3], double limit) {
    // Minus half the derivative of |n(t)|^2.
    const double c[4] = {-dot3(n[0], n[1]), -(dot3(n[1], n[1]) + 2.0 * dot3(n[0], n[2])),
                         -3.0 * dot3(n[1], n[2]), -2.0 * dot3(n[2], n[2])};
    double stops[3];
    int count = cubic_turning_points(c, stops);
    stops[count++] = limit;
    double low = 0.0;
    for (int i = 0; i < count; i++) {
        const double high = fmin(stops[i], limit);
        if (!(high > low)) {
            continue;
        }
        if (cubic_value(c, low) > 0.0 && cubic_value(c, high) <= 0.0) {
            const double t = cubic_bisect(c, low, high);
            double least[3];
            for (int k = 0; k < 3; k++) {
                least[k] = n[0][k] + t * (n[1][k] + t * n[2][k]);
            }
            if (norm3(least) <= VANISHING * (norm3(n[0]) + t * (norm3(n[1]) + t * norm3(n[2])))) {
                return t;
            }
        }
        low = high;
    }
    return limit;
}

/// Returns the lanes in which n(t) could vanish before the limit. Two conditions are necessary: a
/// lower bound of n0 . n(t) is not positive, and n0, n1, n2 are coplanar up to rounding, because
/// |n(t)| <= e (|n0| + |n1| t + |n2| t^2) implies |n0 . (n1 x n2)| <= 3 e |n0| |n1| |n2|. Few
/// motions in space satisfy the second one.
ALWAYS_INLINE mask8 may_collapse(lanes8 n[3][3], double limit) {
    const lanes8 zero = lanes_set(0.0);
    const lanes8 square = dot_lanes(n[0], n[0]);
    const lanes8 lowest = square + limit * (lanes_min(dot_lanes(n[0], n[1]), zero) +
                                            limit * lanes_min(dot_lanes(n[0], n[2]), zero));
    lanes8 cross[3];
    cross_lanes(n[1], n[2], cross);
    const lanes8 volume = dot_lanes(n[0], cross);
    const lanes8 most = square * dot_lanes(n[1], n[1]) * dot_lanes(n[2], n[2]);
    const mask8 planar = volume * volume <= 10.0 * VANISHING * VANISHING * most;
    return lanes_both(lanes_both(square > 0.0, planar), ~(lowest > 0.0));
}

static PBS_MULTIVERSION double bound_groups(const struct membrane_elements *elements,
                                            const struct stencil_groups *groups, size_t begin,
                                            size_t end, const double *x, const double *direction,
                                            double limit) {
    for (size_t g = begin; g < end; g++) {
        struct triangle_lanes e;
        lanes8 d[2][3];
        lanes8 n[3][3];
        lanes8 other[3];
        triangle_load(elements, groups, g, x, &e);
        triangle_gradient(groups->node + g * 3 * LANES, direction, e.b, d);
        cross_lanes(e.f[0], e.f[1], n[0]);
        cross_lanes(e.f[0], d[1], n[1]);
        cross_lanes(d[0], e.f[1], other);
        cross_lanes(d[0], d[1], n[2]);
        for (int i = 0; i < 3; i++) {
            n[1][i] += other[i];
        }
        const mask8 suspects = may_collapse(n, limit);
        for (int l = 0; lanes_any(suspects) && l < LANES; l++) {
            double lane[3][3];
            for (int k = 0; k < 9; k++) {
                lane[k / 3][k % 3] = n[k / 3][k % 3][l];
            }
            limit = suspects[l] ? first_collapse(lane, limit) : limit;
        }
    }
    return limit;
}

double membrane_bound_step(const struct membrane_elements *elements,
                           const struct stencil_groups *groups, size_t begin, size_t end,
                           const double *x, const double *direction, double limit) {
    return bound_groups(elements, groups, begin, end, x, direction, limit);
}

// Bounds the step of triangles whose stretch is limited. The larger singular value of F + t D is a
// convex function of t, as a norm of an affine function. So it crosses the limit at most once from
// below, a chord between a step below and one above crosses the limit before it does, and
// bisection between the two finds it. Theory: docs/theory/shells.md section 8.2.
// SPDX-License-Identifier: MIT
#include "energy/deformation/tangent.h"
#include "energy/shells/stretch_limit_lanes.h"

// The bracket of a root is halved until it is this small, relative to its upper end; its lower end
// is the bound. A step that uses a fixed part of the bound needs no more.
static const double PRECISION = 1e-9;

// A step of 2 L over the speed is beyond the limit L wherever it starts; with what rounding needs.
static const double FARTHEST = 2.1;

// Halvings until a bracket is as narrow as numbers allow.
enum { HALVINGS = 60 };

/// The squares of the larger singular value along the step: those of F^T F + t S + t^2 D^T D.
struct stretch_path {
    lanes8 f[3], s[3], d[3]; ///< entries 00, 01, 11
};

ALWAYS_INLINE lanes8 path_stretch(const struct stretch_path *p, lanes8 t) {
    lanes8 c[3];
    for (int k = 0; k < 3; k++) {
        c[k] = p->f[k] + t * (p->s[k] + t * p->d[k]);
    }
    // Rounding may take the square of a stretch close to zero below it.
    return lanes_sqrt(lanes_max(larger_square(c[0], c[1], c[2]), lanes_set(0.0)));
}

ALWAYS_INLINE void path_set(const struct stretched_lanes *e, lanes8 d[2][3],
                            struct stretch_path *p) {
    for (int k = 0; k < 3; k++) {
        const int a = k / 2;
        const int b = (k + 1) / 2;
        p->f[k] = dot_lanes(e->f[a], e->f[b]);
        p->s[k] = dot_lanes(e->f[a], d[b]) + dot_lanes(d[a], e->f[b]);
        p->d[k] = dot_lanes(d[a], d[b]);
    }
}

/// Narrows [low, high] of the lanes in `wanted`: below their limits at low, not at high.
ALWAYS_INLINE void narrow(const struct stretch_path *p, lanes8 most, mask8 wanted, lanes8 *low,
                          lanes8 *high) {
    lanes8 below = path_stretch(p, *low) - most;
    lanes8 above = path_stretch(p, *high) - most;
    for (int i = 0; i < HALVINGS; i++) {
        const lanes8 width = *high - *low;
        if (!lanes_any(lanes_both(wanted, width > PRECISION * *high))) {
            return;
        }
        // The chord, then the middle of what is left.
        const lanes8 drop = above - below;
        const lanes8 part = lanes_select(drop > 0.0, -below / drop, lanes_set(0.0));
        for (int k = 0; k < 2; k++) {
            const lanes8 t = k == 0 ? *low + part * width : 0.5 * (*low + *high);
            const lanes8 value = path_stretch(p, t) - most;
            const mask8 is_below = value < 0.0;
            *low = lanes_select(is_below, t, *low);
            below = lanes_select(is_below, value, below);
            *high = lanes_select(is_below, *high, t);
            above = lanes_select(is_below, above, value);
        }
    }
}

/// Returns the limit, or the least root of the lanes in `suspects` if it is below the limit. Roots
/// lie between the steps at which the triangle inequality allows them.
ALWAYS_INLINE double least_root(const struct stretched_lanes *e, const struct stretch_path *p,
                                lanes8 speed, mask8 suspects, double limit) {
    lanes8 low = (e->limit - e->s[0]) / speed;
    lanes8 high = lanes_min(FARTHEST * e->limit / speed, lanes_set(limit));
    low = lanes_min(low, high);
    // Rounding of the estimate; the state itself is below its limit.
    low = lanes_select(path_stretch(p, low) < e->limit, low, lanes_set(0.0));
    const mask8 crossing = lanes_both(suspects, ~(path_stretch(p, high) < e->limit));
    if (!lanes_any(crossing)) {
        return limit;
    }
    narrow(p, e->limit, crossing, &low, &high);
    for (int l = 0; l < LANES; l++) {
        limit = crossing[l] ? fmin(limit, low[l]) : limit;
    }
    return limit;
}

static PBS_MULTIVERSION double bound_groups(const struct stretch_limit_elements *elements,
                                            const struct stencil_groups *groups, size_t begin,
                                            size_t end, const double *x, const double *direction,
                                            double limit) {
    for (size_t g = begin; g < end; g++) {
        struct stretched_lanes e;
        struct stretch_path p;
        lanes8 d[2][3];
        stretched_load(elements, groups, g, x, &e);
        triangle_gradient(groups->node + g * 3 * LANES, direction, e.b, d);
        path_set(&e, d, &p);
        const lanes8 speed = lanes_sqrt(larger_square(p.d[0], p.d[1], p.d[2]));
        // Triangles that move rigidly, and padding, have no speed. What is beyond its limit already
        // is not bounded.
        const mask8 suspects = lanes_both(e.s[0] < e.limit, e.s[0] + limit * speed >= e.limit);
        if (lanes_any(suspects)) {
            const lanes8 divisor = lanes_select(speed > 0.0, speed, lanes_set(1.0));
            limit = least_root(&e, &p, divisor, suspects, limit);
        }
    }
    return limit;
}

double stretch_limit_bound_step(const struct stretch_limit_elements *elements,
                                const struct stencil_groups *groups, size_t begin, size_t end,
                                const double *x, const double *direction, double limit) {
    return bound_groups(elements, groups, begin, end, x, direction, limit);
}

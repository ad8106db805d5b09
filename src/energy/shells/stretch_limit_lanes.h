// Eight triangles at a time whose stretch is limited: loads them, measures their stretches, and
// bounds a step so that no triangle reaches its limit. Symbols are those of docs/theory/shells.md
// section 8.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_STRETCH_LIMIT_LANES_H
#define PBS_ENERGY_SHELLS_STRETCH_LIMIT_LANES_H

#include "energy/shells/membrane_lanes.h"
#include "energy/shells/membrane_tangent.h"

/// Element data by groups of eight lanes; every array is [group][...][8].
struct stretch_limit_elements {
    const double *gradients; ///< [g][4][8]: as in membrane_elements
    const double *limit;     ///< [g][8]: L, the limit of the singular values of F
    const double *width; ///< [g][8]: w, the interval of stretch below L in which the barrier acts
    const double *force; ///< [g][8]: K h A, J: modulus of the barrier times the rest volume; 0 in
                         ///< padding lanes
};

/// Eight triangles, their deformation gradients F and their stretches.
struct stretched_lanes {
    lanes8 b[4];       ///< shape gradients of nodes 1, 2
    lanes8 f[2][3];    ///< the columns of F; zero in padding lanes
    lanes8 s[2];       ///< singular values, the larger one first; zero in padding lanes
    lanes8 area_ratio; ///< s0 s1
    lanes8 limit, width, force;
};

/// Returns the square of the larger singular value in each lane, from the entries 00, 01 and 11 of
/// F^T F. Both summands are nonnegative, so that their sum does not cancel.
ALWAYS_INLINE lanes8 larger_square(lanes8 c00, lanes8 c01, lanes8 c11) {
    const lanes8 half = 0.5 * (c00 - c11);
    return 0.5 * (c00 + c11) + lanes_sqrt(half * half + c01 * c01);
}

/// Loads the triangles of group g with the nodes at x.
ALWAYS_INLINE void stretched_load(const struct stretch_limit_elements *elements,
                                  const struct stencil_groups *groups, size_t g, const double *x,
                                  struct stretched_lanes *e) {
    lanes8 cross[3];
    for (size_t k = 0; k < 4; k++) {
        e->b[k] = lanes_load(elements->gradients + (4 * g + k) * LANES);
    }
    e->limit = lanes_load(elements->limit + g * LANES);
    e->width = lanes_load(elements->width + g * LANES);
    e->force = lanes_load(elements->force + g * LANES);
    triangle_gradient(groups->node + g * 3 * LANES, x, e->b, e->f);
    e->s[0] = lanes_sqrt(larger_square(dot_lanes(e->f[0], e->f[0]), dot_lanes(e->f[0], e->f[1]),
                                       dot_lanes(e->f[1], e->f[1])));
    cross_lanes(e->f[0], e->f[1], cross);
    e->area_ratio = lanes_sqrt(dot_lanes(cross, cross));
    e->s[1] = e->area_ratio / lanes_select(e->s[0] > 0.0, e->s[0], lanes_set(1.0));
}

/// Returns the largest step in (0, limit] along direction from x on which no triangle of the groups
/// [begin, end) reaches its limit. limit: finite.
double stretch_limit_bound_step(const struct stretch_limit_elements *elements,
                                const struct stencil_groups *groups, size_t begin, size_t end,
                                const double *x, const double *direction, double limit);

#endif

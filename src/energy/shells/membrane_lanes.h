// Loads eight triangles into lanes, and bounds the step along which none of them loses its area.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_MEMBRANE_LANES_H
#define PBS_ENERGY_SHELLS_MEMBRANE_LANES_H

#include "energy/element.h"

/// Element data by groups of eight lanes; every array is [group][...][8].
struct membrane_elements {
    const double *gradients; ///< [g][4][8]: Dm^-1, the shape gradients of nodes 1, 2 (assembly's
                             ///< order) in the triangle's rest plane, as rows
    const double *volume;    ///< [g][8]: thickness times rest area, m^3; 0 in padding lanes
    const double *mu, *lambda, *damping; ///< [g][8]: Pa, Pa, s
};

struct triangle_lanes {
    lanes8 b[4];   ///< shape gradients of nodes 1, 2
    lanes8 volume; ///< zero in padding lanes
    lanes8 mu, lambda;
    lanes8 f[2][3]; ///< the columns of F; in padding lanes two unit vectors
};

/// Computes the columns of Ds Dm^-1 for a nodal field x. node: 3 x LANES.
ALWAYS_INLINE void triangle_gradient(const uint32_t *node, const double *x, const lanes8 b[4],
                                     lanes8 out[2][3]) {
    lanes8 origin[3];
    lanes8 edge[2][3];
    load_nodes(x, node, origin);
    load_nodes(x, node + LANES, edge[0]);
    load_nodes(x, node + 2 * LANES, edge[1]);
    for (int i = 0; i < 3; i++) {
        const lanes8 d1 = edge[0][i] - origin[i];
        const lanes8 d2 = edge[1][i] - origin[i];
        for (int j = 0; j < 2; j++) {
            out[j][i] = d1 * b[j] + d2 * b[2 + j];
        }
    }
}

/// Loads group g. In padding lanes the shape gradients are zero, and the columns of F are set to
/// two axes.
ALWAYS_INLINE void triangle_load(const struct membrane_elements *elements,
                                 const struct stencil_groups *groups, size_t g, const double *x,
                                 struct triangle_lanes *e) {
    for (size_t k = 0; k < 4; k++) {
        e->b[k] = lanes_load(elements->gradients + (4 * g + k) * LANES);
    }
    e->volume = lanes_load(elements->volume + g * LANES);
    e->mu = lanes_load(elements->mu + g * LANES);
    e->lambda = lanes_load(elements->lambda + g * LANES);
    triangle_gradient(groups->node + g * 3 * LANES, x, e->b, e->f);
    const lanes8 padding = lanes_select(e->volume == 0.0, lanes_set(1.0), lanes_set(0.0));
    e->f[0][0] += padding;
    e->f[1][1] += padding;
}

/// Returns the largest step in (0, limit] along direction from x on which no triangle of the groups
/// [begin, end) loses its area.
double membrane_bound_step(const struct membrane_elements *elements,
                           const struct stencil_groups *groups, size_t begin, size_t end,
                           const double *x, const double *direction, double limit);

#endif

// Loads eight tetrahedra into lanes: shape gradients, moduli, and deformation gradients from nodal
// positions.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_ELEMENT_H
#define PBS_ENERGY_ELEMENT_H

#include "base/lanes/lanes.h"
#include "energy/material.h"

struct element_lanes {
    lanes8 b[9];   ///< shape gradients of nodes 1, 2, 3 as rows: Dm^-1
    lanes8 volume; ///< zero in padding lanes
    lanes8 mu, lambda;
    lanes8 f[9]; ///< F, the identity in padding lanes
};

typedef double pair2 __attribute__((vector_size(16)));
typedef double pair4 __attribute__((vector_size(32)));

#define INTERLEAVE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/// Loads two doubles from each of four nodes.
ALWAYS_INLINE lanes8 load_pairs(const double *x, const uint32_t node[4]) {
    pair2 p[4];
    for (int l = 0; l < 4; l++) {
        memcpy(&p[l], x + 3 * (size_t)node[l], sizeof p[l]);
    }
    const pair4 low = INTERLEAVE(p[0], p[1], 0, 1, 2, 3);
    const pair4 high = INTERLEAVE(p[2], p[3], 0, 1, 2, 3);
    return INTERLEAVE(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// Loads the vectors of eight nodes. Reading doubles in pairs is faster than inserting them one by
/// one.
ALWAYS_INLINE void load_nodes(const double *x, const uint32_t node[LANES], lanes8 out[3]) {
    const lanes8 low = load_pairs(x, node);
    const lanes8 high = load_pairs(x, node + 4);
    const lanes8 low_end = load_pairs(x + 1, node);
    const lanes8 high_end = load_pairs(x + 1, node + 4);
    out[0] = INTERLEAVE(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
    out[1] = INTERLEAVE(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
    out[2] = INTERLEAVE(low_end, high_end, 1, 3, 5, 7, 9, 11, 13, 15);
}

#undef INTERLEAVE

/// out = Ds Dm^-1 for a nodal field x: F if x holds positions, dF if x holds displacements. node: 4
/// x LANES.
ALWAYS_INLINE void element_gradient(const uint32_t *node, const double *x, const lanes8 b[9],
                                    lanes8 out[9]) {
    lanes8 origin[3];
    lanes8 edge[3][3];
    load_nodes(x, node, origin);
    for (int a = 0; a < 3; a++) {
        load_nodes(x, node + (a + 1) * LANES, edge[a]);
    }
    for (int i = 0; i < 3; i++) {
        const lanes8 d1 = edge[0][i] - origin[i];
        const lanes8 d2 = edge[1][i] - origin[i];
        const lanes8 d3 = edge[2][i] - origin[i];
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = d1 * b[j] + d2 * b[3 + j] + d3 * b[6 + j];
        }
    }
}

/// Loads group g. In padding lanes the shape gradients are zero, and F is set to the identity.
ALWAYS_INLINE void element_load(const struct solid_elements *elements,
                                const struct stencil_groups *groups, size_t g, const double *x,
                                struct element_lanes *e) {
    for (int i = 0; i < 9; i++) {
        e->b[i] = lanes_load(elements->inverse_rest + (g * 9 + (size_t)i) * LANES);
    }
    e->volume = lanes_load(elements->volume + g * LANES);
    e->mu = lanes_load(elements->mu + g * LANES);
    e->lambda = lanes_load(elements->lambda + g * LANES);
    element_gradient(groups->node + g * 4 * LANES, x, e->b, e->f);
    const lanes8 padding = lanes_select(e->volume == 0.0, lanes_set(1.0), lanes_set(0.0));
    e->f[0] += padding;
    e->f[4] += padding;
    e->f[8] += padding;
}

#endif

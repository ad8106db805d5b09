// Eight tetrahedra in lanes: their shape gradients, moduli and deformation gradients from nodal
// positions.
#ifndef PBS_ENERGY_ELEMENT_H
#define PBS_ENERGY_ELEMENT_H

#include "base/lanes.h"
#include "energy/material.h"

struct element_lanes {
    lanes8 b[9];   ///< shape gradients of nodes 1, 2, 3 as rows: Dm^-1
    lanes8 volume; ///< zero in padding lanes
    lanes8 mu, lambda;
    lanes8 f[9]; ///< F, the identity in padding lanes
};

ALWAYS_INLINE lanes8 pick(const double *x, const uint32_t n[LANES]) {
    return (lanes8){x[3 * (size_t)n[0]], x[3 * (size_t)n[1]], x[3 * (size_t)n[2]],
                    x[3 * (size_t)n[3]], x[3 * (size_t)n[4]], x[3 * (size_t)n[5]],
                    x[3 * (size_t)n[6]], x[3 * (size_t)n[7]]};
}

/// Ds Dm^-1 for any nodal field x: F of positions, its rate of change of a direction. node: 4 x
/// LANES.
ALWAYS_INLINE void element_gradient(const uint32_t *node, const double *x, const lanes8 b[9],
                                    lanes8 out[9]) {
    for (int i = 0; i < 3; i++) {
        const lanes8 origin = pick(x + i, node);
        const lanes8 d1 = pick(x + i, node + LANES) - origin;
        const lanes8 d2 = pick(x + i, node + 2 * LANES) - origin;
        const lanes8 d3 = pick(x + i, node + 3 * LANES) - origin;
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = d1 * b[j] + d2 * b[3 + j] + d3 * b[6 + j];
        }
    }
}

/// Group g. In a padding lane the gradients are zero, and 1 is added to the diagonal of F.
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

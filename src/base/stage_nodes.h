// The nodes of a stage as constraints see them: what resists their motion. The stage's objective
// has about mass / weight + stiffness on the diagonal of each node.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_STAGE_NODES_H
#define PBS_BASE_STAGE_NODES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stage_nodes {
    const double *mass;      ///< per node, kg
    const double *stiffness; ///< per node, N/m: about what resists a node's motion besides inertia
    double weight;           ///< c, s^2; infinity: no inertia
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits; null: none
    const double *x;                 ///< node order: the state at the start of the stage
};

static inline bool stage_nodes_hold(const struct stage_nodes *nodes, size_t node, size_t axis) {
    return nodes->constrained_axes != NULL && (nodes->constrained_axes[node] >> axis & 1) != 0;
}

/// The compliance g D^-1 g of the nodes against an equation with the gradient g (3 a node, in the
/// order of `node`), where D = mass / weight + stiffness. 0: no free node moves it.
static inline double stage_nodes_compliance(const struct stage_nodes *nodes, size_t count,
                                            const uint32_t *node, const double *gradient) {
    double sum = 0.0, stiffest = 0.0, rigid = 0.0;
    for (size_t k = 0; k < 3 * count; k++) {
        const size_t at = node[k / 3];
        const double stiffness = nodes->mass[at] / nodes->weight + nodes->stiffness[at];
        const double square = stage_nodes_hold(nodes, at, k % 3) ? 0.0 : gradient[k] * gradient[k];
        stiffest = fmax(stiffest, stiffness);
        rigid += stiffness > 0.0 ? 0.0 : square;
        sum += stiffness > 0.0 ? square / stiffness : 0.0;
    }
    // In equilibrium a node may resist nothing by itself; it moves with the others.
    return sum + (rigid > 0.0 ? rigid / (stiffest > 0.0 ? stiffest : 1.0) : 0.0);
}

#endif

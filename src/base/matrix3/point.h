// A point of a body as a weighted sum of at most four nodes: x = sum_k weight[k] x_node[k]. A
// vertex of a mesh is one node with weight 1, a vertex of an affine body four nodes, a place inside
// a tetrahedron its four corners. Whatever acts on points (joints, forces, embedded meshes) knows
// this and no kind of body.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_POINT_H
#define PBS_BASE_MATRIX3_POINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/matrix3/math3.h"

enum { POINT_NODES = 4 };

struct point {
    uint32_t count; ///< of nodes; 0: the point belongs to no body
    uint32_t node[POINT_NODES];
    double weight[POINT_NODES];
};

/// out = the sum of the nodes' values (3 per node): positions give the point's position, velocities
/// its velocity.
static inline void point_combine(const struct point *point, const double *values, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (uint32_t k = 0; k < point->count; k++) {
        add_scaled3(out, point->weight[k], values + 3 * (size_t)point->node[k], out);
    }
}

/// Adds to the nodes' forces those that do the same work as `force` on the point.
static inline void point_add_force(const struct point *point, const double force[3],
                                   double *node_forces) {
    for (uint32_t k = 0; k < point->count; k++) {
        double *const to = node_forces + 3 * (size_t)point->node[k];
        add_scaled3(to, point->weight[k], force, to);
    }
}

#endif

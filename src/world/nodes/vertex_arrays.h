// Arrays of vertices that are not nodes; see vertices.h.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_NODES_VERTEX_ARRAYS_H
#define PBS_WORLD_NODES_VERTEX_ARRAYS_H

#include "base/matrix3/point.h"
#include "base/runtime/memory.h"

enum { VERTEX_WIDTH = POINT_NODES };

/// Data of vertices that are not nodes. All arrays are null if the vertices are the nodes.
struct vertices {
    double *weights;       ///< count x 4, weights of the body's four nodes
    double *x, *v;         ///< count x 3: computed from the nodes by vertices_update
    double *mass;          ///< count, kg: the vertex's part of the body's mass
    double *contact_force; ///< count x 3, N: at the end of the last step
};

/// Allocates arrays of zeros for `count` vertices.
pbs_status vertices_allocate(struct vertices *vertices, struct memory *memory, size_t count);
void vertices_free(struct vertices *vertices, struct memory *memory);

#endif

// Memory of vertices that are not nodes; vertices.h says what they are.
#ifndef PBS_WORLD_OBJECTS_VERTEX_ARRAYS_H
#define PBS_WORLD_OBJECTS_VERTEX_ARRAYS_H

#include "base/point.h"
#include "base/runtime/memory.h"

enum { VERTEX_WIDTH = POINT_NODES };

/// Vertices that are not nodes, one entry each. All null where the vertices are the nodes.
struct vertices {
    double *weights;       ///< count x 4, of the body's nodes
    double *x, *v;         ///< count x 3: made of the nodes by vertices_update
    double *mass;          ///< count, kg: a share of the body's
    double *contact_force; ///< count x 3, N: at the end of the last step
};

/// Arrays of zeros for `count` vertices.
pbs_status vertices_allocate(struct vertices *vertices, struct memory *memory, size_t count);
void vertices_free(struct vertices *vertices, struct memory *memory);

#endif

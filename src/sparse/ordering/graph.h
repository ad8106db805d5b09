// Which nodes share a stencil: an undirected graph in compressed rows. Checks the stencils while it
// is built.
#ifndef PBS_SPARSE_ORDERING_GRAPH_H
#define PBS_SPARSE_ORDERING_GRAPH_H

#include "base/runtime/memory.h"

/// The most nodes that a stencil can have.
enum { STENCIL_WIDTH_LIMIT = 12 };

/// Stencils of one term: each couples `width` nodes.
struct stencils {
    size_t count;
    uint32_t width;        ///< 1 to STENCIL_WIDTH_LIMIT
    const uint32_t *nodes; ///< count x width, the nodes of a stencil all different
};

struct graph {
    uint32_t node_count;
    size_t *start;      ///< node_count + 1
    uint32_t *neighbor; ///< ascending for each node; never the node itself
};

/// PBS_ERROR_ARGUMENT when a stencil names a node that does not exist, or one node twice.
pbs_status graph_build(struct memory *memory, uint32_t node_count, const struct stencils *sets,
                       size_t set_count, struct graph *out);

/// The same graph with the neighbors of every node in the order in which `order` (a permutation of
/// the nodes) lists them.
pbs_status graph_reorder_neighbors(struct memory *memory, const struct graph *graph,
                                   const uint32_t *order, struct graph *out);

/// Which of the parts, `count` in number, have neighbors in each other. part: node -> part.
pbs_status graph_of_parts(struct memory *memory, const struct graph *graph, const uint32_t *part,
                          uint32_t count, struct graph *out);

void graph_free(struct memory *memory, struct graph *graph);

#endif

// The undirected graph of nodes that share a stencil, in compressed rows. Building it checks the
// stencils.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_ORDERING_GRAPH_H
#define PBS_SPARSE_ORDERING_GRAPH_H

#include "base/runtime/memory.h"

/// The largest number of nodes of a stencil.
enum { STENCIL_WIDTH_LIMIT = 12 };

/// Stencils of one term: each couples `width` nodes.
struct stencils {
    size_t count;
    uint32_t width;        ///< 1 to STENCIL_WIDTH_LIMIT
    const uint32_t *nodes; ///< count x width; the nodes of a stencil are distinct
};

struct graph {
    uint32_t node_count;
    size_t *start;      ///< node_count + 1
    uint32_t *neighbor; ///< ascending for each node; never the node itself
};

/// Builds the graph. Returns PBS_ERROR_ARGUMENT if a stencil contains an invalid node, or a node
/// twice.
pbs_status graph_build(struct memory *memory, uint32_t node_count, const struct stencils *sets,
                       size_t set_count, struct graph *out);

/// Copies the graph with the neighbors of every node sorted by their position in `order`, a
/// permutation of the nodes.
pbs_status graph_reorder_neighbors(struct memory *memory, const struct graph *graph,
                                   const uint32_t *order, struct graph *out);

/// Copies the graph of `count` nodes, which have neighbors among themselves only. local: node ->
/// its place in `nodes`, for these.
pbs_status graph_of_nodes(struct memory *memory, const struct graph *graph, const uint32_t *nodes,
                          uint32_t count, const uint32_t *local, struct graph *out);

/// Builds the quotient graph: two of the `count` parts are neighbors if a node of one has a
/// neighbor in the other. part: node -> part.
pbs_status graph_of_parts(struct memory *memory, const struct graph *graph, const uint32_t *part,
                          uint32_t count, struct graph *out);

void graph_free(struct memory *memory, struct graph *graph);

#endif

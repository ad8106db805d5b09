// The two calls into METIS, with what its interface leaves to the caller: index widths, graphs
// without edges, graphs in several pieces, repeatable random numbers.
#ifndef PBS_SPARSE_ORDERING_METIS_BRIDGE_H
#define PBS_SPARSE_ORDERING_METIS_BRIDGE_H

#include "sparse/ordering/graph.h"

/// Cuts the graph into `count` parts of nearly equal size: part[node] < count. A part may come out
/// empty.
pbs_status metis_partition(struct memory *memory, const struct graph *graph, uint32_t count,
                           uint32_t *part);

/// A nested-dissection order of the graph: order[k] is the node to eliminate k-th.
pbs_status metis_dissect(struct memory *memory, const struct graph *graph, uint32_t *order);

#endif

// The two METIS functions that are used, and what METIS leaves to its caller: index widths, graphs
// without edges, disconnected graphs, reproducible random numbers.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_ORDERING_METIS_BRIDGE_H
#define PBS_SPARSE_ORDERING_METIS_BRIDGE_H

#include "sparse/ordering/graph.h"

/// Divides the graph into `count` parts of nearly equal size: part[node] < count. A part may be
/// empty.
pbs_status metis_partition(struct memory *memory, const struct graph *graph, uint32_t count,
                           uint32_t *part);

/// Computes a nested-dissection order of the graph: order[k] is the node to eliminate k-th.
pbs_status metis_dissect(struct memory *memory, const struct graph *graph, uint32_t *order);

#endif

// Divides the nodes into domains: the pieces that everything parallel works on, and that are left
// out where nothing of them moves. So a domain is cut between connected components of the graph, of
// which bodies consist: small ones share a domain, large ones have several.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_ORDERING_DOMAINS_H
#define PBS_SPARSE_ORDERING_DOMAINS_H

#include "sparse/ordering/graph.h"

/// Largest number of domains, so that one number per domain fits on the stack.
#define LAYOUT_DOMAIN_LIMIT 256

/// Returns the number of domains of a connected graph of node_count nodes: 1 below 1024, 2 below
/// 4096, 4 below 16384, 8 below 131072, then 16.
uint32_t layout_domain_count(uint32_t node_count);

/// domain[node] < *count: METIS divides large components into pieces of the size that those of a
/// connected graph as large as this one have. A domain may be empty. Equal input gives equal
/// domains. weight: per node, how many nodes of the problem it stands for; null: 1.
pbs_status domains_divide(struct memory *memory, const struct graph *graph, const uint32_t *weight,
                          uint32_t *domain, uint32_t *count);

#endif

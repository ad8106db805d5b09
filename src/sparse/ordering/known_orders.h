// Divides and dissects graphs by METIS, equal ones once: bodies of the same mesh have equal graphs,
// and METIS is most of what a world's first step takes. METIS answers equal graphs equally, so the
// results are those of metis_bridge.h.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_ORDERING_KNOWN_ORDERS_H
#define PBS_SPARSE_ORDERING_KNOWN_ORDERS_H

#include "sparse/ordering/graph.h"

struct known_order;

/// What METIS has answered so far; begins zeroed.
struct known_orders {
    struct known_order *rows;
    size_t count, capacity;
};

void known_orders_free(struct memory *memory, struct known_orders *known);

/// As metis_partition.
pbs_status known_orders_partition(struct memory *memory, struct known_orders *known,
                                  const struct graph *graph, uint32_t count, uint32_t *part);

/// As metis_dissect of each connected component, in the order of their first nodes.
pbs_status known_orders_dissect(struct memory *memory, struct known_orders *known,
                                const struct graph *graph, uint32_t *order);

#endif

// The solver's order of the nodes: METIS cuts the graph of all stencils into domains (their number depends on the problem's size
// alone), reverse Cuthill-McKee orders each inside. Everything parallel works domain by domain.
#ifndef PBS_SPARSE_LAYOUT_H
#define PBS_SPARSE_LAYOUT_H

#include "base/memory.h"

/// Stencils of one term: each couples `width` nodes.
struct stencils {
    size_t count;
    uint32_t width;        ///< 1 to 8
    const uint32_t *nodes; ///< count x width
};

struct layout {
    uint32_t node_count;
    uint32_t domain_count;
    uint32_t *row;          ///< node -> row
    uint32_t *node;         ///< row -> node
    uint32_t *domain_start; ///< domain_count + 1 rows; domain d owns rows domain_start[d] .. domain_start[d + 1] - 1
};

/// The number of domains used for a problem of that many nodes: 1 below 1024, then 2, 4, 8, ... (see the source for the table).
uint32_t layout_domain_count(uint32_t node_count);

/// domain_count 0: layout_domain_count(node_count). Equal input gives equal order.
pbs_status layout_build(struct memory *memory, uint32_t node_count, uint32_t domain_count,
                        const struct stencils *sets, size_t set_count, struct layout *out);

void layout_free(struct memory *memory, struct layout *layout);

#endif

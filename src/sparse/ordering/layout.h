// The solver's order of the nodes. The graph of all stencils is divided into domains (domains.h).
// Within a domain the nodes are in reverse Cuthill-McKee order. Everything parallel works domain by
// domain.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_ORDERING_LAYOUT_H
#define PBS_SPARSE_ORDERING_LAYOUT_H

#include "base/node_kind.h"
#include "sparse/ordering/domains.h"

/// Kinds of nodes, for scenes in which not all nodes are positions.
struct node_kinds {
    const uint8_t *kind;   ///< node -> enum node_kind
    const uint32_t *owner; ///< node -> the position node that it belongs to: the particle's
                           ///< position for its rotation, the affine body's centre for its handles,
                           ///< the node itself for a position
};

struct layout {
    uint32_t node_count;
    uint32_t domain_count;
    uint32_t *row;          ///< node -> row
    uint32_t *node;         ///< row -> node
    uint32_t *domain_start; ///< domain_count + 1: domain d owns rows domain_start[d] ..
                            ///< domain_start[d + 1] - 1
    uint8_t *kind; ///< row -> enum node_kind; null: all are positions. The nodes that belong to a
                   ///< position are in the rows after it, in the same domain
};

/// Builds the layout from stencils. domain_count 0: as domains_divide chooses; otherwise METIS
/// divides the graph as a whole into that many. Equal input gives equal order.
pbs_status layout_build(struct memory *memory, uint32_t node_count, uint32_t domain_count,
                        const struct stencils *sets, size_t set_count, struct layout *out);

/// Builds the layout from the stencils' graph. kinds null: all nodes are positions.
pbs_status layout_from_graph(struct memory *memory, const struct graph *graph,
                             const struct node_kinds *kinds, uint32_t domain_count,
                             struct layout *out);

static inline bool layout_is_position(const struct layout *layout, uint32_t row) {
    return layout->kind == NULL || layout->kind[row] == NODE_POSITION;
}

/// Returns the domain that owns a row.
uint32_t layout_domain_of(const struct layout *layout, uint32_t row);

void layout_free(struct memory *memory, struct layout *layout);

#endif

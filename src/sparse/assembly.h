// Assembly plan: where the contributions of stencils are added in the gradient and the Hessian.
// Built once per topology from the stencils of all terms. Contains no physics.
//
// Every stencil belongs to one domain, that of its lowest row. A domain's stencils are processed in
// groups of eight, one stencil in each lane. A contribution to a node or block that the domain owns
// is added in place. A contribution to a node or block of another domain is added to a slot after
// the end of the array proper. When all domains are done, assembly_gather_* adds the slots to their
// owners in a fixed order. No atomics are used, and the bits are the same for any number of
// threads.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_ASSEMBLY_H
#define PBS_SPARSE_ASSEMBLY_H

#include "sparse/matrices/bsr.h"

/// Groups of eight stencils of one term. Entry of local node a in lane l of group g: index [(g *
/// width + a) * 8 + l].
struct stencil_groups {
    const struct layout *layout; ///< the layout of the assembly
    uint32_t width;
    uint32_t pair_count; ///< width * (width + 1) / 2 pairs (a, b), a <= b, in the order 00 01 .. 0w
                         ///< 11 12 ..
    size_t group_count;
    uint32_t *domain_group; ///< domain_count + 1: first group of each domain
    uint32_t *stencil;      ///< [g * 8 + l]: index in the term's list of stencils; UINT32_MAX in a
                            ///< padding lane
    uint32_t *lane;         ///< by stencil: its lane g * 8 + l
    uint8_t *local; ///< [(g * width + a) * 8 + l]: index of local node a in the stencil as it was
                    ///< given
    uint32_t *node; ///< [(g * width + a) * 8 + l]: node. Rows ascend with a, so every pair is in
                    ///< the upper triangle. Padding repeats the nodes of lane 0
    uint32_t *vector_slot; ///< [(g * width + a) * 8 + l]: slot of the node's gradient, in units of
                           ///< 3 doubles. Padding: the dump slot
    uint32_t *block_slot;  ///< [(g * pair_count + p) * 8 + l]: slot of the pair's Hessian block, in
                           ///< units of 9 doubles. Padding: the dump slot
};

struct assembly {
    struct layout layout;
    struct bsr pattern; ///< values == null
    size_t term_count;
    struct stencil_groups *terms; ///< one per set of stencils, in the order given
    size_t vector_slot_count; ///< length of gradient arrays, in units of 3 doubles: the nodes, then
                              ///< for each domain its dump slot and its slots for other domains
    size_t block_slot_count;  ///< length of block arrays, in units of 9 doubles: the blocks, then
                              ///< the same. Includes BSR_VALUE_PADDING
    uint32_t *domain_vector_slot; ///< domain_count + 1: first slot of each domain after the array
                                  ///< proper, its dump slot
    uint32_t *domain_block_slot;
    uint32_t *vector_gather_start; ///< domain_count + 1: range of entries of each domain:
                                   ///< vector_gather_slot[i] is added to vector_gather_target[i]
    uint32_t *vector_gather_target;
    uint32_t *vector_gather_slot;
    uint32_t *block_gather_start;
    uint32_t *block_gather_target;
    uint32_t *block_gather_slot;
};

/// Builds the plan. The stencils are copied. Diagonal blocks are always in the pattern. Gradients
/// are in NODE order, the matrix is in ROW order.
pbs_status assembly_build(struct memory *memory, uint32_t node_count, uint32_t domain_count,
                          const struct stencils *sets, size_t set_count, struct assembly *out);
/// Same as assembly_build, with kinds of nodes (null: all are positions).
pbs_status assembly_build_of(struct memory *memory, uint32_t node_count,
                             const struct node_kinds *kinds, uint32_t domain_count,
                             const struct stencils *sets, size_t set_count, struct assembly *out);
void assembly_free(struct memory *memory, struct assembly *assembly);

/// Zeroes the nodes of a domain in `gradient` (vector_slot_count x 3) and the domain's slots;
/// likewise for blocks.
void assembly_clear_vector(const struct assembly *assembly, uint32_t domain, double *gradient);
void assembly_clear_blocks(const struct assembly *assembly, uint32_t domain, double *blocks);

/// Adds the slots that other domains have written to the nodes (or blocks) that domain `domain`
/// owns. Call it for all domains after all have written.
void assembly_gather_vector(const struct assembly *assembly, uint32_t domain, double *gradient);
void assembly_gather_blocks(const struct assembly *assembly, uint32_t domain, double *blocks);

/// Copies from node order (3 doubles per node) to row order, and back.
void assembly_to_rows(struct tasks *tasks, const struct assembly *assembly, const double *by_node,
                      double *by_row);
void assembly_to_nodes(struct tasks *tasks, const struct assembly *assembly, const double *by_row,
                       double *by_node);

#endif

// Where the pieces of gradient and Hessian go. Built once per topology from the stencils of all
// terms; knows no physics.
//
// Every stencil belongs to one domain (that of its lowest row). Stencils are taken domain by
// domain, eight at a time (a group: one in each lane). A contribution to a node or block that the
// domain owns is added in place; one to a node or block of another domain goes to a slot behind the
// array proper. When all domains are done, assembly_gather_* adds those slots to their owners in a
// fixed order: no atomics, the same bits for any number of threads.
#ifndef PBS_SPARSE_ASSEMBLY_H
#define PBS_SPARSE_ASSEMBLY_H

#include "sparse/matrices/bsr.h"

/// Groups of eight stencils of one term. Lane l of group g, local node a: index [(g * width + a) *
/// 8 + l].
struct stencil_groups {
    const struct layout *layout; ///< the assembly's
    uint32_t width;
    uint32_t pair_count; ///< width * (width + 1) / 2 pairs (a, b), a <= b, in the order 00 01 .. 0w
                         ///< 11 12 ..
    size_t group_count;
    uint32_t *domain_group; ///< domain_count + 1: groups of domain d
    uint32_t *stencil; ///< [g * 8 + l]: index in the term's own list, UINT32_MAX in a lane that
                       ///< pads
    uint8_t *local; ///< [(g * width + a) * 8 + l]: which of the stencil's own nodes is local node a
    uint32_t *node; ///< [(g * width + a) * 8 + l]: node; ascending by row in a, so every pair is in
                    ///< the upper triangle. Padding repeats the nodes of lane 0
    uint32_t *vector_slot; ///< [(g * width + a) * 8 + l]: where its gradient is added, in units of
                           ///< 3 doubles. Padding: the dump slot
    uint32_t *block_slot;  ///< [(g * pair_count + p) * 8 + l]: where its Hessian block is added, in
                           ///< units of 9 doubles. Padding: the dump slot
};

struct assembly {
    struct layout layout;
    struct bsr pattern; ///< values == null
    size_t term_count;
    struct stencil_groups *terms; ///< one for each set of stencils given, in that order
    size_t vector_slot_count; ///< nodes, then for each domain: its dump slot, its slots for other
                              ///< domains. Arrays: vector_slot_count x 3
    size_t block_slot_count;  ///< blocks, then the same. Arrays: block_slot_count x 9, which covers
                              ///< BSR_VALUE_PADDING
    uint32_t *domain_vector_slot; ///< domain_count + 1: slots behind the array proper that domain d
                                  ///< writes (its dump slot is first)
    uint32_t *domain_block_slot;
    uint32_t *vector_gather_start; ///< domain_count + 1: what domain d adds to its own,
                                   ///< vector_gather_slot to vector_gather_target
    uint32_t *vector_gather_target;
    uint32_t *vector_gather_slot;
    uint32_t *block_gather_start;
    uint32_t *block_gather_target;
    uint32_t *block_gather_slot;
};

/// The stencils are copied. Diagonal blocks are always in the pattern. Gradients are in NODE order,
/// the matrix in ROW order.
pbs_status assembly_build(struct memory *memory, uint32_t node_count, uint32_t domain_count,
                          const struct stencils *sets, size_t set_count, struct assembly *out);
/// The same for nodes that may be more than places.
pbs_status assembly_build_of(struct memory *memory, uint32_t node_count,
                             const struct node_kinds *kinds, uint32_t domain_count,
                             const struct stencils *sets, size_t set_count, struct assembly *out);
void assembly_free(struct memory *memory, struct assembly *assembly);

/// Zeroes what domain `domain` owns: its nodes in `gradient` (vector_slot_count x 3), its slots
/// behind. Likewise for blocks.
void assembly_clear_vector(const struct assembly *assembly, uint32_t domain, double *gradient);
void assembly_clear_blocks(const struct assembly *assembly, uint32_t domain, double *blocks);

/// Adds the slots written by other domains to what domain `domain` owns. Run for all domains after
/// all have written.
void assembly_gather_vector(const struct assembly *assembly, uint32_t domain, double *gradient);
void assembly_gather_blocks(const struct assembly *assembly, uint32_t domain, double *blocks);

/// Node order (3 doubles a node) to row order, and back.
void assembly_to_rows(struct tasks *tasks, const struct assembly *assembly, const double *by_node,
                      double *by_row);
void assembly_to_nodes(struct tasks *tasks, const struct assembly *assembly, const double *by_row,
                       double *by_node);

#endif

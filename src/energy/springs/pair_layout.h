// The order in which terms with very many pairs of nodes process the pairs. Four consecutive nodes
// are a slice; a group holds one pair of each of the slice's nodes, one per lane. If the partners
// of a group are consecutive too, as in lattices, the group is a run: it needs no gather or
// scatter. The order depends only on the pairs and the given node order, not on the assembly or the
// threads. This module contains no physics.
//
// The nodes that pairs join get layout indices. Vectors in layout order store one axis after the
// other, `stride` doubles each. Each pair is processed once, at its lower layout index; the partner
// lies in the same slab of slices or in the next one. So all even slabs can run in parallel, and
// then all odd ones, and each may add to its own nodes and to the partners without atomics or
// copies. Results are identical for any number of threads.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SPRINGS_PAIR_LAYOUT_H
#define PBS_ENERGY_SPRINGS_PAIR_LAYOUT_H

#include "base/runtime/tasks.h"

enum { PAIR_LANES = 4 };

/// A zero-initialised layout is empty.
struct pair_layout {
    uint32_t node_count; ///< number of layout indices
    uint32_t *node;      ///< node_count: the world's node of each layout index
    size_t stride; ///< length of one axis of a vector: node_count plus padding for lanes without a
                   ///< pair
    uint32_t slice_count;
    uint32_t *slice_group; ///< slice_count + 1: first group of slice s, whose lane l is the layout
                           ///< index 4 s + l
    uint32_t *slice_scattered; ///< slice_count: the slice's first group that is not a run
    size_t group_count;
    uint32_t *first;   ///< group_count: for a run the partner of lane 0 (lane l has this plus l);
                       ///< otherwise the index of its partners in `partner`
    uint32_t *partner; ///< 4 per group that is not a run; a lane without a pair has its own node
    uint32_t *pair;    ///< group_count x 4: the pair of each lane; UINT32_MAX: none
    size_t pair_count;
    uint32_t *lane; ///< pair_count: the lane of each pair, group * 4 + lane
    uint32_t slab_count;
    uint32_t *slab_slice; ///< slab_count + 1: first slice of slab s
};

/// A node order: all nodes that pairs join, and possibly others, each once.
struct pair_order {
    size_t count;
    const uint32_t *nodes; ///< count
};

/// Builds the layout.
/// @param pairs  count x 2 nodes, the two of a pair different
/// @param order  null, or a node order to be tried besides the order of the node indices; the
/// layout uses the one with the lower estimated time
/// @return PBS_ERROR_MEMORY, or PBS_ERROR_ARGUMENT if there are more lanes than 32 bits can index;
/// *out is then empty
pbs_status pair_layout_build(struct memory *memory, const uint32_t *pairs, size_t count,
                             const struct pair_order *order, struct pair_layout *out);
void pair_layout_free(struct pair_layout *layout, struct memory *memory);

/// Calls work(context, slab) for all slabs, in parallel for the even ones, then for the odd ones.
void pair_layout_run(struct tasks *tasks, const struct pair_layout *layout, pbs_work_fn work,
                     void *context);

/// Copies a vector by_node (node order, 3 per node) to `local` (layout order, 3 x stride). A null
/// by_node gives zeros.
void pair_layout_gather(struct tasks *tasks, const struct pair_layout *layout,
                        const double *by_node, double *local);
/// Adds `local` to the vector by_node.
void pair_layout_add(struct tasks *tasks, const struct pair_layout *layout, const double *local,
                     double *by_node);

#endif

// How terms of very many pairs of nodes run through them: four neighbouring nodes at a time (a
// slice), each with one of its pairs in its lane. Where their partners are neighbours too, as in
// lattices, nothing is gathered or scattered: a run. The order is that of the pairs alone, whatever
// assembly and threads do. Knows no physics.
//
// Nodes that pairs join are numbered anew, by `node`. Vectors by that number lie axis by axis,
// `stride` doubles each. Each pair is met once, at the lower number; what is added at the partner
// lies in the same slab or in the next. So slabs of even number can run at the same time, and after
// them those of odd number, each adding to nodes where it likes to: no atomics, no copies, the same
// bits for any number of threads.
#ifndef PBS_ENERGY_SPRINGS_PAIR_LAYOUT_H
#define PBS_ENERGY_SPRINGS_PAIR_LAYOUT_H

#include "base/runtime/tasks.h"

enum { PAIR_LANES = 4 };

/// All zero is empty.
struct pair_layout {
    uint32_t node_count; ///< own numbers
    uint32_t *node;      ///< node_count: the world's number of each
    size_t stride;       ///< of vectors: node_count and what lanes without a pair may touch
    uint32_t slice_count;
    uint32_t *slice_group;     ///< slice_count + 1: groups of slice s, whose lane l is node 4 s + l
    uint32_t *slice_scattered; ///< slice_count: the first of them that is not a run
    size_t group_count;
    uint32_t *first;   ///< group_count: of a run the partner of lane 0, lane l has that plus l;
                       ///< otherwise where its partners are
    uint32_t *partner; ///< of groups that are not runs, four each; a lane without a pair has its
                       ///< own node
    uint32_t *pair;    ///< group_count x 4: which pair a lane holds; UINT32_MAX: none
    size_t pair_count;
    uint32_t *lane; ///< pair_count: group * 4 + lane
    uint32_t slab_count;
    uint32_t *slab_slice; ///< slab_count + 1: slices of slab s
};

/// All nodes that pairs join, and maybe others, each once.
struct pair_order {
    size_t count;
    const uint32_t *nodes; ///< count
};

/// pairs: count x 2 nodes, the two of a pair different; sorted by the lower one, then by the other,
/// costs least. order: null, or one that may serve better than that of their numbers; the layout
/// has whichever does. PBS_ERROR_MEMORY, or PBS_ERROR_ARGUMENT where lanes are too many for 32
/// bits; then the layout is empty.
pbs_status pair_layout_build(struct memory *memory, const uint32_t *pairs, size_t count,
                             const struct pair_order *order, struct pair_layout *out);
void pair_layout_free(struct pair_layout *layout, struct memory *memory);

/// work(context, slab) for all slabs, those of even number first.
void pair_layout_run(struct tasks *tasks, const struct pair_layout *layout, pbs_work_fn work,
                     void *context);

/// own (3 x stride) from a vector by node, 3 doubles each, which may be null: zeros.
void pair_layout_gather(struct tasks *tasks, const struct pair_layout *layout,
                        const double *by_node, double *local);
/// Adds own to a vector by node.
void pair_layout_add(struct tasks *tasks, const struct pair_layout *layout, const double *local,
                     double *by_node);

#endif

// The broad phase: lists every pair of a query and a primitive of a tree whose boxes overlap. The
// list is sorted by query, then by primitive. It depends on the boxes alone, not on the tree's
// shape or the number of threads.
// SPDX-License-Identifier: MIT
#ifndef PBS_BROAD_PHASE_BOX_PAIRS_H
#define PBS_BROAD_PHASE_BOX_PAIRS_H

#include "broad_phase/bounding_tree.h"

enum { BOX_PAIRS_BATCH = 8 };

struct box_pair {
    uint32_t query, primitive;
};

struct box_pair_query {
    const struct bounding_tree *tree;
    const struct box *boxes; ///< boxes of the queries; not read if order is given or is_self is set
    size_t count;
    /// A tree over exactly the boxes of the queries, built or refitted with these boxes. The boxes
    /// are then read from its leaves, and queries that share a leaf are processed together. Null:
    /// each query is processed alone.
    const struct bounding_tree *order;
    /// count x width point indices of the queries. A pair is left out if its query and its
    /// primitive have a point in common. Null if width is 0.
    const uint32_t *points;
    uint32_t width;
    /// The queries are the tree's own primitives. Each pair is listed once, with query < primitive.
    bool is_self;
    /// Returns a mask: bit i is set if pair i is to be listed. count is at most BOX_PAIRS_BATCH.
    /// May be called from several threads at once. Null: all pairs are listed.
    uint32_t (*filter)(const void *context, const struct box_pair *pairs, size_t count);
    const void *context;
};

struct box_pair_piece;

/// A zero-initialised list is a valid empty list.
struct box_pair_list {
    size_t count;
    struct box_pair *pairs;
    size_t capacity;
    size_t *start; ///< first pair of each query, and the end
    size_t start_capacity;
    struct box_pair_piece *pieces; ///< pairs found by each piece of the parallel loop
    size_t piece_capacity;
};

/// Finds the pairs and replaces the list's contents. Buffers grow and never shrink. With
/// PBS_ERROR_MEMORY the list is empty.
pbs_status box_pairs_find(struct memory *memory, struct tasks *tasks,
                          const struct box_pair_query *query, struct box_pair_list *list);
void box_pairs_free(struct memory *memory, struct box_pair_list *list);

#endif

// All pairs of a query box and a primitive of a tree whose boxes meet: the broad phase. The list
// depends on the boxes alone, not on the tree's shape nor on the number of threads: by query, then
// by primitive.
#ifndef PBS_BROAD_PHASE_BOX_PAIRS_H
#define PBS_BROAD_PHASE_BOX_PAIRS_H

#include "broad_phase/bounding_tree.h"

enum { BOX_PAIRS_BATCH = 8 };

struct box_pair {
    uint32_t query, primitive;
};

struct box_pair_query {
    const struct bounding_tree *tree;
    const struct box *boxes; ///< of the queries; not read where there is an order, or is_self
    size_t count;
    /// A tree that holds exactly these boxes, built or refitted to them: those that lie close
    /// together are looked for together, and its leaves are the queries' boxes. Null: each is
    /// looked for alone.
    const struct bounding_tree *order;
    /// count x width; pairs that name a common point are left out. Null where width is 0.
    const uint32_t *points;
    uint32_t width;
    /// The queries are the tree's own primitives: each pair once, with query < primitive.
    bool is_self;
    /// Bit i: pair i of at most BOX_PAIRS_BATCH is wanted. Called from several threads at once.
    /// Null: all are.
    uint32_t (*filter)(const void *context, const struct box_pair *pairs, size_t count);
    const void *context;
};

struct box_pair_piece;

/// All zero is an empty list.
struct box_pair_list {
    size_t count;
    struct box_pair *pairs;
    size_t capacity;
    size_t *start; ///< of each query's pairs, and the end
    size_t start_capacity;
    struct box_pair_piece *pieces; ///< what each piece of the loop found
    size_t piece_capacity;
};

/// Replaces what the list holds. Memory grows, never shrinks; with PBS_ERROR_MEMORY the list is
/// empty.
pbs_status box_pairs_find(struct memory *memory, struct tasks *tasks,
                          const struct box_pair_query *query, struct box_pair_list *list);
void box_pairs_free(struct memory *memory, struct box_pair_list *list);

#endif

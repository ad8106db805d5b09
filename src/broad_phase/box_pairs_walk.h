// The traversal of box_pairs.c. Groups of eight neighbouring queries descend the tree together, and
// each leaf that a group reaches is tested with every query of the group. The code is compiled
// twice, also for registers of eight lanes, since half of the work is in the innermost loop.
// SPDX-License-Identifier: MIT
#ifndef PBS_BROAD_PHASE_BOX_PAIRS_WALK_H
#define PBS_BROAD_PHASE_BOX_PAIRS_WALK_H

#include "broad_phase/box_pairs.h"
#include "broad_phase/bounding_tree_walk.h"

enum {
    GROUP = 8,           ///< queries that descend the tree together
    PIECE = 32,          ///< groups of one piece of the parallel loop
    HIT_CAPACITY = 1024, ///< overlapping pairs that are collected before the caller's filter is
                         ///< called
};

struct box_pair_piece {
    struct box_pair *pairs;
    size_t capacity, count;
    size_t next;  ///< next group to process
    bool is_full; ///< the buffer ran full before group `next`
};

struct pair_loop {
    const struct box_pair_query *query;
    struct box_pair_list *list;
};

/// Returns the tree whose leaves give the order of the queries, or null if they are processed one
/// by one.
ALWAYS_INLINE const struct bounding_tree *order_of(const struct box_pair_query *query) {
    return query->is_self ? query->tree : query->order;
}

/// Returns the number of queries per group: 1 if their order is unknown.
static size_t group_size_of(const struct box_pair_query *query) {
    return order_of(query) != NULL ? GROUP : 1;
}

static size_t group_count_of(const struct box_pair_query *query) {
    return (query->count + group_size_of(query) - 1) / group_size_of(query);
}

static size_t piece_end(const struct box_pair_query *query, size_t piece) {
    const size_t end = (piece + 1) * PIECE;
    return end < group_count_of(query) ? end : group_count_of(query);
}

// --- groups ---

/// Numbers of points per query and per primitive of the tree. They are compile-time constants in
/// the innermost loop.
struct widths {
    uint32_t query, tree;
};

struct group {
    struct box_block block; ///< boxes of the queries
    float limit[6 * GROUP]; ///< limits of these boxes, in the layout of block_overlaps_strided
    int32_t points[TREE_WIDTH_LIMIT][GROUP];
    uint32_t query[GROUP];
    struct box all; ///< smallest box around the group
    size_t index;
};

/// A query and a lane of the leaves whose boxes overlap.
struct hit {
    uint32_t query, lane;
};

struct batch {
    struct group groups[FRONT_BOXES];
    struct tree_front front;
    size_t hit_count;
    struct hit hits[HIT_CAPACITY + 8]; ///< padded, since eight entries are written at once
};

/// Fills a group with a single query.
ALWAYS_INLINE void set_single(const struct box_pair_query *query, size_t index,
                              struct group *group) {
    const struct box empty = box_empty();
    const struct box *boxes[GROUP];
    for (size_t i = 0; i < GROUP; i++) {
        boxes[i] = i == 0 ? query->boxes + index : &empty;
        group->query[i] = (uint32_t)index;
    }
    block_fill(boxes, &group->block, &group->all);
}

/// Fills a group with the queries of one leaf block of `order`.
ALWAYS_INLINE void set_leaf(const struct bounding_tree *order, size_t index, struct group *group) {
    group->block = order->blocks[index];
    group->all = order->unions[index];
    for (size_t i = 0; i < GROUP; i++) {
        // The box of an empty lane overlaps nothing, so its query index is arbitrary.
        const int32_t q = order->primitive[GROUP * index + i];
        group->query[i] = q < 0 ? 0 : (uint32_t)q;
    }
}

ALWAYS_INLINE void set_group(const struct box_pair_query *query, struct widths widths, size_t index,
                             struct group *group) {
    const struct bounding_tree *order = order_of(query);
    group->index = index;
    if (order != NULL) {
        set_leaf(order, index, group);
    } else {
        set_single(query, index, group);
    }
    block_limits(&group->block, group->limit);
    if (query->is_self) {
        memcpy(group->points, query->tree->points + GROUP * (size_t)widths.query * index,
               GROUP * (size_t)widths.query * sizeof group->points[0][0]);
        return;
    }
    for (size_t i = 0; i < GROUP; i++) {
        for (uint32_t k = 0; k < widths.query; k++) {
            group->points[k][i] = (int32_t)
                                      query->points[(size_t)group->query[i] * widths.query + k];
        }
    }
}

// --- pairs ---

/// Appends the hits that pass the caller's filter to the piece's pairs.
static void append_hits(const struct box_pair_query *query, struct batch *batch,
                        struct box_pair_piece *piece) {
    const int32_t *primitive = query->tree->primitive;
    piece->is_full = piece->is_full || piece->count + batch->hit_count > piece->capacity;
    for (size_t i = 0; i < batch->hit_count && !piece->is_full; i += BOX_PAIRS_BATCH) {
        const size_t left = batch->hit_count - i;
        struct box_pair pairs[BOX_PAIRS_BATCH];
        const size_t count = left < BOX_PAIRS_BATCH ? left : BOX_PAIRS_BATCH;
        for (size_t k = 0; k < count; k++) {
            const uint32_t a = batch->hits[i + k].query;
            const uint32_t b = (uint32_t)primitive[batch->hits[i + k].lane];
            const bool swap = query->is_self && b < a;
            pairs[k] = (struct box_pair){swap ? b : a, swap ? a : b};
        }
        const uint32_t accepted = query->filter == NULL
                                      ? UINT32_MAX
                                      : query->filter(query->context, pairs, count);
        for (size_t k = 0; k < count; k++) {
            piece->pairs[piece->count] = pairs[k];
            piece->count += accepted >> k & 1U;
        }
    }
    batch->hit_count = 0;
}

/// Returns the lanes of a leaf block that overlap query i of the group and whose primitives share
/// no point with it.
ALWAYS_INLINE uint32_t overlapping_lanes(const struct box_pair_query *query, struct widths widths,
                                         size_t leaf, const struct group *group, uint32_t i) {
    const struct bounding_tree *tree = query->tree;
    const int32_t *points = tree->points + 8 * (size_t)widths.tree * leaf;
    struct lane_mask overlapping = block_overlaps_strided(tree->blocks + leaf, group->limit + i,
                                                          GROUP);
    for (uint32_t a = 0; a < widths.query; a++) {
        for (size_t b = 0; b < widths.tree; b++) {
            overlapping = mask_without(overlapping, points + 8 * b, group->points[a][i]);
        }
    }
    return mask_bits(overlapping) & (query->is_self && leaf == group->index ? 0xFEU << i : 0xFFU);
}

/// Appends the overlapping pairs of a group and a leaf block to the hits. The only branches are for
/// queries that do not overlap the block as a whole. Three in four of the other queries overlap no
/// lane either, so the queries with an overlap are listed first.
ALWAYS_INLINE void add_leaf(const struct box_pair_query *query, struct widths widths, size_t leaf,
                            const struct group *group, struct batch *batch) {
    uint32_t overlaps[GROUP][2];
    float limit[8];
    size_t overlap_count = 0;
    box_limits(query->tree->unions + leaf, limit);
    for (uint32_t near = mask_bits(block_overlaps(&group->block, limit)); near != 0;
         near &= near - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(near);
        const uint32_t lanes = overlapping_lanes(query, widths, leaf, group, i);
        overlaps[overlap_count][0] = group->query[i];
        overlaps[overlap_count][1] = lanes;
        overlap_count += lanes != 0;
    }
    size_t count = batch->hit_count;
    for (size_t m = 0; m < overlap_count; m++) {
        for (uint32_t k = 0; k < 8; k++) {
            batch->hits[count] = (struct hit){overlaps[m][0], 8 * (uint32_t)leaf + k};
            count += overlaps[m][1] >> k & 1U;
        }
    }
    batch->hit_count = count;
}

/// Tests a group with a leaf. If the queries are the tree's own primitives, leaves before the
/// group's own are skipped, so that each pair is found once.
ALWAYS_INLINE void test_leaf(const struct box_pair_query *query, struct widths widths, size_t leaf,
                             const struct group *group, struct batch *batch,
                             struct box_pair_piece *piece) {
    if (query->is_self && leaf < group->index) {
        return;
    }
    if (batch->hit_count + GROUP * 8 > HIT_CAPACITY) {
        append_hits(query, batch, piece);
    }
    add_leaf(query, widths, leaf, group, batch);
}

/// Traverses the tree with a single group.
ALWAYS_INLINE void find_alone(const struct box_pair_query *query, struct widths widths,
                              const struct group *group, struct batch *batch,
                              struct box_pair_piece *piece) {
    struct tree_walk walk;
    for (walk_start(query->tree, &group->all, &walk); walk_next(query->tree, &walk);
         walk.leaf_count = 0) {
        for (size_t l = 0; l < walk.leaf_count; l++) {
            test_leaf(query, widths, block_index(walk.leaves[l]), group, batch, piece);
        }
    }
}

/// Tests groups with the leaves that front_reach_leaves found for them.
ALWAYS_INLINE void test_front(const struct box_pair_query *query, struct widths widths,
                              uint32_t count, struct batch *batch, struct box_pair_piece *piece) {
    const struct tree_front *front = &batch->front;
    size_t l = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (; l < front->count && front->leaves[l] >> WALK_INDEX_BITS == i; l++) {
            test_leaf(query, widths, block_index(front->leaves[l]), &batch->groups[i], batch,
                      piece);
        }
    }
}

ALWAYS_INLINE void find_batch(const struct box_pair_query *query, struct widths widths,
                              uint32_t count, struct box_pair_piece *piece) {
    struct batch batch;
    struct box boxes[FRONT_BOXES];
    const size_t first = piece->count;
    batch.hit_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        set_group(query, widths, piece->next + i, &batch.groups[i]);
        boxes[i] = batch.groups[i].all;
    }
    if (front_reach_leaves(query->tree, boxes, count, &batch.front)) {
        test_front(query, widths, count, &batch, piece);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            find_alone(query, widths, &batch.groups[i], &batch, piece);
        }
    }
    append_hits(query, &batch, piece);
    piece->count = piece->is_full ? first : piece->count;
    piece->next += piece->is_full ? 0 : count;
}

ALWAYS_INLINE void find_pairs(const struct box_pair_query *query, struct widths widths, size_t end,
                              struct box_pair_piece *piece) {
    while (piece->next < end && !piece->is_full) {
        const size_t left = end - piece->next;
        find_batch(query, widths, left < FRONT_BOXES ? (uint32_t)left : FRONT_BOXES, piece);
    }
}

/// Processes a piece until it is finished or its buffer is full.
static void find_piece(void *context, size_t index) {
    const struct pair_loop *loop = context;
    const struct box_pair_query *query = loop->query;
    const struct widths widths = {query->width, query->tree->width};
    struct box_pair_piece *piece = loop->list->pieces + index;
    const size_t end = piece_end(query, index);
    if (widths.query == 2 && widths.tree == 2) {
        find_pairs(query, (struct widths){2, 2}, end, piece);
    } else if (widths.query == 1 && widths.tree == 3) {
        find_pairs(query, (struct widths){1, 3}, end, piece);
    } else if (widths.query == 2 && widths.tree == 3) {
        find_pairs(query, (struct widths){2, 3}, end, piece);
    } else {
        find_pairs(query, widths, end, piece);
    }
}

/// find_piece compiled for registers of eight lanes; requires AVX2.
void box_pairs_find_piece_wide(void *context, size_t index);

#endif

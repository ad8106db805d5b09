// A bounding volume hierarchy (tree of axis-aligned boxes) over points, edges or triangles. Every
// node has eight children, whose boxes form a block and are tested together. The tree is built by
// splitting at medians and refitted when the primitives move. Levels are arrays without pointers:
// the children of block k are the blocks 8k to 8k + 7 of the level below. The tree knows boxes and
// point indices only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BROAD_PHASE_BOUNDING_TREE_H
#define PBS_BROAD_PHASE_BOUNDING_TREE_H

#include "broad_phase/boxes.h"

enum {
    TREE_LEVELS = 11,     ///< enough for 2^31 primitives
    TREE_WIDTH_LIMIT = 3, ///< largest number of points of a primitive
};

struct box_block;
struct split_item;

/// A zero-initialised tree is a valid empty tree, which may be queried, refitted and freed.
struct bounding_tree {
    uint32_t count; ///< primitives
    uint32_t width; ///< points per primitive; 0: none are stored, and no pair is excluded for
                    ///< sharing a point
    uint32_t level_count;
    size_t level_start[TREE_LEVELS + 1]; ///< first block of each level; the leaves are level 0
    struct box_block *blocks;
    struct box *unions; ///< the smallest box around each block
    int32_t *primitive; ///< index of the primitive in each lane of level 0; -1: empty lane
    int32_t *points;    ///< point indices: width x 8 per block of level 0
    double inner_area;  ///< m^2: half the surface area of all boxes in blocks above the leaves
    double leaf_area;   ///< m^2: half the surface area of all boxes of primitives
    double built_inner_area, built_leaf_area;
    struct split_item *items;   ///< scratch memory of the build
    struct subtree_area *areas; ///< areas of the subtrees that the pieces of a refit process
    size_t block_capacity, union_capacity, primitive_capacity, points_capacity, item_capacity,
        area_capacity;
};

/// Builds the tree. points: count x width point indices, by which primitives that share a point are
/// recognised; null if width is 0. No argument is referenced after the call. Buffers grow and never
/// shrink. On failure the tree is unchanged: PBS_ERROR_MEMORY, or PBS_ERROR_ARGUMENT for 2^31
/// primitives or more.
pbs_status bounding_tree_build(struct memory *memory, struct tasks *tasks, const struct box *boxes,
                               size_t count, const uint32_t *points, uint32_t width,
                               struct bounding_tree *tree);

void bounding_tree_free(struct memory *memory, struct bounding_tree *tree);

/// Updates all boxes of the tree from new boxes of the same primitives.
void bounding_tree_refit(struct tasks *tasks, const struct box *boxes, struct bounding_tree *tree);

/// True if a rebuild pays: the total area of the blocks' boxes has grown to more than 1.5 times
/// that at the build, and by a larger factor than 1.5 times that of the primitives' boxes. Query
/// results do not depend on when the tree is rebuilt.
bool bounding_tree_needs_rebuild(const struct bounding_tree *tree);

/// Refits the tree if it has `count` primitives and needs no rebuild, otherwise builds it. If the
/// primitives have been replaced by as many others, the caller must free the tree or set its count
/// to zero first.
pbs_status bounding_tree_update(struct memory *memory, struct tasks *tasks, const struct box *boxes,
                                size_t count, const uint32_t *points, uint32_t width,
                                struct bounding_tree *tree);

/// Finds the primitives whose boxes overlap or touch `box`. Returns their number, and writes the
/// first `capacity` of them in traversal order.
size_t bounding_tree_query(const struct bounding_tree *tree, const struct box *box, uint32_t *hits,
                           size_t capacity);

#endif

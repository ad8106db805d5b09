// A tree of boxes over points, edges or triangles in which every node has eight children: built
// once by splitting at medians, refitted when things move. A block of eight boxes is compared at
// once. Levels are arrays without pointers: the children of block k are the blocks 8k to 8k + 7 of
// the level below. Knows boxes and point numbers only.
#ifndef PBS_BROAD_PHASE_BOUNDING_TREE_H
#define PBS_BROAD_PHASE_BOUNDING_TREE_H

#include "broad_phase/boxes.h"

enum {
    TREE_LEVELS = 11,     ///< as many as 2^31 primitives need
    TREE_WIDTH_LIMIT = 3, ///< points of a primitive
};

struct box_block;
struct split_item;

/// All zero is an empty tree, which may be queried, refitted and freed.
struct bounding_tree {
    uint32_t count; ///< primitives
    uint32_t width; ///< points of each; 0: it has none that others could share
    uint32_t level_count;
    size_t level_start[TREE_LEVELS + 1]; ///< first block of each level; the leaves are level 0
    struct box_block *blocks;
    struct box *unions; ///< of each block
    int32_t *primitive; ///< of each lane of level 0: its number, -1 where there is none
    int32_t *points;    ///< its points: width x 8 per block of level 0
    double inner_area;  ///< sum over the boxes of blocks
    double leaf_area;   ///< sum over the boxes of primitives
    double built_inner_area, built_leaf_area;
    struct split_item *items;   ///< scratch of the build
    struct subtree_area *areas; ///< of the subtrees that a loop refits piece by piece
    size_t block_capacity, union_capacity, primitive_capacity, points_capacity, item_capacity,
        area_capacity;
};

/// points: count x width numbers, which two primitives that share a point both name; null where
/// width is 0. Nothing is kept of the arguments. Memory grows, never shrinks. On failure
/// (PBS_ERROR_MEMORY; PBS_ERROR_ARGUMENT for 2^31 primitives and more) the tree is as before.
pbs_status bounding_tree_build(struct memory *memory, struct tasks *tasks, const struct box *boxes,
                               size_t count, const uint32_t *points, uint32_t width,
                               struct bounding_tree *tree);

void bounding_tree_free(struct memory *memory, struct bounding_tree *tree);

/// Takes new boxes of the same primitives.
void bounding_tree_refit(struct tasks *tasks, const struct box *boxes, struct bounding_tree *tree);

/// Whether the boxes of blocks have grown since the build to more than 1.5 times their surface, and
/// more than those of the primitives have: then a new build pays. What queries find does not depend
/// on when that happens.
bool bounding_tree_needs_rebuild(const struct bounding_tree *tree);

/// Refits the tree where it has so many primitives and is not worn, else builds it anew. Whoever
/// has other primitives now, as many as before, frees the tree or sets its count to zero first.
pbs_status bounding_tree_update(struct memory *memory, struct tasks *tasks, const struct box *boxes,
                                size_t count, const uint32_t *points, uint32_t width,
                                struct bounding_tree *tree);

/// The primitives whose boxes meet this one, touching included: how many there are, and the first
/// `capacity` of them that the tree comes upon.
size_t bounding_tree_query(const struct bounding_tree *tree, const struct box *box, uint32_t *hits,
                           size_t capacity);

#endif

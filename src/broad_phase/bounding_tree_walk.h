// Traversals of a bounding tree, from the root to the leaf blocks that a box may overlap: level by
// level for several boxes together (front), or with a stack for one box (walk). All functions are
// inline and have no branches that depend on overlaps, because mispredicted branches would dominate
// the time.
// SPDX-License-Identifier: MIT
#ifndef PBS_BROAD_PHASE_BOUNDING_TREE_WALK_H
#define PBS_BROAD_PHASE_BOUNDING_TREE_WALK_H

#include "broad_phase/bounding_tree.h"
#include "broad_phase/box_lanes.h"

/// A block is encoded as its level in the upper four bits and its index within the level.
enum { WALK_INDEX_BITS = 28, WALK_LEAVES = 64 };

struct tree_walk {
    float limit[8];
    size_t depth;
    size_t leaf_count;
    uint32_t leaves[WALK_LEAVES];            ///< leaf blocks that were reached
    uint32_t stack[7 * TREE_LEVELS + 1 + 8]; ///< blocks to visit, padded since eight entries are
                                             ///< written at once
};

ALWAYS_INLINE void walk_start(const struct bounding_tree *tree, const struct box *box,
                              struct tree_walk *walk) {
    box_limits(box, walk->limit);
    walk->depth = tree->level_count > 1;
    walk->leaf_count = tree->level_count == 1;
    walk->stack[0] = (tree->level_count - 1) << WALK_INDEX_BITS;
    walk->leaves[0] = 0;
}

/// Continues until the leaf buffer is full or the traversal ends. Returns true if there are leaves.
ALWAYS_INLINE bool walk_next(const struct bounding_tree *tree, struct tree_walk *walk) {
    while (walk->depth > 0 && walk->leaf_count <= WALK_LEAVES - 8) {
        const uint32_t at = walk->stack[--walk->depth];
        const uint32_t level = at >> WALK_INDEX_BITS;
        const uint32_t index = at & ((1U << WALK_INDEX_BITS) - 1);
        const struct box_block *block = tree->blocks + tree->level_start[level] + index;
        const uint32_t lanes = mask_bits(block_overlaps(block, walk->limit));
        const uint32_t first_child = (level - 1) << WALK_INDEX_BITS | 8 * index;
        uint32_t *to = level == 1 ? walk->leaves + walk->leaf_count : walk->stack + walk->depth;
        size_t added = 0;
        for (uint32_t i = 0; i < 8; i++) {
            to[added] = first_child + i;
            added += lanes >> i & 1U;
        }
        walk->leaf_count += level == 1 ? added : 0;
        walk->depth += level == 1 ? 0 : added;
    }
    return walk->leaf_count > 0;
}

/// Several boxes descend together, which hides the latency of a single descent. A block is encoded
/// as the box in the upper four bits and its index within the level.
enum { FRONT_BOXES = 16, FRONT_BLOCKS = 1024 };

struct tree_front {
    float limit[FRONT_BOXES][8];
    size_t count;           ///< leaf blocks that were reached
    const uint32_t *leaves; ///< the leaf blocks, sorted by box
    uint32_t blocks[2][FRONT_BLOCKS];
};

ALWAYS_INLINE uint32_t block_index(uint32_t named_block) {
    return named_block & ((1U << WALK_INDEX_BITS) - 1);
}

/// Replaces the blocks `from` of one level by their overlapping children in `to`. Returns the
/// number of children, or more than FRONT_BLOCKS - 8 if they do not fit.
ALWAYS_INLINE size_t front_descend(const struct box_block *blocks, const struct tree_front *front,
                                   const uint32_t *from, size_t count, uint32_t *to) {
    size_t reached = 0;
    for (size_t i = 0; i < count && reached <= FRONT_BLOCKS - 8; i++) {
        const uint32_t box = from[i] >> WALK_INDEX_BITS;
        const uint32_t index = block_index(from[i]);
        const uint32_t lanes = mask_bits(block_overlaps(blocks + index, front->limit[box]));
        const uint32_t first_child = box << WALK_INDEX_BITS | 8 * index;
        for (uint32_t lane = 0; lane < 8; lane++) {
            to[reached] = first_child + lane;
            reached += lanes >> lane & 1U;
        }
    }
    return reached;
}

/// Finds the leaf blocks of up to FRONT_BOXES boxes. Returns false if they overlap too many blocks.
ALWAYS_INLINE bool front_reach_leaves(const struct bounding_tree *tree, const struct box *boxes,
                                      uint32_t count, struct tree_front *front) {
    for (uint32_t i = 0; i < count; i++) {
        box_limits(boxes + i, front->limit[i]);
        front->blocks[0][i] = i << WALK_INDEX_BITS;
    }
    size_t reached = tree->count > 0 ? count : 0;
    int at = 0;
    for (uint32_t level = tree->level_count; level-- > 1; at = 1 - at) {
        reached = front_descend(tree->blocks + tree->level_start[level], front, front->blocks[at],
                                reached, front->blocks[1 - at]);
        if (reached > FRONT_BLOCKS - 8) {
            return false;
        }
    }
    front->count = reached;
    front->leaves = front->blocks[at];
    return true;
}

#endif

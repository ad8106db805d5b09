// SPDX-License-Identifier: MIT
#include "broad_phase/bounding_tree.h"

#include <math.h>
#include <string.h>

#include "broad_phase/box_lanes.h"
#include "broad_phase/bounding_tree_walk.h"

enum {
    PIECE_LEVELS = 3, ///< levels of the subtree that one piece of a refit processes: 512 primitives
    ORDER_RUN = 4096, ///< primitives that one piece of the build sorts; a power of eight
};

/// A primitive during the build; centre: twice the centre of its box.
struct split_item {
    float centre[3];
    uint32_t primitive;
};

struct subtree_area {
    double inner, leaf;
};

struct refit {
    struct bounding_tree *tree;
    const struct box *boxes;
};

// --- order of the primitives ---

/// Written without branches, because the result is unpredictable.
ALWAYS_INLINE bool is_before(const struct split_item *a, const struct split_item *b, int axis) {
    const float x = a->centre[axis];
    const float y = b->centre[axis];
    return (x < y) | ((x == y) & (a->primitive < b->primitive));
}

ALWAYS_INLINE void swap_items(struct split_item *a, struct split_item *b) {
    const struct split_item saved = *a;
    *a = *b;
    *b = saved;
}

static size_t median_of(const struct split_item *items, size_t a, size_t b, size_t c, int axis) {
    const bool ab = is_before(items + a, items + b, axis);
    if (ab != is_before(items + a, items + c, axis)) {
        return a;
    }
    return ab == is_before(items + b, items + c, axis) ? b : c;
}

/// Returns the median of three medians, each of three items spread over the range.
static size_t choose_pivot(const struct split_item *items, size_t count, int axis) {
    const size_t gap = count / 9;
    const size_t first = median_of(items, 0, gap, 2 * gap, axis);
    const size_t second = median_of(items, 3 * gap, 4 * gap, 5 * gap, axis);
    const size_t third = median_of(items, 6 * gap, 7 * gap, 8 * gap, axis);
    return median_of(items, first, second, third, axis);
}

/// Moves the items smaller than the pivot to the front, followed by the pivot. Returns the pivot's
/// new index.
static size_t partition_items(struct split_item *items, size_t count, size_t pivot_index,
                              int axis) {
    const size_t last = count - 1;
    const struct split_item pivot = items[pivot_index];
    size_t boundary = 0;
    swap_items(items + pivot_index, items + last);
    for (size_t i = 0; i < last; i++) {
        const size_t is_less = is_before(items + i, &pivot, axis);
        swap_items(items + i, items + boundary);
        boundary += is_less;
    }
    swap_items(items + boundary, items + last);
    return boundary;
}

/// Moves the `rank` smallest items along the axis to the front (quickselect, Hoare 1961). Ties are
/// broken by the primitives' indices, so that the two sets are the same on every machine.
static void select_least(struct split_item *items, size_t count, size_t rank, int axis) {
    size_t low = 0;
    size_t high = count;
    while (high - low > 1) {
        const size_t pivot = choose_pivot(items + low, high - low, axis);
        const size_t at = low + partition_items(items + low, high - low, pivot, axis);
        if (at == rank) {
            return;
        }
        if (at > rank) {
            high = at;
        } else {
            low = at + 1;
        }
    }
}

static int longest_axis(const struct split_item *items, size_t count) {
    floats4 low;
    memcpy(&low, items, sizeof low);
    floats4 negated_high = -low;
    for (size_t i = 1; i < count; i++) {
        // The fourth value is the primitive's index, which is ignored.
        floats4 item;
        memcpy(&item, items + i, sizeof item);
        low = floats_min(low, item);
        negated_high = floats_min(negated_high, -item);
    }
    const floats4 extent = -(negated_high + low);
    int axis = extent[1] > extent[0] ? 1 : 0;
    return extent[2] > extent[axis] ? 2 : axis;
}

/// A range of items to be divided into runs of `size` items, a power of eight.
struct split_range {
    size_t start, count, size;
};

/// Sorts the items so that every run of `size`, size / 8, ..., `smallest` items is compact in
/// space. Ranges are split near the middle, at a multiple of the run's size.
static void order_items(struct split_item *items, size_t count, size_t size, size_t smallest) {
    struct split_range stack[3 * TREE_LEVELS + 1];
    size_t depth = 0;
    stack[depth++] = (struct split_range){0, count, size};
    while (depth > 0) {
        struct split_range r = stack[--depth];
        while (r.count <= r.size && r.size >= smallest) {
            r.size /= 8;
        }
        if (r.size < smallest) {
            continue;
        }
        const size_t runs = (r.count + r.size - 1) / r.size;
        const size_t left = runs / 2 * r.size;
        struct split_item *first = items + r.start;
        select_least(first, r.count, left, longest_axis(first, r.count));
        stack[depth++] = (struct split_range){r.start + left, r.count - left, r.size};
        stack[depth++] = (struct split_range){r.start, left, r.size};
    }
}

/// Sorts the items inside one run.
static void order_run(void *context, size_t run) {
    const struct bounding_tree *tree = context;
    const size_t start = run * ORDER_RUN;
    const size_t left = tree->count - start;
    order_items(tree->items + start, left < ORDER_RUN ? left : ORDER_RUN, ORDER_RUN, 8);
}

// --- build ---

/// Computes the number and the sizes of the levels.
static void set_levels(struct bounding_tree *tree, size_t count) {
    size_t blocks = (count + 7) / 8;
    tree->count = (uint32_t)count;
    tree->level_count = 0;
    tree->level_start[0] = 0;
    while (blocks > 0) {
        tree->level_start[tree->level_count + 1] = tree->level_start[tree->level_count] + blocks;
        tree->level_count++;
        blocks = blocks == 1 ? 0 : (blocks + 7) / 8;
    }
}

static pbs_status reserve_tree(struct memory *memory, size_t count, uint32_t width,
                               struct bounding_tree *tree) {
    struct bounding_tree sizes = {0};
    set_levels(&sizes, count);
    const size_t blocks = sizes.level_start[sizes.level_count];
    const size_t lanes = (count + 7) / 8 * 8;
    RETURN_IF_FAILED(
        memory_reserve(memory, &tree->blocks, &tree->block_capacity, blocks, sizeof *tree->blocks));
    RETURN_IF_FAILED(
        memory_reserve(memory, &tree->unions, &tree->union_capacity, blocks, sizeof *tree->unions));
    RETURN_IF_FAILED(memory_reserve(memory, &tree->primitive, &tree->primitive_capacity, lanes,
                                    sizeof *tree->primitive));
    RETURN_IF_FAILED(memory_reserve(memory, &tree->points, &tree->points_capacity, width * lanes,
                                    sizeof *tree->points));
    RETURN_IF_FAILED(memory_reserve(memory, &tree->areas, &tree->area_capacity, count / 512 + 1,
                                    sizeof *tree->areas));
    return memory_reserve(memory, &tree->items, &tree->item_capacity, count, sizeof *tree->items);
}

static void set_items(const struct box *boxes, size_t count, struct split_item *items) {
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            // A centre that is not finite would have no order, and the selection would not end.
            const float centre = boxes[i].bound[k] - boxes[i].bound[3 + k];
            items[i].centre[k] = isfinite(centre) ? centre : 0.0F;
        }
        items[i].primitive = (uint32_t)i;
    }
}

/// Writes the primitives and their points to the lanes of the leaves.
static void set_leaves(const uint32_t *points, uint32_t width, struct bounding_tree *tree) {
    const size_t lanes = 8 * tree->level_start[1];
    tree->width = width;
    for (size_t lane = 0; lane < lanes; lane++) {
        const bool is_used = lane < tree->count;
        const uint32_t primitive = is_used ? tree->items[lane].primitive : 0;
        int32_t *lane_points = tree->points + lane / 8 * 8 * width + lane % 8;
        tree->primitive[lane] = is_used ? (int32_t)primitive : -1;
        for (uint32_t k = 0; k < width; k++) {
            lane_points[8 * (size_t)k] = is_used ? (int32_t)points[(size_t)primitive * width + k]
                                                 : -1;
        }
    }
}

pbs_status bounding_tree_build(struct memory *memory, struct tasks *tasks, const struct box *boxes,
                               size_t count, const uint32_t *points, uint32_t width,
                               struct bounding_tree *tree) {
    if (count > INT32_MAX) {
        return status_fail(PBS_ERROR_ARGUMENT, "a tree over %zu primitives, must be below 2^31",
                           count);
    }
    RETURN_IF_FAILED(reserve_tree(memory, count, width, tree));
    set_levels(tree, count);
    if (count == 0) {
        return PBS_OK;
    }
    set_items(boxes, count, tree->items);
    order_items(tree->items, count, (size_t)1 << 3 * tree->level_count, ORDER_RUN);
    tasks_for(tasks, (count + ORDER_RUN - 1) / ORDER_RUN, order_run, tree);
    set_leaves(points, width, tree);
    bounding_tree_refit(tasks, boxes, tree);
    tree->built_inner_area = tree->inner_area;
    tree->built_leaf_area = tree->leaf_area;
    return PBS_OK;
}

void bounding_tree_free(struct memory *memory, struct bounding_tree *tree) {
    memory_release(memory, tree->blocks);
    memory_release(memory, tree->unions);
    memory_release(memory, tree->primitive);
    memory_release(memory, tree->points);
    memory_release(memory, tree->items);
    memory_release(memory, tree->areas);
    *tree = (struct bounding_tree){0};
}

// --- refit ---

/// Returns half the sum of the surface areas of eight boxes; empty lanes count as zero. Extents are
/// halved first, because the bounds of empty lanes would overflow a float when added.
ALWAYS_INLINE double half_areas(const struct box_block *block) {
    const floats4 half = floats_set(0.5F);
    floats4 sum = {0.0F};
    for (int h = 0; h < 8; h += 4) {
        floats4 e[3];
        for (int k = 0; k < 3; k++) {
            const floats4 extent = half * floats_load(block->bound[k] + h) +
                                   half * floats_load(block->bound[3 + k] + h);
            e[k] = -floats_min(extent, floats_set(0.0F));
        }
        sum += e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
    }
    return 4.0 * (((double)sum[0] + (double)sum[1]) + ((double)sum[2] + (double)sum[3]));
}

/// Fills block b from eight boxes. Returns the sum of their areas.
ALWAYS_INLINE double fill_block(const struct bounding_tree *tree, size_t b,
                                const struct box *const boxes[8]) {
    block_fill(boxes, tree->blocks + b, tree->unions + b);
    return half_areas(tree->blocks + b);
}

/// Fills a block of the leaves. Returns the sum of its boxes' areas.
ALWAYS_INLINE double fill_leaf(const struct refit *refit, size_t b) {
    const struct box empty = box_empty();
    const struct box *boxes[8];
    for (size_t i = 0; i < 8; i++) {
        const int32_t primitive = refit->tree->primitive[8 * b + i];
        boxes[i] = primitive < 0 ? &empty : refit->boxes + primitive;
    }
    return fill_block(refit->tree, b, boxes);
}

/// Fills block k of a level above the leaves. Returns the sum of its boxes' areas.
ALWAYS_INLINE double fill_inner(const struct bounding_tree *tree, uint32_t level, size_t k) {
    const struct box empty = box_empty();
    const size_t child = tree->level_start[level - 1] + 8 * k;
    const struct box *boxes[8];
    for (size_t i = 0; i < 8; i++) {
        boxes[i] = child + i < tree->level_start[level] ? tree->unions + child + i : &empty;
    }
    return fill_block(tree, tree->level_start[level] + k, boxes);
}

static size_t level_size(const struct bounding_tree *tree, uint32_t level) {
    return tree->level_start[level + 1] - tree->level_start[level];
}

/// Returns the end of the range of blocks of a level that belong to a piece's subtree, whose root
/// is block `piece` of level `top`.
static size_t piece_end(const struct bounding_tree *tree, uint32_t level, uint32_t top,
                        size_t piece) {
    const size_t end = (piece + 1) << 3 * (top - level);
    return end < level_size(tree, level) ? end : level_size(tree, level);
}

static uint32_t piece_top(const struct bounding_tree *tree) {
    return tree->level_count < PIECE_LEVELS ? tree->level_count - 1 : PIECE_LEVELS - 1;
}

static void refit_piece(void *context, size_t piece) {
    const struct refit *refit = context;
    const struct bounding_tree *tree = refit->tree;
    const uint32_t top = piece_top(tree);
    struct subtree_area area = {0.0, 0.0};
    for (size_t k = piece << 3 * top; k < piece_end(tree, 0, top, piece); k++) {
        area.leaf += fill_leaf(refit, k);
    }
    for (uint32_t level = 1; level <= top; level++) {
        for (size_t k = piece << 3 * (top - level); k < piece_end(tree, level, top, piece); k++) {
            area.inner += fill_inner(tree, level, k);
        }
    }
    tree->areas[piece] = area;
}

void bounding_tree_refit(struct tasks *tasks, const struct box *boxes, struct bounding_tree *tree) {
    tree->inner_area = tree->leaf_area = 0.0;
    if (tree->count == 0) {
        return;
    }
    struct refit refit = {tree, boxes};
    const uint32_t top = piece_top(tree);
    const size_t piece_count = level_size(tree, top);
    tasks_for(tasks, piece_count, refit_piece, &refit);
    for (size_t piece = 0; piece < piece_count; piece++) {
        tree->inner_area += tree->areas[piece].inner;
        tree->leaf_area += tree->areas[piece].leaf;
    }
    for (uint32_t level = top + 1; level < tree->level_count; level++) {
        for (size_t k = 0; k < level_size(tree, level); k++) {
            tree->inner_area += fill_inner(tree, level, k);
        }
    }
}

bool bounding_tree_needs_rebuild(const struct bounding_tree *tree) {
    const double inner = 1.5 * tree->built_inner_area;
    // Long sweeps enlarge all boxes, the smallest ones most. This does not mean that the tree is
    // bad.
    return tree->inner_area > inner &&
           tree->inner_area * tree->built_leaf_area >= inner * tree->leaf_area;
}

pbs_status bounding_tree_update(struct memory *memory, struct tasks *tasks, const struct box *boxes,
                                size_t count, const uint32_t *points, uint32_t width,
                                struct bounding_tree *tree) {
    if (tree->count == count && count > 0) {
        bounding_tree_refit(tasks, boxes, tree);
        if (!bounding_tree_needs_rebuild(tree)) {
            return PBS_OK;
        }
    }
    return bounding_tree_build(memory, tasks, boxes, count, points, width, tree);
}

size_t bounding_tree_query(const struct bounding_tree *tree, const struct box *box, uint32_t *hits,
                           size_t capacity) {
    struct tree_walk walk;
    size_t found = 0;
    for (walk_start(tree, box, &walk); walk_next(tree, &walk); walk.leaf_count = 0) {
        for (size_t l = 0; l < walk.leaf_count; l++) {
            const size_t leaf = walk.leaves[l];
            const int32_t *primitive = tree->primitive + 8 * leaf;
            uint32_t lanes = mask_bits(block_overlaps(tree->blocks + leaf, walk.limit));
            for (; lanes != 0; lanes &= lanes - 1) {
                if (found < capacity) {
                    hits[found] = (uint32_t)primitive[__builtin_ctz(lanes)];
                }
                found++;
            }
        }
    }
    return found;
}

// Bounds of distances are computed in double precision, with a margin for the rounding of both the
// bound and the distance of a primitive in the box.
// SPDX-License-Identifier: MIT
#include "broad_phase/tree_search.h"

#include <float.h>
#include <math.h>

#include "broad_phase/box_lanes.h"

// Relative margin of coordinates and squared distances: about a hundred times the rounding error.
static const double ROUNDING = 0x1p-46;

/// A block on the stack, and a lower bound of its distance.
struct search_block {
    double bound;
    uint32_t level, index;
};

/// State of a search. bounds: computes lower bounds of the distances of a block's eight boxes;
/// infinity means out of reach.
struct search {
    const struct bounding_tree *tree;
    double origin[3], direction[3], inverse[3];
    double margin[3]; ///< m, by which boxes are enlarged
    double limit;
    void (*bounds)(const struct search *search, const struct box_block *block, double bound[8]);
    tree_search_visit *visit;
    void *self;
};

static void visit_leaf(struct search *s, uint32_t index, const double bound[8]) {
    const int32_t *primitive = s->tree->primitive + 8 * (size_t)index;
    for (int i = 0; i < 8; i++) {
        if (primitive[i] >= 0 && bound[i] <= s->limit) {
            s->limit = s->visit(s->self, (uint32_t)primitive[i], s->limit);
        }
    }
}

/// Pushes the children within the limit onto the stack, the nearest last. Returns the new depth.
static size_t push_children(const struct search *s, const struct search_block *at,
                            const double bound[8], struct search_block *stack, size_t depth) {
    const size_t size = s->tree->level_start[at->level] - s->tree->level_start[at->level - 1];
    const size_t begin = depth;
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t child = 8 * at->index + i;
        if (child >= size || !(bound[i] <= s->limit)) {
            continue;
        }
        size_t to = depth++;
        for (; to > begin && stack[to - 1].bound < bound[i]; to--) {
            stack[to] = stack[to - 1];
        }
        stack[to] = (struct search_block){bound[i], at->level - 1, child};
    }
    return depth;
}

static void run(struct search *s) {
    const struct bounding_tree *tree = s->tree;
    struct search_block stack[8 * TREE_LEVELS];
    size_t depth = 0;
    if (tree->level_count > 0) {
        stack[depth++] = (struct search_block){0.0, tree->level_count - 1, 0};
    }
    while (depth > 0) {
        const struct search_block at = stack[--depth];
        double bound[8];
        if (at.bound > s->limit) {
            continue;
        }
        s->bounds(s, tree->blocks + tree->level_start[at.level] + at.index, bound);
        if (at.level == 0) {
            visit_leaf(s, at.index, bound);
        } else {
            depth = push_children(s, &at, bound, stack, depth);
        }
    }
}

/// Returns the largest absolute coordinate of the root's boxes.
static double largest_coordinate(const struct bounding_tree *tree) {
    if (tree->level_count == 0) {
        return 0.0;
    }
    const struct box *all = tree->unions + tree->level_start[tree->level_count - 1];
    double largest = 0.0;
    for (int k = 0; k < 6; k++) {
        largest = fmax(largest, fabs((double)all->bound[k]));
    }
    return largest;
}

static double largest_of(const double a[3]) {
    return fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
}

/// Returns the margin for rounding.
static double rounding_of(const struct bounding_tree *tree, const double origin[3]) {
    return ROUNDING * fmax(largest_of(origin), largest_coordinate(tree));
}

// --- rays ---

/// Intersects the ray with slabs, axis by axis (Kay and Kajiya 1986). An empty lane has its lower
/// bound above its upper one, so its interval is empty.
static void ray_bounds(const struct search *s, const struct box_block *block, double bound[8]) {
    double enter[8];
    double leave[8];
    for (int i = 0; i < 8; i++) {
        enter[i] = 0.0;
        leave[i] = s->limit;
    }
    for (int k = 0; k < 3; k++) {
        const float *low = block->bound[k];
        const float *negated_high = block->bound[3 + k];
        const double o = s->origin[k];
        const double inverse = s->inverse[k];
        const double margin = s->margin[k];
        if (inverse == 0.0) {
            for (int i = 0; i < 8; i++) {
                const bool is_outside = o < (double)low[i] - margin ||
                                        o > margin - (double)negated_high[i];
                leave[i] = is_outside ? -1.0 : leave[i];
            }
            continue;
        }
        for (int i = 0; i < 8; i++) {
            const double to_low = ((double)low[i] - margin - o) * inverse;
            const double to_high = (margin - (double)negated_high[i] - o) * inverse;
            const double first = inverse > 0.0 ? to_low : to_high;
            const double last = inverse > 0.0 ? to_high : to_low;
            enter[i] = first > enter[i] ? first : enter[i];
            leave[i] = last < leave[i] ? last : leave[i];
        }
    }
    for (int i = 0; i < 8; i++) {
        bound[i] = enter[i] <= leave[i] ? enter[i] : INFINITY;
    }
}

void tree_search_sweep(const struct bounding_tree *tree, const double origin[3],
                       const double direction[3], const double reach[3], double limit,
                       tree_search_visit *visit, void *self) {
    struct search s = {.tree = tree,
                       .limit = fmin(limit, DBL_MAX),
                       .bounds = ray_bounds,
                       .visit = visit,
                       .self = self};
    for (int k = 0; k < 3; k++) {
        s.origin[k] = origin[k];
        s.direction[k] = direction[k];
        // A component whose inverse would overflow counts as zero.
        s.inverse[k] = fabs(direction[k]) > 1e-290 ? 1.0 / direction[k] : 0.0;
        s.margin[k] = reach[k] + rounding_of(tree, origin);
    }
    run(&s);
}

void tree_search_ray(const struct bounding_tree *tree, const double origin[3],
                     const double direction[3], double limit, tree_search_visit *visit,
                     void *self) {
    const double nothing[3] = {0.0, 0.0, 0.0};
    tree_search_sweep(tree, origin, direction, nothing, limit, visit, self);
}

// --- points ---

static void point_bounds(const struct search *s, const struct box_block *block, double bound[8]) {
    for (int i = 0; i < 8; i++) {
        bound[i] = 0.0;
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 8; i++) {
            const double below = (double)block->bound[k][i] - s->origin[k];
            const double above = s->origin[k] + (double)block->bound[3 + k][i];
            double distance = below > above ? below : above;
            distance = distance > s->margin[k] ? distance - s->margin[k] : 0.0;
            bound[i] += distance * distance;
        }
    }
    for (int i = 0; i < 8; i++) {
        const bool is_empty = block->bound[0][i] > -block->bound[3][i];
        bound[i] = is_empty ? INFINITY : bound[i] * (1.0 - ROUNDING);
    }
}

void tree_search_nearest(const struct bounding_tree *tree, const double point[3], double limit,
                         tree_search_visit *visit, void *self) {
    struct search s = {.tree = tree,
                       .limit = fmin(limit, DBL_MAX),
                       .bounds = point_bounds,
                       .visit = visit,
                       .self = self};
    for (int k = 0; k < 3; k++) {
        s.origin[k] = point[k];
        s.margin[k] = rounding_of(tree, point);
    }
    run(&s);
}

// The broad phase of one surface against itself, as in a step: boxes of swept points, edges and
// triangles, trees over edges and triangles, and lists of point-triangle and edge-edge pairs.
// SPDX-License-Identifier: MIT
#ifndef PBS_SCENES_SURFACE_PAIRS_H
#define PBS_SCENES_SURFACE_PAIRS_H

#include "broad_phase/box_pairs.h"
#include "scenes/contact/moving_surface.h"

struct surface_pairs {
    const struct moving_surface *surface;
    double inflation;
    struct box *point_boxes, *edge_boxes, *triangle_boxes;
    size_t point_capacity, edge_capacity, triangle_capacity;
    uint32_t *point_numbers; ///< 0, 1, 2, ...: the point's own index, to exclude triangles that
                             ///< contain it
    size_t number_capacity;
    struct bounding_tree point_tree, edge_tree, triangle_tree;
    struct box_pair_list edge_edge, point_triangle;
};

/// Computes the boxes of the surface in its present state. A zero-initialised struct is a valid
/// start.
pbs_status surface_pairs_bound(struct memory *memory, struct tasks *tasks,
                               const struct moving_surface *surface, double inflation,
                               struct surface_pairs *pairs);
pbs_status surface_pairs_build(struct memory *memory, struct tasks *tasks,
                               struct surface_pairs *pairs);
void surface_pairs_refit(struct tasks *tasks, struct surface_pairs *pairs);
pbs_status surface_pairs_find(struct memory *memory, struct tasks *tasks,
                              struct surface_pairs *pairs);
void surface_pairs_free(struct memory *memory, struct surface_pairs *pairs);

#endif

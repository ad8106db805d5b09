// SPDX-License-Identifier: MIT
#include "scenes/contact/surface_pairs.h"

static pbs_status reserve(struct memory *memory, struct surface_pairs *p) {
    const struct moving_surface *s = p->surface;
    RETURN_IF_FAILED(memory_reserve(memory, &p->point_boxes, &p->point_capacity, s->point_count,
                                    sizeof *p->point_boxes));
    RETURN_IF_FAILED(memory_reserve(memory, &p->edge_boxes, &p->edge_capacity, s->edge_count,
                                    sizeof *p->edge_boxes));
    RETURN_IF_FAILED(memory_reserve(memory, &p->triangle_boxes, &p->triangle_capacity,
                                    s->triangle_count, sizeof *p->triangle_boxes));
    RETURN_IF_FAILED(memory_reserve(memory, &p->point_numbers, &p->number_capacity, s->point_count,
                                    sizeof *p->point_numbers));
    for (size_t i = 0; i < s->point_count; i++) {
        p->point_numbers[i] = (uint32_t)i;
    }
    return PBS_OK;
}

pbs_status surface_pairs_bound(struct memory *memory, struct tasks *tasks,
                               const struct moving_surface *surface, double inflation,
                               struct surface_pairs *pairs) {
    const struct point_sweep sweep = {.count = surface->point_count,
                                      .x = surface->x,
                                      .step = surface->step,
                                      .inflation = inflation};
    pairs->surface = surface;
    pairs->inflation = inflation;
    RETURN_IF_FAILED(reserve(memory, pairs));
    boxes_of_points(tasks, &sweep, pairs->point_boxes);
    boxes_of_primitives(tasks, pairs->point_boxes, surface->edges, 2, surface->edge_count,
                        pairs->edge_boxes);
    boxes_of_primitives(tasks, pairs->point_boxes, surface->triangles, 3, surface->triangle_count,
                        pairs->triangle_boxes);
    return PBS_OK;
}

pbs_status surface_pairs_build(struct memory *memory, struct tasks *tasks,
                               struct surface_pairs *pairs) {
    const struct moving_surface *s = pairs->surface;
    RETURN_IF_FAILED(bounding_tree_build(memory, tasks, pairs->edge_boxes, s->edge_count, s->edges,
                                         2, &pairs->edge_tree));
    RETURN_IF_FAILED(bounding_tree_build(memory, tasks, pairs->point_boxes, s->point_count, NULL, 0,
                                         &pairs->point_tree));
    return bounding_tree_build(memory, tasks, pairs->triangle_boxes, s->triangle_count,
                               s->triangles, 3, &pairs->triangle_tree);
}

void surface_pairs_refit(struct tasks *tasks, struct surface_pairs *pairs) {
    bounding_tree_refit(tasks, pairs->point_boxes, &pairs->point_tree);
    bounding_tree_refit(tasks, pairs->edge_boxes, &pairs->edge_tree);
    bounding_tree_refit(tasks, pairs->triangle_boxes, &pairs->triangle_tree);
}

pbs_status surface_pairs_find(struct memory *memory, struct tasks *tasks,
                              struct surface_pairs *pairs) {
    const struct moving_surface *s = pairs->surface;
    const struct box_pair_query edges = {.tree = &pairs->edge_tree,
                                         .boxes = pairs->edge_boxes,
                                         .count = s->edge_count,
                                         .is_self = true,
                                         .points = s->edges,
                                         .width = 2};
    const struct box_pair_query points = {.tree = &pairs->triangle_tree,
                                          .boxes = pairs->point_boxes,
                                          .count = s->point_count,
                                          .order = &pairs->point_tree,
                                          .points = pairs->point_numbers,
                                          .width = 1};
    RETURN_IF_FAILED(box_pairs_find(memory, tasks, &edges, &pairs->edge_edge));
    return box_pairs_find(memory, tasks, &points, &pairs->point_triangle);
}

void surface_pairs_free(struct memory *memory, struct surface_pairs *pairs) {
    memory_release(memory, pairs->point_boxes);
    memory_release(memory, pairs->edge_boxes);
    memory_release(memory, pairs->triangle_boxes);
    memory_release(memory, pairs->point_numbers);
    bounding_tree_free(memory, &pairs->point_tree);
    bounding_tree_free(memory, &pairs->edge_tree);
    bounding_tree_free(memory, &pairs->triangle_tree);
    box_pairs_free(memory, &pairs->edge_edge);
    box_pairs_free(memory, &pairs->point_triangle);
    *pairs = (struct surface_pairs){0};
}

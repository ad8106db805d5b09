// Whether an edge meets a triangle, exactly, and whether any edge of a surface does: what barriers
// must never let happen, and what distances cannot tell (docs/theory/contact.md section 3.2).
// Touching counts. Says nothing about where or how deep.
#ifndef PBS_GEOMETRY_EXACT_INTERSECTION_H
#define PBS_GEOMETRY_EXACT_INTERSECTION_H

#include "broad_phase/box_pairs.h"

/// Whether the closed segment a b and the closed triangle t[0] t[1] t[2] have a point in common.
/// Either may be degenerate. True where a coordinate is not finite or beyond 1e100, where nobody
/// can tell. Coordinates as in geometry/exact/orientation.h.
bool segment_meets_triangle(const double a[3], const double b[3], const double *const t[3]);

struct edges_and_triangles {
    size_t point_count;
    const double *x; ///< point_count x 3, finite
    size_t edge_count;
    const uint32_t *edges; ///< edge_count x 2
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3
    /// Whether an edge and a triangle must not meet; called from several threads at once. Null: all
    /// must not that share no point.
    bool (*is_forbidden)(const void *context, uint32_t edge, uint32_t triangle);
    const void *context;
};

/// All zero is a valid start. Memory that a search leaves for the next.
struct intersection_search {
    struct box *point_boxes, *edge_boxes, *triangle_boxes;
    size_t point_capacity, edge_capacity, triangle_capacity;
    struct bounding_tree tree, edges; ///< of the triangles; of the edges, as the queries' order
    struct box_pair_list found;       ///< all that meet: query is the edge, primitive the triangle;
                                      ///< ascending
};

/// Finds every edge that meets a triangle with which it shares no point. The first of search->found
/// is the least pair.
pbs_status intersection_search(struct memory *memory, struct tasks *tasks,
                               const struct edges_and_triangles *surface,
                               struct intersection_search *search);
void intersection_search_free(struct memory *memory, struct intersection_search *search);

#endif

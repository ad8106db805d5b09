// Exact tests of whether an edge intersects a triangle, and whether any edge of a surface does.
// Barriers must prevent this, and distances cannot detect it (docs/theory/contact.md section 3.2).
// Touching counts as intersection. Location and depth are not computed.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_EXACT_INTERSECTION_H
#define PBS_GEOMETRY_EXACT_INTERSECTION_H

#include "broad_phase/box_pairs.h"

/// Returns whether the closed segment a b and the closed triangle t[0] t[1] t[2] have a point in
/// common. Both may be degenerate. Returns true if a coordinate is not finite or beyond 1e100,
/// where the test is not exact. The range of coordinates is that of geometry/exact/orientation.h.
bool segment_intersects_triangle(const double a[3], const double b[3], const double *const t[3]);

struct edges_and_triangles {
    size_t point_count;
    const double *x; ///< point_count x 3, finite
    size_t edge_count;
    const uint32_t *edges; ///< edge_count x 2
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3
    /// Returns whether this edge must not intersect this triangle; other pairs are skipped. May be
    /// called from several threads at once. Null: all pairs that share no point are tested.
    bool (*is_forbidden)(const void *context, uint32_t edge, uint32_t triangle);
    const void *context;
};

/// Buffers of a search, which the next search reuses. A zero-initialised struct is valid.
struct intersection_search {
    struct box *point_boxes, *edge_boxes, *triangle_boxes;
    size_t point_capacity, edge_capacity, triangle_capacity;
    struct bounding_tree tree, edges; ///< tree of the triangles; tree of the edges, which gives the
                                      ///< order of the queries
    struct box_pair_list found;       ///< intersecting pairs: query is the edge, primitive is the
                                      ///< triangle; ascending
};

/// Finds every edge that intersects a triangle with which it shares no point. The first of
/// search->found is the smallest pair.
pbs_status intersection_search(struct memory *memory, struct tasks *tasks,
                               const struct edges_and_triangles *surface,
                               struct intersection_search *search);
void intersection_search_free(struct memory *memory, struct intersection_search *search);

#endif

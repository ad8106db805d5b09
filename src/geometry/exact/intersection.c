// SPDX-License-Identifier: MIT
#include "geometry/exact/intersection.h"

#include <math.h>

#include "geometry/exact/orientation.h"

static bool intervals_overlap(double a, double b, double c, double d) {
    const double low = (a < b ? a : b) > (c < d ? c : d) ? (a < b ? a : b) : (c < d ? c : d);
    const double high = (a > b ? a : b) < (c > d ? c : d) ? (a > b ? a : b) : (c > d ? c : d);
    return low <= high;
}

/// Returns whether two segments on one line intersect: exactly if their boxes do.
static bool collinear_intersect(const double a[3], const double b[3], const double c[3],
                                const double d[3]) {
    for (int k = 0; k < 3; k++) {
        if (!intervals_overlap(a[k], b[k], c[k], d[k])) {
            return false;
        }
    }
    return true;
}

/// Returns whether two segments in one plane intersect. The plane must not contain the direction of
/// the dropped axis.
static bool coplanar_intersect(const double a[3], const double b[3], const double c[3],
                               const double d[3], int dropped) {
    const int ab_c = orientation_of_three(a, b, c, dropped);
    const int ab_d = orientation_of_three(a, b, d, dropped);
    const int cd_a = orientation_of_three(c, d, a, dropped);
    const int cd_b = orientation_of_three(c, d, b, dropped);
    if (ab_c == 0 && ab_d == 0 && cd_a == 0 && cd_b == 0) {
        return collinear_intersect(a, b, c, d);
    }
    return ab_c * ab_d <= 0 && cd_a * cd_b <= 0;
}

/// Returns an axis along which the projection of the three points is not collinear, or -1 if the
/// points are collinear.
static int droppable_axis(const double a[3], const double b[3], const double c[3]) {
    for (int axis = 0; axis < 3; axis++) {
        if (orientation_of_three(a, b, c, axis) != 0) {
            return axis;
        }
    }
    return -1;
}

static bool segments_intersect(const double a[3], const double b[3], const double c[3],
                               const double d[3]) {
    if (orientation_of_four(a, b, c, d) != 0) {
        return false;
    }
    const double *const triples[4][3] = {{a, b, c}, {a, b, d}, {c, d, a}, {c, d, b}};
    for (int t = 0; t < 4; t++) {
        const int axis = droppable_axis(triples[t][0], triples[t][1], triples[t][2]);
        if (axis >= 0) {
            return coplanar_intersect(a, b, c, d, axis);
        }
    }
    return collinear_intersect(a, b, c, d);
}

/// Whether a line through two points leaves p and q strictly on its side `away`, 1 or -1.
static bool both_are(const double from[3], const double to[3], const double p[3], const double q[3],
                     int dropped, int away) {
    return orientation_of_three(from, to, p, dropped) == away &&
           orientation_of_three(from, to, q, dropped) == away;
}

/// Tests a segment in the plane of a triangle that is no segment. Two convex sets in a plane are
/// apart exactly if a line along an edge of one of them separates them.
static bool coplanar_meets(const double a[3], const double b[3], const double *const t[3],
                           int dropped) {
    const int inside = orientation_of_three(t[0], t[1], t[2], dropped);
    for (int k = 0; k < 3; k++) {
        if (both_are(t[k], t[(k + 1) % 3], a, b, dropped, -inside)) {
            return false;
        }
    }
    const int first = orientation_of_three(a, b, t[0], dropped);
    return first == 0 || !both_are(a, b, t[1], t[2], dropped, first);
}

/// Tests a segment in the triangle's plane, or a triangle that degenerates to a segment or a point.
static bool flat_intersects(const double a[3], const double b[3], const double *const t[3]) {
    const int axis = droppable_axis(t[0], t[1], t[2]);
    if (axis >= 0) {
        return coplanar_meets(a, b, t, axis);
    }
    for (int k = 0; k < 3; k++) {
        if (segments_intersect(a, b, t[k], t[(k + 1) % 3])) {
            return true;
        }
    }
    return false;
}

/// Returns whether the coordinates are in the range where orientations are exact
/// (geometry/exact/orientation.h); false for NaN.
static bool is_in_exact_range(const double p[3]) {
    return fabs(p[0]) <= 1e100 && fabs(p[1]) <= 1e100 && fabs(p[2]) <= 1e100;
}

bool segment_intersects_triangle(const double a[3], const double b[3], const double *const t[3]) {
    if (!is_in_exact_range(a) || !is_in_exact_range(b) || !is_in_exact_range(t[0]) ||
        !is_in_exact_range(t[1]) || !is_in_exact_range(t[2])) {
        return true;
    }
    const int a_side = orientation_of_four(t[0], t[1], t[2], a);
    const int b_side = orientation_of_four(t[0], t[1], t[2], b);
    if (a_side * b_side > 0) {
        return false;
    }
    if (a_side == 0 && b_side == 0) {
        return flat_intersects(a, b, t);
    }
    // The line through a and b intersects the plane in one point. The point is in the triangle if
    // and only if the line passes all edges on the same side or through them.
    const int first = orientation_of_four(a, b, t[0], t[1]);
    const int second = orientation_of_four(a, b, t[1], t[2]);
    if (first * second < 0) {
        return false;
    }
    const int third = orientation_of_four(a, b, t[2], t[0]);
    return first * third >= 0 && second * third >= 0;
}

static bool edge_intersects_triangle(const struct edges_and_triangles *s, uint32_t edge,
                                     uint32_t triangle) {
    if (s->is_forbidden && !s->is_forbidden(s->context, edge, triangle)) {
        return false;
    }
    const uint32_t *e = s->edges + 2 * (size_t)edge;
    const uint32_t *t = s->triangles + 3 * (size_t)triangle;
    const double *const corners[3] = {s->x + 3 * (size_t)t[0], s->x + 3 * (size_t)t[1],
                                      s->x + 3 * (size_t)t[2]};
    return segment_intersects_triangle(s->x + 3 * (size_t)e[0], s->x + 3 * (size_t)e[1], corners);
}

static uint32_t filter_intersecting(const void *context, const struct box_pair *pairs,
                                    size_t count) {
    uint32_t accepted = 0;
    for (size_t i = 0; i < count; i++) {
        const bool intersects = edge_intersects_triangle(context, pairs[i].query,
                                                         pairs[i].primitive);
        accepted |= (uint32_t)intersects << i;
    }
    return accepted;
}

static pbs_status reserve_boxes(struct memory *memory, const struct edges_and_triangles *surface,
                                struct intersection_search *search) {
    RETURN_IF_FAILED(memory_reserve(memory, &search->point_boxes, &search->point_capacity,
                                    surface->point_count, sizeof *search->point_boxes));
    RETURN_IF_FAILED(memory_reserve(memory, &search->edge_boxes, &search->edge_capacity,
                                    surface->edge_count, sizeof *search->edge_boxes));
    return memory_reserve(memory, &search->triangle_boxes, &search->triangle_capacity,
                          surface->triangle_count, sizeof *search->triangle_boxes);
}

pbs_status intersection_search(struct memory *memory, struct tasks *tasks,
                               const struct edges_and_triangles *surface,
                               struct intersection_search *search) {
    search->found.count = 0;
    RETURN_IF_FAILED(reserve_boxes(memory, surface, search));
    const struct point_sweep still = {.count = surface->point_count, .x = surface->x};
    boxes_of_points(tasks, &still, search->point_boxes);
    boxes_of_primitives(tasks, search->point_boxes, surface->edges, 2, surface->edge_count,
                        search->edge_boxes);
    boxes_of_primitives(tasks, search->point_boxes, surface->triangles, 3, surface->triangle_count,
                        search->triangle_boxes);
    RETURN_IF_FAILED(bounding_tree_build(memory, tasks, search->triangle_boxes,
                                         surface->triangle_count, surface->triangles, 3,
                                         &search->tree));
    // A tree that was built for another surface gives a worse order and the same pairs.
    RETURN_IF_FAILED(bounding_tree_update(memory, tasks, search->edge_boxes, surface->edge_count,
                                          NULL, 0, &search->edges));
    const struct box_pair_query query = {.tree = &search->tree,
                                         .order = &search->edges,
                                         .boxes = search->edge_boxes,
                                         .count = surface->edge_count,
                                         .points = surface->edges,
                                         .width = 2,
                                         .filter = filter_intersecting,
                                         .context = surface};
    return box_pairs_find(memory, tasks, &query, &search->found);
}

void intersection_search_free(struct memory *memory, struct intersection_search *search) {
    memory_release(memory, search->point_boxes);
    memory_release(memory, search->edge_boxes);
    memory_release(memory, search->triangle_boxes);
    bounding_tree_free(memory, &search->tree);
    bounding_tree_free(memory, &search->edges);
    box_pairs_free(memory, &search->found);
    *search = (struct intersection_search){0};
}

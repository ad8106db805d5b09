// See part_distance.h. All pairs of primitives are visited whose boxes are close; parts that were
// joined are small, and the question is rare.
// SPDX-License-Identifier: MIT
#include "contact/search/part_distance.h"

#include <math.h>

#include "geometry/distances/distance.h"
#include "geometry/exact/intersection.h"
#include "geometry/meshes/solid_angle.h"

/// The ranges of a part in the lists of the mesh, and its box.
struct part_range {
    uint32_t first_point, end_point, first_edge, end_edge, first_triangle, end_triangle;
    double low[3], high[3];
};

struct measurement {
    const struct collision_mesh *mesh;
    const double *points;
    double squared; ///< m^2, the least so far
};

// --- parts ---

/// The first of `count` primitives, which are in the order of their parts, whose part is not below
/// `part`.
static uint32_t first_of(const struct collision_mesh *mesh, const uint32_t *primitives,
                         uint32_t width, uint32_t count, uint32_t part) {
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (mesh->part[primitives[(size_t)width * middle]] < part) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct part_range range_of(const struct measurement *m, uint32_t part) {
    const struct collision_mesh *mesh = m->mesh;
    const bool is_last = part + 1 == mesh->part_count;
    struct part_range out = {
        .first_point = mesh->parts[part].first_point,
        .end_point = is_last ? mesh->point_count : mesh->parts[part + 1].first_point,
        .first_edge = first_of(mesh, mesh->edges, 2, mesh->edge_count, part),
        .end_edge = first_of(mesh, mesh->edges, 2, mesh->edge_count, part + 1),
        .first_triangle = first_of(mesh, mesh->triangles, 3, mesh->triangle_count, part),
        .end_triangle = first_of(mesh, mesh->triangles, 3, mesh->triangle_count, part + 1)};
    for (int k = 0; k < 3; k++) {
        out.low[k] = INFINITY;
        out.high[k] = -INFINITY;
        for (uint32_t p = out.first_point; p < out.end_point; p++) {
            out.low[k] = fmin(out.low[k], m->points[3 * (size_t)p + (size_t)k]);
            out.high[k] = fmax(out.high[k], m->points[3 * (size_t)p + (size_t)k]);
        }
    }
    return out;
}

// --- primitives ---

/// Corners of a primitive and their box.
struct corners {
    const double *x[3];
    double low[3], high[3];
};

static struct corners corners_of(const struct measurement *m, const uint32_t *primitive,
                                 int width) {
    struct corners out;
    for (int i = 0; i < width; i++) {
        out.x[i] = m->points + 3 * (size_t)primitive[i];
    }
    for (int k = 0; k < 3; k++) {
        out.low[k] = out.high[k] = out.x[0][k];
        for (int i = 1; i < width; i++) {
            out.low[k] = fmin(out.low[k], out.x[i][k]);
            out.high[k] = fmax(out.high[k], out.x[i][k]);
        }
    }
    return out;
}

/// The squared distance of two boxes.
static double squared_between(const double low_a[3], const double high_a[3], const double low_b[3],
                              const double high_b[3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double apart = fmax(0.0, fmax(low_a[k] - high_b[k], low_b[k] - high_a[k]));
        sum += apart * apart;
    }
    return sum;
}

static bool is_far(const struct measurement *m, const struct corners *a,
                   const struct part_range *b) {
    return squared_between(a->low, a->high, b->low, b->high) > m->squared;
}

static void measure(struct measurement *m, const struct corners *a, const struct corners *b,
                    enum pair_kind kind) {
    if (squared_between(a->low, a->high, b->low, b->high) > m->squared) {
        return;
    }
    const int first = pair_first_count(kind);
    const double *x[PAIR_NODES] = {NULL};
    for (int i = 0; i < pair_node_count(kind); i++) {
        x[i] = i < first ? a->x[i] : b->x[i - first];
    }
    m->squared = fmin(m->squared, closest_squared(kind, x));
}

/// An edge through a triangle, which distances do not see.
static void intersect(struct measurement *m, const struct corners *edge,
                      const struct corners *triangle) {
    if (squared_between(edge->low, edge->high, triangle->low, triangle->high) == 0.0 &&
        segment_intersects_triangle(edge->x[0], edge->x[1], triangle->x)) {
        m->squared = 0.0;
    }
}

/// Points of one part against triangles of the other, or its edges, or its points.
static void measure_points(struct measurement *m, const struct part_range *a,
                           const struct part_range *b) {
    const struct collision_mesh *mesh = m->mesh;
    for (uint32_t p = a->first_point; p < a->end_point; p++) {
        const struct corners point = corners_of(m, &p, 1);
        if (is_far(m, &point, b)) {
            continue;
        }
        for (uint32_t t = b->first_triangle; t < b->end_triangle; t++) {
            const struct corners other = corners_of(m, mesh->triangles + 3 * (size_t)t, 3);
            measure(m, &point, &other, PAIR_POINT_TRIANGLE);
        }
        const bool bare = b->first_triangle == b->end_triangle;
        for (uint32_t e = b->first_edge; e < b->end_edge && bare; e++) {
            const struct corners other = corners_of(m, mesh->edges + 2 * (size_t)e, 2);
            measure(m, &point, &other, PAIR_POINT_EDGE);
        }
        const bool loose = bare && b->first_edge == b->end_edge;
        for (uint32_t q = b->first_point; q < b->end_point && loose; q++) {
            const struct corners other = corners_of(m, &q, 1);
            measure(m, &point, &other, PAIR_POINT_POINT);
        }
    }
}

/// Edges of one part against triangles and, once for both, edges of the other.
static void measure_edges(struct measurement *m, const struct part_range *a,
                          const struct part_range *b, bool with_edges, double enough) {
    const struct collision_mesh *mesh = m->mesh;
    for (uint32_t e = a->first_edge; e < a->end_edge && m->squared >= enough; e++) {
        const struct corners edge = corners_of(m, mesh->edges + 2 * (size_t)e, 2);
        if (is_far(m, &edge, b)) {
            continue;
        }
        for (uint32_t t = b->first_triangle; t < b->end_triangle; t++) {
            const struct corners other = corners_of(m, mesh->triangles + 3 * (size_t)t, 3);
            intersect(m, &edge, &other);
        }
        for (uint32_t f = b->first_edge; f < b->end_edge && with_edges; f++) {
            const struct corners other = corners_of(m, mesh->edges + 2 * (size_t)f, 2);
            measure(m, &edge, &other, PAIR_EDGE_EDGE);
        }
    }
}

static bool is_inside(const struct measurement *m, const struct part_range *inner,
                      const struct part_range *outer) {
    const double *const p = m->points + 3 * (size_t)inner->first_point;
    const bool is_near = inner->first_point < inner->end_point &&
                         squared_between(p, p, outer->low, outer->high) == 0.0;
    return is_near &&
           solid_angle_encloses(m->points, m->mesh->triangles + 3 * (size_t)outer->first_triangle,
                                outer->end_triangle - outer->first_triangle, p);
}

double part_distance(const struct collision_mesh *mesh, const double *points, uint32_t a,
                     uint32_t b, double least, double most) {
    struct measurement m = {.mesh = mesh, .points = points, .squared = most * most};
    const struct part_range first = range_of(&m, a), second = range_of(&m, b);
    const double enough = least * least;
    if (squared_between(first.low, first.high, second.low, second.high) > m.squared) {
        return most;
    }
    measure_points(&m, &first, &second);
    if (m.squared >= enough) {
        measure_points(&m, &second, &first);
    }
    measure_edges(&m, &first, &second, true, enough);
    measure_edges(&m, &second, &first, false, enough);
    if (m.squared >= enough && (is_inside(&m, &first, &second) || is_inside(&m, &second, &first))) {
        return 0.0;
    }
    return sqrt(m.squared);
}

// See overlap.h. Intersections of surfaces are found by exact predicates. A part inside a closed
// surface that does not intersect it is found by the solid angle of the surface at one of the
// part's points.
// SPDX-License-Identifier: MIT
#include "contact/overlap/overlap.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "geometry/meshes/solid_angle.h"
#include "pbs/query.h"

// With a reach of 0 no contact would be listed.
static const double LEAST_REACH = 1e-150;

// --- parts ---

static void bound_part(const struct collision_mesh *mesh, const double *points,
                       struct overlap_part *part) {
    for (int k = 0; k < 3; k++) {
        part->low[k] = INFINITY;
        part->high[k] = -INFINITY;
    }
    for (uint32_t i = part->first_point; i < part->first_point + part->point_count; i++) {
        const double offset = collision_mesh_offset(mesh, i);
        for (int k = 0; k < 3; k++) {
            part->low[k] = fmin(part->low[k], points[3 * (size_t)i + (size_t)k] - offset);
            part->high[k] = fmax(part->high[k], points[3 * (size_t)i + (size_t)k] + offset);
        }
    }
    for (int k = 0; k < 3; k++) {
        part->centre[k] = 0.5 * (part->low[k] + part->high[k]);
    }
}

static void corners_of(const struct barrier_contact *c, uint32_t triangle, const double *x[3]) {
    for (size_t k = 0; k < 3; k++) {
        x[k] = c->points + 3 * (size_t)c->mesh.triangles[3 * (size_t)triangle + k];
    }
}

/// Returns six times the signed volume enclosed by a part's triangles.
static double volume_of(const struct barrier_contact *c, const struct overlap_part *part) {
    double sum = 0.0;
    for (uint32_t t = part->first_triangle; t < part->first_triangle + part->triangle_count; t++) {
        const double *x[3];
        double arm[3][3], cross[3];
        corners_of(c, t, x);
        for (int k = 0; k < 3; k++) {
            subtract3(x[k], part->centre, arm[k]);
        }
        cross3(arm[0], arm[1], cross);
        sum += dot3(cross, arm[2]);
    }
    return sum;
}

pbs_status overlaps_begin(struct memory *memory, const struct collision_mesh *mesh,
                          struct overlaps *out) {
    RETURN_IF_FAILED(memory_reserve(memory, &out->parts, &out->part_capacity, mesh->part_count,
                                    sizeof *out->parts));
    RETURN_IF_FAILED(memory_reserve(memory, &out->order, &out->order_capacity, mesh->part_count,
                                    sizeof *out->order));
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        out->parts[i] = (struct overlap_part){.outward = 1.0};
    }
    // Points and triangles of a part are contiguous.
    for (uint32_t i = mesh->point_count; i-- > 0;) {
        out->parts[mesh->part[i]].first_point = i;
        out->parts[mesh->part[i]].point_count++;
    }
    for (uint32_t t = mesh->triangle_count; t-- > 0;) {
        const uint32_t part = mesh->part[mesh->triangles[3 * (size_t)t]];
        out->parts[part].first_triangle = t;
        out->parts[part].triangle_count++;
    }
    return PBS_OK;
}

void overlaps_free(struct memory *memory, struct overlaps *out) {
    memory_release(memory, out->rows);
    memory_release(memory, out->crossings);
    memory_release(memory, out->parts);
    memory_release(memory, out->order);
    *out = (struct overlaps){0};
}

// --- rows ---

static pbs_status add_row(struct memory *memory, const struct overlap *row, struct overlaps *out) {
    RETURN_IF_FAILED(
        memory_reserve(memory, &out->rows, &out->row_capacity, out->count + 1, sizeof *out->rows));
    out->rows[out->count++] = *row;
    return PBS_OK;
}

/// Compares by the smaller, then by the larger index of the two parts.
static int compare_parts(const uint32_t a[2], const uint32_t b[2]) {
    const uint32_t low[2] = {a[0] < a[1] ? a[0] : a[1], b[0] < b[1] ? b[0] : b[1]};
    const uint32_t high[2] = {a[0] < a[1] ? a[1] : a[0], b[0] < b[1] ? b[1] : b[0]};
    if (low[0] != low[1]) {
        return low[0] < low[1] ? -1 : 1;
    }
    return high[0] == high[1] ? 0 : high[0] < high[1] ? -1 : 1;
}

/// Sorts by parts, then by kind, the worst first, then by gap.
static int compare_rows(const void *a, const void *b) {
    const struct overlap *p = a, *q = b;
    const int parts = compare_parts(p->pair.part, q->pair.part);
    if (parts != 0) {
        return parts;
    }
    if (p->kind != q->kind) {
        return p->kind > q->kind ? -1 : 1;
    }
    if (p->pair.gap != q->pair.gap) {
        return p->pair.gap < q->pair.gap ? -1 : 1;
    }
    return memcmp(p->pair.points, q->pair.points, sizeof p->pair.points);
}

static int compare_crossings(const void *a, const void *b) {
    const struct overlap_crossing *p = a, *q = b;
    const int parts = compare_parts(p->part, q->part);
    if (parts != 0) {
        return parts;
    }
    if (p->pair.query != q->pair.query) {
        return p->pair.query < q->pair.query ? -1 : 1;
    }
    return p->pair.primitive == q->pair.primitive  ? 0
           : p->pair.primitive < q->pair.primitive ? -1
                                                   : 1;
}

/// Retains the first row of every two parts.
static void merge_rows(struct overlaps *out) {
    if (out->count == 0) {
        return;
    }
    qsort(out->rows, out->count, sizeof *out->rows, compare_rows);
    size_t row_count = 1;
    for (size_t i = 1; i < out->count; i++) {
        if (compare_parts(out->rows[i].pair.part, out->rows[row_count - 1].pair.part) != 0) {
            out->rows[row_count++] = out->rows[i];
        }
    }
    out->count = row_count;
}

/// Sets the range of crossings of each row. Both lists are sorted by parts.
static void assign_crossings(struct overlaps *out) {
    size_t at = 0;
    for (size_t i = 0; i < out->count; i++) {
        struct overlap *row = &out->rows[i];
        row->first_crossing = at;
        while (at < out->crossing_count &&
               compare_parts(out->crossings[at].part, row->pair.part) == 0) {
            at++;
        }
        row->crossing_count = at - row->first_crossing;
    }
}

static bool is_requested(const struct contact_pair *pair, uint32_t only) {
    return only == UINT32_MAX || pair->part[0] == only || pair->part[1] == only;
}

/// Adds a row for each contact within the reach.
static pbs_status add_contacts(const struct barrier_contact *c, uint32_t only,
                               struct overlaps *out) {
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct active_contact *active = &c->contacts[i];
        struct overlap row = {.pair = contact_pair_of(c, active)};
        row.kind = row.pair.gap > 0.0 ? PBS_OVERLAP_CLOSE : PBS_OVERLAP_TOUCHING;
        if (active->distance != 0.0) {
            copy3(active->normal, row.normal);
        }
        if (is_requested(&row.pair, only)) {
            RETURN_IF_FAILED(add_row(c->memory, &row, out));
        }
    }
    return PBS_OK;
}

static bool is_forbidden(const void *context, uint32_t edge, uint32_t triangle) {
    const struct collision_mesh *mesh = context;
    return collision_mesh_may_touch(mesh, mesh->edges[2 * (size_t)edge],
                                    mesh->triangles[3 * (size_t)triangle]);
}

static pbs_status add_intersections(struct barrier_contact *c, struct tasks *tasks, uint32_t only,
                                    struct overlaps *out) {
    const struct edges_and_triangles surface = {.point_count = c->mesh.point_count,
                                                .x = c->points,
                                                .edge_count = c->mesh.edge_count,
                                                .edges = c->mesh.edges,
                                                .triangle_count = c->mesh.triangle_count,
                                                .triangles = c->mesh.triangles,
                                                .is_forbidden = is_forbidden,
                                                .context = &c->mesh};
    RETURN_IF_FAILED(intersection_search(c->memory, tasks, &surface, &c->intersections));
    const struct box_pair_list *found = &c->intersections.found;
    RETURN_IF_FAILED(memory_reserve(c->memory, &out->crossings, &out->crossing_capacity,
                                    found->count, sizeof *out->crossings));
    out->crossing_count = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct overlap row = {
            .kind = PBS_OVERLAP_INTERSECTING,
            .pair = contact_pair_of_intersection(&c->mesh, found->pairs[i])};
        if (is_requested(&row.pair, only)) {
            RETURN_IF_FAILED(add_row(c->memory, &row, out));
            out->crossings[out->crossing_count++] = (struct overlap_crossing){
                {row.pair.part[0], row.pair.part[1]}, found->pairs[i]};
        }
    }
    if (out->crossing_count > 0) {
        qsort(out->crossings, out->crossing_count, sizeof *out->crossings, compare_crossings);
    }
    return PBS_OK;
}

// --- inside ---

static bool is_inside(const struct barrier_contact *c, const struct overlap_part *part,
                      const double p[3]) {
    return fabs(solid_angle_turns(c->points, c->mesh.triangles + 3 * (size_t)part->first_triangle,
                                  part->triangle_count, p)) > 0.5;
}

static bool box_contains(const struct overlap_part *outer, const struct overlap_part *inner) {
    for (int k = 0; k < 3; k++) {
        if (!(inner->low[k] >= outer->low[k] && inner->high[k] <= outer->high[k])) {
            return false;
        }
    }
    return true;
}

static pbs_status add_if_inside(const struct barrier_contact *c, uint32_t inner, uint32_t outer,
                                uint32_t only, struct overlaps *out) {
    const struct overlap_part *a = &out->parts[inner], *b = &out->parts[outer];
    if (!b->is_closed || !box_contains(b, a) ||
        !collision_mesh_may_touch(&c->mesh, a->first_point, b->first_point) ||
        !is_inside(c, b, c->points + 3 * (size_t)a->first_point)) {
        return PBS_OK;
    }
    const struct overlap row = {
        .kind = PBS_OVERLAP_INSIDE,
        .pair = {.is_known = true,
                 .part = {inner, outer},
                 .count = {1, 3},
                 .points = {a->first_point, c->mesh.triangles[3 * (size_t)b->first_triangle],
                            c->mesh.triangles[3 * (size_t)b->first_triangle + 1],
                            c->mesh.triangles[3 * (size_t)b->first_triangle + 2]}}};
    return is_requested(&row.pair, only) ? add_row(c->memory, &row, out) : PBS_OK;
}

/// Sorts parts by the lower ends of their boxes along x, by insertion.
static void sort_parts(uint32_t count, struct overlaps *out) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && out->parts[out->order[at - 1]].low[0] > out->parts[i].low[0]; at--) {
            out->order[at] = out->order[at - 1];
        }
        out->order[at] = i;
    }
}

/// Adds rows for parts inside others. Sorted boxes give the pairs whose boxes overlap along x.
static pbs_status add_inside(const struct barrier_contact *c, uint32_t only, struct overlaps *out) {
    const uint32_t count = c->mesh.part_count;
    for (uint32_t i = 0; i < count; i++) {
        bound_part(&c->mesh, c->points, &out->parts[i]);
        if (out->parts[i].is_closed) {
            out->parts[i].outward = volume_of(c, &out->parts[i]) < 0.0 ? -1.0 : 1.0;
        }
    }
    sort_parts(count, out);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t a = out->order[i];
        const double end = out->parts[a].high[0];
        for (uint32_t j = i + 1; j < count && out->parts[out->order[j]].low[0] <= end; j++) {
            const uint32_t b = out->order[j];
            if (out->parts[a].point_count > 0 && out->parts[b].point_count > 0) {
                RETURN_IF_FAILED(add_if_inside(c, b, a, only, out));
                RETURN_IF_FAILED(add_if_inside(c, a, b, only, out));
            }
        }
    }
    return PBS_OK;
}

pbs_status overlaps_find(struct barrier_contact *c, struct tasks *tasks, const double *x,
                         double distance, uint32_t only, struct overlaps *out) {
    out->count = 0;
    c->settings.barrier.reach = fmax(distance, LEAST_REACH);
    c->settings.lists_every_pair = true;
    RETURN_IF_FAILED(barrier_contact_find(c, tasks, x));
    RETURN_IF_FAILED(add_contacts(c, only, out));
    RETURN_IF_FAILED(add_intersections(c, tasks, only, out));
    RETURN_IF_FAILED(add_inside(c, only, out));
    merge_rows(out);
    assign_crossings(out);
    return PBS_OK;
}

// --- directions ---

/// The extents of both sides along a direction.
struct extent {
    double low[2], high[2];
};

struct push_search {
    const struct barrier_contact *contact;
    const struct overlaps *overlaps;
    const struct overlap *row;
    double distance;
    bool whole;
    struct overlap_push best;
};

static void extend(const struct barrier_contact *c, uint32_t point, const double n[3], int side,
                   struct extent *extent) {
    const double offset = collision_mesh_offset(&c->mesh, point);
    const double at = dot3(c->points + 3 * (size_t)point, n);
    extent->low[side] = fmin(extent->low[side], at - offset);
    extent->high[side] = fmax(extent->high[side], at + offset);
}

static void extend_by_part(const struct push_search *s, const double n[3], int side,
                           struct extent *extent) {
    const struct overlap_part *part = &s->overlaps->parts[s->row->pair.part[side]];
    for (uint32_t i = 0; i < part->point_count; i++) {
        extend(s->contact, part->first_point + i, n, side, extent);
    }
}

static const struct overlap_crossing *crossing_of(const struct push_search *s, size_t index) {
    return &s->overlaps->crossings[s->row->first_crossing + index];
}

/// Returns the side of the row that the edge of a crossing belongs to.
static int edge_side(const struct push_search *s, const struct overlap_crossing *crossing) {
    return crossing->part[0] == s->row->pair.part[0] ? 0 : 1;
}

static void extend_by_features(const struct push_search *s, const double n[3],
                               struct extent *extent) {
    const struct collision_mesh *mesh = &s->contact->mesh;
    for (size_t i = 0; i < s->row->crossing_count; i++) {
        const struct overlap_crossing *crossing = crossing_of(s, i);
        const int side = edge_side(s, crossing);
        const uint32_t *edge = mesh->edges + 2 * (size_t)crossing->pair.query;
        const uint32_t *triangle = mesh->triangles + 3 * (size_t)crossing->pair.primitive;
        for (size_t k = 0; k < 2; k++) {
            extend(s->contact, edge[k], n, side, extent);
        }
        for (size_t k = 0; k < 3; k++) {
            extend(s->contact, triangle[k], n, 1 - side, extent);
        }
    }
}

/// Tries n and -n as the direction in which the first part moves; with sign 1 or -1 only that one.
static void try_direction(struct push_search *s, const double direction[3], int sign) {
    const double length = norm3(direction);
    if (!(length > 0.0 && isfinite(length))) {
        return;
    }
    double n[3];
    scale3(1.0 / length, direction, n);
    struct extent extent = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    if (s->whole) {
        extend_by_part(s, n, 0, &extent);
        extend_by_part(s, n, 1, &extent);
    } else {
        extend_by_features(s, n, &extent);
    }
    const double forth = s->distance + extent.high[1] - extent.low[0];
    const double back = s->distance + extent.high[0] - extent.low[1];
    const bool forward = sign > 0 || (sign == 0 && forth <= back);
    const double depth = forward ? forth : back;
    // Depths that differ by rounding only count as equal: the first direction is retained.
    if (depth < s->best.depth * (1.0 - 1e-9)) {
        scale3(forward ? 1.0 : -1.0, n, s->best.normal);
        s->best.depth = depth;
    }
}

static void normal_of(const struct barrier_contact *c, uint32_t triangle, double out[3]) {
    const double *x[3];
    double sides[2][3];
    corners_of(c, triangle, x);
    subtract3(x[1], x[0], sides[0]);
    subtract3(x[2], x[0], sides[1]);
    cross3(sides[0], sides[1], out);
}

// At most about this many triangles and crossings are tried, evenly spaced.
enum { DIRECTIONS = 256, CROSSINGS = 64 };

// Relative to both lengths: edges with a smaller cross product give no direction.
static const double PARALLEL = 1e-6;

/// Tries the normals of a side's triangles.
static void try_triangles(struct push_search *s, int side) {
    const struct overlap_part *part = &s->overlaps->parts[s->row->pair.part[side]];
    const uint32_t stride = part->triangle_count / DIRECTIONS + 1;
    for (uint32_t t = 0; t < part->triangle_count; t += stride) {
        double n[3];
        normal_of(s->contact, part->first_triangle + t, n);
        try_direction(s, n, 0);
    }
}

/// Tries the normal of the triangle that an edge intersects, and the directions normal to that edge
/// and to an edge of the triangle. If the triangle belongs to a closed surface, the part of the
/// edge must move to its outer side.
static void try_crossing(struct push_search *s, const struct overlap_crossing *crossing) {
    const struct barrier_contact *c = s->contact;
    const int side = edge_side(s, crossing);
    const struct overlap_part *part = &s->overlaps->parts[s->row->pair.part[1 - side]];
    const uint32_t *edge = c->mesh.edges + 2 * (size_t)crossing->pair.query;
    const double *x[3];
    double normal[3], along[3];
    corners_of(c, crossing->pair.primitive, x);
    normal_of(c, crossing->pair.primitive, normal);
    scale3(part->outward, normal, normal);
    // The edge's part moves outward. If it is the second part, the first one moves the opposite
    // way.
    const int sign = !part->is_closed ? 0 : side == 0 ? 1 : -1;
    try_direction(s, normal, sign);
    subtract3(c->points + 3 * (size_t)edge[1], c->points + 3 * (size_t)edge[0], along);
    for (int k = 0; k < 3; k++) {
        double other[3], cross[3];
        subtract3(x[(k + 1) % 3], x[k], other);
        cross3(along, other, cross);
        const double size = norm3(cross);
        const double rise = dot3(cross, normal);
        if (size > PARALLEL * norm3(along) * norm3(other)) {
            // A direction in the plane of the triangle leads outward on neither side.
            const bool is_tangential = !(fabs(rise) > PARALLEL * size * norm3(normal));
            scale3(rise < 0.0 ? -1.0 : 1.0, cross, cross);
            try_direction(s, cross, is_tangential ? 0 : sign);
        }
    }
}

static void try_features(struct push_search *s) {
    const size_t stride = s->row->crossing_count / CROSSINGS + 1;
    for (size_t i = 0; i < s->row->crossing_count; i += stride) {
        try_crossing(s, crossing_of(s, i));
    }
}

static bool has_points(const struct overlaps *overlaps, const struct overlap *row) {
    return overlaps->parts[row->pair.part[0]].point_count > 0 &&
           overlaps->parts[row->pair.part[1]].point_count > 0;
}

struct overlap_push overlaps_push(const struct barrier_contact *c, const struct overlaps *overlaps,
                                  const struct overlap *row, double distance, bool whole) {
    // Walls have no points: the smallest gap to the other side gives the depth.
    if ((!whole || !has_points(overlaps, row)) && row->kind <= PBS_OVERLAP_TOUCHING &&
        norm3(row->normal) > 0.0) {
        struct overlap_push push = {.depth = distance - row->pair.gap};
        copy3(row->normal, push.normal);
        return push;
    }
    struct push_search search = {.contact = c,
                                 .overlaps = overlaps,
                                 .row = row,
                                 .distance = distance,
                                 .whole = whole || row->kind != PBS_OVERLAP_INTERSECTING,
                                 .best = {.depth = INFINITY}};
    double centres[3];
    subtract3(overlaps->parts[row->pair.part[0]].centre, overlaps->parts[row->pair.part[1]].centre,
              centres);
    if (search.whole) {
        try_triangles(&search, 0);
        try_triangles(&search, 1);
        try_direction(&search, centres, 1);
        for (int k = 0; k < 3; k++) {
            const double axis[3] = {k == 0, k == 1, k == 2};
            try_direction(&search, axis, 0);
        }
    } else {
        try_features(&search);
    }
    return search.best;
}

// See facing_patches.h.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/facing_patches.h"

#include <math.h>

#include "base/matrix3/math3.h"

// cos of 5 degrees: how far the planes of two triangles may be from parallel.
static const double PARALLEL = 0.9962;

// Principal moments are equal within this part of them.
static const double EQUAL = 1e-6;

/// A triangle with its unit normal and its box.
struct facet {
    const double *x[3];
    double normal[3], low[3], high[3];
    bool is_flat;
};

static struct facet facet_of(const struct surface_view *surface, size_t triangle) {
    struct facet out;
    double ab[3], ac[3];
    for (int i = 0; i < 3; i++) {
        out.x[i] = surface->positions + 3 * (size_t)surface->triangles[3 * triangle + (size_t)i];
    }
    subtract3(out.x[1], out.x[0], ab);
    subtract3(out.x[2], out.x[0], ac);
    cross3(ab, ac, out.normal);
    const double length = norm3(out.normal);
    out.is_flat = !(length > 0.0);
    scale3(out.is_flat ? 0.0 : 1.0 / length, out.normal, out.normal);
    for (int k = 0; k < 3; k++) {
        out.low[k] = fmin(out.x[0][k], fmin(out.x[1][k], out.x[2][k]));
        out.high[k] = fmax(out.x[0][k], fmax(out.x[1][k], out.x[2][k]));
    }
    return out;
}

static bool boxes_meet(const double low_a[3], const double high_a[3], const double low_b[3],
                       const double high_b[3], double distance) {
    for (int k = 0; k < 3; k++) {
        if (low_a[k] - high_b[k] > distance || low_b[k] - high_a[k] > distance) {
            return false;
        }
    }
    return true;
}

static void bound(const struct surface_view *surface, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (size_t i = 0; i < 3 * surface->triangle_count; i++) {
        const double *x = surface->positions + 3 * (size_t)surface->triangles[i];
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
}

// --- what two triangles both cover ---

/// A polygon, convex, in the plane of the first triangle; height: m, of the second one above it.
struct polygon {
    uint32_t count;
    double x[FACING_CORNERS][3];
    double height[FACING_CORNERS];
};

static void add_corner(struct polygon *polygon, const double x[3], double height) {
    copy3(x, polygon->x[polygon->count]);
    polygon->height[polygon->count++] = height;
}

/// Cuts off what lies beyond the edge from a to b (Sutherland and Hodgman 1974).
static void cut(const double a[3], const double b[3], const double normal[3],
                struct polygon *polygon) {
    const struct polygon whole = *polygon;
    double edge[3], inward[3], side[FACING_CORNERS];
    subtract3(b, a, edge);
    cross3(normal, edge, inward);
    for (uint32_t i = 0; i < whole.count; i++) {
        double from[3];
        subtract3(whole.x[i], a, from);
        side[i] = dot3(inward, from);
    }
    polygon->count = 0;
    for (uint32_t i = 0; i < whole.count; i++) {
        const uint32_t next = i + 1 < whole.count ? i + 1 : 0;
        if (side[i] >= 0.0 && polygon->count < FACING_CORNERS) {
            add_corner(polygon, whole.x[i], whole.height[i]);
        }
        if ((side[i] >= 0.0) != (side[next] >= 0.0) && polygon->count < FACING_CORNERS) {
            const double t = side[i] / (side[i] - side[next]);
            double along[3], x[3];
            subtract3(whole.x[next], whole.x[i], along);
            add_scaled3(whole.x[i], t, along, x);
            add_corner(polygon, x, whole.height[i] + t * (whole.height[next] - whole.height[i]));
        }
    }
}

/// What both cover, seen along the normal of the first. False if that is nothing, or they are
/// farther apart there.
static bool overlap(const struct facet *a, const struct facet *b, double distance,
                    struct facing_piece *out) {
    struct polygon polygon = {.count = 0};
    for (int i = 0; i < 3; i++) {
        double from[3], x[3];
        subtract3(b->x[i], a->x[0], from);
        const double height = dot3(a->normal, from);
        add_scaled3(b->x[i], -height, a->normal, x);
        add_corner(&polygon, x, height);
    }
    for (int i = 0; i < 3 && polygon.count > 0; i++) {
        cut(a->x[i], a->x[(i + 1) % 3], a->normal, &polygon);
    }
    if (polygon.count < 3) {
        return false;
    }
    out->count = polygon.count;
    for (uint32_t i = 0; i < polygon.count; i++) {
        if (!(fabs(polygon.height[i]) <= distance)) {
            return false;
        }
        add_scaled3(polygon.x[i], 0.5 * polygon.height[i], a->normal, out->corners[i]);
    }
    return true;
}

// --- patches ---

/// The vector area of a piece's triangle of corners 0, i, i + 1.
static void fan_area(const struct facing_piece *piece, uint32_t i, double out[3]) {
    double ab[3], ac[3];
    subtract3(piece->corners[i], piece->corners[0], ab);
    subtract3(piece->corners[i + 1], piece->corners[0], ac);
    cross3(ab, ac, out);
    scale3(0.5, out, out);
}

static double piece_area(const struct facing_piece *piece) {
    double sum = 0.0;
    for (uint32_t i = 1; i + 1 < piece->count; i++) {
        double area[3];
        fan_area(piece, i, area);
        sum += norm3(area);
    }
    return sum;
}

/// The patch of the piece's plane, or a new one. Until patches are measured their center is a
/// corner of the first piece.
static pbs_status find_patch(struct memory *memory, const struct facet *facet, double distance,
                             struct facing_piece *piece, struct facing_patches *out) {
    for (size_t i = 0; i < out->count; i++) {
        double from[3];
        subtract3(piece->corners[0], out->rows[i].center, from);
        if (dot3(out->rows[i].normal, facet->normal) > PARALLEL &&
            fabs(dot3(out->rows[i].normal, from)) <= distance) {
            piece->patch = (uint32_t)i;
            return PBS_OK;
        }
    }
    RETURN_IF_FAILED(
        memory_reserve(memory, &out->rows, &out->row_capacity, out->count + 1, sizeof *out->rows));
    struct facing_patch *const row = &out->rows[out->count];
    *row = (struct facing_patch){.area = 0.0};
    copy3(piece->corners[0], row->center);
    copy3(facet->normal, row->normal);
    piece->patch = (uint32_t)out->count++;
    return PBS_OK;
}

static pbs_status add_piece(struct memory *memory, const struct facet *a, const struct facet *b,
                            double distance, struct facing_patches *out) {
    struct facing_piece piece = {.count = 0};
    if (!overlap(a, b, distance, &piece) || !(piece_area(&piece) > 0.0)) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(find_patch(memory, a, distance, &piece, out));
    RETURN_IF_FAILED(memory_reserve(memory, &out->pieces, &out->piece_capacity,
                                    out->piece_count + 1, sizeof *out->pieces));
    out->pieces[out->piece_count++] = piece;
    return PBS_OK;
}

// --- measures ---

/// Integrals over a patch, about a point and along two axes in its plane.
struct integrals {
    double area, first[2], second[3]; ///< of 1; u, v; u u, u v, v v
};

struct plane {
    const double *origin;
    double u[3], v[3];
};

/// Two axes across the normal.
static void span(const double normal[3], struct plane *plane) {
    double unit[3] = {0.0, 0.0, 0.0};
    int least = 0;
    for (int k = 1; k < 3; k++) {
        least = fabs(normal[k]) < fabs(normal[least]) ? k : least;
    }
    unit[least] = 1.0;
    cross3(normal, unit, plane->u);
    scale3(1.0 / norm3(plane->u), plane->u, plane->u);
    cross3(normal, plane->u, plane->v);
}

static void coordinates(const struct plane *plane, const double x[3], double out[2]) {
    double from[3];
    subtract3(x, plane->origin, from);
    out[0] = dot3(plane->u, from);
    out[1] = dot3(plane->v, from);
}

/// Adds the integrals of a triangle, exact.
static void add_triangle(double p[3][2], struct integrals *sum) {
    const double area = 0.5 * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                               (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]));
    const double total[2] = {p[0][0] + p[1][0] + p[2][0], p[0][1] + p[1][1] + p[2][1]};
    sum->area += area;
    for (int k = 0; k < 2; k++) {
        sum->first[k] += area / 3.0 * total[k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = k < 2 ? 0 : 1, j = k > 0 ? 1 : 0;
        double square = total[i] * total[j];
        for (int c = 0; c < 3; c++) {
            square += p[c][i] * p[c][j];
        }
        sum->second[k] += area / 12.0 * square;
    }
}

static struct integrals integrate(const struct facing_patches *patches, uint32_t patch,
                                  const struct plane *plane) {
    struct integrals sum = {.area = 0.0};
    for (size_t i = 0; i < patches->piece_count; i++) {
        const struct facing_piece *piece = &patches->pieces[i];
        for (uint32_t c = 1; c + 1 < piece->count && piece->patch == patch; c++) {
            double p[3][2];
            coordinates(plane, piece->corners[0], p[0]);
            coordinates(plane, piece->corners[c], p[1]);
            coordinates(plane, piece->corners[c + 1], p[2]);
            add_triangle(p, &sum);
        }
    }
    return sum;
}

/// The largest distances of a patch's corners from two principal axes through its center, and from
/// the center.
static void measure_extents(const struct facing_patches *patches, uint32_t patch,
                            const struct plane *plane, double cosine, double sine,
                            double extents[3]) {
    extents[0] = extents[1] = extents[2] = 0.0;
    for (size_t i = 0; i < patches->piece_count; i++) {
        const struct facing_piece *piece = &patches->pieces[i];
        for (uint32_t c = 0; c < piece->count && piece->patch == patch; c++) {
            double p[2];
            coordinates(plane, piece->corners[c], p);
            extents[0] = fmax(extents[0], fabs(cosine * p[0] + sine * p[1]));
            extents[1] = fmax(extents[1], fabs(cosine * p[1] - sine * p[0]));
            extents[2] = fmax(extents[2], hypot(p[0], p[1]));
        }
    }
}

/// The mean normal of the pieces, weighted by their areas.
static void measure_normal(struct facing_patches *patches, uint32_t patch) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < patches->piece_count; i++) {
        const struct facing_piece *piece = &patches->pieces[i];
        for (uint32_t c = 1; c + 1 < piece->count && piece->patch == patch; c++) {
            double area[3];
            fan_area(piece, c, area);
            // Corners are in the order of the second triangle, which is seen from its inside.
            subtract3(sum, area, sum);
        }
    }
    const double length = norm3(sum);
    if (length > 0.0) {
        scale3(1.0 / length, sum, patches->rows[patch].normal);
    }
}

/// Principal moments, and the angle of the first axis: tan(2 angle) = 2 uv / (uu - vv).
struct moments {
    double larger, smaller, angle;
};

static struct moments principal(const struct integrals *sum) {
    const double uu = fabs(sum->second[0]), vv = fabs(sum->second[2]);
    const double uv = sum->area < 0.0 ? -sum->second[1] : sum->second[1];
    const double mean = 0.5 * (uu + vv), spread = hypot(0.5 * (uu - vv), uv);
    return (struct moments){mean + spread, mean - spread, 0.5 * atan2(2.0 * uv, uu - vv)};
}

/// The smaller section modulus of axes at an angle.
static double modulus(const struct facing_patches *patches, uint32_t patch,
                      const struct plane *plane, const struct moments *moments, double angle) {
    double extents[3];
    measure_extents(patches, patch, plane, cos(angle), sin(angle), extents);
    return fmin(moments->larger / extents[0], moments->smaller / extents[1]);
}

/// Where both moments are equal, as of squares, all axes are principal: then the largest modulus of
/// axes along edges of pieces, which for a square are its sides.
static double modulus_of_equal(const struct facing_patches *patches, uint32_t patch,
                               const struct plane *plane, const struct moments *moments) {
    double most = 0.0;
    for (size_t i = 0; i < patches->piece_count; i++) {
        const struct facing_piece *piece = &patches->pieces[i];
        for (uint32_t c = 0; c < piece->count && piece->patch == patch; c++) {
            double p[2], q[2];
            coordinates(plane, piece->corners[c], p);
            coordinates(plane, piece->corners[c + 1 < piece->count ? c + 1 : 0], q);
            most = fmax(most,
                        modulus(patches, patch, plane, moments, atan2(q[1] - p[1], q[0] - p[0])));
        }
    }
    return most;
}

static void measure(struct facing_patches *patches, uint32_t patch) {
    struct facing_patch *const row = &patches->rows[patch];
    measure_normal(patches, patch);
    double origin[3], extents[3];
    copy3(row->center, origin);
    struct plane plane = {.origin = origin};
    span(row->normal, &plane);
    struct integrals sum = integrate(patches, patch, &plane);
    row->area = fabs(sum.area);
    add_scaled3(row->center, sum.first[0] / sum.area, plane.u, row->center);
    add_scaled3(row->center, sum.first[1] / sum.area, plane.v, row->center);
    copy3(row->center, origin);
    sum = integrate(patches, patch, &plane);
    const struct moments moments = principal(&sum);
    const bool are_equal = moments.larger - moments.smaller <= EQUAL * moments.larger;
    row->bending = are_equal ? modulus_of_equal(patches, patch, &plane, &moments)
                             : modulus(patches, patch, &plane, &moments, moments.angle);
    measure_extents(patches, patch, &plane, 1.0, 0.0, extents);
    row->torsion = (moments.larger + moments.smaller) / extents[2];
}

pbs_status facing_patches_find(struct memory *memory, const struct surface_view *first,
                               const struct surface_view *second, double distance,
                               struct facing_patches *out) {
    double low[3], high[3];
    out->count = out->piece_count = 0;
    bound(second, low, high);
    for (size_t i = 0; i < first->triangle_count; i++) {
        const struct facet a = facet_of(first, i);
        if (a.is_flat || !boxes_meet(a.low, a.high, low, high, distance)) {
            continue;
        }
        for (size_t j = 0; j < second->triangle_count; j++) {
            const struct facet b = facet_of(second, j);
            if (dot3(a.normal, b.normal) < -PARALLEL &&
                boxes_meet(a.low, a.high, b.low, b.high, distance)) {
                RETURN_IF_FAILED(add_piece(memory, &a, &b, distance, out));
            }
        }
    }
    for (size_t i = 0; i < out->count; i++) {
        measure(out, (uint32_t)i);
    }
    return PBS_OK;
}

void facing_patches_free(struct memory *memory, struct facing_patches *patches) {
    memory_release(memory, patches->rows);
    memory_release(memory, patches->pieces);
    *patches = (struct facing_patches){0};
}

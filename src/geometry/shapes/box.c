// A box of half extents size. A hollow box is a room of six walls, split at its inner edges.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/matrix3/math3.h"
#include "geometry/shape_outline.h"
#include "geometry/shapes/half_space.h"
#include "geometry/shapes/local_distance.h"
#include "geometry/shapes/ray_hits.h"

static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void nearest_face(const double p[3], const double q[3], struct local_distance *out) {
    int axis = q[1] > q[0] ? 1 : 0;
    axis = q[2] > q[axis] ? 2 : axis;
    out->value = q[axis];
    out->gradient[axis] = p[axis] < 0.0 ? -1.0 : 1.0;
}

/// If p is closer to an edge than `resolution`, rounding alone would determine the direction, so
/// the gradient of a face is used.
static void local(const struct shape_point *at, struct local_distance *out) {
    const double *p = at->p;
    const double *size = at->shape->size;
    const double resolution = position_resolution(at);
    double q[3], d[3];
    unsigned outside = 0;
    for (int i = 0; i < 3; i++) {
        q[i] = fabs(p[i]) - size[i];
        outside |= q[i] > resolution ? 1u << i : 0;
        d[i] = q[i] > 0.0 ? copysign(q[i], p[i]) : 0.0;
    }
    if (outside == 0) {
        nearest_face(p, q, out);
        return;
    }
    unsigned varying = 0;
    for (int i = 0; i < 3; i++) {
        varying |= d[i] != 0.0 ? 1u << i : 0;
    }
    distance_to_point(d, varying, 0, out);
}

static int faces(const double size[3], const double p[3], double tolerance,
                 struct local_distance out[3]) {
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (fabs(fabs(p[i]) - size[i]) <= tolerance) {
            out[count++].gradient[i] = p[i] < 0.0 ? -1.0 : 1.0;
        }
    }
    return count;
}

static double half_extent(const double size[3], const double row[3]) {
    return fabs(row[0]) * size[0] + fabs(row[1]) * size[1] + fabs(row[2]) * size[2];
}

static void ray(const struct shape *shape, const double o[3], const double d[3],
                struct shape_hit *hit) {
    const double *size = shape->size;
    const double seam = RAY_SEAM * (size[0] + size[1] + size[2]);
    for (int face = 0; face < 6; face++) {
        const int k = face / 2;
        const double side = face % 2 == 0 ? -1.0 : 1.0;
        if (d[k] == 0.0) {
            continue;
        }
        const double t = (side * size[k] - o[k]) / d[k];
        const int a = (k + 1) % 3;
        const int b = (k + 2) % 3;
        if (fabs(o[a] + t * d[a]) <= size[a] + seam && fabs(o[b] + t * d[b]) <= size[b] + seam) {
            double normal[3] = {0.0, 0.0, 0.0};
            normal[k] = side;
            shape_hit_record(hit, t, normal);
        }
    }
}

static size_t hollow_pieces(const struct shape *shape, const struct pose *pose,
                            struct shape_piece pieces[SHAPE_PIECES]) {
    for (int i = 0; i < 6; i++) {
        half_space_wall(pose, i / 2, i % 2 ? -1.0 : 1.0, shape->size[i / 2], &pieces[i]);
    }
    return 6;
}

static void outline(const struct shape *shape, const struct outline *out) {
    double low[3];
    scale3(-1.0, shape->size, low);
    outline_box(out, low, shape->size);
}

static void surface(const double size[3], struct shape_surface *out) {
    for (int i = 0; i < 24; i++) {
        const int corner = i / 3;
        out->points[i] = (corner >> i % 3 & 1) != 0 ? size[i % 3] : -size[i % 3];
    }
    memcpy(out->triangles, triangles, sizeof triangles);
}

const struct shape_table box_shape = {.name = "box",
                                      .is_convex = true,
                                      .size_count = 3,
                                      .local = local,
                                      .faces = faces,
                                      .half_extent = half_extent,
                                      .ray = ray,
                                      .outline = outline,
                                      .hollow_pieces = hollow_pieces,
                                      .contact = {SHAPE_SURFACE, SHAPE_WALLS},
                                      .point_count = 8,
                                      .triangle_count = 12,
                                      .surface = surface};

// A capsule of radius size[0] about the y axis; the half length of its axis is size[1]. Barrier
// contact represents it by the axis.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "geometry/shape_outline.h"
#include "geometry/shapes/local_distance.h"
#include "geometry/shapes/ray_hits.h"

static void local(const struct shape_point *at, struct local_distance *out) {
    const double *p = at->p;
    const double *size = at->shape->size;
    const double y = fmin(fmax(p[1], -size[1]), size[1]);
    const double d[3] = {p[0], p[1] - y, p[2]};
    distance_to_point(d, d[1] != 0.0 ? 7 : 5, 0, out);
    out->value -= size[0];
}

static double half_extent(const double size[3], const double row[3]) {
    return isinf(size[1]) ? INFINITY : fabs(row[1]) * size[1] + size[0];
}

static void ray(const struct shape *shape, const double o[3], const double d[3],
                struct shape_hit *hit) {
    ray_hit_side(o, d, shape->size, hit);
    ray_hit_sphere(o, d, shape->size[1], shape->size[0], hit);
    ray_hit_sphere(o, d, -shape->size[1], shape->size[0], hit);
}

static void outline(const struct shape *shape, const struct outline *out) {
    const double *size = shape->size;
    for (int end = -1; end <= 1; end += 2) {
        const double centre[3] = {0.0, end * size[1], 0.0};
        // From one side over the pole to the other one.
        outline_arc(out, centre, end * size[0], 0, 1, OUTLINE_CIRCLE / 2);
        outline_arc(out, centre, end * size[0], 2, 1, OUTLINE_CIRCLE / 2);
    }
    outline_side(out, size[0], size[1]);
}

static void surface(const double size[3], struct shape_surface *out) {
    out->offset = size[0];
    out->points[1] = -size[1];
    out->points[4] = size[1];
    out->edges[1] = 1;
}

const struct shape_table capsule_shape = {.name = "capsule",
                                          .is_convex = true,
                                          .has_radius = true,
                                          .size_count = 2,
                                          .local = local,
                                          .half_extent = half_extent,
                                          .ray = ray,
                                          .outline = outline,
                                          .contact = {SHAPE_SURFACE, SHAPE_WALLS},
                                          .point_count = 2,
                                          .edge_count = 1,
                                          .surface = surface};

// A ball of radius size[0]. Barrier contact represents it by its centre.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "geometry/shape_outline.h"
#include "geometry/shapes/local_distance.h"
#include "geometry/shapes/ray_hits.h"

static void local(const struct shape_point *at, struct local_distance *out) {
    distance_to_point(at->p, 7, 1, out);
    out->value -= at->shape->size[0];
}

static double half_extent(const double size[3], const double row[3]) {
    (void)row;
    return size[0];
}

static void ray(const struct shape *shape, const double o[3], const double d[3],
                struct shape_hit *hit) {
    ray_hit_sphere(o, d, 0.0, shape->size[0], hit);
}

static void outline(const struct shape *shape, const struct outline *out) {
    for (int k = 0; k < 3; k++) {
        outline_arc(out, (double[3]){0.0, 0.0, 0.0}, shape->size[0], k, (k + 1) % 3,
                    OUTLINE_CIRCLE);
    }
}

static void surface(const double size[3], struct shape_surface *out) {
    out->offset = size[0];
}

const struct shape_table sphere_shape = {.name = "sphere",
                                         .is_convex = true,
                                         .has_radius = true,
                                         .size_count = 1,
                                         .local = local,
                                         .half_extent = half_extent,
                                         .ray = ray,
                                         .outline = outline,
                                         .contact = {SHAPE_SURFACE, SHAPE_WALLS},
                                         .point_count = 1,
                                         .surface = surface};

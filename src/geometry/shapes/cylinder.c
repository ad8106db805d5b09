// A cylinder of radius size[0] about the y axis, of half length size[1]. A hollow cylinder is an
// infinite tube between two walls. Barrier contact represents the solid by a prism.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/matrix3/math3.h"
#include "geometry/shape_outline.h"
#include "geometry/shapes/half_space.h"
#include "geometry/shapes/local_distance.h"
#include "geometry/shapes/ray_hits.h"

// Number of sides of the prism, whose edges lie on the cylinder.
enum { SIDES = 64 };

static void local(const struct shape_point *at, struct local_distance *out) {
    const double *p = at->p;
    const double *size = at->shape->size;
    const double resolution = position_resolution(at);
    double radial[3], around[3];
    const double rho = radial_frame(p, radial, around);
    const double side = rho - size[0], cap = fabs(p[1]) - size[1];
    const double up = p[1] < 0.0 ? -1.0 : 1.0;
    if (side > 0.0 && cap > 0.0 && fmax(side, cap) > resolution) {
        const double length = sqrt(side * side + cap * cap);
        out->value = length;
        revolve(rho, radial, around, side / length, up * cap / length, 1.0 / length, out);
    } else if (side >= cap) {
        out->value = side;
        revolve(rho, radial, around, 1.0, 0.0, 0.0, out);
    } else {
        out->value = cap;
        revolve(rho, radial, around, 0.0, up, 0.0, out);
    }
}

static int faces(const double size[3], const double p[3], double tolerance,
                 struct local_distance out[3]) {
    double radial[3], around[3];
    const double rho = radial_frame(p, radial, around);
    int count = 0;
    if (fabs(rho - size[0]) <= tolerance) {
        revolve(rho, radial, around, 1.0, 0.0, 0.0, &out[count++]);
    }
    if (fabs(fabs(p[1]) - size[1]) <= tolerance) {
        revolve(rho, radial, around, 0.0, p[1] < 0.0 ? -1.0 : 1.0, 0.0, &out[count++]);
    }
    return count;
}

static double half_extent(const double size[3], const double row[3]) {
    const double across = sqrt(fmax(0.0, 1.0 - row[1] * row[1]));
    return isinf(size[1]) ? INFINITY : fabs(row[1]) * size[1] + across * size[0];
}

static void hit_discs(const double o[3], const double d[3], const double size[3],
                      struct shape_hit *hit) {
    for (int i = 0; i < 2 && d[1] != 0.0; i++) {
        const double side = i == 0 ? -1.0 : 1.0;
        const double t = (side * size[1] - o[1]) / d[1];
        double at[3];
        add_scaled3(o, t, d, at);
        if (sqrt(at[0] * at[0] + at[2] * at[2]) <= size[0] + RAY_SEAM * (size[0] + size[1])) {
            shape_hit_record(hit, t, (double[3]){0.0, side, 0.0});
        }
    }
}

static void ray(const struct shape *shape, const double o[3], const double d[3],
                struct shape_hit *hit) {
    ray_hit_side(o, d, shape->size, hit);
    hit_discs(o, d, shape->size, hit);
}

static size_t hollow_pieces(const struct shape *shape, const struct pose *pose,
                            struct shape_piece pieces[SHAPE_PIECES]) {
    pieces[0] = (struct shape_piece){*shape, *pose};
    pieces[0].shape.size[1] = INFINITY;
    half_space_wall(pose, 1, 1.0, shape->size[1], &pieces[1]);
    half_space_wall(pose, 1, -1.0, shape->size[1], &pieces[2]);
    return 3;
}

static void outline(const struct shape *shape, const struct outline *out) {
    outline_side(out, shape->size[0], shape->size[1]);
}

static void surface(const double size[3], struct shape_surface *out) {
    const double whole = 6.283185307179586477;
    double *points = out->points;
    for (uint32_t i = 0; i < SIDES; i++) {
        for (uint32_t end = 0; end < 2; end++) {
            double *p = points + 3 * (size_t)(2 * i + end);
            p[0] = size[0] * cos(whole * i / SIDES);
            p[1] = end == 0 ? -size[1] : size[1];
            p[2] = size[0] * sin(whole * i / SIDES);
        }
        const uint32_t a = 2 * i;
        const uint32_t b = 2 * ((i + 1) % SIDES);
        const uint32_t own[12] = {a, a + 1, b,         b,     a + 1, b + 1,
                                  a, b,     2 * SIDES, b + 1, a + 1, 2 * SIDES + 1};
        memcpy(out->triangles + 12 * (size_t)i, own, sizeof own);
    }
    points[3 * 2 * SIDES + 1] = -size[1];
    points[3 * (2 * SIDES + 1) + 1] = size[1];
}

const struct shape_table cylinder_shape = {.name = "cylinder",
                                           .is_convex = true,
                                           .has_radius = true,
                                           .size_count = 2,
                                           .local = local,
                                           .faces = faces,
                                           .half_extent = half_extent,
                                           .ray = ray,
                                           .outline = outline,
                                           .hollow_pieces = hollow_pieces,
                                           .contact = {SHAPE_SURFACE, SHAPE_WALLS},
                                           .point_count = 2 * SIDES + 2,
                                           .triangle_count = 4 * SIDES,
                                           .surface = surface};

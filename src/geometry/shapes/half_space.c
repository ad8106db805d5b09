// A half-space: the solid is below the plane y = 0.
// SPDX-License-Identifier: MIT
#include "geometry/shapes/half_space.h"

#include "base/matrix3/math3.h"
#include "geometry/shape_outline.h"
#include "pbs/collider.h"

/// Evaluates the distance without transforming x to the shape's frame, because ground planes and
/// walls are the most frequent shapes.
static double distance(const struct shape *shape, const struct pose *pose, double side,
                       const double x[3], double gradient[3], double hessian[9]) {
    (void)shape;
    const double normal[3] = {side * pose->rotation[1], side * pose->rotation[4],
                              side * pose->rotation[7]};
    double offset[3];
    subtract3(x, pose->translation, offset);
    if (gradient) {
        copy3(normal, gradient);
    }
    for (int i = 0; hessian && i < 9; i++) {
        hessian[i] = 0.0;
    }
    return dot3(normal, offset);
}

/// If the normal is along a world axis there is one finite bound, otherwise none.
static void bounds(const struct shape *shape, const struct pose *pose, double margin, double low[3],
                   double high[3]) {
    const double *r = pose->rotation;
    for (int i = 0; i < 3; i++) {
        low[i] = -INFINITY;
        high[i] = INFINITY;
    }
    for (int i = 0; i < 3 && !shape->hollow; i++) {
        const double n = r[3 * i + 1];
        const bool along = r[3 * ((i + 1) % 3) + 1] == 0.0 && r[3 * ((i + 2) % 3) + 1] == 0.0;
        if (along && n > 0.0) {
            high[i] = pose->translation[i] + margin / n;
        } else if (along && n < 0.0) {
            low[i] = pose->translation[i] + margin / n;
        }
    }
}

static void ray(const struct shape *shape, const double o[3], const double d[3],
                struct shape_hit *hit) {
    (void)shape;
    if (d[1] != 0.0) {
        shape_hit_record(hit, -o[1] / d[1], (double[3]){0.0, 1.0, 0.0});
    }
}

/// A square grid of lines.
static void outline(const struct shape *shape, const struct outline *out) {
    enum { LINES = 11 };
    const double half = out->plane_half_size;
    (void)shape;
    for (int i = 0; i < LINES; i++) {
        const double at = half * (2.0 * i / (LINES - 1) - 1.0);
        outline_line(out, (double[3]){at, 0.0, -half}, (double[3]){at, 0.0, half});
        outline_line(out, (double[3]){-half, 0.0, at}, (double[3]){half, 0.0, at});
    }
}

void half_space_wall(const struct pose *pose, int axis, double sign, double distance,
                     struct shape_piece *out) {
    const double *r = pose->rotation;
    out->shape = (struct shape){.kind = PBS_SHAPE_HALF_SPACE};
    double x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        x[i] = r[3 * i + (axis + 1) % 3];
        y[i] = -sign * r[3 * i + axis];
    }
    cross3(x, y, z);
    for (int i = 0; i < 3; i++) {
        out->pose.rotation[3 * i] = x[i];
        out->pose.rotation[3 * i + 1] = y[i];
        out->pose.rotation[3 * i + 2] = z[i];
    }
    add_scaled3(pose->translation, -distance, y, out->pose.translation);
}

const struct shape_table half_space_shape = {.name = "half-space",
                                             .is_convex = true,
                                             .distance = distance,
                                             .bounds = bounds,
                                             .ray = ray,
                                             .outline = outline,
                                             .is_flat = true,
                                             .contact = {SHAPE_WALLS, SHAPE_WALLS}};

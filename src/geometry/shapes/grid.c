// A shape given by distances at the samples of a grid. The collider checks and owns the samples.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "geometry/grids/grid_closest.h"
#include "geometry/grids/grid_ray.h"
#include "geometry/shape_outline.h"
#include "geometry/shape_table.h"

/// Computes derivatives only if requested, since they are most of the work.
static double distance(const struct shape *shape, const struct pose *pose, double side,
                       const double x[3], double gradient[3], double hessian[9]) {
    double p[3], slope[3], curvature[9];
    pose_to_frame(pose, x, p);
    const double value = distance_grid_value(shape->grid, p, gradient ? slope : NULL,
                                             hessian ? curvature : NULL);
    if (gradient) {
        multiply3(pose->rotation, slope, gradient);
        scale3(side, gradient, gradient);
    }
    if (hessian) {
        rotate_hessian(pose->rotation, side, curvature, hessian);
    }
    return side * value;
}

static bool closest(const struct shape *shape, const double p[3], double out[3],
                    double gradient[3]) {
    return grid_closest(shape->grid, p, out, gradient);
}

/// Bounds the solid by the box of the samples. Outside of it the distance grows with the distance
/// from the box.
static void bounds(const struct shape *shape, const struct pose *pose, double margin, double low[3],
                   double high[3]) {
    const struct distance_grid *grid = shape->grid;
    const bool is_bounded = grid->is_hollow == shape->hollow;
    for (int i = 0; i < 3; i++) {
        const double *row = pose->rotation + 3 * i;
        double centre = pose->translation[i];
        double half = is_bounded ? margin : INFINITY;
        for (int k = 0; k < 3; k++) {
            const double extent = 0.5 * grid->cell * (double)(grid->counts[k] - 1);
            centre += row[k] * (grid->origin[k] + extent);
            half += fabs(row[k]) * extent;
        }
        low[i] = centre - half;
        high[i] = centre + half;
    }
}

static void ray(const struct shape *shape, const double o[3], const double d[3],
                struct shape_hit *hit) {
    double distance = 0.0;
    double gradient[3];
    if (grid_ray_hits(shape->grid, o, d, hit->limit, &distance, gradient)) {
        shape_hit_record(hit, distance, gradient);
    }
}

/// The box of the samples.
static void outline(const struct shape *shape, const struct outline *out) {
    const struct distance_grid *grid = shape->grid;
    double high[3];
    for (int k = 0; k < 3; k++) {
        high[k] = grid->origin[k] + grid->cell * (grid->counts[k] - 1.0);
    }
    outline_box(out, grid->origin, high);
}

const struct shape_table grid_shape = {.name = "grid",
                                       .distance = distance,
                                       .closest = closest,
                                       .bounds = bounds,
                                       .ray = ray,
                                       .outline = outline,
                                       .contact = {SHAPE_UNSEEN, SHAPE_UNSEEN}};

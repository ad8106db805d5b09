// Minimises half the squared distance to the point over the surface by a projected gradient method.
// Along the surface the second derivative of that function is 1 minus the curvature of the surface
// times the signed distance, so full steps usually suffice. Steps that come no closer are halved.
// SPDX-License-Identifier: MIT
#include "geometry/grids/grid_closest.h"

#include <math.h>

#include "base/matrix3/math3.h"

enum { PROJECTION_STEPS = 60, STEPS = 200 };

static const double ON_SURFACE = 1e-10; // cells
static const double TOLERANCE = 1e-6;   // cells

static void clamp_to_range(const struct distance_grid *grid, double x[3]) {
    const double margin = (grid->is_linear ? 0.0 : 1.0) * grid->cell;
    for (int k = 0; k < 3; k++) {
        const double low = grid->origin[k] + margin;
        const double high = grid->origin[k] + grid->cell * (grid->counts[k] - 1.0) - margin;
        x[k] = fmin(fmax(x[k], low), high);
    }
}

/// Projects x to the surface by Newton's method along the gradient. The length of each step is
/// limited, because the gradient may be close to 0. Returns false if the surface is not reached.
static bool project_to_surface(const struct distance_grid *grid, double x[3], double gradient[3]) {
    double phi = distance_grid_value(grid, x, gradient, NULL);
    for (int i = 0; i < PROJECTION_STEPS && fabs(phi) > ON_SURFACE * grid->cell; i++) {
        const double slope = norm3(gradient);
        if (!(slope > 0.0)) {
            return false;
        }
        const double max_step = fmax(2.0 * grid->cell, fabs(phi));
        const double step = fmin(fmax(phi / slope, -max_step), max_step);
        add_scaled3(x, -step / slope, gradient, x);
        clamp_to_range(grid, x);
        phi = distance_grid_value(grid, x, gradient, NULL);
    }
    return fabs(phi) <= ON_SURFACE * grid->cell && norm3(gradient) > 0.0;
}

/// Computes the tangential part of the vector from x to the point. Returns its length.
static double tangential(const double x[3], const double point[3], const double gradient[3],
                         double out[3]) {
    subtract3(point, x, out);
    add_scaled3(out, -dot3(out, gradient) / dot3(gradient, gradient), gradient, out);
    return norm3(out);
}

static double distance_between(const double a[3], const double b[3]) {
    double offset[3];
    subtract3(a, b, offset);
    return norm3(offset);
}

bool grid_closest(const struct distance_grid *grid, const double point[3], double closest[3],
                  double gradient[3]) {
    copy3(point, closest);
    clamp_to_range(grid, closest);
    if (!project_to_surface(grid, closest, gradient)) {
        return false;
    }
    double best = distance_between(closest, point);
    double fraction = 1.0;
    for (int i = 0; i < STEPS; i++) {
        double tangent[3];
        double tried[3];
        double tried_gradient[3];
        const double remaining = tangential(closest, point, gradient, tangent);
        if (!(fraction * remaining > TOLERANCE * grid->cell)) {
            break;
        }
        // Beyond a few cells the tangent does not approximate the surface.
        const double scale = fmin(fraction, 4.0 * grid->cell / remaining);
        add_scaled3(closest, scale, tangent, tried);
        clamp_to_range(grid, tried);
        const bool is_on_surface = project_to_surface(grid, tried, tried_gradient);
        const double distance = is_on_surface ? distance_between(tried, point) : INFINITY;
        if (distance < best) {
            best = distance;
            copy3(tried, closest);
            copy3(tried_gradient, gradient);
            fraction = fmin(1.0, 2.0 * fraction);
        } else {
            fraction *= 0.5;
        }
    }
    return true;
}

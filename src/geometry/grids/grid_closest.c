// See grid_closest.h. Projected gradients on half the squared distance to the point, whose
// curvature is 1 less the normal's: steps that gain nothing are halved.
#include "geometry/grids/grid_closest.h"

#include <math.h>

#include "base/matrix3/math3.h"

enum { LANDINGS = 60, STEPS = 200 };

static const double ON_SURFACE = 1e-10; // cells
static const double SETTLED = 1e-6;     // cells

static void keep_in_range(const struct distance_grid *grid, double x[3]) {
    const double margin = (grid->is_linear ? 0.0 : 1.0) * grid->cell;
    for (int k = 0; k < 3; k++) {
        const double low = grid->origin[k] + margin;
        const double high = grid->origin[k] + grid->cell * (grid->counts[k] - 1.0) - margin;
        x[k] = fmin(fmax(x[k], low), high);
    }
}

/// Onto the surface along gradients, by Newton's method, no farther than some cells at a time where
/// slopes are flat. False: it is not reached.
static bool land(const struct distance_grid *grid, double x[3], double gradient[3]) {
    double phi = distance_grid_value(grid, x, gradient, NULL);
    for (int i = 0; i < LANDINGS && fabs(phi) > ON_SURFACE * grid->cell; i++) {
        const double slope = norm3(gradient);
        if (!(slope > 0.0)) {
            return false;
        }
        const double most = fmax(2.0 * grid->cell, fabs(phi));
        const double way = fmin(fmax(phi / slope, -most), most);
        add_scaled3(x, -way / slope, gradient, x);
        keep_in_range(grid, x);
        phi = distance_grid_value(grid, x, gradient, NULL);
    }
    return fabs(phi) <= ON_SURFACE * grid->cell && norm3(gradient) > 0.0;
}

/// What of the way from x to the point is along the surface.
static double tangential(const double x[3], const double place[3], const double gradient[3],
                         double out[3]) {
    subtract3(place, x, out);
    add_scaled3(out, -dot3(out, gradient) / dot3(gradient, gradient), gradient, out);
    return norm3(out);
}

static double distance_between(const double a[3], const double b[3]) {
    double way[3];
    subtract3(a, b, way);
    return norm3(way);
}

bool grid_closest(const struct distance_grid *grid, const double place[3], double closest[3],
                  double gradient[3]) {
    copy3(place, closest);
    keep_in_range(grid, closest);
    if (!land(grid, closest, gradient)) {
        return false;
    }
    double best = distance_between(closest, place);
    double part = 1.0;
    for (int i = 0; i < STEPS; i++) {
        double way[3];
        double tried[3];
        double slope[3];
        const double left = tangential(closest, place, gradient, way);
        if (!(part * left > SETTLED * grid->cell)) {
            break;
        }
        // Farther than a few cells the tangent says nothing of the surface.
        const double length = fmin(part, 4.0 * grid->cell / left);
        add_scaled3(closest, length, way, tried);
        keep_in_range(grid, tried);
        const bool is_landed = land(grid, tried, slope);
        const double distance = is_landed ? distance_between(tried, place) : INFINITY;
        if (distance < best) {
            best = distance;
            copy3(tried, closest);
            copy3(slope, gradient);
            part = fmin(1.0, 2.0 * part);
        } else {
            part *= 0.5;
        }
    }
    return true;
}

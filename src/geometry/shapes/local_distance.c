// SPDX-License-Identifier: MIT
#include "geometry/shapes/local_distance.h"

#include "base/matrix3/math3.h"

/// h += s a a^T
static void add_square(double h[9], double s, const double a[3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            h[3 * i + j] += s * a[i] * a[j];
        }
    }
}

void distance_to_point(const double d[3], unsigned axes, int fallback, struct local_distance *out) {
    const double length = norm3(d);
    out->value = length;
    if (length == 0.0) {
        out->gradient[fallback] = 1.0;
        return;
    }
    for (int i = 0; i < 3; i++) {
        // By division, so that a single axis gives exactly 1 and no curvature.
        out->gradient[i] = d[i] / length;
        out->hessian[4 * i] = axes >> i & 1u ? 1.0 / length : 0.0;
    }
    add_square(out->hessian, -1.0 / length, out->gradient);
}

double radial_frame(const double p[3], double radial[3], double around[3]) {
    const double rho = sqrt(p[0] * p[0] + p[2] * p[2]);
    radial[0] = rho > 0.0 ? p[0] / rho : 1.0;
    radial[1] = 0.0;
    radial[2] = rho > 0.0 ? p[2] / rho : 0.0;
    around[0] = -radial[2];
    around[1] = 0.0;
    around[2] = radial[0];
    return rho;
}

void revolve(double rho, const double radial[3], const double around[3], double g_rho, double g_y,
             double curvature, struct local_distance *out) {
    scale3(g_rho, radial, out->gradient);
    out->gradient[1] = g_y;
    const double tangent[3] = {-g_y * radial[0], g_rho, -g_y * radial[2]};
    add_square(out->hessian, curvature, tangent);
    if (rho > 0.0) {
        add_square(out->hessian, g_rho / rho, around);
    }
}

double position_resolution(const struct shape_point *at) {
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        const double size = isfinite(at->shape->size[i]) ? fabs(at->shape->size[i]) : 0.0;
        largest = fmax(largest, fabs(at->x[i]) + fabs(at->pose->translation[i]) + size);
    }
    return 1e-14 * largest;
}

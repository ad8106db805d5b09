// See level_set_penalty.h.
// SPDX-License-Identifier: MIT
#include "contact/penetration/level_set_penalty.h"

#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"

static void clear(double *a, int count) {
    for (int i = 0; a != NULL && i < count; i++) {
        a[i] = 0.0;
    }
}

static bool has_flat_cells(const struct shape *shape) {
    return shape->grid != NULL && shape->grid->is_linear;
}

/// Replaces curvature, the Hessian of phi, by the Hessian of P.
static void set_hessian(double stiffness, double phi, const double n[3], double curvature[9]) {
    const double along = -6.0 * stiffness * phi;
    const double across = -3.0 * stiffness * phi * phi;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            curvature[3 * i + j] = along * n[i] * n[j] + across * curvature[3 * i + j];
        }
    }
}

double level_set_penalty(const struct obstacle *obstacle, double stiffness, bool is_definite,
                         const double x[3], double gradient[3], double hessian[9]) {
    double n[3];
    const double phi = shape_distance(&obstacle->shape, &obstacle->pose, x, n, hessian);
    if (!(phi < 0.0)) {
        clear(gradient, 3);
        clear(hessian, 9);
        return 0.0;
    }
    if (gradient != NULL) {
        scale3(-3.0 * stiffness * phi * phi, n, gradient);
    }
    if (hessian != NULL) {
        const bool is_flat = has_flat_cells(&obstacle->shape);
        clear(hessian, is_flat ? 9 : 0);
        set_hessian(stiffness, phi, n, hessian);
        if (is_definite && !is_flat) {
            eigen3_project(hessian);
        }
    }
    return -stiffness * phi * phi * phi;
}

double level_set_penalty_force(const struct obstacle *obstacle, double stiffness, const double x[3],
                               double normal[3]) {
    double n[3];
    const double phi = shape_distance(&obstacle->shape, &obstacle->pose, x, n, NULL);
    const double length = phi < 0.0 ? norm3(n) : 0.0;
    if (length > 0.0) {
        scale3(1.0 / length, n, normal);
    }
    return 3.0 * stiffness * phi * phi * length;
}

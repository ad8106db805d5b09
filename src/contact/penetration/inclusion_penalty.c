// See inclusion_penalty.h.
// SPDX-License-Identifier: MIT
#include "contact/penetration/inclusion_penalty.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

double inclusion_penalty_stiffness(double first, double second) {
    return first > 0.0 && second > 0.0 ? 2.0 / (1.0 / first + 1.0 / second) : 0.0;
}

double inclusion_penalty_energy(double stiffness, const struct closest *closest) {
    return stiffness * closest->squared * sqrt(closest->squared);
}

double inclusion_penalty_force(double stiffness, const struct closest *closest) {
    return 3.0 * stiffness * closest->squared;
}

void inclusion_penalty_gradient(double stiffness, const struct closest *closest,
                                double gradient[3]) {
    scale3(3.0 * stiffness * sqrt(closest->squared), closest->r, gradient);
}

void inclusion_penalty_hessian(double stiffness, enum pair_kind kind,
                               const double *const x[PAIR_NODES], const struct closest *closest,
                               bool semidefinite, struct contact_hessian *hessian) {
    hessian->count = 0;
    if (!(closest->squared > 0.0)) {
        return;
    }
    const double r = sqrt(closest->squared);
    for (int i = 0; i < CONTACT_POINTS; i++) {
        scale3(closest->weight[i] / r, closest->r, hessian->vector[0][i]);
    }
    contact_hessian_add(hessian, 6.0 * stiffness * r);
    struct closest_curvature curvature;
    closest_curvature(kind, x, closest, &curvature);
    const int count = semidefinite ? curvature.positive_count : curvature.count;
    for (int k = 0; k < count; k++) {
        memcpy(hessian->vector[hessian->count], curvature.vector[k], sizeof curvature.vector[k]);
        contact_hessian_add(hessian, 3.0 * stiffness * closest->squared * curvature.coefficient[k]);
    }
}

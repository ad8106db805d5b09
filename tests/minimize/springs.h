// Springs with a rest length between two nodes, for a fixture: nonlinear, and indefinite when
// compressed.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_MINIMIZE_SPRINGS_H
#define PBS_TESTS_MINIMIZE_SPRINGS_H

#include <math.h>

#include "pbs/body.h"

/// What fixture_input.user points to.
struct springs {
    double stiffness;
    double rest;         ///< length of each
    const double *rests; ///< of each stencil its own; null: `rest`
};

static inline int32_t springs_evaluate(void *user, size_t stencil, const double *x, int32_t project,
                                       double *value, double *gradient, double *hessian) {
    const struct springs *const springs = user;
    (void)project;
    const double stiffness = springs->stiffness;
    const double rest = springs->rests != NULL ? springs->rests[stencil] : springs->rest;
    const double d[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(length > 0.0)) {
        return 1;
    }
    const double excess = length - rest;
    if (value != NULL) {
        *value = 0.5 * stiffness * excess * excess;
    }
    for (int i = 0; i < 3; i++) {
        if (gradient != NULL) {
            gradient[3 + i] = stiffness * excess * d[i] / length;
            gradient[i] = -gradient[3 + i];
        }
        for (int j = 0; j < 3 && hessian != NULL; j++) {
            const double along = d[i] * d[j] / (length * length);
            const double k = stiffness * (along + excess / length * ((i == j ? 1.0 : 0.0) - along));
            hessian[6 * i + j] = hessian[6 * (3 + i) + 3 + j] = k;
            hessian[6 * i + 3 + j] = hessian[6 * (3 + i) + j] = -k;
        }
    }
    return 0;
}

#endif

// Reproduces BDEM's figure 3: iterations of each formulation of the constraint |q| = 1 for one step
// of 16 ms of 384 tetrahedra whose ends are twisted against each other
// (scenes/bonds/quaternion_step.h). Prints lines
//     bench formulations method=... hessian=... kappa=... twist=... iterations=... indefinite=...
//     drift=... energy=... reference=...
// Tolerances are 1e-8 of the initial force, 1e-4 for steepest descent. reference: iterations of
// another implementation of the same formulations (bench/README.md); 0: not run.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "scenes/bonds/quaternion_step.h"

enum { TWISTS = 3 };

static const double twists[TWISTS] = {0.05, 0.5, 1.5};

static const struct row {
    const char *name;
    struct quaternion_method method;
    int reference[TWISTS];
} rows[] = {
    {"manifold", {QUATERNION_MANIFOLD, false, 0.0, 1e-8}, {3, 4, 8}},
    {"manifold", {QUATERNION_MANIFOLD, true, 0.0, 1e-8}, {3, 7, 10}},
    {"first_order", {QUATERNION_FIRST_ORDER, false, 0.0, 1e-4}, {491, 500, 518}},
    {"penalty", {QUATERNION_PENALTY, false, 10.0, 1e-8}, {0, 0, 0}},
    {"penalty", {QUATERNION_PENALTY, false, 1e3, 1e-8}, {0, 0, 0}},
    {"penalty", {QUATERNION_PENALTY, false, 1e6, 1e-8}, {0, 0, 0}},
    {"penalty", {QUATERNION_PENALTY, true, 10.0, 1e-8}, {4, 8, 12}},
    {"penalty", {QUATERNION_PENALTY, true, 1e3, 1e-8}, {4, 10, 17}},
    {"penalty", {QUATERNION_PENALTY, true, 1e6, 1e-8}, {14, 57, 121}},
    {"lagrange", {QUATERNION_LAGRANGE, false, 0.0, 1e-8}, {3, 4, 7}},
    {"lagrange", {QUATERNION_LAGRANGE, true, 0.0, 1e-8}, {3, 7, 12}},
    {"augmented", {QUATERNION_AUGMENTED, false, 10.0, 1e-8}, {0, 0, 0}},
    {"augmented", {QUATERNION_AUGMENTED, false, 1000.0, 1e-8}, {0, 0, 0}},
    {"augmented", {QUATERNION_AUGMENTED, true, 10.0, 1e-8}, {5, 8, 12}},
    {"augmented", {QUATERNION_AUGMENTED, true, 1000.0, 1e-8}, {4, 10, 17}},
};

static void run(const struct row *row, const struct quaternion_step *step, double twist,
                int reference, double *x) {
    struct quaternion_result result;
    if (!quaternion_step_minimize(step, &row->method, x, &result)) {
        exit(1);
    }
    printf("bench formulations method=%s hessian=%s kappa=%g twist=%g converged=%d iterations=%d "
           "indefinite=%d drift=%.2e energy=%.9e reference=%d\n",
           row->name, row->method.semidefinite ? "semidefinite" : "exact", row->method.kappa, twist,
           result.is_converged, result.iterations, result.indefinite, result.drift, result.value,
           reference);
    fflush(stdout);
}

int main(void) {
    static const size_t cells[3] = {2, 2, 8};
    for (int i = 0; i < TWISTS; i++) {
        struct quaternion_step step;
        if (!quaternion_step_make(cells, twists[i], &step)) {
            return 1;
        }
        double *x = calloc(7 * step.particle_count, sizeof *x);
        for (size_t k = 0; x != NULL && k < sizeof rows / sizeof *rows; k++) {
            run(&rows[k], &step, twists[i], rows[k].reference[i], x);
        }
        free(x);
        quaternion_step_free(&step);
    }
    return 0;
}

// See adaptive_stiffness.h.
// SPDX-License-Identifier: MIT
#include "contact/stiffness/adaptive_stiffness.h"

#include <math.h>

// Constants of IPC's supplement, relative to the diagonal, to the mean mass and to the lower bound.
static const double REFERENCE_GAP = 1e-8, DANGEROUS_GAP = 1e-9;
static const double STIFFNESS_OVER_INERTIA = 1e11;
static const double RANGE = 100.0;

double least_adaptive_stiffness(const struct stiffness_situation *situation, double diagonal) {
    const double gap = REFERENCE_GAP * diagonal;
    struct barrier unit = situation->barrier;
    unit.stiffness = 1.0;
    const struct barrier_value b = barrier_evaluate(&unit, gap, 0.0);
    // This is 4 d^2 b''(d^2) of the barrier b as a function of the squared distance.
    const double curvature = b.second - b.first / gap;
    return STIFFNESS_OVER_INERTIA * situation->mean_mass /
           (situation->step * situation->step * curvature);
}

double adapt_stiffness(const struct stiffness_situation *situation,
                       struct adaptive_barrier *adaptive) {
    const double least = least_adaptive_stiffness(situation, adaptive->diagonal);
    const double dangerous = DANGEROUS_GAP * adaptive->diagonal;
    double stiffness = fmax(least, situation->balance);
    if (adaptive->stiffness > 0.0 && adaptive->least_gap < dangerous &&
        situation->least_gap < adaptive->least_gap) {
        stiffness = fmax(stiffness, 2.0 * adaptive->stiffness);
    }
    adaptive->least_gap = situation->least_gap;
    adaptive->stiffness = fmax(situation->barrier.stiffness, fmin(stiffness, RANGE * least));
    return adaptive->stiffness;
}

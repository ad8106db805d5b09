// Exact balance of linear momentum. The minimiser leaves a residual below its tolerance, and the
// sum of the residual over a body acts as a spurious force. For translations of a body without
// contact the stage's objective is a known parabola, whose minimum is found without evaluating
// elements. Theory: docs/theory/equation.md section 7.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STEPPING_MOMENTUM_H
#define PBS_INTEGRATE_STEPPING_MOMENTUM_H

#include "contact/projection/projection.h"

/// A body whose own energy is invariant under translation.
struct free_body {
    size_t node_start, node_count;
    double drag;          ///< 1/s
    double gravity_scale; ///< of the stage's gravity
    double gravity[3];    ///< m/s^2, besides it
    bool is_joined;       ///< joints exchange momentum with other bodies: not balanced alone
};

/// One stage: predictor, weight c, and the velocity (x - origin) / length for drag.
struct momentum_stage {
    const double *mass, *predictor, *origin; ///< per node
    double weight, length;
    const double *gravity;                ///< m/s^2, 3
    const double *force;                  ///< per node, 3, N: the host's forces
    const struct projection_scene *scene; ///< obstacles and constrained axes at the stage's time
};

/// Translates each body to the balance of inertia, gravity, the host's forces and drag. Skips
/// bodies with constrained nodes, and those closer to an obstacle than the translation.
void momentum_balance(const struct momentum_stage *stage, const struct free_body *bodies,
                      size_t body_count, double *x);

#endif

// Exact balance of linear momentum. The minimiser leaves a residual below its tolerance, and the
// sum of the residual over a body is a force from nowhere. Along translations of a body that
// touches nothing the stage's objective is a parabola known without evaluating any element, so its
// minimum is taken exactly.
// Theory: docs/theory/equation.md section 7.
#ifndef PBS_INTEGRATE_STEPPING_MOMENTUM_H
#define PBS_INTEGRATE_STEPPING_MOMENTUM_H

#include "contact/projection/projection.h"

/// A body whose own energy does not change when it is translated.
struct free_body {
    size_t node_start, node_count;
    double drag; ///< 1/s
    bool no_gravity;
};

/// One stage: predictor, weight c, and the velocity (x - origin) / length that drag takes.
struct momentum_stage {
    const double *mass, *predictor, *origin; ///< per node
    double weight, length;
    const double *gravity;                ///< m/s^2, 3
    const double *force;                  ///< per node, 3, N: of the host
    const struct projection_scene *scene; ///< obstacles and held axes at the stage's time
};

/// Moves each body as a whole to where inertia, gravity, the host's forces and drag balance; leaves
/// alone bodies with held vertices and those that are no further from an obstacle than they would
/// be moved.
void momentum_balance(const struct momentum_stage *stage, const struct free_body *bodies,
                      size_t body_count, double *x);

#endif

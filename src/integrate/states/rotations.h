// Rotation nodes: x = r phi, where phi is the rotation vector from the orientation at the start of
// the step (docs/theory/bonds.md section 2). Within a step they are treated like other nodes. At
// its end velocities and accelerations are converted from the chart to the world. When the step is
// accepted, the chart's origin moves to the new orientation, so that x is zero again.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STATES_ROTATIONS_H
#define PBS_INTEGRATE_STATES_ROTATIONS_H

#include "base/runtime/tasks.h"

/// The caller's arrays; zero-initialised: no rotations.
struct rotations {
    size_t count;
    const uint32_t *node;
    const double *radius; ///< count, metres: r
    double *orientation;  ///< count x 4, unit quaternions x, y, z, w, at the start of the step
    double begin;         ///< start of the current step, as a fraction of the host's step
};

/// Converts velocities in the chart at x to angular velocities, v <- T v, and accelerations, a <- K
/// a; a may be null. No-op for a rotation beyond the chart's limit: such a node has no rotational
/// stiffness, and its velocity is along phi.
void rotations_velocities_to_world(const struct rotations *rotations, struct tasks *tasks,
                                   const double *x, double *v, double *a);

/// Converts gradients in the chart at x to moments divided by the radii: g <- K g.
void rotations_gradient_to_moments(const struct rotations *rotations, struct tasks *tasks,
                                   const double *x, double *gradient);

/// out = base + factor K(x) a: adds the change of angular velocity that moments cause.
void rotations_kick(const struct rotations *rotations, struct tasks *tasks, const double *x,
                    const double *base, double factor, const double *a, double *out);

/// Moves the chart's origin to the orientations at x, and sets x to zero. x_before, v_before: a
/// state at the previous origin, with velocities in the world there, is converted to the new chart;
/// may be null.
void rotations_recentre(const struct rotations *rotations, struct tasks *tasks, double *x,
                        double *x_before, double *v_before);

/// The same without a previous state, for the small rotations of explicit steps.
void rotations_apply(const struct rotations *rotations, struct tasks *tasks, double *x);

/// Prepares the comparison of two states in different charts: replaces `other`, given in the chart
/// at other_orientation, by x plus the chord between the two orientations, so that |other - x| is
/// their distance.
void rotations_compare(const struct rotations *rotations, const double *x,
                       const double *other_orientation, double *other);

/// Computes the orientation of one rotation at x.
void rotations_at(const struct rotations *rotations, size_t index, const double *x, double out[4]);

#endif

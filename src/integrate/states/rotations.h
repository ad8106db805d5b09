// Nodes that are rotations: x = r phi, phi the rotation vector from the orientation at the start of
// the step (docs/theory/bonds.md section 2). Within a step they are nodes like all others; at its
// end velocities and accelerations are turned to where the rotation has gone, and where the step is
// accepted the chart is laid anew, so that x is zero again.
#ifndef PBS_INTEGRATE_STATES_ROTATIONS_H
#define PBS_INTEGRATE_STATES_ROTATIONS_H

#include "base/runtime/tasks.h"

/// The caller's arrays; all zero: none.
struct rotations {
    size_t count;
    const uint32_t *node;
    const double *radius; ///< count, metres: r
    double *orientation;  ///< count x 4, unit quaternions x, y, z, w: at the start of the step
    double begin;         ///< of the step that is taken, as a fraction of the host's
};

/// Chart velocities at x become angular velocities: v <- T v, and accelerations a <- K a; a may be
/// null. A rotation beyond the chart's limit is that of a node that nothing turns, whose velocity
/// is along phi: nothing changes.
void rotations_velocities_to_world(const struct rotations *rotations, struct tasks *tasks,
                                   const double *x, double *v, double *a);

/// Gradients in the chart at x become moments over the nodes' radii: g <- K g.
void rotations_gradient_to_moments(const struct rotations *rotations, struct tasks *tasks,
                                   const double *x, double *gradient);

/// out = base + factor K(x) a, for the angular velocities that moments make.
void rotations_kick(const struct rotations *rotations, struct tasks *tasks, const double *x,
                    const double *base, double factor, const double *a, double *out);

/// The orientations at x become those at the start of a step. x_before, v_before: the state at the
/// former ones, velocities as they were there, becomes one in the new chart; may be null. Then x is
/// zero.
void rotations_recentre(const struct rotations *rotations, struct tasks *tasks, double *x,
                        double *x_before, double *v_before);

/// The same without states before, for the short turns of explicit steps: x in and x zero.
void rotations_apply(const struct rotations *rotations, struct tasks *tasks, double *x);

/// For the distance between two ends of a step that lie in different charts: other, in the chart at
/// other_orientation, becomes x and the chord between both, so that other - x is as long as they
/// are apart.
void rotations_compare(const struct rotations *rotations, const double *x,
                       const double *other_orientation, double *other);

/// The orientation of one of them at x.
void rotations_at(const struct rotations *rotations, size_t index, const double *x, double out[4]);

#endif

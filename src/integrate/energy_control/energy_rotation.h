// The rotation in the correction of energy control. Internal forces exert no torque where they are
// evaluated, but those at x_n, applied at x', do. That torque is an error of the step and no part
// of the vibration whose energy is to be restored. Scaled by alpha it would turn one into the
// other, step by step. Theory: docs/theory/energy_control.md section 1.1.
#ifndef PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_ROTATION_H
#define PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_ROTATION_H

#include "integrate/energy_control/energy_control_sums.h"

/// A body, or bodies that joints hold together, as one rigid body at x'.
struct energy_group {
    bool turns; ///< nothing constrains the group, so that its rotation is its own
    double mass;
    double center[3];   ///< m
    double torque[3];   ///< N m s: of the correction by all but contact, about the center
    double missing[3];  ///< N m s: what the step's torques would have left, less what w has
    double inertia[9];  ///< kg m^2, about the center
    double spin[3];     ///< rad/s: of the correction
    double restored[3]; ///< rad/s: of what is missing
};

/// Takes the rotation of each free group out of the correction, so that no alpha changes it, and
/// gives v the angular momentum that the stages' torques lead to; with a fixed alpha of 1 that of
/// alpha = 1. The correction is complete and constrained. own_next: per node, 3, the gradient at x'
/// of what own_gradient has at x_n.
void energy_separate_rotation(struct energy_control *control, const struct energy_step *step,
                              const struct energy_candidate *c, const double *own_next);

#endif

// Equations that hold, to their tolerance, at the end of each stage: the rows of joints, and
// prescribed volumes of closed surfaces (held_volumes.h). Both are augmented Lagrangians whose
// multipliers change after every full Newton step. Theory: docs/theory/joints.md section 3. Only
// constraint_set_build allocates.
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_CONSTRAINTS_CONSTRAINT_SET_H
#define PBS_MINIMIZE_CONSTRAINTS_CONSTRAINT_SET_H

#include "energy/pressure/held_volumes.h"
#include "joints/joint_set.h"

/// A zero-initialised set is empty and valid.
struct constraint_set {
    struct joint_set *joints; ///< null: none
    struct pressure *volumes; ///< whose surfaces with a prescribed volume belong to the set; null:
                              ///< none
    size_t row_count;         ///< JOINT_ROWS for each joint, then one for each prescribed volume
    // Scratch of constraint_set_project.
    struct node_row *rows;                            ///< row_count
    double *residual, *direction, *product, *impulse; ///< row_count
    double *node_product;                             ///< 3 per node
};

/// joints and volumes belong to the caller and may be null. PBS_ERROR_MEMORY leaves the set empty.
pbs_status constraint_set_build(struct memory *memory, size_t node_count, struct joint_set *joints,
                                struct pressure *volumes, struct constraint_set *set);
void constraint_set_free(struct memory *memory, struct constraint_set *set);

/// Whether the set has no rows. set: null counts as empty.
bool constraint_set_is_empty(const struct constraint_set *set);

/// Starts a step of h seconds at x. share: h over the rest of the host's call.
void constraint_set_begin_step(struct constraint_set *set, const double *x, double h, double share);
/// Starts a stage that ends `time` seconds after the start of the step.
void constraint_set_begin_stage(struct constraint_set *set, const struct stage_nodes *nodes,
                                double time);
/// Undoes a step: the state of joints and volumes is again that before constraint_set_begin_step.
void constraint_set_restore(struct constraint_set *set);
/// Stores the multipliers of a state from which several steps may be tried.
/// constraint_set_bring_back restores them.
void constraint_set_keep(struct constraint_set *set);
void constraint_set_bring_back(struct constraint_set *set);

/// Returns the largest gap of joints relative to their tolerance, see joint_set_gap; 0 without
/// joints.
double constraint_set_joint_gap(const struct constraint_set *set, const struct joint_step *step,
                                const double *x, bool motors);
/// Returns the joint with the largest gap at x relative to its tolerance, see joint_set_widest;
/// zero without joints. The set may be null.
struct joint_miss constraint_set_widest_joint(const struct constraint_set *set, const double *x);
/// See joint_set_foresee and joint_set_forget_taut. The set may be null.
bool constraint_set_foresee(struct constraint_set *set, const struct joint_step *step,
                            double share);
void constraint_set_forget_taut(struct constraint_set *set);
/// Whether the same one-sided rows act at both ends of the step, see joint_set_agrees.
bool constraint_set_agrees(const struct constraint_set *set, const struct joint_step *step);
/// Updates the multipliers of joints and volumes, see joint_set_update and held_volumes_update.
double constraint_set_update(struct constraint_set *set, const struct joint_step *step,
                             const double *x, double *gradient);

/// Subtracts from a gradient at x what constraints exert in addition to their multipliers, see
/// joint_set_remove_penalties and held_volumes_remove_penalties.
void constraint_set_remove_penalties(struct constraint_set *set, const double *x, double *gradient);
/// Returns the larger of joint_set_miss and held_volumes_miss at x, m.
double constraint_set_miss(const struct constraint_set *set, const double *x);

/// Returns the power that dampers and motors of joints dissipate at the solution of a stage, W.
double constraint_set_dissipated_power(const struct constraint_set *set, const double *x);

/// Adds the gradient of the constraints at x, the state at the start of the step, with the
/// multipliers of that state.
void constraint_set_add_start_forces(const struct constraint_set *set, const double *x,
                                     double *gradient);

/// a -= M^-1 J^T (J M^-1 J^T)^-1 (J a + dJ/dt v) with the rows J that act at nodes->x. If v is null
/// the last term is left out: then a is a change of velocity, and constraints do no work on what
/// remains of it. With the velocity v, a is an acceleration, and the result is one that the
/// constraints allow. The acceleration of moving targets is taken as 0.
void constraint_set_project(struct constraint_set *set, const struct stage_nodes *nodes,
                            const double *v, double *a);

/// Accelerations along a path from nodes->x: at its start, and the one that a step along it has in
/// the mean.
struct path_acceleration {
    const double *first, *mean;
};

/// out -= M^-1 J^T (J M^-1 J^T)^-1 (J a + dJ/dt v), which keeps a path with the velocity v to the
/// constraints. For joints a is the mean acceleration: their gaps close at the end of the step. A
/// body that turns keeps its volume at any step, which the mean of centripetal accelerations would
/// not; for volumes a is the first.
void constraint_set_bend(struct constraint_set *set, const struct stage_nodes *nodes,
                         const double *v, const struct path_acceleration *a, double *out);

/// Moves x, `time` seconds after the start of the step, to where the equations and limits of joints
/// hold: x -= M^-1 J^T (J M^-1 J^T)^-1 C(x), repeated, with J at nodes->x as long as that closes
/// the gaps. Returns the largest gap that is left, relative to its tolerance.
double constraint_set_return(struct constraint_set *set, const struct stage_nodes *nodes,
                             double time, double *x);

/// The joint with the largest gap at nodes->x, `time` seconds after the start of the step, relative
/// to its tolerance. Limits that hold have none.
struct joint_miss constraint_set_end_gap(struct constraint_set *set,
                                         const struct stage_nodes *nodes, double time);

/// Removes from the velocities v at nodes->x what joints do not allow: v -= M^-1 J^T (J M^-1
/// J^T)^-1 dC/dt. Limits that are reached keep what moves away from them.
void constraint_set_project_velocity(struct constraint_set *set, const struct stage_nodes *nodes,
                                     double time, double *v);

#endif

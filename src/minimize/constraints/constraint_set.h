// Equations that hold exactly where a stage ends: those of joints, and of volumes that are held.
// Both are augmented Lagrangians whose multipliers change at every full Newton step. Theory:
// docs/theory/joints.md section 3. Only constraint_set_build allocates.
#ifndef PBS_MINIMIZE_CONSTRAINTS_CONSTRAINT_SET_H
#define PBS_MINIMIZE_CONSTRAINTS_CONSTRAINT_SET_H

#include "energy/pressure/held_volumes.h"
#include "joints/joint_set.h"

/// A zero-initialised set is empty and valid.
struct constraint_set {
    struct joint_set *joints; ///< null: none
    struct pressure *volumes; ///< that of held surfaces is meant; null: none
    size_t row_count;         ///< JOINT_ROWS a joint, then one a held volume
    // Scratch of constraint_set_project.
    struct node_row *rows;                            ///< row_count
    double *residual, *direction, *product, *impulse; ///< row_count
    double *node_product;                             ///< 3 per node
};

/// joints and volumes belong to the caller and may be null. PBS_ERROR_MEMORY leaves the set empty.
pbs_status constraint_set_build(struct memory *memory, size_t node_count, struct joint_set *joints,
                                struct pressure *volumes, struct constraint_set *set);
void constraint_set_free(struct memory *memory, struct constraint_set *set);

/// Null is empty.
bool constraint_set_is_empty(const struct constraint_set *set);

/// Starts a step of h seconds at x. share: that of the step in what is left of the host's call.
void constraint_set_begin_step(struct constraint_set *set, const double *x, double h, double share);
/// Starts a stage that ends `time` seconds after the start of the step.
void constraint_set_begin_stage(struct constraint_set *set, const struct stage_nodes *nodes,
                                double time);
/// Multipliers are again those of constraint_set_begin_step.
void constraint_set_restore(struct constraint_set *set);
/// Keeps multipliers for a state that several steps may lead back to, and brings them back.
void constraint_set_keep(struct constraint_set *set);
void constraint_set_bring_back(struct constraint_set *set);

/// How far joints are from holding, see joint_set_gap. 0 without joints.
double constraint_set_joint_gap(const struct constraint_set *set, const struct joint_step *step,
                                const double *x, bool motors);
/// Whether ropes act at the end of the step as it has reckoned, see joint_set_agrees.
bool constraint_set_agrees(const struct constraint_set *set, const struct joint_step *step);
/// See joint_set_update.
double constraint_set_update(struct constraint_set *set, const struct joint_step *step,
                             const double *x, double *gradient);

/// Takes from a gradient at x what constraints exert besides their multipliers.
void constraint_set_remove_penalties(struct constraint_set *set, const double *x, double *gradient);
/// m: how far from holding the constraint is that misses most at x, motors apart.
double constraint_set_miss(const struct constraint_set *set, const double *x);

/// W: what dampers and motors of joints take out at a stage's solution.
double constraint_set_dissipated_power(const struct constraint_set *set, const double *x);

/// Adds the gradient of the constraints at x, the state at the start of the step, with the
/// multipliers of that state.
void constraint_set_add_start_forces(const struct constraint_set *set, const double *x,
                                     double *gradient);

/// a -= M^-1 J^T (J M^-1 J^T)^-1 (J a + dJ/dt v) for the rows that hold at nodes->x. With v null,
/// without the second part, for changes of velocity: constraints do no work on what is left. With
/// the velocity v, for accelerations: those that constraints leave. Moves of targets have no
/// acceleration.
void constraint_set_project(struct constraint_set *set, const struct stage_nodes *nodes,
                            const double *v, double *a);

#endif

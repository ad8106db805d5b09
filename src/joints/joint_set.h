// All joints of a world in a stage: an augmented Lagrangian of their rows beside the energy terms.
// Row r adds
//     lambda_r C_r + rho_r C_r^2 / 2
// to the objective; after a full Newton step lambda_r becomes the row's force lambda_r + rho_r C_r.
// Since rho is much larger than what resists the row, C falls by orders of magnitude with each
// update, and no stiffness is the host's to choose. Theory: docs/theory/joints.md section 3.
// Allocates nothing after joint_set_build.
#ifndef PBS_JOINTS_JOINT_SET_H
#define PBS_JOINTS_JOINT_SET_H

#include "base/runtime/memory.h"
#include "base/stage_nodes.h"
#include "joints/joint.h"
#include "linear/krylov/row_projection.h"
#include "sparse/matrices/contact_matrix.h"

/// Stencils of one width.
struct joint_stencils {
    uint32_t *joints; ///< count
    uint32_t *rows;   ///< count x width
    double *blocks;   ///< count x (3 width)^2
    uint32_t *order;  ///< count x width: which of the joint's nodes each row is
    size_t count;
};

/// A zero-initialised set is empty and valid.
struct joint_set {
    size_t count;
    struct joint *joints; ///< in order of creation
    struct joint_stencils stencils[JOINT_NODES];
    double *saved; ///< of each joint the angle, then the multipliers of its rows, at the start of
                   ///< the step
    double *kept;  ///< the same, at joint_set_keep
    double time;   ///< s since the start of the step, of the present stage
    double *jacobian; ///< count x JOINT_ROWS x JOINT_COORDINATES: of joint_set_write_rows
};

struct joint_energy {
    double constraint; ///< J, of the rows that are constraints: 0 when they hold
    double elastic;    ///< J, of springs
};

/// Room for the set's joints, whose members are filled except for rho: stencils in the rows of a
/// layout. PBS_ERROR_MEMORY leaves the set empty.
pbs_status joint_set_build(struct memory *memory, const struct layout *layout, struct joint *joints,
                           size_t count, struct joint_set *set);
void joint_set_free(struct memory *memory, struct joint_set *set);

/// Starts a step at x: angles, springs and motors refer to the state there.
void joint_set_begin_step(struct joint_set *set, const double *x);

/// Starts a stage that ends `time` seconds after the start of the step: chooses rho of every row.
/// Multipliers stay.
void joint_set_begin_stage(struct joint_set *set, const struct stage_nodes *stage, double time);

/// gradient (N, per node, added to): may be null. What: the rows of both kinds, or springs only.
struct joint_energy joint_set_evaluate(const struct joint_set *set, const double *x,
                                       bool springs_only, double *gradient);

/// The same of one joint.
struct joint_energy joint_set_evaluate_joint(const struct joint_set *set, size_t index,
                                             const double *x, bool springs_only, double *gradient);

/// Fills the stencils with the Hessian at x, without rows and columns of constrained axes. Writes
/// one set for each width to `out`, JOINT_NODES entries.
void joint_set_linearize(struct joint_set *set, const double *x, const uint8_t *constrained_axes,
                         bool semidefinite, struct contact_stencils *out);

/// gradient += H motion with all axes.
void joint_set_add_motion(const struct joint_set *set, const double *x, const double *motion,
                          double *gradient);

/// A full Newton step, node order. It reckons with rows that are linear, C + J direction. Their
/// curvature is no part of the balance that it finds, and times rho may be many times their force.
struct joint_step {
    const double *from, *direction;
};

/// How far the rows are from holding, relative to their tolerance: the largest |change of lambda| /
/// rho that an update would make, at x or, if `step` is not null, as it reckons. motors: of limited
/// rows too. 0 without joints.
double joint_set_gap(const struct joint_set *set, const struct joint_step *step, const double *x,
                     bool motors);

/// The joint that is farthest from holding at x relative to its tolerance, limited rows aside.
struct joint_miss {
    uint32_t number; ///< of the joint; 0 if all hold exactly
    double gap;      ///< m
    double share;    ///< gap / tolerance: what joint_set_gap returns
};
struct joint_miss joint_set_widest(const struct joint_set *set, const double *x);

/// Whether one-sided and limited rows act at the end of the step as the step has reckoned.
bool joint_set_agrees(const struct joint_set *set, const struct joint_step *step);

/// lambda = the rows' forces at x or, if `step` is not null, as it reckons. Returns the change of
/// the objective at x, J, and adds that of its gradient, which may be null.
double joint_set_update(struct joint_set *set, const struct joint_step *step, const double *x,
                        double *gradient);

/// Takes from a gradient at x what rows exert besides lambda: rho C, as far as it acts. Motors
/// exert what they are able to, and keep it.
void joint_set_remove_penalties(const struct joint_set *set, const double *x, double *gradient);

/// m: how far the row that misses most is from holding at x, motors apart.
double joint_set_miss(const struct joint_set *set, const double *x);

/// rho of rows that still miss their tolerance at x grows by `factor`, also in the objective at x,
/// as joint_set_update.
double joint_set_stiffen(struct joint_set *set, const double *x, double factor, double *gradient);

/// After a step that failed or is not accepted: multipliers and angles are those of
/// joint_set_begin_step.
void joint_set_restore(struct joint_set *set);

/// Keeps multipliers and angles for a state that several steps may lead back to, and brings them
/// back.
void joint_set_keep(struct joint_set *set);
void joint_set_bring_back(struct joint_set *set);

/// A joint acts no more, and again. Nothing is built anew: its stencil stays, with zeros.
void joint_set_break(struct joint_set *set, size_t index);
void joint_set_mend(struct joint_set *set, size_t index);

/// W: what moving targets do to the bodies, and what dampers and motors that do not keep up take
/// out, at a stage's solution.
struct joint_power {
    double supplied, dissipated;
};
struct joint_power joint_set_power(const struct joint_set *set, size_t index, const double *x);

/// Adds the gradient of lambda C at x, the state at the start of the step, with the multipliers of
/// that state.
void joint_set_add_start_forces(const struct joint_set *set, const double *x, double *gradient);

/// Writes the rows of J that act at stage->x, without constrained axes, and 0 for the others:
/// JOINT_ROWS a joint, whose entries are the set's. Returns how many act.
size_t joint_set_write_rows(const struct joint_set *set, const struct stage_nodes *stage,
                            struct node_row *rows);

/// out += dJ/dt v at x, JOINT_ROWS a joint: of rows that act.
void joint_set_add_turning(const struct joint_set *set, const double *v, const double *x,
                           double *out);

/// Force and torque of a joint at x.
struct joint_wrench joint_set_wrench(const struct joint_set *set, size_t index, const double *x);

#endif

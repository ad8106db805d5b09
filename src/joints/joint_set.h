// All joints of a world in a stage, as an augmented Lagrangian. A row with the constraint C = 0
// adds
//     lambda C + rho C^2 / 2
// to the objective, with its multiplier lambda and its penalty rho. One-sided and limited rows add
// what docs/theory/joints.md eq. (1) says. After a full Newton step lambda becomes lambda + rho C,
// the force of the row. rho is much larger than the stiffness of the nodes against the row, so that
// each update reduces C by orders of magnitude. The host has no stiffness to choose. Theory:
// docs/theory/joints.md section 3. Only joint_set_build allocates.
// SPDX-License-Identifier: MIT
#ifndef PBS_JOINTS_JOINT_SET_H
#define PBS_JOINTS_JOINT_SET_H

#include "base/runtime/memory.h"
#include "base/stage_nodes.h"
#include "joints/joint.h"
#include "linear/krylov/row_projection.h"
#include "sparse/matrices/contact_matrix.h"

/// The stencils of all joints that have the same number of nodes, the width.
struct joint_stencils {
    uint32_t *joints; ///< count: index of each joint in the set
    uint32_t *rows;   ///< count x width
    double *blocks;   ///< count x (3 width)^2
    uint32_t *order; ///< count x width: for each row, the index of its node among the joint's nodes
    size_t count;
};

/// A zero-initialised set is empty and valid.
struct joint_set {
    size_t count;
    struct joint *joints; ///< in order of creation
    struct joint_stencils stencils[JOINT_NODES];
    double *saved; ///< for each joint the angle, the stiffening and the multipliers of its rows, at
                   ///< the start of the step
    double *kept;  ///< the same at joint_set_keep
    double time;   ///< s: end of the present stage, from the start of the step
    double *jacobian; ///< count x JOINT_ROWS x JOINT_COORDINATES: entries of the rows
                      ///< that were last written
};

struct joint_energy {
    double constraint; ///< J, of the rows that are constraints: 0 when they hold
    double elastic;    ///< J, of springs
};

/// Makes a set of `count` joints, whose members are filled except for penalties, and its stencils
/// in the rows of a layout. The set takes over the array `joints`. After PBS_ERROR_MEMORY the set
/// is empty.
pbs_status joint_set_build(struct memory *memory, const struct layout *layout, struct joint *joints,
                           size_t count, struct joint_set *set);
void joint_set_free(struct memory *memory, struct joint_set *set);

/// Starts a step at x. Full turns of angles, dampers and motors refer to the state x.
void joint_set_begin_step(struct joint_set *set, const double *x);

/// Starts a stage that ends `time` seconds after the start of the step, and chooses the penalty of
/// every row. Multipliers stay as they are.
void joint_set_begin_stage(struct joint_set *set, const struct stage_nodes *stage, double time);

/// Returns the energy of all rows at x, or of springs only. Adds its gradient (N, 3 per node) to
/// `gradient`, which may be null.
struct joint_energy joint_set_evaluate(const struct joint_set *set, const double *x,
                                       bool springs_only, double *gradient);

/// The same of one joint.
struct joint_energy joint_set_evaluate_joint(const struct joint_set *set, size_t index,
                                             const double *x, bool springs_only, double *gradient);

/// Fills the stencils with the Hessian at x, without rows and columns of constrained axes. Writes
/// one set of stencils for each width to `out`, JOINT_NODES of them. semidefinite: leaves out the
/// second derivatives of products, which are indefinite.
void joint_set_linearize(struct joint_set *set, const double *x, const uint8_t *constrained_axes,
                         bool semidefinite, struct contact_stencils *out);

/// gradient += H motion with the Hessian at x, including constrained axes.
void joint_set_add_motion(const struct joint_set *set, const double *x, const double *motion,
                          double *gradient);

/// A full Newton step from `from` along `direction` (node order). The step predicts C(from) + J
/// direction at its end, since it treats rows as linear. Multipliers are computed from that
/// prediction: what the curvature of C adds is not balanced by the step, and times rho it may be
/// many times the force of the row.
struct joint_step {
    const double *from, *direction;
};

/// Returns the largest gap of a row relative to the tolerance of its joint; 0 without joints. The
/// gap of a row is |change of lambda| / rho in an update, at x or, if `step` is not null, as the
/// step predicts. motors: includes limited rows, whose tolerance is a hundredth of that.
double joint_set_gap(const struct joint_set *set, const struct joint_step *step, const double *x,
                     bool motors);

/// Finds the joint with the largest gap at x relative to its tolerance. Limited rows are not
/// considered.
struct joint_miss {
    uint32_t number; ///< of the joint; 0 if no row has a gap
    double gap;      ///< m
    double share;    ///< gap / tolerance: what joint_set_gap returns
};
struct joint_miss joint_set_widest(const struct joint_set *set, const double *x);

/// Makes those one-sided rows taut that do not act where a Newton step starts, but would within
/// `share` of it, as it predicts: the next step from there reckons with them, too, and goes at most
/// to where they act. Returns whether there are more than before.
bool joint_set_foresee(struct joint_set *set, const struct joint_step *step, double share);
/// No row is taut any more.
void joint_set_forget_taut(struct joint_set *set);
/// Adds to a gradient at x what makes a Newton step close the rows that are taut, N. Returns
/// whether there are any.
bool joint_set_add_taut(const struct joint_set *set, const double *x, double *gradient);

/// Whether the one-sided rows that act at the start of the step, or are taut, are those that act at
/// its end, as the step predicts it.
bool joint_set_agrees(const struct joint_set *set, const struct joint_step *step);

/// Sets the multipliers to the forces of the rows at x or, if `step` is not null, as the step
/// predicts. Also chooses the penalties of limited rows anew. Returns the change of the objective
/// at x, J. Adds the change of its gradient to `gradient`, which may be null.
double joint_set_update(struct joint_set *set, const struct joint_step *step, const double *x,
                        double *gradient);

/// Subtracts from a gradient at x what rows exert in addition to their multipliers, which is rho C
/// of an equality. The forces of limited rows stay as they are.
void joint_set_remove_penalties(const struct joint_set *set, const double *x, double *gradient);

/// Returns the largest gap of a row at x, m. Limited rows are not considered.
double joint_set_miss(const struct joint_set *set, const double *x);

/// Multiplies the penalties of joints whose gap at x is above their tolerance by `factor`, up to a
/// bound. Returns and adds changes at x as joint_set_update does.
double joint_set_stiffen(struct joint_set *set, const double *x, double factor, double *gradient);

/// Undoes a step that failed or is not accepted: multipliers, stiffening and angles are again those
/// before joint_set_begin_step.
void joint_set_restore(struct joint_set *set);

/// Stores multipliers, stiffening and angles of a state from which several steps may be tried.
/// joint_set_bring_back restores them.
void joint_set_keep(struct joint_set *set);
void joint_set_bring_back(struct joint_set *set);

/// Breaks a joint, so that it has no rows; joint_set_mend undoes that. Nothing is rebuilt: the
/// stencil of a broken joint stays, with zeros.
void joint_set_break(struct joint_set *set, size_t index);
void joint_set_mend(struct joint_set *set, size_t index);

/// Power of a joint at the solution of a stage, W. supplied: the work that moving targets do on the
/// bodies. dissipated: by dampers, and by motors that fall behind their target.
struct joint_power {
    double supplied, dissipated;
};
struct joint_power joint_set_power(const struct joint_set *set, size_t index, const double *x);

/// Adds the gradient of lambda C at x, the state at the start of the step, with the multipliers of
/// that state.
void joint_set_add_start_forces(const struct joint_set *set, const double *x, double *gradient);

/// Which one-sided rows act.
enum joint_acting {
    JOINT_BEARS, ///< those with a force
    JOINT_IS_MET ///< also those without that resist where they are, or that the latest direction
                 ///< meets, see joint_set_foresee
};

/// Whether a one-sided row resists with the joint at `values`, or the latest direction meets it.
bool joint_set_row_is_met(const struct joint_set *set, size_t index, uint32_t row,
                          const struct joint_values *values);

/// Writes JOINT_ROWS rows of J for each joint, at stage->x and without constrained axes. Rows that
/// do not act are 0. The entries belong to the set. Returns how many rows act.
size_t joint_set_write_rows(const struct joint_set *set, const struct stage_nodes *stage,
                            enum joint_acting acting, struct node_row *rows);

/// The same rows for positions: J at stage->x of those that do not hold at x, `time` seconds after
/// the start of the step. out: JOINT_ROWS for each joint, C. widest: the largest |C| over its
/// tolerance.
size_t joint_set_write_gaps(const struct joint_set *set, const struct stage_nodes *stage,
                            const double *x, double time, struct node_row *rows, double *out,
                            double *widest);

/// The same rows for velocities v: equations, and limits that are reached and would be crossed.
/// out: the rate of C, m/s, that of targets and of points of space included.
size_t joint_set_write_rates(const struct joint_set *set, const struct stage_nodes *stage,
                             double time, const double *v, struct node_row *rows, double *out);

/// out += dJ/dt v for the rows that act, with the nodes at x and their velocities v. out:
/// JOINT_ROWS for each joint.
void joint_set_add_velocity_terms(const struct joint_set *set, const double *v, const double *x,
                                  enum joint_acting acting, double *out);

/// Returns the force and the torque of a joint at x.
struct joint_wrench joint_set_wrench(const struct joint_set *set, size_t index, const double *x);

#endif

// Lagged smoothed Coulomb friction of barrier contact (docs/theory/contact.md section 4; IPC, Li et
// al. 2020, section 5). Normal forces, weights and tangents are those of an earlier state, so
// friction has a potential. Steps use it through barrier_contact.h. Barrier contact calls the
// functions of this header in its loops over contacts.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_BARRIER_LAGGED_FRICTION_H
#define PBS_CONTACT_BARRIER_LAGGED_FRICTION_H

#include "contact/barrier/contact_state.h"

/// Stores normal force, weights and tangents of the active contacts that have friction. The
/// friction uses them until the next call. Part of barrier_contact_lag_friction. PBS_ERROR_MEMORY.
pbs_status lagged_friction_lag(struct barrier_contact *contact, bool is_start);
/// Sets the anchors, the positions that slip is measured from, for a stage whose velocities are
/// (x - origin) / length. Part of barrier_contact_begin_stage.
void lagged_friction_begin_stage(struct barrier_contact *contact, const double *origin,
                                 double length);

/// Returns the potential at the state evaluated last, J. Adds its gradient to `gradient` (node
/// order), unless that is null.
double lagged_friction_evaluate(const struct barrier_contact *contact,
                                const struct lagged_friction *friction, double *gradient);

/// Writes the Hessian at the state evaluated last, with the friction's dual. The Hessian is always
/// positive semidefinite.
/// hessian: empty before the call. rotations: gets the entries of the rotation nodes.
void lagged_friction_hessian(const struct barrier_contact *contact,
                             const struct lagged_friction *friction,
                             struct contact_hessian *hessian, struct contact_rotations *rotations);

/// Moves the dual along with a direction that was found with the Hessian at the state evaluated
/// last. direction: in node order. Returns how far the dual was from that of this state.
double lagged_friction_follow(const struct barrier_contact *contact,
                              struct lagged_friction *friction, const double *direction);

/// Lists the rotation nodes that the friction acts on. Returns how many there are.
int lagged_friction_rotation_nodes(const struct barrier_contact *contact,
                                   const struct lagged_friction *friction, uint32_t nodes[2]);

/// Computes the friction force on the first side at the state evaluated last, N. Each point gets
/// its weight times this force. A wall gets the opposite force.
void lagged_friction_force(const struct barrier_contact *contact,
                           const struct lagged_friction *friction, double force[3]);

/// Computes the moment of friction about the centre of one side's sphere, N m; zero if that side
/// has no rotation. force: N, on the first side (lagged_friction_force).
void lagged_friction_moment(const struct barrier_contact *contact,
                            const struct lagged_friction *friction, const double force[3], int side,
                            double moment[3]);

/// Returns the power that friction dissipates at the state evaluated last, W, in a stage of
/// `length` seconds.
double lagged_friction_power(const struct barrier_contact *contact,
                             const struct lagged_friction *friction, double length);

/// Returns the power that moving obstacles supply through one friction, W. force: N, on the first
/// side (lagged_friction_force).
double lagged_friction_obstacle_power(const struct barrier_contact *contact,
                                      const struct lagged_friction *friction,
                                      const double force[3]);

/// N: with which a contact presses where friction and resistance to rolling are lagged. At the
/// start of a step with the stiffness that this was solved with: barriers that have become stiffer
/// since press with more until bodies give way, which they do within the step.
double lagged_normal_force(const struct barrier_contact *c, const struct active_contact *contact,
                           bool is_start);

#endif

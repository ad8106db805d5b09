// Lagged smoothed Coulomb friction of barrier contact (docs/theory/contact.md section 4; IPC, Li et
// al. 2020, section 5). Normal forces, weights and tangents are those of an earlier state, so
// friction has a potential. Steps use it through barrier_contact.h; the functions here are called
// by barrier contact's loops over contacts.
#ifndef PBS_CONTACT_BARRIER_LAGGED_FRICTION_H
#define PBS_CONTACT_BARRIER_LAGGED_FRICTION_H

#include "contact/barrier/contact_state.h"

/// Lags the friction of the active contacts; part of barrier_contact_lag_friction.
pbs_status lagged_friction_lag(struct barrier_contact *contact);
/// Sets the anchors from a stage's history; part of barrier_contact_begin_stage.
void lagged_friction_begin_stage(struct barrier_contact *contact, const double *origin,
                                 double length);

/// Returns the potential at the state evaluated last, J. gradient: node order, added to; may be
/// null.
double lagged_friction_evaluate(const struct barrier_contact *contact,
                                const struct lagged_friction *friction, double *gradient);

/// Writes the Hessian at the state evaluated last, which is always positive semidefinite.
void lagged_friction_hessian(const struct barrier_contact *contact,
                             const struct lagged_friction *friction,
                             struct contact_hessian *hessian, struct contact_rotations *rotations);

/// Lists the rotation nodes that the friction acts on. Returns how many there are.
int lagged_friction_rotation_nodes(const struct barrier_contact *contact,
                                   const struct lagged_friction *friction, uint32_t nodes[2]);

/// force: N, of friction on the first side at the state evaluated last. It is distributed over the
/// points by their weights; a wall gets the opposite force.
void lagged_friction_force(const struct barrier_contact *contact,
                           const struct lagged_friction *friction, double force[3]);

/// moment: N m, of friction on the sphere of a side, about its centre; 0 if that side has no
/// rotation. force: on the first side.
void lagged_friction_moment(const struct barrier_contact *contact,
                            const struct lagged_friction *friction, const double force[3], int side,
                            double moment[3]);

/// Returns the dissipated power at the state evaluated last, W, in a stage of this length.
double lagged_friction_power(const struct barrier_contact *contact,
                             const struct lagged_friction *friction, double length);

/// Returns the power that moving obstacles supply through a friction whose force on the first side
/// is `force`, W.
double lagged_friction_obstacle_power(const struct barrier_contact *contact,
                                      const struct lagged_friction *friction,
                                      const double force[3]);

#endif

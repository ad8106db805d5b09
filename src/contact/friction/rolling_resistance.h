// Resistance of spheres to rolling and to spinning about the normal (docs/theory/bonds.md section
// 6.4): lagged friction's potential of relative rotations alone. What a step does with it is in
// barrier_contact.h; here is what the contact's sums call.
#ifndef PBS_CONTACT_FRICTION_ROLLING_RESISTANCE_H
#define PBS_CONTACT_FRICTION_ROLLING_RESISTANCE_H

#include "contact/barrier/barrier_contact.h"

/// Of the contacts that are listed, and from a stage's history: with barrier_contact_lag_friction
/// and barrier_contact_begin_stage.
pbs_status rolling_resistance_lag(struct barrier_contact *contact);
void rolling_resistance_begin_stage(struct barrier_contact *contact, const double *origin,
                                    double length);

/// J: the potential at the state looked at last. gradient: null, or node order; added to.
double rolling_resistance_evaluate(const struct barrier_contact *contact,
                                   const struct lagged_rolling *rolling, double *gradient);

/// The Hessian at the state looked at last: always positive semidefinite.
void rolling_resistance_hessian(const struct barrier_contact *contact,
                                const struct lagged_rolling *rolling,
                                struct contact_hessian *hessian,
                                struct contact_rotations *rotations);

/// The nodes of the rotations that it acts on; how many.
int rolling_resistance_rotation_nodes(const struct barrier_contact *contact,
                                      const struct lagged_rolling *rolling, uint32_t nodes[2]);

/// W: what it takes out at the state looked at last, in a stage of that length.
double rolling_resistance_power(const struct barrier_contact *contact,
                                const struct lagged_rolling *rolling, double length);

#endif

// Lagged smoothed Coulomb friction of barrier contact (docs/theory/contact.md section 4; IPC, Li et
// al. 2020, section 5). Normal forces, weights and tangents are those of an earlier state, so
// friction has a potential. Steps use it through barrier_contact.h; the functions here are called
// by barrier contact's loops over contacts.
#ifndef PBS_CONTACT_FRICTION_LAGGED_FRICTION_H
#define PBS_CONTACT_FRICTION_LAGGED_FRICTION_H

#include "contact/barrier/barrier_contact.h"

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

#endif

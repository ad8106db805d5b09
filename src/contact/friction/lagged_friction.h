// Lagged smoothed Coulomb friction of barrier contact (docs/theory/contact.md section 4; IPC, Li et
// al. 2020, section 5): normal forces, weights and tangents are those of an earlier state, and so
// friction has a potential. What a step does with it is in barrier_contact.h; here is what the
// contact's sums over contacts call.
#ifndef PBS_CONTACT_FRICTION_LAGGED_FRICTION_H
#define PBS_CONTACT_FRICTION_LAGGED_FRICTION_H

#include "contact/barrier/barrier_contact.h"

/// J: the potential at the state looked at last. gradient: null, or node order; added to.
double lagged_friction_evaluate(const struct barrier_contact *contact,
                                const struct lagged_friction *friction, double *gradient);

/// The Hessian at the state looked at last: always positive semidefinite.
void lagged_friction_hessian(const struct barrier_contact *contact,
                             const struct lagged_friction *friction,
                             struct contact_hessian *hessian, struct contact_rotations *rotations);

/// The nodes of the rotations that it turns; how many.
int lagged_friction_rotation_nodes(const struct barrier_contact *contact,
                                   const struct lagged_friction *friction, uint32_t nodes[2]);

#endif

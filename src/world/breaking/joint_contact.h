// Contact of bodies whose joints have broken: they collide from the distance that they have, as
// soon as it is that of contact. Undone and committed with the breaks (joint_breaking.h). Theory:
// docs/theory/joints.md section 5.1.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BREAKING_JOINT_CONTACT_H
#define PBS_WORLD_BREAKING_JOINT_CONTACT_H

#include "world/world.h"

/// Memory for a call, whose contact is current.
pbs_status joint_contact_reserve(pbs_world *w);

/// A joint has broken; it has not.
void joint_contact_loosen(pbs_world *w, const struct world_joint *joint);
void joint_contact_tighten(pbs_world *w, const struct world_joint *joint);

/// Lets those parts collide, of which no joint is left, that are as far apart at node positions x
/// as contact reaches.
void joint_contact_release(pbs_world *w, const double *x);

/// Those that were let after the first `count` do not collide again.
void joint_contact_hold(pbs_world *w, size_t count);

/// Hands the distances to the joints.
void joint_contact_commit(pbs_world *w);

#endif

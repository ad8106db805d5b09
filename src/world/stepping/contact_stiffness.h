// The stiffness of a world's barriers: the host's, or chosen at the start of a step or an advance.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_STEPPING_CONTACT_STIFFNESS_H
#define PBS_WORLD_STEPPING_CONTACT_STIFFNESS_H

#include "world/stepping/run.h"

/// Sets the stiffness for the call from forces and gaps at its start. run->barrier is stored in the
/// scene at the commit. Obstacles have been placed; nothing else has been done with the contact
/// yet.
pbs_status contact_stiffness_begin(struct run *run);

/// Sets the stiffness for the next step of the call, which makes contact a little stiffer after
/// each one while an earlier step was longer. Depends on nothing but run->elapsed.
void contact_stiffness_begin_step(struct run *run);

/// After a part that has landed or failed: makes contacts that it pressed almost to zero as stiff
/// as the forces in them, or where they were pressed already, somewhat stiffer. Returns whether
/// there were any, so that the part may be taken again.
bool contact_stiffness_raise(struct run *run, const struct step_span *span, bool has_landed);

/// A part of the run was accepted: its end was solved with the present stiffness.
void contact_stiffness_accept(struct solver *t);
/// Keep with what the present state was solved, and go back to that, where step doubling does.
void contact_stiffness_save(struct solver *t);
void contact_stiffness_restore(struct solver *t);

/// Stores the stiffnesses that the next call uses, when this one is committed. Contacts have been
/// evaluated at the end state.
void contact_stiffness_commit(struct run *run);

/// Writes the smallest and the largest stiffness of all bodies.
void contact_stiffness_report(const pbs_world *w, pbs_stats *stats);

#endif

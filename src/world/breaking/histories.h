// Histories of elements while a call moves the world: values that change only when a state is
// accepted (struct history_table). They are undone or committed with the step.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BREAKING_HISTORIES_H
#define PBS_WORLD_BREAKING_HISTORIES_H

#include "world/world.h"

/// Updates all histories for the accepted state x, at the end of a step of h seconds. Returns true
/// if that changes the forces at x.
bool histories_update(pbs_world *w, const double *x, double h);
/// Saves all histories, for a step that may be undone.
void histories_save(pbs_world *w);
void histories_restore_saved(pbs_world *w);
/// Restores the histories at the beginning of the call, which the bodies have.
void histories_undo(pbs_world *w);
/// Hands the histories to the bodies. Returns the energy that their changes have dissipated, J.
double histories_commit(pbs_world *w);

#endif

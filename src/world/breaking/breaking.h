// Breaks bonds of bodies of any kind while a call moves the world: finds those above their
// strengths, and undoes or commits the breaks with the step, and with them the histories of
// elements and the breaks of joints (joint_breaking.h). Does not know how a bond is measured; the
// body's table does.
// Theory: docs/theory/fracture.md section 2.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BREAKING_BREAKING_H
#define PBS_WORLD_BREAKING_BREAKING_H

#include "world/world.h"

/// Call with the workspace's present state accepted, at the end of a step of h seconds. Updates the
/// histories of elements (histories.h), and breaks all bonds that are above their strengths. time:
/// s, recorded with each break. is_marked: the last evaluation was at that state, with all charts
/// at their origins. Returns true if the forces at that state have changed.
bool breaks_update(pbs_world *w, double time, double h, bool is_marked);
/// Breaks bonds at the workspace's next state, which is not accepted yet, and returns true if one
/// broke. goes_on: the step continues from the next state; otherwise it is repeated from the
/// present one.
bool breaks_update_next(pbs_world *w, double time, bool goes_on);
/// Call after an explicit step (explicit.h) at whose end the rows from `first` on broke. Subtracts
/// their forces from the accelerations. Returns false if the accelerations have to be computed from
/// all forces instead: for bonds that are not springs, if few springs broke, or if the last
/// breaks_update changed other forces.
bool breaks_remove_forces(pbs_world *w, size_t first);
/// How many bonds and joints have broken so far, and bodies begun to touch because of the latter.
struct break_mark {
    size_t bonds, joints, releases;
};
struct break_mark breaks_mark(const pbs_world *w);
/// Makes all bonds and joints that broke after the mark intact again.
void breaks_undo(pbs_world *w, struct break_mark mark);
/// Saves the breaks and the histories so far, and what joints bear, for a step that may be undone.
void breaks_save(pbs_world *w);
void breaks_restore_saved(pbs_world *w);
/// Restores the state at the beginning of the call.
void breaks_undo_all(pbs_world *w);
/// Hands the breaks and the histories to the bodies, and the breaks to the host's lists. Returns
/// the energy that they dissipated, J.
double breaks_commit(pbs_world *w);

/// Returns the longest step, s, in which a crack of the bodies of the rows from `first` on advances
/// by one bond length at most (docs/theory/step_control.md section 4); 0 if there are no such rows.
double breaks_crack_step(const pbs_world *w, size_t first);

/// Returns the body of a public call for bodies that have bonds; null with *status
/// PBS_ERROR_ARGUMENT for others. lack: what the message says that they lack.
struct body *breaking_enter(const pbs_world *w, pbs_body b, const char *lack, pbs_status *status);

/// Computes what up to BOND_BATCH bonds of a body bear, from `first` on; nothing if they are
/// broken.
void breaking_read_loads(const struct nodes *nodes, const struct body *body, size_t first,
                         size_t count, pbs_bond_load *loads);

#endif

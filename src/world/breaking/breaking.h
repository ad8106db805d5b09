// Breaks bonds of bodies of any kind while a call moves the world: finds those above their
// strengths, and undoes or commits the breaks with the step. Does not know how a bond is measured;
// the body's table does. Breaks of joints (joint_breaking.h) are undone and committed here too.
// Theory: docs/theory/fracture.md section 2.
#ifndef PBS_WORLD_BREAKING_BREAKING_H
#define PBS_WORLD_BREAKING_BREAKING_H

#include "world/world.h"

/// Call with the workspace's present state accepted. Updates the history of softening bonds, and
/// breaks all bonds that are above their strengths. time: s, recorded with each break. is_marked:
/// the last evaluation was at that state, with all charts at their origins. Returns true if a bond
/// broke.
bool breaks_update(pbs_world *w, double time, bool is_marked);
/// The same at the workspace's next state, which is not accepted yet. goes_on: the step continues
/// from the next state; otherwise it is repeated from the present one.
bool breaks_update_next(pbs_world *w, double time, bool goes_on);
/// Call after an explicit step (explicit.h) at whose end the rows from `first` on broke. Subtracts
/// their forces from the accelerations. Returns false if the accelerations have to be computed from
/// all forces instead: for bonds that are not springs, or if few springs broke.
bool breaks_remove_forces(pbs_world *w, size_t first);
/// How many bonds and joints have broken so far, and bodies begun to touch because of the latter.
struct break_mark {
    size_t bonds, joints, releases;
};
struct break_mark breaks_mark(const pbs_world *w);
/// Makes all bonds and joints that broke after the mark intact again.
void breaks_undo(pbs_world *w, struct break_mark mark);
/// Saves the breaks and the softening so far, and what joints bear, for a step that may be undone.
void breaks_save(pbs_world *w);
void breaks_restore_saved(pbs_world *w);
/// Restores the state at the beginning of the call.
void breaks_undo_all(pbs_world *w);
/// Hands the breaks to the bodies and to the host's lists. Returns the energy that they released,
/// J.
double breaks_commit(pbs_world *w);

/// Returns the longest step, s, in which a crack of the bodies of the rows from `first` on advances
/// by one bond length at most (docs/theory/step_control.md section 4); 0 if there are no such rows.
double breaks_crack_step(const pbs_world *w, size_t first);

/// Returns the body of a public call for bodies that have bonds; null with *status
/// PBS_ERROR_ARGUMENT for others. lack: what the message says that they lack.
struct body *breaking_enter(const pbs_world *w, pbs_body b, const char *lack, pbs_status *status);

#endif

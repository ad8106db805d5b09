// Bonds of bodies that break, whatever they are made of: what a call that moves the world has
// broken, and what becomes of it.
// Theory: docs/theory/fracture.md section 2.
#ifndef PBS_WORLD_BREAKING_BREAKING_H
#define PBS_WORLD_BREAKING_BREAKING_H

#include "world/world.h"

/// The workspace's present state was accepted: what softens remembers it, and whatever bears more
/// than its strength there breaks, at that time. True where something did. is_marked: the last
/// evaluation was at that state, with all charts at their origins.
bool breaks_look(pbs_world *w, double time, bool is_marked);
/// The same in the workspace's next state, before it is accepted: the step is to be taken again
/// from the present one, or goes on from the next one.
bool breaks_look_ahead(pbs_world *w, double time, bool goes_on);
/// After an explicit step (explicit.h) in whose end the rows from `first` on broke: takes their
/// forces off the accelerations there. False where that has to be asked of all forces: of bonds
/// that are no springs, or of few.
bool breaks_relieve(pbs_world *w, size_t first);
/// All but the first `count` are whole again.
void breaks_take_back(pbs_world *w, size_t count);
/// What broke and softened so far goes aside, for a step that may be taken back to it.
void breaks_put_aside(pbs_world *w);
void breaks_take_back_aside(pbs_world *w);
/// As when the call began.
void breaks_take_back_all(pbs_world *w);
/// Becomes the bodies' and the host's; returns the energy that was set free, J.
double breaks_land(pbs_world *w);

/// Of the rows from `first` on: the longest step in which cracks of the bodies whose bonds broke go
/// no farther than a bond, s (docs/theory/step_control.md section 4); 0 without any.
double breaks_crack_step(const pbs_world *w, size_t first);

/// The body of a call that only bodies with particles that bonds join have; PBS_ERROR_ARGUMENT with
/// what others lack.
struct body *breaking_enter(const pbs_world *w, pbs_body b, const char *lack, pbs_status *status);

#endif

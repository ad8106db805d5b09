// Breaks joints while a call moves the world, as breaking.h does with bonds: where a step or a part
// of it is accepted, undone or committed with it.
// Theory: docs/theory/joints.md section 5.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BREAKING_JOINT_BREAKING_H
#define PBS_WORLD_BREAKING_JOINT_BREAKING_H

#include "world/world.h"

/// Breaks all joints that bear more than they can where the last step ended, at node positions x.
/// released: node positions at which a spring gives up its energy. time: s, recorded with each.
/// Returns true if one broke.
bool joint_breaks_update(pbs_world *w, const double *x, const double *released, double time);

/// Makes all joints but those of the first `count` rows whole again.
void joint_breaks_undo(pbs_world *w, size_t count);

/// Keeps what joints are and bear now, and brings it back.
void joint_breaks_save(pbs_world *w);
void joint_breaks_restore_saved(pbs_world *w);

/// Hands the breaks to the host's list. Returns the energy of springs that broke, J. The joints of
/// the scene get them by joint_scene_land, which must come before.
double joint_breaks_commit(pbs_world *w);

#endif

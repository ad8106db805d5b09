// The host's forces during one run. There are lasting forces, forces for one run only, and torques;
// all become forces on nodes. If there are only lasting forces, the term of dead loads reads the
// nodes' own forces. Theory: docs/theory/materials.md section 7.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_FORCES_LOADS_H
#define PBS_WORLD_FORCES_LOADS_H

#include "world/world.h"

// As a feature, loads choose at the beginning of a call which forces the term reads, and reserve
// memory for them; afterwards it reads the nodes' own forces again.

/// Computes the forces of a step of length h from the state in the workspace. The forces of a
/// torque depend on the orientation of the body, so they are computed at the positions that the
/// velocities predict for the middle of the step.
void loads_place(pbs_world *w, const struct scheme_table *scheme, double h);

/// Called when the run has succeeded and its result is in the workspace. Removes forces for one run
/// from the scene and from the accounts of energy control. report: of the run; their work is added
/// to it.
void loads_land(pbs_world *w, const struct scheme_table *scheme, struct energy_report *report);

#endif

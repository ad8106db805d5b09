// The host's forces during one run: lasting ones, those of this run alone, and torques, all as
// forces on nodes. Without the latter two the term of dead loads reads the nodes' own forces.
// Theory: docs/theory/materials.md section 7.
#ifndef PBS_WORLD_FORCES_LOADS_H
#define PBS_WORLD_FORCES_LOADS_H

#include "world/world.h"

/// Chooses what the term of dead loads reads during the run, and makes room for it; the topology is
/// current.
pbs_status loads_begin(pbs_world *w);

/// Computes the forces of a step from the workspace's state. Torques turn with their bodies, so
/// their forces are computed where the bodies are expected in the middle of the step.
void loads_place(pbs_world *w, const struct scheme_table *scheme, double h);

/// The run has landed in the workspace: forces of this run alone are removed from the scene and
/// from the accounts of energy control. report: of the run, which gets their work.
void loads_land(pbs_world *w, const struct scheme_table *scheme, struct energy_report *report);

/// Between runs the term reads the nodes' own forces.
void loads_end(pbs_world *w);

#endif

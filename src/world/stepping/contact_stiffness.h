// The stiffness of a world's barriers: the host's, or chosen where a step or an advance begins.
#ifndef PBS_WORLD_STEPPING_CONTACT_STIFFNESS_H
#define PBS_WORLD_STEPPING_CONTACT_STIFFNESS_H

#include "world/stepping/run.h"

/// Sets that of the run, from forces and gaps where it begins; run->barrier is what the world
/// remembers once it lands. Obstacles are placed, nothing else has been done to the contact yet.
pbs_status contact_stiffness_begin(struct run *run);

/// The run lands, contacts evaluated where it ends: what the next one is to know.
void contact_stiffness_commit(struct run *run);

/// The least and the most of the bodies'; of a world with one for all, that.
void contact_stiffness_report(const pbs_world *w, pbs_stats *stats);

#endif

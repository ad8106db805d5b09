// The stiffness of a world's barriers: the host's, or chosen where a step or an advance begins.
#ifndef PBS_WORLD_CONTACT_STIFFNESS_H
#define PBS_WORLD_CONTACT_STIFFNESS_H

#include "world/run.h"

/// Sets that of the run, from forces and gaps where it begins; run->barrier is what the world
/// remembers once it lands. Obstacles are placed, nothing else has been done to the contact yet.
pbs_status contact_stiffness_begin(struct run *run);

#endif

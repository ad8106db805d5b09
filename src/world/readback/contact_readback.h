// From what a step's contacts did to what a host reads.
#ifndef PBS_WORLD_READBACK_CONTACT_READBACK_H
#define PBS_WORLD_READBACK_CONTACT_READBACK_H

#include "world/world.h"

/// Before the first step of a run: the topology's report is empty.
pbs_status contact_readback_start(pbs_world *w);

/// The contacts of the report in the world's spare buffer, everything where the run ends.
pbs_status contact_readback_prepare(pbs_world *w);

/// Those become what is read, and the report's sums what bodies and colliders bear. Cannot fail.
void contact_readback_commit(pbs_world *w);

#endif

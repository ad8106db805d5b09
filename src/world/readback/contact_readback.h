// Converts the contact report of a run to the contacts that the host reads.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_READBACK_CONTACT_READBACK_H
#define PBS_WORLD_READBACK_CONTACT_READBACK_H

#include "world/world.h"

/// To be called before the first step of a run. Empties the solver's report.
pbs_status contact_readback_start(pbs_world *w);

/// Writes the contacts of the report to the world's second buffer, at the end state of the run.
pbs_status contact_readback_prepare(pbs_world *w);

/// Lists the pairs that touch by these contacts, and reserves memory for what is new about them.
/// readback.next_count = 0: nothing touches.
pbs_status contact_events_prepare(pbs_world *w);

/// Makes these the contacts and events that are read, and stores the report's sums as the loads of
/// bodies and colliders. Cannot fail.
void contact_readback_commit(pbs_world *w);

#endif

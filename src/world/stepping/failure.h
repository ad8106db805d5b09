// Explains to the host why a step failed, in the message and in pbs_stats: where (body and vertex,
// or a pair in contact), what was found there, and what to change.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_STEPPING_FAILURE_H
#define PBS_WORLD_STEPPING_FAILURE_H

#include "world/stepping/run.h"

/// To be called at the start of a run. Clears requests of callbacks to stop.
void failure_begin(struct run *run);

/// To be called after an attempt at a step that failed, or ended above its tolerance, with the
/// thread's message set. Adds to the message, and sets run->failure. Parts that are unknown are
/// omitted.
void failure_explain(struct run *run, const struct step_result *part);

/// Sets the message and run->failure for a pair that touches or intersects at the start of the
/// step, and returns PBS_ERROR_INADMISSIBLE.
pbs_status failure_overlap(struct run *run, const struct contact_pair *pair);

/// Sets PBS_FAILURE_NONE.
void failure_clear(struct run *run);

/// Sets PBS_FAILURE_OTHER: nothing more is known.
void failure_other(struct run *run);

void failure_write_stats(const struct run *run, pbs_stats *stats);

#endif

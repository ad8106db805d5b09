// Why a step failed, for hosts: body and vertex, or the pair, where it did, what is there and what
// to change, as a sentence and in pbs_stats.
#ifndef PBS_WORLD_STEPPING_FAILURE_H
#define PBS_WORLD_STEPPING_FAILURE_H

#include "world/stepping/run.h"

/// A run begins: no host's callback has asked to stop yet.
void failure_begin(struct run *run);

/// A try of a step failed, or landed short of its tolerance, with the thread's message set: says
/// where in that message and in run->failure. What of it cannot be known is left out.
void failure_explain(struct run *run, const struct step_result *part);

/// Message, run->failure and PBS_ERROR_INADMISSIBLE for a pair that touches or goes through each
/// other where the step begins.
pbs_status failure_overlap(struct run *run, const struct contact_pair *pair);

/// Nothing has failed.
void failure_clear(struct run *run);

/// A failure that nothing more is known of.
void failure_other(struct run *run);

void failure_write_stats(const struct run *run, pbs_stats *stats);

#endif

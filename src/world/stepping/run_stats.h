// Statistics of a run, whether it succeeded or not.
#ifndef PBS_WORLD_STEPPING_RUN_STATS_H
#define PBS_WORLD_STEPPING_RUN_STATS_H

#include "world/stepping/run.h"

/// Writes w->stats, and adds to the scene's counters.
void run_write_stats(struct run *run, pbs_status status);

#endif

// Writes the statistics of a run.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_STEPPING_RUN_STATS_H
#define PBS_WORLD_STEPPING_RUN_STATS_H

#include "world/stepping/run.h"

/// Writes the statistics of the run to its world, whether the run succeeded or not, and adds to the
/// counters of the scene. status: how the run ended.
void run_write_stats(struct run *run, pbs_status status);

#endif

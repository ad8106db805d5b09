// What the integrator is given to solve in a run: the world's energies, its scripts and tolerances.
#ifndef PBS_WORLD_STEPPING_RUN_PROBLEM_H
#define PBS_WORLD_STEPPING_RUN_PROBLEM_H

#include "world/stepping/run.h"

/// run->problem and run->lengths, of a topology that is current; run->control is set.
pbs_status run_fill_problem(struct run *run);

#endif

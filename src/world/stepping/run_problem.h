// Fills the problem that the integrator solves in a run: the world's energies, prescribed motion
// and tolerances.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_STEPPING_RUN_PROBLEM_H
#define PBS_WORLD_STEPPING_RUN_PROBLEM_H

#include "world/stepping/run.h"

/// Fills run->problem and run->lengths. The solver is current, and run->control is set.
pbs_status run_fill_problem(struct run *run);

#endif

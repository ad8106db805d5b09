// A clamped beam that bends under its weight, stepped with the library's linear solver and with a
// host's (pbs/solver.h). Shared by programs that plug in a solver.
// SPDX-License-Identifier: MIT
#ifndef PBS_SCENES_SOLVER_TRIAL_H
#define PBS_SCENES_SOLVER_TRIAL_H

#include <pbs/pbs.h>

struct solver_trial {
    int64_t cells; ///< cells across the beam, which is five times as long
    int64_t steps; ///< number of steps of 1/30 s
    double young;  ///< Pa
};

/// Returns settings that take about a second.
struct solver_trial solver_trial_defaults(void);

/// Reads --cells, --steps and --young. Returns false if the program should exit with *status.
bool solver_trial_read(int argc, char **argv, const char *purpose, struct solver_trial *trial,
                       int *status);

/// Runs both worlds, and prints their times and the final distance between their vertices. Both
/// solve every step to the same tolerance, which bounds this distance.
/// @return exit status: 0, or a failure if a step fails or the distance exceeds its bound
int solver_trial_run(const struct solver_trial *trial, const pbs_linear_solver *solver);

#endif

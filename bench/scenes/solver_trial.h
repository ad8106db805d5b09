// A clamped beam that bends under its weight, stepped twice: with the library's own linear solver
// and with a host's (pbs/solver.h). What programs that plug in a solver share.
#ifndef PBS_SCENES_SOLVER_TRIAL_H
#define PBS_SCENES_SOLVER_TRIAL_H

#include <pbs/pbs.h>

struct solver_trial {
    int64_t cells; ///< across the beam, which is five times as long
    int64_t steps; ///< of 1/30 s
    double young;  ///< Pa
};

/// Cells, steps and modulus that take about a second.
struct solver_trial solver_trial_defaults(void);

/// Reads --cells, --steps and --young; false: leave with *status.
bool solver_trial_read(int argc, char **argv, const char *purpose, struct solver_trial *trial,
                       int *status);

/// Runs it, prints what each took and how far the vertices are apart at the end. Both worlds solve
/// every step to the same tolerance, which bounds that distance.
/// @return 0, or the exit status of a program whose vertices are further apart or whose steps fail
int solver_trial_run(const struct solver_trial *trial, const pbs_linear_solver *solver);

#endif

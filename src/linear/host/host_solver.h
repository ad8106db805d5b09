// A host's own linear solver (pbs/solver.h) as a preconditioner, with another one behind it for the
// matrices and right-hand sides that the host refuses.
#ifndef PBS_LINEAR_HOST_HOST_SOLVER_H
#define PBS_LINEAR_HOST_HOST_SOLVER_H

#include "linear/preconditioner.h"
#include "pbs/solver.h"

/// Since they were last taken.
struct host_solver_counts {
    uint32_t solves;   ///< that the host has done
    uint32_t refusals; ///< matrices for which the other preconditioner took over
};

/// Puts the solver in front of *p, which it takes over. Everything in `functions` has been checked.
/// On failure *p is as it was. pcg_solve knows how to use it; it has no `apply`.
pbs_status host_solver_wrap(struct memory *memory, const pbs_linear_solver *functions,
                            const struct bsr *pattern, struct preconditioner *p);

/// Zero for any other preconditioner.
struct host_solver_counts host_solver_drain_counts(const struct preconditioner *p);

#endif

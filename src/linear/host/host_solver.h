// A linear solver supplied by the host (pbs/solver.h) as a preconditioner. A substitute
// preconditioner handles the matrices and right-hand sides that the host refuses.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_HOST_HOST_SOLVER_H
#define PBS_LINEAR_HOST_HOST_SOLVER_H

#include "linear/preconditioner.h"
#include "pbs/solver.h"

/// Counts since host_solver_drain_counts was last called.
struct host_solver_counts {
    uint32_t solves;   ///< done by the host
    uint32_t refusals; ///< matrices that the substitute solved
};

/// Wraps *p: the host's solver is used first, and *p becomes its substitute and its property.
/// `functions` must have been checked. Only pcg_solve can use the result, which has no `apply`. On
/// failure *p is unchanged.
pbs_status host_solver_wrap(struct memory *memory, const pbs_linear_solver *functions,
                            const struct bsr *pattern, struct preconditioner *p);

/// Returns the counts and resets them. Zero for any other preconditioner.
struct host_solver_counts host_solver_drain_counts(const struct preconditioner *p);

#endif

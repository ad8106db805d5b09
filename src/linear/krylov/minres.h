// Preconditioned minimum residual method for symmetric, possibly indefinite matrices. Used by plain
// Newton, the baseline; the stabilised minimiser uses pcg.h.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_KRYLOV_MINRES_H
#define PBS_LINEAR_KRYLOV_MINRES_H

#include "linear/preconditioner.h"

struct minres_options {
    double relative_tolerance; ///< of the residual in the M^-1 norm
    uint32_t iteration_limit;
};

struct minres_result {
    bool converged;           ///< false: iteration limit, rounding, or a singular matrix
    uint32_t iterations;      ///< products with A, without those for computed residuals
    double relative_residual; ///< computed from scratch at the end; NaN if the matrix is not finite
};

/// Vectors of 3 * row_count doubles, owned by the caller. Their contents do not matter.
struct minres_workspace {
    double *v[3], *z[2], *w[3];
};

/// Solves A x = b from x = 0; b, x: row order, distinct from each other and from the workspace. m
/// must be symmetric positive definite.
struct minres_result minres_solve(struct tasks *tasks, const struct linear_problem *problem,
                                  const struct preconditioner *m, const double *b,
                                  const struct minres_options *options,
                                  const struct minres_workspace *workspace, double *x);

#endif

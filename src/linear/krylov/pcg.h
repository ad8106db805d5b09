// Preconditioned conjugate gradients that return early on negative curvature (OPT section 3.1,
// "Conjugate gradient"). Theory: docs/theory/linear_solvers.md sections 1 and 5.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_KRYLOV_PCG_H
#define PBS_LINEAR_KRYLOV_PCG_H

#include "linear/preconditioner.h"

enum pcg_outcome {
    PCG_CONVERGED,
    PCG_INDEFINITE, ///< A direction has curvature that is negative, zero or not a number: x is the
                    ///< last iterate. In the first iteration: x is the start vector plus the
                    ///< preconditioned right-hand side.
    PCG_ITERATION_LIMIT,
    PCG_STAGNATED, ///< Rounding keeps the true residual above the tolerance, or the preconditioner
                   ///< is not definite for the residual: x is the last iterate. Or |b|^2 overflows:
                   ///< x = b.
    PCG_GIVEN_UP   ///< The preconditioner's `solve` failed, as the thread's message explains; x is
                   ///< undefined.
};

/// The norm in which the residual must fall to the tolerance: docs/theory/linear_solvers.md
/// section 1.
enum pcg_norm {
    PCG_EUCLIDEAN,     ///< |r| / |b|
    PCG_PRECONDITIONED ///< r . M^-1 r relative to that of the start: it does not let a few stiff
                       ///< rows, such as contact, hide the error of soft ones
};

struct pcg_options {
    double relative_tolerance;
    uint32_t iteration_limit;
    enum pcg_norm norm;
    // If M may underestimate the error (see `contrast`), x has no entry as large as `small`, and x
    // . b <= small_gain, then x is computed to small_tolerance, so that convergence of the outer
    // iteration is not claimed too early. small = 0: off.
    double small, small_gain, small_tolerance;
};

struct pcg_result {
    enum pcg_outcome outcome;
    pbs_status status;        ///< PBS_OK, or the reason for PCG_GIVEN_UP
    uint32_t iterations;      ///< one product with A each
    uint32_t checks;          ///< further products with A, for computed residuals
    double relative_residual; ///< |r| / |b| at x, except for PCG_INDEFINITE; NaN if |b|^2 overflows
};

struct pcg_workspace {
    size_t capacity;
    double *r, *z, *p, *ap;
};

pbs_status pcg_reserve(struct memory *memory, struct pcg_workspace *w, size_t row_count);
void pcg_free(struct memory *memory, struct pcg_workspace *w);

/// Solves A x = b from x = 0; b, x: 3 * row_count, row order, must not overlap. The residual is
/// computed from scratch at intervals and at claimed convergence. x . b > 0 for every outcome
/// except PCG_GIVEN_UP, unless b = 0 or the limit is 0.
struct pcg_result pcg_solve(struct tasks *tasks, const struct linear_problem *problem,
                            const struct preconditioner *m, const double *b,
                            const struct pcg_options *options, struct pcg_workspace *w, double *x);

#endif

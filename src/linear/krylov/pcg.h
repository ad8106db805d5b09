// Preconditioned conjugate gradients with early return on indefiniteness (OPT section 3.1,
// "Conjugate gradient").
// Theory: docs/theory/linear_solvers.md sections 1 and 5.
#ifndef PBS_LINEAR_KRYLOV_PCG_H
#define PBS_LINEAR_KRYLOV_PCG_H

#include "linear/preconditioner.h"

enum pcg_outcome {
    PCG_CONVERGED,
    PCG_INDEFINITE, ///< a direction was met along which the curvature is not positive, or not a
                    ///< number: x is the last iterate (on the first iteration: the preconditioned
                    ///< right-hand side, added to what the preconditioner starts from)
    PCG_ITERATION_LIMIT,
    PCG_STAGNATED, ///< rounding keeps the true residual above the tolerance, or has left one that
                   ///< the preconditioner is not definite for: x is the last iterate. Or |b|^2 is
                   ///< beyond what doubles hold: x = b
    PCG_GIVEN_UP   ///< the preconditioner's `solve` failed, as the thread's message explains; x is
                   ///< of no use
};

/// In which norm the residual has to fall to the tolerance: docs/theory/linear_solvers.md
/// section 1.
enum pcg_norm {
    PCG_EUCLIDEAN,     ///< |r| / |b|
    PCG_PRECONDITIONED ///< of r . M^-1 r, from where the iteration begins: what is stiff and
                       ///< little, like contact, does not hide what is soft and has far to go
};

struct pcg_options {
    double relative_tolerance;
    uint32_t iteration_limit;
    enum pcg_norm norm;
    // An x without an entry as large as `small` and with x . b no more than `small_gain` is known
    // to `small_tolerance` where M may hide something: nobody is to say too soon that all has been
    // gained. 0: no such thing.
    double small, small_gain, small_tolerance;
};

struct pcg_result {
    enum pcg_outcome outcome;
    pbs_status status;        ///< PBS_OK, or why it was given up
    uint32_t iterations;      ///< of conjugate gradients, one product with A each
    uint32_t checks;          ///< further products, for residuals computed from scratch
    double relative_residual; ///< |r| / |b| of x, unless PCG_INDEFINITE; not a number where |b|^2
                              ///< is none
};

struct pcg_workspace {
    size_t capacity;
    double *r, *z, *p, *ap;
};

pbs_status pcg_reserve(struct memory *memory, struct pcg_workspace *w, size_t row_count);
void pcg_free(struct memory *memory, struct pcg_workspace *w);

/// Solves A x = b from x = 0; b, x: 3 * row_count, row order, must not overlap. The residual is
/// computed from scratch every so often and at claimed convergence. x . b > 0 whatever the outcome,
/// unless b = 0 or the limit is 0, or PCG_GIVEN_UP.
struct pcg_result pcg_solve(struct tasks *tasks, const struct linear_problem *problem,
                            const struct preconditioner *m, const double *b,
                            const struct pcg_options *options, struct pcg_workspace *w, double *x);

#endif

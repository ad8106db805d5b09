// The search direction of a Newton iteration: truncated conjugate gradients on H d = -g, made a
// descent direction of bounded length (OPT section 3.1; docs/theory/minimization.md section 1,
// items 4 to 6).
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_SEARCH_DIRECTION_H
#define PBS_MINIMIZE_SEARCH_DIRECTION_H

#include "linear/krylov/pcg.h"

struct direction_options {
    double tolerance;   ///< tau, N
    double forcing;     ///< sigma, N^(-1/2)
    double loosest;     ///< upper bound of the linear solve's relative tolerance; OPT: 1/2
    enum pcg_norm norm; ///< norm of that tolerance
    // As in struct pcg_options; m and J.
    double small, small_gain, small_tolerance;
    double length_limit;      ///< ell, m
    uint32_t iteration_limit; ///< maximum number of products with H
};

enum direction_kind {
    DIRECTION_NEWTON,   ///< the result of conjugate gradients
    DIRECTION_REVERSED, ///< its negative
    DIRECTION_GRADIENT  ///< steepest descent
};

struct direction_result {
    enum direction_kind kind;
    bool indefinite;   ///< negative curvature was found
    pbs_status status; ///< PBS_OK; otherwise the linear solver failed and d is undefined
    bool clamped;
    uint32_t linear_iterations;
    double slope; ///< g . d < 0; 0 if g is zero or not finite
};

/// Returns OPT's relative tolerance of the linear solve: min(loosest, sigma sqrt(max(|g|, tau))).
double direction_forcing(const struct direction_options *options, double gradient_norm);

/// Returns which of d, -d and -g is a sufficient descent direction u: u . g < -kappa |u| |g|.
enum direction_kind direction_choose(double slope, double direction_norm, double gradient_norm);

/// Computes d from the gradient g, both in row order. m == null: there is no usable factor, use
/// steepest descent.
struct direction_result direction_compute(struct tasks *tasks, const struct linear_problem *h,
                                          const struct preconditioner *m, const double *g,
                                          const struct direction_options *options,
                                          struct pcg_workspace *workspace, double *d);

/// d = -g times the minimiser of the quadratic model along -g. Negative curvature is replaced by
/// its absolute value.
void direction_steepest(struct tasks *tasks, const struct linear_problem *h, const double *g,
                        double *scratch, double *d);

#endif

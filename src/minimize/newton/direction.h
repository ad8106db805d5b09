// The direction of one Newton iteration: truncated conjugate gradients on H d = -g, made downhill
// and of bounded length (OPT section 3.1; docs/theory/minimization.md section 1, items 4 to 6).
#ifndef PBS_MINIMIZE_NEWTON_DIRECTION_H
#define PBS_MINIMIZE_NEWTON_DIRECTION_H

#include "linear/krylov/pcg.h"

struct direction_options {
    double tolerance;   ///< tau, N
    double forcing;     ///< sigma, N^(-1/2)
    double loosest;     ///< relative tolerance of the linear solve at most; OPT: 1/2
    enum pcg_norm norm; ///< that it is relative in
    // Of struct pcg_options; m and J.
    double small, small_gain, small_tolerance;
    double length_limit;      ///< ell, m
    uint32_t iteration_limit; ///< products with H at most
};

enum direction_kind {
    DIRECTION_NEWTON,   ///< what conjugate gradients found
    DIRECTION_REVERSED, ///< its opposite
    DIRECTION_GRADIENT  ///< steepest descent
};

struct direction_result {
    enum direction_kind kind;
    bool indefinite;   ///< negative curvature was met
    pbs_status status; ///< PBS_OK; otherwise the solver cannot go on, and d is of no use
    bool clamped;
    uint32_t linear_iterations;
    double slope; ///< g . d < 0; 0 when g is not usable
};

/// OPT's relative tolerance of the linear solve: min(loosest, sigma sqrt(max(|g|, tau))).
double direction_forcing(const struct direction_options *options, double gradient_norm);

/// Which of d, -d and -g is suitably downhill: u.g < -kappa |u| |g|.
enum direction_kind direction_choose(double slope, double direction_norm, double gradient_norm);

/// Fills d from the gradient g; both in row order. m == null: no usable factor, so steepest
/// descent.
struct direction_result direction_compute(struct tasks *tasks, const struct linear_problem *h,
                                          const struct preconditioner *m, const double *g,
                                          const struct direction_options *options,
                                          struct pcg_workspace *workspace, double *d);

/// d = -g times the length at which the quadratic model is least along it (where the curvature is
/// negative: as if it were positive).
void direction_steepest(struct tasks *tasks, const struct linear_problem *h, const double *g,
                        double *scratch, double *d);

#endif

// Static equilibrium at the end of a load step (docs/theory/schemes.md section 7): a minimum of the
// sum of all potentials, found by the proximal point method. Independent of time.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STATICS_QUASI_STATIC_H
#define PBS_INTEGRATE_STATICS_QUASI_STATIC_H

#include "energy/wind/wind.h"
#include "minimize/newton/newton.h"

/// The problem to solve. Prescribed targets and obstacles are at the end of the step already.
struct static_problem {
    struct newton *newton;
    struct projection *projection;
    const struct newton_options *options;
    struct objective *objective; ///< conservative terms and wind only; predictor and weight are
                                 ///< filled in here
    struct wind *wind;           ///< null: none
    double *predictor;           ///< scratch: 3 per node
    double *start;               ///< scratch: 3 per node
    double *host_force;          ///< N, per body: that of the options; null: none
    double *gradient;            ///< scratch: vector slots of the assembly
    double critical_step;        ///< s: 2 over the highest frequency; infinite: no stiffness
    double extent;               ///< m: of the scene
    uint32_t friction_iterations;
    bool stops_when_unsupported; ///< give up early on bodies without support
};

struct static_result {
    struct newton_result newton;
    double potential_drop; ///< J, decrease of the potentials after the prescribed motion ended
    bool is_unsupported;   ///< PBS_ERROR_CONVERGENCE because a body without support moves away
};

/// x, in: the state at the start; out: the equilibrium or, on failure, the best state found.
struct static_result quasi_static_solve(const struct static_problem *problem, double *x);

#endif

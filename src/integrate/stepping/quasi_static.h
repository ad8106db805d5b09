// Equilibrium at the end of a load step (docs/theory/schemes.md section 7): where the sum of all
// potentials is level, found by the proximal point method. Knows no time.
#ifndef PBS_INTEGRATE_STEPPING_QUASI_STATIC_H
#define PBS_INTEGRATE_STEPPING_QUASI_STATIC_H

#include "minimize/newton/newton.h"

/// What is to be balanced. Scripts and obstacles are placed at their targets already.
struct static_problem {
    struct newton *newton;
    struct projection *projection;
    const struct newton_options *options; ///< with a tolerance of 0 where that is to be a part of
                                          ///< the forces
    struct objective *objective; ///< conservative terms; predictor and weight are filled in here
    double *predictor;           ///< scratch: 3 per node
    double *start;               ///< scratch: likewise
    double *gradient;            ///< scratch: vector slots of the assembly
    double relative_tolerance;   ///< of the forces that act, where options->tolerance is 0
    double least_tolerance;      ///< N, likewise
    double critical_step; ///< s: 2 over the highest frequency; infinite where nothing resists
    double extent;        ///< m: of the scene
    uint32_t friction_iterations;
    bool stops_when_unsupported; ///< what nothing holds is given up early
};

struct static_result {
    struct newton_result newton;
    double tolerance;      ///< N, of the last pass
    double potential_drop; ///< J: by which the potentials fell while scripts and obstacles stood
                           ///< still
    bool is_unsupported;   ///< PBS_ERROR_CONVERGENCE, as something moves that nothing holds
};

/// x: in, the state at the start; out, where it is balanced, or the best state found.
struct static_result quasi_static_solve(const struct static_problem *problem, double *x);

#endif

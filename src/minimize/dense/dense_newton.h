// Root finding with dense matrices, for a stage whose forces have no potential. The equation is
//     M (x - x~) = c [F(t, x, v) - D v - K x],  v = (x - p_x) / b
// with the parameters of struct dense_stage (docs/architecture.md, The flow of a step). It is
// solved by Newton's method as in GAT section 2.1. Jacobians may be unsymmetric. Only
// dense_newton_create allocates memory.
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_DENSE_DENSE_NEWTON_H
#define PBS_MINIMIZE_DENSE_DENSE_NEWTON_H

#include "linear/dense/dense_lu.h"
#include "pbs/system.h"

/// M x'' + D x' + K x = F(t, x, x'). Matrices are row-major.
struct dense_equation {
    size_t size;
    const double *mass; ///< null: the identity, and mass_factors is not used
    const struct dense_lu *mass_factors;
    const double *damping, *stiffness; ///< null: zero
    pbs_system_force_fn force;         ///< null: zero
    pbs_system_jacobian_fn jacobian;   ///< null: finite differences
    void *user;
};

/// The parameters of a stage, which the integration scheme chooses.
struct dense_stage {
    const double *predictor; ///< size: x~
    const double *origin;    ///< size: p_x
    double length;           ///< b, s
    double weight;           ///< c, s^2
    double time;             ///< t, s
};

struct dense_options {
    int32_t unknown;           ///< PBS_UNKNOWN_*
    double tolerance;          ///< in units of the unknown
    double relative_tolerance; ///< this times the 2-norm of the first guess of the unknown is added
                               ///< to tolerance
    uint32_t newton_limit;
};

struct dense_result {
    pbs_status status; ///< PBS_OK, or PBS_ERROR_CONVERGENCE, PBS_ERROR_INADMISSIBLE, PBS_ERROR_HOST
                       ///< with the thread's message set
    uint32_t newton_iterations, force_evaluations, jacobian_evaluations, roundoff_accepts;
    double residual, tolerance; ///< in units of the unknown
    double force_error; ///< of dense_linear_solve: the largest component of c |M^-1 (F - F~)|, in
                        ///< units of x, for the force F at the solution and its linearisation F~
};

/// Adds the result of one solve to that of the solves before. Counts are summed, force_error is the
/// maximum, residual and tolerance become those of `one`. The status of `sum` does not change.
void dense_result_add(struct dense_result *sum, const struct dense_result *one);

/// The factored matrix of the last iteration, and scratch.
struct dense_newton {
    struct dense_lu lu;
    double *force_by_x, *force_by_v;                           ///< size x size, row-major
    double *velocity, *force, *residual, *probe, *other_force; ///< size
};

pbs_status dense_newton_create(struct memory *memory, size_t size, struct dense_newton *out);
void dense_newton_free(struct dense_newton *newton, struct memory *memory);

/// Solves the stage by Newton's method. x: the first guess on entry, the solution on return.
struct dense_result dense_newton_solve(struct dense_newton *newton,
                                       const struct dense_equation *equation,
                                       const struct dense_stage *stage,
                                       const struct dense_options *options, double *x);

/// Solves the stage with linearised forces, for a linearly implicit step (ATS;
/// docs/theory/step_control.md section 1). Forces are evaluated at the stage's time and linearised
/// in x and v about (x_now, v_now), so one linear solve suffices. x: the solution on return.
struct dense_result dense_linear_solve(struct dense_newton *newton,
                                       const struct dense_equation *equation,
                                       const struct dense_stage *stage, const double *x_now,
                                       const double *v_now, double *x);

/// out = M^-1 [F(t, x, v) - D v - K x]. PBS_ERROR_HOST, PBS_ERROR_INADMISSIBLE.
pbs_status dense_acceleration(const struct dense_equation *equation, double time, const double *x,
                              const double *v, double *out);

/// Computes the same acceleration for velocity 0: out = M^-1 [F(t, x, 0) - K x].
pbs_status dense_rest_acceleration(struct dense_newton *newton,
                                   const struct dense_equation *equation, double time,
                                   const double *x, double *out);

#endif

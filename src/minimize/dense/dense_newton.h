// Root finding for a stage whose forces have no potential (docs/architecture.md, One equation): M
// (x - x~) = c [F(t, x, v) - D v - K x], v = (x - p_x) / b, with dense matrices. Newton's method as
// in GAT section 2.1, with general unsymmetric Jacobians. Allocates only in dense_newton_create.
#ifndef PBS_MINIMIZE_DENSE_DENSE_NEWTON_H
#define PBS_MINIMIZE_DENSE_DENSE_NEWTON_H

#include "linear/dense/dense_lu.h"
#include "pbs/system.h"

/// M x'' + D x' + K x = F(t, x, x'). Matrices are row-major.
struct dense_equation {
    size_t size;
    const double *mass; ///< null: the identity; mass_factors is then not used
    const struct dense_lu *mass_factors;
    const double *damping, *stiffness; ///< null: zero
    pbs_system_force_fn force;         ///< null: zero
    pbs_system_jacobian_fn jacobian;   ///< null: finite differences
    void *user;
};

/// The parameters x~, p_x, b, c and t of a stage.
struct dense_stage {
    const double *predictor, *origin;
    double length, weight, time;
};

struct dense_options {
    int32_t unknown;           ///< PBS_UNKNOWN_*
    double tolerance;          ///< in units of the unknown
    double relative_tolerance; ///< times the 2-norm of the first guess, added to tolerance
    uint32_t newton_limit;
};

struct dense_result {
    pbs_status status; ///< PBS_OK, or PBS_ERROR_CONVERGENCE, PBS_ERROR_INADMISSIBLE, PBS_ERROR_HOST
                       ///< with the thread's message set
    uint32_t newton_iterations, force_evaluations, jacobian_evaluations, roundoff_accepts;
    double residual, tolerance; ///< in units of the unknown
    double force_error; ///< of a linear step: c |M^-1 (F - F~)|, largest component, in units of x
};

/// Adds up several solves: counts are summed, the force error is the maximum, the rest is that of
/// the last. Does not change the status.
void dense_result_add(struct dense_result *sum, const struct dense_result *one);

/// The matrix of the last iteration, and scratch.
struct dense_newton {
    struct dense_lu lu;
    double *force_by_x, *force_by_v;                           ///< size x size, row-major
    double *velocity, *force, *residual, *probe, *other_force; ///< size
};

pbs_status dense_newton_create(struct memory *memory, size_t size, struct dense_newton *out);
void dense_newton_free(struct dense_newton *newton, struct memory *memory);

/// Solves the stage. x, in: the first guess; out: the solution.
struct dense_result dense_newton_solve(struct dense_newton *newton,
                                       const struct dense_equation *equation,
                                       const struct dense_stage *stage,
                                       const struct dense_options *options, double *x);

/// Does a linearly implicit step instead (ATS; docs/theory/step_control.md section 1): linearises
/// the forces in x and v about the given state, evaluated at the stage's time, and solves once. x:
/// out, the solution.
struct dense_result dense_linear_solve(struct dense_newton *newton,
                                       const struct dense_equation *equation,
                                       const struct dense_stage *stage, const double *x_now,
                                       const double *v_now, double *x);

/// out = M^-1 [F(t, x, v) - D v - K x]. PBS_ERROR_HOST, PBS_ERROR_INADMISSIBLE.
pbs_status dense_acceleration(const struct dense_equation *equation, double time, const double *x,
                              const double *v, double *out);

/// The same at rest: out = M^-1 [F(t, x, 0) - K x].
pbs_status dense_rest_acceleration(struct dense_newton *newton,
                                   const struct dense_equation *equation, double time,
                                   const double *x, double *out);

#endif

// One Newton step at the state at the start of the step, without line search: the linearly implicit
// methods of Baraff and Witkin 1998 and ATS section 3.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/clock.h"
#include "base/lanes/vector.h"
#include "contact/projection/projection.h"
#include "minimize/newton/newton.h"
#include "minimize/newton/state.h"

// Relative residuals of the linear solve: TIGHT if no tolerance is given, otherwise within TIGHTEST
// .. LOOSEST.
static const double TIGHT = 1e-10;
static const double TIGHTEST = 1e-12;
static const double LOOSEST = 0.1;
// Rounding may leave a larger residual than requested; above this the step fails.
static const double UNSOLVED = 1e-3;

/// current = P(x): constrained axes are at their targets.
static bool start(struct minimization *m, const double *x) {
    const double begin = clock_seconds();
    const bool admissible = minimization_evaluate(m, x);
    m->result.time_evaluate += clock_seconds() - begin;
    if (m->stopped) {
        minimization_fail_stopped(m);
    } else if (!admissible) {
        m->result.status = status_fail(PBS_ERROR_INADMISSIBLE, "the step cannot be linearized: %s",
                                       m->projection_failed
                                           ? pbs_last_error()
                                           : "the energy is infinite at the start of the "
                                             "step");
    } else {
        iterate_swap(&m->newton->trial, &m->newton->current);
    }
    return admissible;
}

static double linear_tolerance(const struct minimization *m) {
    const double residual = m->options->residual;
    return residual > 0.0 ? fmin(fmax(residual / m->result.gradient_norm, TIGHTEST), LOOSEST)
                          : TIGHT;
}

/// Computes the start vector of the linear solve, in row order: begin = x - free-fall state, which
/// is the solution in free fall, and residual = grad E - H begin.
static void find_start_vector(struct minimization *m, double *begin, double *residual) {
    struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    const size_t count = newton_coordinate_count(newton);
    double *const free_fall = newton->accepted.x;
    minimization_guess_free_fall(m, newton->current.x, free_fall);
    vector_combine(tasks, count, newton->current.x, -1.0, free_fall, free_fall);
    assembly_to_rows(tasks, newton->assembly, free_fall, begin);
    constrain_direction(&newton->assembly->layout, m->projection->active,
                        m->projection->active_count, begin);
    problem_multiply(tasks, &newton->problem, begin, residual);
    vector_combine(tasks, count, newton->gradient_rows, -1.0, residual, residual);
}

/// direction = -H^-1 grad E, to the tolerance m->options->residual. Starts from the free-fall
/// vector if that reduces the residual.
static struct pcg_result conjugate_gradients(struct minimization *m) {
    struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    const size_t count = newton_coordinate_count(newton);
    double *const begin = newton->accepted.gradient;
    double *const residual = newton->trial.gradient;
    find_start_vector(m, begin, residual);
    const double whole = vector_norm(tasks, count, newton->gradient_rows);
    const double left = vector_norm(tasks, count, residual) / whole;
    const bool starts_in_free_fall = isfinite(whole) && left < 1.0;
    const double tolerance = newton->problem.tolerance / (starts_in_free_fall ? left : 1.0);
    const struct pcg_options options = {.relative_tolerance = fmin(tolerance, 1.0),
                                        .iteration_limit = m->options->linear_limit};
    struct pcg_result result = {.outcome = PCG_CONVERGED, .relative_residual = 1.0};
    if (!starts_in_free_fall || left > newton->problem.tolerance) {
        result = pcg_solve(tasks, &newton->problem, &newton->preconditioner,
                           starts_in_free_fall ? residual : newton->gradient_rows, &options,
                           &newton->pcg, newton->direction_rows);
    } else {
        vector_scale(tasks, count, 0.0, newton->direction_rows);
    }
    if (starts_in_free_fall) {
        vector_combine(tasks, count, newton->direction_rows, 1.0, begin, newton->direction_rows);
        result.relative_residual *= left;
    }
    vector_scale(tasks, newton_coordinate_count(newton), -1.0, newton->direction_rows);
    minimization_finish_direction(m);
    minimization_read_solver_report(m);
    m->result.linear_solves++;
    m->result.linear_iterations += result.iterations;
    m->result.indefinite_solves += result.outcome == PCG_INDEFINITE;
    return result;
}

static bool solve(struct minimization *m) {
    m->newton->problem.tolerance = linear_tolerance(m);
    const bool factored = minimization_linearize(m);
    if (m->stopped) {
        minimization_fail_stopped(m);
        return false;
    }
    const double begin = clock_seconds();
    const struct pcg_result result = factored ? conjugate_gradients(m)
                                              : (struct pcg_result){.outcome = PCG_INDEFINITE};
    m->result.time_solve += clock_seconds() - begin;
    if (result.outcome == PCG_GIVEN_UP) {
        minimization_stop_solver(m, result.status);
        minimization_fail_stopped(m);
    } else if (result.outcome == PCG_INDEFINITE) {
        m->result.status = status_fail(PBS_ERROR_INADMISSIBLE,
                                       "the matrix of the linearized step is not positive "
                                       "definite: take shorter steps or set project_hessian");
    } else if (result.outcome == PCG_ITERATION_LIMIT) {
        m->result.status = status_fail(PBS_ERROR_CONVERGENCE,
                                       "the linearized step was not solved in %u iterations",
                                       m->options->linear_limit);
    } else if (result.outcome == PCG_STAGNATED && !(result.relative_residual <= UNSOLVED)) {
        m->result.status = status_fail(PBS_ERROR_CONVERGENCE,
                                       "the linearized step was not solved: rounding keeps its "
                                       "relative residual at %g",
                                       result.relative_residual);
    }
    return m->result.status >= 0;
}

/// current = P(current + d), with the full step.
static bool move(struct minimization *m) {
    struct newton *const newton = m->newton;
    const double bound = objective_max_step(m->objective, newton->current.x, newton->direction,
                                            INFINITY);
    vector_combine(m->objective->tasks, newton_coordinate_count(newton), newton->current.x, 1.0,
                   newton->direction, newton->gradient);
    const double begin = clock_seconds();
    const bool admissible = bound > 1.0 &&
                            minimization_free_step(m, newton->current.x, newton->direction, 1.0) ==
                                1.0 &&
                            !m->stopped && minimization_evaluate(m, newton->gradient);
    m->result.time_search += clock_seconds() - begin;
    if (m->stopped) {
        minimization_fail_stopped(m);
    } else if (!admissible) {
        m->result.status = status_fail(
            PBS_ERROR_INADMISSIBLE,
            "the linearized step leads to an infinite energy or through a surface (elements invert "
            "after %g of its length): take shorter steps",
            fmin(bound, 1.0));
    } else {
        iterate_swap(&newton->trial, &newton->current);
    }
    return admissible && !m->stopped;
}

/// Constraints have exerted what the step reckoned, and from now on that is all that they exert:
/// rho C is no force, and thousands of times what the step missed.
static void release_constraints(struct minimization *m) {
    struct constraint_set *const constraints = m->objective->constraints;
    struct newton *const newton = m->newton;
    if (!constraint_set_is_empty(constraints)) {
        const struct joint_step step = {newton->trial.x, newton->direction};
        (void)constraint_set_update(constraints, &step, newton->current.x,
                                    newton->current.gradient);
        constraint_set_remove_penalties(constraints, newton->current.x, newton->current.gradient);
    }
}

/// Returns c |M^-1 grad E|, the largest component: the displacement that the forces missing from
/// the linearisation would cause (ATS eqs. 9 and 11; docs/theory/step_control.md section 1). Those
/// missing from constraints would close them.
static double force_error(const struct minimization *m) {
    const double *const gradient = m->newton->gradient;
    double worst = 0.0;
    for (size_t k = 0; k < newton_coordinate_count(m->newton); k++) {
        const double error = fabs(gradient[k]) / m->objective->mass[k / 3];
        // Written so that NaN is propagated.
        worst = error <= worst ? worst : error;
    }
    worst *= m->objective->weight;
    if (constraint_set_is_empty(m->objective->constraints)) {
        return worst;
    }
    const double miss = constraint_set_miss(m->objective->constraints, m->newton->current.x);
    return miss > worst ? miss : worst;
}

struct newton_result newton_linear_step(struct newton *newton, const struct objective *objective,
                                        struct projection *projection,
                                        const struct newton_options *options, double *x) {
    struct minimization m = {
        .newton = newton, .objective = objective, .projection = projection, .options = options};
    bool moved = false;
    if (!minimization_move_prescribed(&m, x, &moved) || !start(&m, x)) {
        return m.result;
    }
    minimization_activate(&m);
    if (m.result.gradient_norm > 0.0) {
        m.result.newton_iterations = 1;
        if (!solve(&m) || !move(&m)) {
            return m.result;
        }
        release_constraints(&m);
        minimization_activate(&m);
    }
    m.result.force_error = force_error(&m);
    vector_copy(objective->tasks, newton_coordinate_count(newton), newton->current.x, x);
    return m.result;
}

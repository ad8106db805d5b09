// Newton's method as in OPT's comparison: full steps with an accurate linear solve and without
// safeguards.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/clock.h"
#include "base/lanes/vector.h"
#include "linear/krylov/minres.h"
#include "minimize/newton/state.h"
#include "pbs/stats.h"

static const double LINEAR_TOLERANCE = 1e-10;

/// Solves H d = -grad E. Buffers of the line search serve as MINRES workspace.
static void solve(struct minimization *m) {
    struct newton *const newton = m->newton;
    struct tasks *const tasks = m->objective->tasks;
    struct pcg_workspace *const p = &newton->pcg;
    const struct minres_workspace workspace = {
        .v = {p->r, p->z, p->p},
        .z = {p->ap, newton->trial.x},
        .w = {newton->accepted.x, newton->accepted.gradient, newton->trial.gradient}};
    const struct minres_options options = {LINEAR_TOLERANCE, m->options->linear_limit};
    const struct minres_result result = minres_solve(tasks, &newton->problem,
                                                     &newton->preconditioner, newton->gradient_rows,
                                                     &options, &workspace, newton->direction_rows);
    vector_scale(tasks, newton_coordinate_count(newton), -1.0, newton->direction_rows);
    minimization_finish_direction(m);
    minimization_read_solver_report(m);
    m->result.linear_solves++;
    m->result.linear_iterations += result.iterations;
}

/// current = P(current + d). Returns false if E is not finite.
static bool step(struct minimization *m) {
    struct newton *const newton = m->newton;
    vector_combine(m->objective->tasks, newton_coordinate_count(newton), newton->current.x, 1.0,
                   newton->direction, newton->gradient);
    const double start = clock_seconds();
    const bool finite = minimization_evaluate(m, newton->gradient);
    m->result.time_search += clock_seconds() - start;
    if (finite) {
        iterate_swap(&newton->trial, &newton->current);
    }
    return finite;
}

/// Does one iteration. Returns false, with a status set, if it failed.
static bool iterate(struct minimization *m) {
    m->newton->problem.tolerance = LINEAR_TOLERANCE;
    const bool factored = minimization_linearize(m);
    if (factored) {
        const double start = clock_seconds();
        solve(m);
        m->result.time_solve += clock_seconds() - start;
        m->result.newton_iterations++;
        m->has_iterated = true;
    }
    if (factored && step(m)) {
        return true;
    }
    if (m->stopped) {
        minimization_fail_stopped(m);
    } else {
        minimization_fail_unconverged(m, PBS_FAILURE_NO_DESCENT,
                                      factored ? "plain Newton reached an infinite energy"
                                               : "plain Newton could not factor the Hessian");
    }
    return false;
}

void plain_newton_run(struct minimization *m) {
    bool has_updated = false;
    for (;;) {
        minimization_activate(m);
        const bool may_close = !has_updated || m->result.constraint_gap <= 1.0;
        if (may_close && minimization_is_solved(m)) {
            if (minimization_close_constraints(m, NULL)) {
                return;
            }
            has_updated = true;
            continue;
        }
        if (m->result.newton_iterations >= m->options->newton_limit) {
            minimization_fail_unconverged(m, PBS_FAILURE_RESIDUAL, "plain Newton did not converge");
            return;
        }
        if (!iterate(m)) {
            return;
        }
        const struct joint_step step = {m->newton->trial.x, m->newton->direction};
        has_updated = !minimization_update_multipliers(m, &step);
    }
}

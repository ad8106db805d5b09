// The stage of a scheme without inertia.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/step_state.h"

#include <math.h>

#include "base/lanes/vector.h"
#include "integrate/statics/quasi_static.h"

/// Sets prescribed targets and obstacles at the end of the step, and the initial state: x_n, or the
/// previous end of the same step.
static void set_static_scripts(struct step *step) {
    const struct step_problem *problem = step->problem;
    const struct scripts *scripts = &problem->scripts;
    struct step_workspace *w = step->w;
    double *const x = w->stages[0].x;
    scripts->set_prescribed_targets(scripts->self, step->span->end);
    step->result.status = scripts->set_obstacles(scripts->self, step->span->end);
    if (step_failed(step)) {
        return;
    }
    vector_copy(step->tasks, step->count, problem->continues ? w->next.x : w->now.x, x);
    step_set_contact_obstacles(problem, problem->continues ? step->span->end : step->span->begin,
                               step->span->end);
    if (problem->continues && !step_lag_contact(step, x)) {
        return;
    }
    contact_set_begin_stage(&problem->objective.contacts, w->position_history, step->view.h);
}

static struct static_result balance(const struct step *step, struct objective *objective) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    const struct static_problem equilibrium = {
        .newton = problem->newton,
        .projection = problem->projection,
        .options = &problem->options,
        .objective = objective,
        .wind = problem->wind,
        .predictor = w->predictor,
        .start = w->velocity_history,
        .host_force = problem->host_force,
        .gradient = w->gradient_now,
        .critical_step = problem->critical_step,
        .extent = problem->extent,
        .friction_iterations = problem->friction_iterations,
        .stops_when_unsupported = problem->allow_unconverged,
    };
    return quasi_static_solve(&equilibrium, w->stages[0].x);
}

void step_run_static_stage(struct step *step) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    struct kinematics *stage = &w->stages[0];
    struct stage_recipe recipe = {.share = 1.0};
    problem->scheme->stage(&step->view, 0, &recipe);
    struct objective objective = step_stage_objective(step, &recipe);
    objective.damping = NULL;
    objective.term_count = problem->conservative_count;
    objective.term_count += problem->wind != NULL ? wind_term_count(problem->wind) : 0;
    set_static_scripts(step);
    if (step_failed(step)) {
        return;
    }
    step->result.stages++;
    step_begin_constraints(step, INFINITY, 1.0, stage->x);
    const struct static_result solved = balance(step, &objective);
    newton_result_add(&step->result.newton, &solved.newton);
    step->result.is_unsupported = solved.is_unsupported;
    if (!step_accept_solution(step, &solved.newton)) {
        return;
    }
    step_report_constraints(step, stage->x);
    w->potential_drop = solved.potential_drop + (problem->continues ? w->potential_drop : 0.0);
    vector_zero(step->tasks, step->count, stage->v);
    vector_zero(step->tasks, step->count, stage->a);
    step_apply_constraints(step, stage->x, stage->v, stage->a);
    step_report_contact(step, 1.0, stage->x);
    step->result.dissipated = w->potential_drop +
                              step->view.h * step_account_for_contact(step, &recipe, stage);
}

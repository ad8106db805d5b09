// Forces at a state: the acceleration at the start of a step, and that of schemes with a kick.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/step_state.h"

#include <math.h>

#include "base/lanes/vector.h"
#include "integrate/schemes/recipe.h"
#include "integrate/states/strain_rates.h"

static pbs_status why_stopped(const struct objective_result *result) {
    return result->status < 0 ? result->status : terms_fail_stopped();
}

pbs_status step_evaluate_potential(const struct step *step, const double *x, double *value,
                                   double *gradient) {
    struct objective objective = step->problem->objective;
    objective.term_count = step->problem->conservative_count;
    objective.damping = NULL;
    objective.predictor = x;
    objective.weight = INFINITY;
    objective.without_constraints = true;
    objective.stage = (struct stage_view){.origin = x, .length = 1.0};
    const struct objective_result result = objective_evaluate(&objective, x, true, gradient, NULL);
    *value = result.value;
    if (result.answer == EVALUATE_STOP) {
        return why_stopped(&result);
    }
    if (result.answer != EVALUATE_OK || !isfinite(result.value)) {
        return status_fail(PBS_ERROR_INADMISSIBLE,
                           "the potential is infinite at the start or the end of the step");
    }
    return PBS_OK;
}

pbs_status step_find_contact(const struct step_problem *problem, double fraction, const double *x) {
    if (!contact_set_has_forces(&problem->objective.contacts)) {
        return PBS_OK;
    }
    step_set_contact_obstacles(problem, fraction, fraction);
    return contact_set_prepare_forces(&problem->objective.contacts, problem->objective.tasks, x);
}

double step_accelerate(struct step *step, const struct kinematics *state, double *out) {
    struct step_workspace *w = step->w;
    const double h = step->view.h;
    if (step->problem->damping != NULL) {
        step_lag_damping(step, state->x, 0.0);
        if (step_failed(step)) {
            return 0.0;
        }
    }
    vector_combine(step->tasks, step->count, state->x, -h, state->v, w->predictor);
    if (step->problem->wind != NULL) {
        wind_begin(step->problem->wind, step->tasks, WIND_EXACT, state->x, state->v);
    }
    if (step->has_strains) {
        const struct strain_stage now = strain_stage_now(state, h);
        strains_begin_stage(step->tasks, step->problem->objective.assembly,
                            step->problem->objective.terms, step->problem->objective.term_count,
                            &now);
    }
    const double fraction = state->x == w->now.x ? step->span->begin : step->span->end;
    step->result.status = step_find_contact(step->problem, fraction, state->x);
    if (step_failed(step)) {
        return 0.0;
    }
    struct objective objective = step->problem->objective;
    objective.damping = step->problem->damping;
    objective.predictor = state->x;
    objective.weight = INFINITY;
    objective.stage = (struct stage_view){.origin = w->predictor, .length = h};
    objective.with_friction = true;
    objective.without_constraints = true;
    contact_set_begin_stage(&objective.contacts, w->predictor, h);
    // The value is requested if nothing else tests whether the state is admissible.
    const struct objective_result result = objective_evaluate(
        &objective, state->x, step->problem->scheme->kicks, w->gradient_now, NULL);
    if (result.answer != EVALUATE_OK) {
        step->result.status = result.answer == EVALUATE_STOP
                                  ? why_stopped(&result)
                                  : status_fail(
                                        PBS_ERROR_INADMISSIBLE,
                                        "the forces at the %s of the step cannot be evaluated",
                                        state->x == w->now.x ? "start" : "end");
        return 0.0;
    }
    if (w->rotations != NULL && state->x != w->now.x) {
        rotations_gradient_to_moments(w->rotations, step->tasks, state->x, w->gradient_now);
    }
    for (size_t i = 0; i < step->count; i++) {
        out[i] = -w->gradient_now[i] / objective.mass[i / 3];
    }
    step_constrain_acceleration(step, out);
    if (step_has_constraints(step)) {
        const struct stage_nodes stage = step_stage_nodes(step, INFINITY, state->x);
        constraint_set_project(objective.constraints, &stage, state->v, out);
    }
    return step_dissipated_power(step->problem, &objective, state->x, NULL);
}

/// a_n <- a(x_n) + (a_n - a(x_n)) h / h_before (docs/theory/schemes.md section 2).
static void rescale_acceleration(struct step *step) {
    struct step_workspace *w = step->w;
    const double ratio = step->view.h / step->view.h_before;
    vector_scale(step->tasks, step->count, 1.0 - ratio, w->acceleration);
    vector_combine(step->tasks, step->count, w->acceleration, ratio, w->now.a, w->acceleration);
    double *const power = &step->losses[STATE_NOW].a;
    *power += (w->memory.power - *power) * ratio;
}

/// Projects an acceleration computed from forces alone onto the constraints of nodes that rest on
/// obstacles. Without this, a scheme with stored accelerations would start with a fall that does
/// not happen, and undamped schemes would oscillate about the contact force forever.
static void project_step_acceleration(struct step *step) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    problem->scripts.set_prescribed_targets(problem->scripts.self, step->span->begin);
    step->result.status = problem->scripts.set_obstacles(problem->scripts.self, step->span->begin);
    if (!step_failed(step)) {
        contact_set_project_acceleration(&problem->objective.contacts, step->tasks, w->now.x,
                                         w->now.v, step->view.h, w->gradient_now, w->acceleration);
    }
}

/// Evaluates barriers at x. gradient: vector slots of the assembly, or null. Returns whether they
/// press; false also if the step fails.
static bool evaluate_barriers(struct step *step, const double *x, double *gradient) {
    const struct objective *const o = &step->problem->objective;
    struct contact_energy energy = {0};
    if (!contact_set_bounds(&o->contacts)) {
        return false;
    }
    const pbs_status status = contact_set_evaluate(&o->contacts, step->tasks, x, false, gradient,
                                                   &energy);
    step->result.status = status < 0 ? status : step->result.status;
    return status >= 0 && energy.potential > 0.0;
}

bool step_barriers_press(struct step *step) {
    return evaluate_barriers(step, step->w->now.x, NULL);
}

/// Reports the contacts of the step below. of_pressed: of the bodies that are pressed, and now of
/// all that they touch at its solution.
static void report_start(struct step *step, const double *x, bool of_pressed) {
    struct step_workspace *w = step->w;
    const double share = step->contact.start;
    if (of_pressed && evaluate_barriers(step, x, NULL)) {
        struck_bodies_spread(&w->struck, &step->problem->objective);
        step->node_fractions = struck_bodies_fractions(&w->struck, &step->problem->objective, 0.0,
                                                       share);
    }
    if (!step_failed(step)) {
        step_report_contact(step, share, x);
    }
    step->node_fractions = NULL;
}

/// a_n = (x - x~) / c of an implicit Euler step over h: the mean of the forces that act in the
/// step, not those of barriers at x_n, which fall within a fraction of it.
static void resolve_acceleration(struct step *step, bool of_pressed) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    struct stage_recipe recipe = {.share = 1.0};
    recipe_implicit_euler(&step->view, &recipe);
    if (problem->damping != NULL) {
        step_lag_damping(step, w->now.x, recipe.time);
        if (step_failed(step)) {
            return;
        }
    }
    step_lag_wind(step, recipe.time);
    const struct objective objective = step_stage_objective(step, &recipe);
    step_begin_strains(step, &recipe);
    if (!step_set_stage_scripts(step, 0, &recipe)) {
        return;
    }
    double *const x = w->stages[0].x;
    step_begin_constraints(step, recipe.weight, recipe.time, x);
    if (step_solve_stage(step, &objective, &problem->options, x) < 0) {
        return;
    }
    vector_combine(step->tasks, step->count, x, -1.0, w->predictor, w->acceleration);
    vector_scale(step->tasks, step->count, 1.0 / recipe.weight, w->acceleration);
    step_constrain_acceleration(step, w->acceleration);
    if (step_finds_start(step)) {
        report_start(step, x, of_pressed);
    }
    step_set_contact_obstacles(problem, step->span->begin, step->span->begin);
}

static bool may_resolve(const struct step *step) {
    const struct scheme_table *const scheme = step->problem->scheme;
    return scheme->acceleration != ACCELERATION_COMPUTED && !scheme->kicks &&
           !step->problem->linearized;
}

bool step_finds_start(const struct step *step) {
    return step->problem->scheme->keeps_impacts && may_resolve(step) &&
           contact_set_bounds(&step->problem->objective.contacts);
}

/// The same for bodies on which barriers press at x_n, with all that they touch or are joined to
/// there or at the step's solution, since both sides of a contact have to make the same of its
/// force. Others keep what is stored.
static void resolve_pressed(struct step *step) {
    const struct objective *const o = &step->problem->objective;
    struct step_workspace *w = step->w;
    vector_zero(step->tasks, 3 * o->assembly->vector_slot_count, w->gradient_now);
    if (!evaluate_barriers(step, w->now.x, w->gradient_now)) {
        return;
    }
    struck_bodies_find(&w->struck, o, NULL, w->gradient_now);
    step->acceleration = w->acceleration;
    resolve_acceleration(step, true);
    for (size_t k = 0; k < step->count; k++) {
        w->acceleration[k] = w->struck.is_struck[k / 3] ? w->acceleration[k] : w->now.a[k];
    }
    struck_bodies_begin_step(&w->struck);
}

void step_start_acceleration(struct step *step) {
    const enum acceleration_use use = step->problem->scheme->acceleration;
    struct step_workspace *w = step->w;
    if (use == ACCELERATION_UNUSED) {
        return;
    }
    // A linearized stage leaves unbalanced forces, so its acceleration is not that of the forces.
    const bool kept = w->memory.has_acceleration && !step->problem->linearized &&
                      !step->follows_impact &&
                      scheme_resolves_acceleration(step->view.h, step->view.h_before);
    const bool shifted = kept && use == ACCELERATION_SHIFTED && step->view.h != step->view.h_before;
    if (kept && !shifted) {
        step->acceleration = w->now.a;
        step->losses[STATE_NOW].a = w->memory.power;
        if (step_finds_start(step)) {
            resolve_pressed(step);
        }
        return;
    }
    step->acceleration = w->acceleration;
    step->losses[STATE_NOW].a = step_accelerate(step, &w->now, w->acceleration);
    // In schemes with a kick the obstacles act on the position that was reached instead.
    if (use != ACCELERATION_COMPUTED && !step->problem->scheme->kicks && !step_failed(step)) {
        project_step_acceleration(step);
    }
    if (may_resolve(step) && !step_failed(step) && step_barriers_press(step)) {
        resolve_acceleration(step, false);
    } else if (shifted && !step_failed(step)) {
        rescale_acceleration(step);
    }
}

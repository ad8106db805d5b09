// What damping, drag, wind, friction and joints lose in a stage, and what is lagged for them.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/step_state.h"

#include "base/lanes/vector.h"

/// Returns the power that wind loses to the air at a stage. Not of its potential, which is cubic.
static double wind_dissipation(const struct step_problem *problem, const double *x,
                               const struct stage_view *stage) {
    double power = 0.0;
    if (problem->wind != NULL) {
        const struct wind_power *powers = wind_measure(problem->wind, problem->objective.tasks, x,
                                                       stage);
        for (size_t i = 0; i < wind_surface_count(problem->wind); i++) {
            power += powers[i].dissipated;
        }
    }
    return power;
}

double step_dissipated_power(const struct step_problem *problem, const struct objective *objective,
                             const double *x, double *gradient) {
    struct objective dissipative = *objective;
    dissipative.dissipative_only = true;
    dissipative.predictor = x; // inertia does not dissipate
    dissipative.contacts.count = 0;
    if (dissipative.term_count == problem->conservative_count && dissipative.damping == NULL) {
        return 0.0;
    }
    const struct objective_result result = objective_evaluate(&dissipative, x, true, gradient,
                                                              NULL);
    return 2.0 * result.by_kind[ENERGY_DISSIPATED] / objective->stage.length +
           wind_dissipation(problem, x, &objective->stage);
}

double step_account_for_contact(struct step *step, const struct stage_recipe *recipe,
                                const struct kinematics *stage) {
    double power = contact_set_friction_power(&step->problem->objective.contacts, step->tasks,
                                              stage->x, recipe->length);
    if (step_is_controlled(step)) {
        const struct energy_step energy = step_energy(step);
        energy_add_contact(&step->w->energy, &energy, recipe->share * step->view.h,
                           step->node_fractions, stage->x, stage->v);
        energy_add_constraints(&step->w->energy, &energy, recipe->share * step->view.h, stage->x);
    }
    if (step_has_constraints(step)) {
        power += constraint_set_dissipated_power(step->problem->objective.constraints, stage->x);
    }
    return power;
}

void step_account_for_damping(struct step *step, const struct stage_recipe *recipe,
                              const struct kinematics *stage, const double *gradient) {
    const struct energy_step energy = step_energy(step);
    const double seconds = recipe->share * step->view.h;
    struct wind *const wind = step->problem->wind;
    energy_add_damping(&step->w->energy, &energy, seconds, gradient, stage->v);
    if (wind != NULL) {
        const struct stage_view view = {step->w->position_history, recipe->length};
        const struct wind_power *powers = wind_measure(wind, step->tasks, stage->x, &view);
        for (size_t i = 0; i < wind_surface_count(wind); i++) {
            energy_add_supply(&step->w->energy, wind_surface_node(wind, i),
                              seconds * powers[i].supplied);
        }
    }
}

void step_lag_damping(struct step *step, const double *x, double time) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    const struct objective *o = &problem->objective;
    int answer = EVALUATE_RECOVERABLE;
    if ((problem->scheme->order > 1 || problem->scheme->damps_ahead) && time > 0.0) {
        vector_combine(step->tasks, step->count, w->now.x, time * step->view.h, w->now.v,
                       w->predictor);
        answer = rayleigh_begin(problem->damping, step->tasks, o->assembly, o->terms, o->term_count,
                                w->predictor, true, o->scratch);
    }
    if (answer == EVALUATE_RECOVERABLE) {
        answer = rayleigh_begin(problem->damping, step->tasks, o->assembly, o->terms, o->term_count,
                                x, true, o->scratch);
    }
    if (answer == EVALUATE_STOP) {
        step->result.status = terms_fail_stopped();
    } else if (answer != EVALUATE_OK) {
        step->result.status = status_fail(
            PBS_ERROR_INADMISSIBLE,
            "the elastic energy is infinite at the start of the step, so damping has no matrix");
    }
}

void step_lag_wind(struct step *step, double time) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    const double *x = w->now.x;
    if (problem->wind == NULL) {
        return;
    }
    if ((problem->scheme->order > 1 || problem->scheme->damps_ahead) && time > 0.0) {
        vector_combine(step->tasks, step->count, x, time * step->view.h, w->now.v, w->predictor);
        x = w->predictor;
    }
    wind_begin(problem->wind, step->tasks, problem->linearized ? WIND_LINEAR : WIND_EXACT, x,
               w->now.v);
}

// A stage of a step: its objective, its solution, what is reported of it.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/step_state.h"

#include <math.h>

#include "base/lanes/vector.h"
#include "integrate/states/strain_rates.h"

// Friction of contacts that begin in a step is solved for if it is more than this fraction of the
// force that acts on a body. With half of that a hit with a coefficient of .5 would not count.
static const double UNSOLVED_FRICTION = 0.1;

void step_begin_strains(const struct step *step, const struct stage_recipe *recipe) {
    const struct objective *o = &step->problem->objective;
    struct kinematics states[STATE_COUNT];
    if (step->has_strains) {
        step_list_states(step, states);
        const struct strain_stage stage = strain_stage_of(recipe, states, step->view.h,
                                                          step->problem->scheme->leaves_feasible);
        strains_begin_stage(step->tasks, o->assembly, o->terms, o->term_count, &stage);
    }
}

static void end_strains(const struct step *step, uint32_t index, double length) {
    const struct objective *o = &step->problem->objective;
    if (step->has_strains) {
        strains_end_stage(step->tasks, o->assembly, o->terms, o->term_count, index,
                          step->w->stages[index].x, length);
    }
}

void step_differentiate_stage(const struct step *step, const struct stage_recipe *recipe,
                              struct kinematics *stage) {
    const struct step_workspace *w = step->w;
    vector_combine(step->tasks, step->count, stage->x, -1.0, w->position_history, stage->v);
    vector_scale(step->tasks, step->count, 1.0 / recipe->length, stage->v);
    vector_combine(step->tasks, step->count, stage->x, -1.0, w->predictor, stage->a);
    vector_scale(step->tasks, step->count, 1.0 / recipe->weight, stage->a);
    if (step_stage_is_lengthened(step, recipe)) {
        step_differentiate_lengthened(step, recipe, stage);
    }
}

/// Minimises a stage. A linearized stage is solved to c |M^-1 r| below the accuracy
/// (docs/theory/step_control.md section 2), which a bound of |r| computed for the lightest node
/// guarantees.
static struct newton_result minimize_stage(const struct step *step,
                                           const struct objective *objective,
                                           const struct newton_options *options, double *x) {
    const struct step_problem *problem = step->problem;
    if (!problem->linearized) {
        return newton_minimize(problem->newton, objective, problem->projection, options, x);
    }
    struct newton_options linear = *options;
    linear.residual = problem->linear_accuracy * problem->least_mass / objective->weight;
    return newton_linear_step(problem->newton, objective, problem->projection, &linear, x);
}

/// Coordinates are far from the origin, or elements stiff, compared with what the host's forces do.
static void report_hidden(struct step *step, const struct newton_hidden *hidden) {
    if (!(hidden->force > 0.0) || step->result.status != PBS_OK) {
        return;
    }
    step->result.status = status_fail(
        PBS_NOT_CONVERGED,
        "body %u (of pbs_world_body_at) is solved to %.3g N, the rounding error of its forces, "
        "which hides some of the %.3g N that act on it: move the scene to the origin, or use a "
        "lower stiffness or larger elements",
        (unsigned)hidden->body, hidden->rounding, hidden->force);
    status_save(&step->result.unconverged);
}

bool step_accept_solution(struct step *step, const struct newton_result *solved) {
    if (solved->status == PBS_ERROR_CONVERGENCE && !solved->blocked &&
        step->problem->allow_unconverged) {
        step->result.status = PBS_NOT_CONVERGED;
        status_save(&step->result.unconverged);
        return true;
    }
    step->result.status = solved->status < 0 ? solved->status : step->result.status;
    if (solved->status == PBS_OK) {
        report_hidden(step, &solved->hidden);
    }
    return solved->status >= 0;
}

int64_t step_solve_stage(struct step *step, const struct objective *objective,
                         const struct newton_options *options, double *x) {
    const struct newton_result solved = minimize_stage(step, objective, options, x);
    newton_result_add(&step->result.newton, &solved);
    return step_accept_solution(step, &solved) ? (int64_t)solved.newton_iterations : -1;
}

bool step_lag_contact(struct step *step, const double *x) {
    step->lags_start = x == step->w->now.x;
    const pbs_status status = contact_set_lag_friction(
        &step->problem->objective.contacts, step->tasks, x, step->lags_start, &step->lagged);
    // A former PBS_NOT_CONVERGED is preserved.
    step->result.status = status < 0 ? status : step->result.status;
    return status >= 0;
}

/// Lags friction at x and begins the stage again from there. Returns whether there is friction
/// before or after; false also if the step has failed.
static bool lag_again(struct step *step, const struct objective *objective, const double *x) {
    const size_t before = step->lagged;
    if (!step_lag_contact(step, x)) {
        return false;
    }
    contact_set_begin_stage(&objective->contacts, objective->stage.origin, objective->stage.length);
    return before + step->lagged > 0;
}

/// Undoes newton_result_add, but for what it counts.
static void keep_accuracy(struct newton_result *sum, const struct newton_result *before) {
    sum->gradient_norm = before->gradient_norm;
    sum->value = before->value;
    sum->tolerance = before->tolerance;
    sum->constraint_gap = before->constraint_gap;
    sum->failure = before->failure;
    sum->force_error = before->force_error;
}

/// Contacts that begin in the step have no friction at its start. Where friction at the solution
/// leaves more than UNSOLVED_FRICTION of the force that acts on a body, the stage is solved once
/// more. Where it leaves less, x was not solved with it, and the friction and the accuracy that are
/// reported remain those that x was solved with. Where nothing has moved no contact begins.
static void solve_new_friction(struct step *step, const struct objective *objective, double *x) {
    if (step->lags_start && vector_equals(step->count, x, step->w->now.x)) {
        return;
    }
    const struct newton_result solved = step->result.newton;
    const size_t lagged = step->lagged;
    const bool lags_start = step->lags_start;
    struct newton_options options = step->problem->options;
    options.initial_guess = NEWTON_GUESS_GIVEN;
    options.first_share = UNSOLVED_FRICTION;
    if (lag_again(step, objective, x) && step_solve_stage(step, objective, &options, x) == 0) {
        contact_set_restore_friction(&objective->contacts);
        step->lagged = lagged;
        step->lags_start = lags_start;
        keep_accuracy(&step->result.newton, &solved);
    }
}

/// Repeats the solve with friction lagged at the solution instead of at the start of the step,
/// until that changes nothing (docs/theory/contact.md section 4, re-lagging) or friction_iterations
/// is reached. With one of them, and limits by body, for friction that begins in the step alone.
static bool repeat_with_friction(struct step *step, const struct objective *objective, double *x) {
    const struct step_problem *problem = step->problem;
    struct newton_options options = problem->options;
    options.initial_guess = NEWTON_GUESS_GIVEN;
    if (!contact_set_has_potential(&objective->contacts) || problem->linearized) {
        return true;
    }
    if (problem->friction_iterations < 2 && options.tolerance == 0.0) {
        solve_new_friction(step, objective, x);
        return !step_failed(step);
    }
    int64_t iterations = INT64_MAX;
    for (uint32_t i = 1; i < problem->friction_iterations && iterations > 1; i++) {
        if (!lag_again(step, objective, x)) {
            return !step_failed(step);
        }
        iterations = step_solve_stage(step, objective, &options, x);
    }
    return iterations >= 0;
}

struct contact_stage step_contact_stage(const struct step *step, const double *x, double share) {
    return (struct contact_stage){.x = x,
                                  .impulse_fraction = share,
                                  .node_fractions = step->node_fractions,
                                  .memory = step->problem->memory,
                                  .report = step->problem->report,
                                  .node_forces = step->w->contact_force};
}

void step_report_contact(struct step *step, double share, const double *x) {
    const struct contact_stage solution = step_contact_stage(step, x, share);
    if (!step_failed(step)) {
        const pbs_status status = contact_set_report(&step->problem->objective.contacts,
                                                     step->tasks, &solution, step->active);
        step->result.status = status < 0 ? status : step->result.status;
    }
}

/// Returns the initial state of the minimiser: the known state of finite energy that is nearest in
/// time. Linearized stages always start at z_n.
static const double *nearest_state(const struct step *step, uint32_t index, double *time) {
    const double *nearest = step->w->now.x;
    double distance = step->times[index];
    *time = 0.0;
    for (uint32_t i = 0; i < index && !step->problem->linearized; i++) {
        const double away = fabs(step->times[index] - step->times[i]);
        if (away < distance) {
            nearest = step->w->stages[i].x;
            distance = away;
            *time = step->times[i];
        }
    }
    return nearest;
}

struct objective step_stage_objective(const struct step *step, const struct stage_recipe *recipe) {
    struct step_workspace *w = step->w;
    step_combine(step, &recipe->position_history, w->position_history);
    step_combine(step, &recipe->velocity_history, w->velocity_history);
    const double *const mass = step_stage_is_lengthened(step, recipe)
                                   ? step_lengthen_struck(step, recipe)
                                   : step->problem->objective.mass;
    vector_combine(step->tasks, step->count, w->position_history, recipe->length,
                   w->velocity_history, w->predictor);
    if (step_is_controlled(step)) {
        const struct energy_step energy = step_energy(step);
        energy_correct_free_fall(&w->energy, &energy, w->predictor);
    }
    struct objective objective = step->problem->objective;
    objective.damping = step->problem->damping;
    objective.with_friction = true;
    objective.predictor = w->predictor;
    objective.weight = recipe->weight;
    objective.stage = (struct stage_view){.origin = w->position_history, .length = recipe->length};
    objective.mass = mass;
    return objective;
}

/// Whether no obstacle moves in the stage. Where contact does not bound steps that is not known.
static bool obstacles_rest(const struct contact_set *contacts) {
    return contact_set_bounds(contacts) && !contact_set_has_motion(contacts);
}

bool step_set_stage_scripts(struct step *step, uint32_t index, const struct stage_recipe *recipe) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    const double fraction = step_fraction_at(step->span, recipe->time);
    problem->scripts.set_prescribed_targets(problem->scripts.self, fraction);
    // Not stored directly in the result, because an earlier stage may have left PBS_NOT_CONVERGED
    // there.
    const pbs_status placed = problem->scripts.set_obstacles(problem->scripts.self, fraction);
    if (placed < 0) {
        step->result.status = placed;
        return false;
    }
    step->times[index] = recipe->time;
    double start = 0.0;
    vector_copy(step->tasks, step->count, nearest_state(step, index, &start), w->stages[index].x);
    step_set_contact_obstacles(problem, step_fraction_at(step->span, start), fraction);
    step->lags_start = step->lags_start && obstacles_rest(&problem->objective.contacts);
    contact_set_begin_stage(&problem->objective.contacts, w->position_history, recipe->length);
    return true;
}

struct stage_nodes step_stage_nodes(const struct step *step, double weight, const double *x) {
    return (struct stage_nodes){.mass = step->problem->objective.mass,
                                .stiffness = step->problem->constraint_stiffness,
                                .weight = weight,
                                .constrained_axes = step->problem->scripts.constrained_axes,
                                .x = x};
}

void step_begin_constraints(struct step *step, double weight, double time, const double *x) {
    if (step_has_constraints(step)) {
        const struct stage_nodes stage = step_stage_nodes(step, weight, x);
        constraint_set_begin_stage(step->problem->objective.constraints, &stage,
                                   time * step->view.h);
    }
}

void step_report_constraints(struct step *step, const double *x) {
    if (!step_has_constraints(step) || !(step->result.newton.constraint_gap > 1.0) ||
        step->result.status != PBS_OK) {
        return;
    }
    const struct objective *const o = &step->problem->objective;
    const struct joint_miss joint = constraint_set_widest_joint(o->constraints, x);
    const struct held_volume_miss volume = held_volumes_widest(o->constraints->volumes, x);
    if (joint.share > fmax(1.0, volume.share)) {
        step->result.status = status_fail(
            PBS_NOT_CONVERGED,
            "joint %u (of pbs_world_joint_at) has a gap of %g m, %g times its tolerance: it "
            "contradicts other joints or pinned vertices; remove one of these",
            (unsigned)joint.number, joint.gap, joint.share);
        step->result.newton.failure.joint = joint;
        status_save(&step->result.unconverged);
    } else if (volume.share > 1.0) {
        step->result.status = status_fail(
            PBS_NOT_CONVERGED,
            "body %u (of pbs_world_body_at) misses its prescribed volume by %g m^3, %g times the "
            "tolerance: the volume contradicts joints or pinned vertices; change one of these",
            o->node_parts != NULL ? (unsigned)o->node_parts[volume.node] : 0, volume.gap,
            volume.share);
        status_save(&step->result.unconverged);
    }
}

void step_run_stage(struct step *step, uint32_t index) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    struct kinematics *stage = &w->stages[index];
    struct stage_recipe recipe = {.share = 1.0};
    problem->scheme->stage(&step->view, index, &recipe);
    step->stage = index;
    struck_bodies_begin_stage(&w->struck);
    step->recalls = w->struck.any_forgets && recipe.since > 0.0;
    if (problem->damping != NULL) {
        step_lag_damping(step, w->now.x, recipe.time);
        if (step_failed(step)) {
            return;
        }
    }
    step_lag_wind(step, recipe.time);
    struct objective objective = step_stage_objective(step, &recipe);
    step_begin_strains(step, &recipe);
    if (!step_set_stage_scripts(step, index, &recipe)) {
        return;
    }
    step->result.stages++;
    step_begin_constraints(step, recipe.weight, recipe.time, stage->x);
    if (step_solve_stage(step, &objective, &problem->options, stage->x) < 0 ||
        !step_lengthen_stage(step, &recipe, &objective, stage->x) ||
        !repeat_with_friction(step, &objective, stage->x)) {
        return;
    }
    const struct momentum_stage balance = {.mass = objective.mass,
                                           .predictor = w->predictor,
                                           .origin = w->position_history,
                                           .weight = recipe.weight,
                                           .length = recipe.length,
                                           .gravity = problem->gravity,
                                           .force = problem->force,
                                           .scene = &problem->projection->scene};
    // Bodies in contact exchange momentum, so they cannot be balanced separately.
    if (!contact_set_has_potential(&objective.contacts)) {
        momentum_balance(&balance, problem->bodies, problem->body_count, stage->x);
    }
    step_differentiate_stage(step, &recipe, stage);
    step_find_struck(step, &recipe, stage);
    step->recalls = false;
    step_add_contact_change(step, &recipe, stage->x);
    if (step_failed(step)) {
        return;
    }
    step_report_constraints(step, stage->x);
    step_apply_constraints(step, stage->x, stage->v, stage->a);
    double *const gradient = step_is_controlled(step) ? w->gradient_next : NULL;
    const double power = step_dissipated_power(problem, &objective, stage->x, gradient);
    step->node_fractions = step_impulse_fractions(step, &recipe);
    step_report_contact(step, step->contact.stage[index], stage->x);
    scalar_run_stage(&recipe, index, power + step_account_for_contact(step, &recipe, stage),
                     step->losses);
    if (step_is_controlled(step) && (power != 0.0 || problem->wind != NULL)) {
        step_account_for_damping(step, &recipe, stage, gradient);
    }
    if (index + 1 < step->stage_count) {
        contact_set_accumulate_impulses(&problem->objective.contacts,
                                        step->contact.stage[index] * step->contact.friction_time,
                                        index == 0);
        end_strains(step, index, recipe.length);
    }
}

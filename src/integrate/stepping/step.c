// One step of a scheme (docs/theory/schemes.md section 1): stages, new state, energy control,
// friction.
#include "integrate/stepping/step.h"

#include <math.h>

#include "base/lanes/vector.h"
#include "integrate/stepping/quasi_static.h"
#include "integrate/states/strain_rates.h"

static const char
    host_stopped[] = "an energy callback of the host asked to stop, or left a result unwritten";

/// State of one step, shared by its parts.
struct step {
    const struct step_problem *problem;
    const struct step_span *span;
    struct step_workspace *w;
    struct step_view view;
    struct step_result result;
    struct tasks *tasks;
    size_t count;                            ///< 3 * nodes
    double *acceleration;                    ///< a_n for the recipes; null: not used
    bool has_strains;                        ///< a term damps strain rates
    struct scalar_state losses[STATE_COUNT]; ///< energy lost, relative to z_n; see scalar.h
    double times[SCHEME_STAGE_LIMIT];        ///< of the stages, as fractions of the step
    struct contact_shares contact;
    size_t active[CONTACT_SET_LIMIT]; ///< contacts in the last report, by kind
    size_t lagged;                    ///< number of contacts in the last lagged state
};

static bool is_controlled(const struct step *step) {
    return step->problem->scheme->control != CONTROL_NONE;
}

static struct energy_step energy_step(const struct step *step) {
    const struct step_problem *problem = step->problem;
    return (struct energy_step){
        .settings = &problem->energy,
        .objective = &problem->objective,
        .conservative_count = problem->conservative_count,
        .projection = problem->projection,
        .rotations = step->w->rotations,
        .constrained_axes = problem->scripts.constrained_axes,
        .prescribed_velocity = problem->scripts.velocity,
        .velocity_now = step->w->now.v,
        .h = step->view.h,
        .free_fall_defect = problem->scheme->free_fall_defect,
        .is_continued = step->span->begin > 0.0,
    };
}

static bool failed(const struct step *step) {
    return step->result.status < 0;
}

static void set_contact_obstacles(const struct step_problem *problem, double now, double target) {
    if (problem->objective.contacts.count > 0) {
        problem->scripts.set_contact_obstacles(problem->scripts.self, now, target);
    }
}

static double fraction_at(const struct step_span *span, double time) {
    return time == 1.0 ? span->end : span->begin + time * (span->end - span->begin);
}

/// Constrained axes have constant velocity during a step, so their acceleration is zero.
static void constrain_acceleration(const struct step *step, double *a) {
    const uint8_t *constrained_axes = step->problem->scripts.constrained_axes;
    for (size_t i = 0; i < step->w->node_count; i++) {
        for (uint32_t axis = 0; constrained_axes[i] != 0 && axis < 3; axis++) {
            a[3 * i + axis] = (constrained_axes[i] >> axis & 1u) != 0 ? 0.0 : a[3 * i + axis];
        }
    }
}

/// Sets constrained axes of a state to their prescribed values; the acceleration may be null.
static void apply_constraints(const struct step *step, double *x, double *v, double *a) {
    const struct scripts *scripts = &step->problem->scripts;
    for (size_t i = 0; i < step->w->node_count; i++) {
        for (uint32_t axis = 0; scripts->constrained_axes[i] != 0 && axis < 3; axis++) {
            if ((scripts->constrained_axes[i] >> axis & 1u) == 0) {
                continue;
            }
            x[3 * i + axis] = scripts->targets[3 * i + axis];
            v[3 * i + axis] = scripts->velocity[3 * i + axis];
        }
    }
    if (a != NULL) {
        constrain_acceleration(step, a);
    }
}

static void list_states(const struct step *step, struct kinematics states[STATE_COUNT]) {
    const struct step_workspace *w = step->w;
    states[STATE_NOW] = (struct kinematics){w->now.x, w->now.v, step->acceleration};
    states[STATE_BEFORE] = w->before;
    for (int i = 0; i < SCHEME_STAGE_LIMIT; i++) {
        states[STATE_STAGE_1 + i] = w->stages[i];
    }
}

static void combine(const struct step *step, const struct combination *combination, double *out) {
    struct kinematics states[STATE_COUNT];
    list_states(step, states);
    combination_evaluate(step->tasks, combination, states, step->count, out);
}

/// Passes the strain history of the stage to the terms that damp strain rates.
static void begin_strains(const struct step *step, const struct stage_recipe *recipe) {
    const struct objective *o = &step->problem->objective;
    struct kinematics states[STATE_COUNT];
    if (step->has_strains) {
        list_states(step, states);
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

/// v = (x - p_x) / b, a = (x - predictor) / c.
static void differentiate_stage(const struct step *step, const struct stage_recipe *recipe,
                                struct kinematics *stage) {
    const struct step_workspace *w = step->w;
    vector_combine(step->tasks, step->count, stage->x, -1.0, w->position_history, stage->v);
    vector_scale(step->tasks, step->count, 1.0 / recipe->length, stage->v);
    vector_combine(step->tasks, step->count, stage->x, -1.0, w->predictor, stage->a);
    vector_scale(step->tasks, step->count, 1.0 / recipe->weight, stage->a);
}

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

/// Returns the power dissipated by damping, drag and wind at a stage. R is quadratic in v = (x -
/// p_x) / b, so the power is 2 R / b. Only dissipative terms are evaluated, so the host is not
/// called again. gradient: of R; may be null; unchanged if nothing damps.
static double dissipated_power(const struct step_problem *problem,
                               const struct objective *objective, const double *x,
                               double *gradient) {
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

static bool has_constraints(const struct step *step) {
    return !constraint_set_is_empty(step->problem->objective.constraints);
}

/// Returns the power of friction and of the joints' dampers, and adds what contact and joints did
/// in the stage to energy control.
static double account_for_contact(struct step *step, const struct stage_recipe *recipe,
                                  const struct kinematics *stage) {
    double power = contact_set_friction_power(&step->problem->objective.contacts, step->tasks,
                                              stage->x, recipe->length);
    if (is_controlled(step)) {
        const struct energy_step energy = energy_step(step);
        energy_add_contact(&step->w->energy, &energy, recipe->share * step->view.h, stage->x,
                           stage->v);
        energy_add_constraints(&step->w->energy, &energy, recipe->share * step->view.h, stage->x);
    }
    if (has_constraints(step)) {
        power += constraint_set_dissipated_power(step->problem->objective.constraints, stage->x);
    }
    return power;
}

/// Adds the stage's damping, drag and wind to energy control. gradient: of their potential.
static void account_for_damping(struct step *step, const struct stage_recipe *recipe,
                                const struct kinematics *stage, const double *gradient) {
    const struct energy_step energy = energy_step(step);
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

/// Computes the lagged damping matrix at x = x_n or, for schemes of second order, at the predictor
/// x_n + s h v_n if that is admissible, with s the stage's time. Lagging from x_n would cost an
/// order (docs/theory/schemes.md section 1).
static void lag_damping(struct step *step, const double *x, double time) {
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
        step->result.status = status_fail(PBS_ERROR_HOST, "%s", host_stopped);
    } else if (answer != EVALUATE_OK) {
        step->result.status = status_fail(
            PBS_ERROR_INADMISSIBLE,
            "the elastic energy is infinite at the start of the step, so damping has no matrix");
    }
}

/// Takes the normals of surfaces in wind from where lag_damping takes its matrix.
static void lag_wind(struct step *step, double time) {
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

/// Returns whether the step continues with the solution.
static bool accept_solution(struct step *step, const struct newton_result *solved) {
    if (solved->status == PBS_ERROR_CONVERGENCE && !solved->blocked &&
        step->problem->allow_unconverged) {
        step->result.status = PBS_NOT_CONVERGED;
        status_save(&step->result.unconverged);
        return true;
    }
    step->result.status = solved->status < 0 ? solved->status : step->result.status;
    return solved->status >= 0;
}

/// Returns the number of iterations, or -1 if the step has failed.
static int64_t solve_stage(struct step *step, const struct objective *objective,
                           const struct newton_options *options, double *x) {
    const struct newton_result solved = minimize_stage(step, objective, options, x);
    newton_result_add(&step->result.newton, &solved);
    return accept_solution(step, &solved) ? (int64_t)solved.newton_iterations : -1;
}

/// Updates the lagged quantities of contact from the state x.
static bool lag_contact(struct step *step, const double *x) {
    const pbs_status status = contact_set_lag_friction(&step->problem->objective.contacts,
                                                       step->tasks, x, &step->lagged);
    // A former PBS_NOT_CONVERGED is preserved.
    step->result.status = status < 0 ? status : step->result.status;
    return status >= 0;
}

/// Repeats the solve with friction lagged at the solution instead of at the start of the step,
/// until that changes nothing (docs/theory/contact.md section 4, re-lagging) or friction_iterations
/// is reached.
static bool repeat_with_friction(struct step *step, const struct objective *objective, double *x) {
    const struct step_problem *problem = step->problem;
    struct newton_options options = problem->options;
    options.initial_guess = NEWTON_GUESS_GIVEN;
    const bool lags = contact_set_has_potential(&objective->contacts) && !problem->linearized;
    int64_t iterations = lags ? INT64_MAX : 0;
    for (uint32_t i = 1; i < problem->friction_iterations && iterations > 1; i++) {
        const size_t before = step->lagged;
        if (!lag_contact(step, x)) {
            return false;
        }
        if (before + step->lagged == 0) {
            return true;
        }
        contact_set_begin_stage(&objective->contacts, objective->stage.origin,
                                objective->stage.length);
        iterations = solve_stage(step, objective, &options, x);
    }
    return iterations >= 0;
}

static struct contact_stage contact_stage_at(const struct step *step, const double *x,
                                             double share) {
    return (struct contact_stage){.x = x,
                                  .impulse_fraction = share,
                                  .memory = step->problem->memory,
                                  .report = step->problem->report,
                                  .node_forces = step->w->contact_force};
}

/// Adds the contact forces of a stage's solution to the report.
static void report_contact(struct step *step, double share, const double *x) {
    const struct contact_stage solution = contact_stage_at(step, x, share);
    if (!failed(step)) {
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

/// Builds the stage's objective: histories, predictor p_x + b p_v, weight c.
static struct objective stage_objective(const struct step *step,
                                        const struct stage_recipe *recipe) {
    struct step_workspace *w = step->w;
    combine(step, &recipe->position_history, w->position_history);
    combine(step, &recipe->velocity_history, w->velocity_history);
    vector_combine(step->tasks, step->count, w->position_history, recipe->length,
                   w->velocity_history, w->predictor);
    if (is_controlled(step)) {
        const struct energy_step energy = energy_step(step);
        energy_correct_free_fall(&w->energy, &energy, w->predictor);
    }
    struct objective objective = step->problem->objective;
    objective.damping = step->problem->damping;
    objective.with_friction = true;
    objective.predictor = w->predictor;
    objective.weight = recipe->weight;
    objective.stage = (struct stage_view){.origin = w->position_history, .length = recipe->length};
    return objective;
}

/// Sets prescribed targets and obstacles at the stage's time, onto which the minimiser projects its
/// guesses, and the initial state.
static bool set_stage_scripts(struct step *step, uint32_t index,
                              const struct stage_recipe *recipe) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    const double fraction = fraction_at(step->span, recipe->time);
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
    set_contact_obstacles(problem, fraction_at(step->span, start), fraction);
    contact_set_begin_stage(&problem->objective.contacts, w->position_history, recipe->length);
    return true;
}

// --- constraints ---

static struct stage_nodes stage_nodes(const struct step *step, double weight, const double *x) {
    return (struct stage_nodes){.mass = step->problem->objective.mass,
                                .stiffness = step->problem->constraint_stiffness,
                                .weight = weight,
                                .constrained_axes = step->problem->scripts.constrained_axes,
                                .x = x};
}

/// time: of the stage in the step, 0 .. 1.
static void begin_constraints(struct step *step, double weight, double time, const double *x) {
    if (has_constraints(step)) {
        const struct stage_nodes stage = stage_nodes(step, weight, x);
        constraint_set_begin_stage(step->problem->objective.constraints, &stage,
                                   time * step->view.h);
    }
}

/// Joints that contradict each other at a stage's solution x, and volumes that what is pinned does
/// not allow, are told about, and the step goes on.
static void report_constraints(struct step *step, const double *x) {
    if (!has_constraints(step) || !(step->result.newton.constraint_gap > 1.0) ||
        step->result.status != PBS_OK) {
        return;
    }
    const struct objective *const o = &step->problem->objective;
    const struct joint_miss joint = o->constraints->joints != NULL
                                        ? joint_set_widest(o->constraints->joints, x)
                                        : (struct joint_miss){0};
    const struct held_volume_miss volume = held_volumes_widest(o->constraints->volumes, x);
    if (joint.share > fmax(1.0, volume.share)) {
        step->result.status = status_fail(
            PBS_NOT_CONVERGED,
            "joint %u (of pbs_world_joint_at) has a gap of %g m, %g times its tolerance: it "
            "contradicts other joints or pinned vertices; remove one of these",
            (unsigned)joint.number, joint.gap, joint.share);
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

// --- stages ---

static void run_stage(struct step *step, uint32_t index, uint32_t stage_count) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    struct kinematics *stage = &w->stages[index];
    struct stage_recipe recipe = {.share = 1.0};
    problem->scheme->stage(&step->view, index, &recipe);
    if (problem->damping != NULL) {
        lag_damping(step, w->now.x, recipe.time);
        if (failed(step)) {
            return;
        }
    }
    lag_wind(step, recipe.time);
    const struct objective objective = stage_objective(step, &recipe);
    begin_strains(step, &recipe);
    if (!set_stage_scripts(step, index, &recipe)) {
        return;
    }
    step->result.stages++;
    begin_constraints(step, recipe.weight, recipe.time, stage->x);
    if (solve_stage(step, &objective, &problem->options, stage->x) < 0 ||
        !repeat_with_friction(step, &objective, stage->x)) {
        return;
    }
    report_constraints(step, stage->x);
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
    differentiate_stage(step, &recipe, stage);
    apply_constraints(step, stage->x, stage->v, stage->a);
    double *const gradient = is_controlled(step) ? w->gradient_next : NULL;
    const double power = dissipated_power(problem, &objective, stage->x, gradient);
    report_contact(step, step->contact.stage[index], stage->x);
    scalar_run_stage(&recipe, index, power + account_for_contact(step, &recipe, stage),
                     step->losses);
    if (is_controlled(step) && (power != 0.0 || problem->wind != NULL)) {
        account_for_damping(step, &recipe, stage, gradient);
    }
    if (index + 1 < stage_count) {
        contact_set_accumulate_impulses(&problem->objective.contacts,
                                        step->contact.stage[index] * step->contact.friction_time,
                                        index == 0);
        end_strains(step, index, recipe.length);
    }
}

// --- stages without inertia ---

/// Sets prescribed targets and obstacles at the end of the step, and the initial state: x_n, or the
/// previous end of the same step.
static void set_static_scripts(struct step *step) {
    const struct step_problem *problem = step->problem;
    const struct scripts *scripts = &problem->scripts;
    struct step_workspace *w = step->w;
    double *const x = w->stages[0].x;
    scripts->set_prescribed_targets(scripts->self, step->span->end);
    step->result.status = scripts->set_obstacles(scripts->self, step->span->end);
    if (failed(step)) {
        return;
    }
    vector_copy(step->tasks, step->count, problem->continues ? w->next.x : w->now.x, x);
    set_contact_obstacles(problem, problem->continues ? step->span->end : step->span->begin,
                          step->span->end);
    if (problem->continues && !lag_contact(step, x)) {
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
        .gradient = w->gradient_now,
        .relative_tolerance = problem->relative_tolerance,
        .least_tolerance = problem->least_tolerance,
        .critical_step = problem->critical_step,
        .extent = problem->extent,
        .friction_iterations = problem->friction_iterations,
        .stops_when_unsupported = problem->allow_unconverged,
    };
    return quasi_static_solve(&equilibrium, w->stages[0].x);
}

static void run_static_stage(struct step *step) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    struct kinematics *stage = &w->stages[0];
    struct stage_recipe recipe = {.share = 1.0};
    problem->scheme->stage(&step->view, 0, &recipe);
    struct objective objective = stage_objective(step, &recipe);
    objective.damping = NULL;
    objective.term_count = problem->conservative_count;
    objective.term_count += problem->wind != NULL ? wind_term_count(problem->wind) : 0;
    set_static_scripts(step);
    if (failed(step)) {
        return;
    }
    step->result.stages++;
    begin_constraints(step, INFINITY, 1.0, stage->x);
    const struct static_result solved = balance(step, &objective);
    newton_result_add(&step->result.newton, &solved.newton);
    step->result.is_unsupported = solved.is_unsupported;
    step->result.tolerance = solved.tolerance;
    if (!accept_solution(step, &solved.newton)) {
        return;
    }
    report_constraints(step, stage->x);
    w->potential_drop = solved.potential_drop + (problem->continues ? w->potential_drop : 0.0);
    vector_zero(step->tasks, step->count, stage->v);
    vector_zero(step->tasks, step->count, stage->a);
    apply_constraints(step, stage->x, stage->v, stage->a);
    report_contact(step, 1.0, stage->x);
    step->result.dissipated = w->potential_drop +
                              step->view.h * account_for_contact(step, &recipe, stage);
}

// --- forces at a state ---

static pbs_status why_stopped(const struct objective_result *result) {
    return result->status < 0 ? result->status : status_fail(PBS_ERROR_HOST, "%s", host_stopped);
}

/// Evaluates value and gradient of the potentials only; infinite weight removes inertia from the
/// objective.
static pbs_status evaluate_potential(const struct step *step, const double *x, double *value,
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
    set_contact_obstacles(problem, fraction, fraction);
    return contact_set_prepare_forces(&problem->objective.contacts, problem->objective.tasks, x);
}

/// out = -M^-1 grad P(x) with all terms. Dissipative terms get the state's velocity through the
/// origin x - h v. Returns the dissipated power. Rotations: the state is in the chart at x_n, out
/// is in the world.
static double accelerate(struct step *step, const struct kinematics *state, double *out) {
    struct step_workspace *w = step->w;
    const double h = step->view.h;
    if (step->problem->damping != NULL) {
        lag_damping(step, state->x, 0.0);
        if (failed(step)) {
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
    if (failed(step)) {
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
    constrain_acceleration(step, out);
    if (has_constraints(step)) {
        const struct stage_nodes stage = stage_nodes(step, INFINITY, state->x);
        constraint_set_project(objective.constraints, &stage, state->v, out);
    }
    return dissipated_power(step->problem, &objective, state->x, NULL);
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
    if (!failed(step)) {
        contact_set_project_acceleration(&problem->objective.contacts, step->tasks, w->now.x,
                                         w->now.v, step->view.h, w->gradient_now, w->acceleration);
    }
}

static void start_acceleration(struct step *step) {
    const enum acceleration_use use = step->problem->scheme->acceleration;
    struct step_workspace *w = step->w;
    if (use == ACCELERATION_UNUSED) {
        return;
    }
    // A linearized stage leaves unbalanced forces, so its acceleration is not that of the forces.
    const bool kept = w->memory.has_acceleration && !step->problem->linearized &&
                      scheme_resolves_acceleration(step->view.h, step->view.h_before);
    const bool shifted = kept && use == ACCELERATION_SHIFTED && step->view.h != step->view.h_before;
    if (kept && !shifted) {
        step->acceleration = w->now.a;
        step->losses[STATE_NOW].a = w->memory.power;
        return;
    }
    step->acceleration = w->acceleration;
    step->losses[STATE_NOW].a = accelerate(step, &w->now, w->acceleration);
    // In schemes with a kick the obstacles act on the position that was reached instead.
    if (use != ACCELERATION_COMPUTED && !step->problem->scheme->kicks && !failed(step)) {
        project_step_acceleration(step);
    }
    if (shifted && !failed(step)) {
        rescale_acceleration(step);
    }
}

// --- the new state ---

/// Computes the corrections of x' and w and applies energy control.
static void control_energy(struct step *step, const struct state_recipe *recipe) {
    struct step_workspace *w = step->w;
    // Corrections act on velocities in the world; the stages' values in the chart are not needed
    // any more.
    for (uint32_t i = 0; i < step->result.stages && w->rotations != NULL; i++) {
        rotations_velocities_to_world(w->rotations, step->tasks, w->stages[i].x, w->stages[i].v,
                                      w->stages[i].a);
    }
    combine(step, &recipe->correction, w->correction);
    if (w->position_correction != NULL) {
        combine(step, &recipe->position_correction, w->position_correction);
    }
    struct energy_candidate candidate = {
        .x_now = w->now.x,
        .x = w->next.x,
        .v = w->next.v,
        .correction = w->correction,
        .position_correction = w->position_correction,
        .trial = w->predictor,
        .gradient_now = w->gradient_now,
        .gradient_next = w->gradient_next,
        .weight_now = recipe->gradient_now,
        .weight_next = recipe->gradient_next,
    };
    const struct energy_step energy = energy_step(step);
    step->result.status = energy_choose_alpha(&w->energy, &energy, &candidate);
}

/// Converts velocities and accelerations from the chart to the world (docs/theory/bonds.md
/// section 2.3).
static void velocities_to_world(const struct step *step, const struct state_recipe *recipe) {
    struct step_workspace *w = step->w;
    if (w->rotations == NULL) {
        return;
    }
    double *const a = scheme_stores_acceleration(step->problem->scheme) ? w->next.a : NULL;
    rotations_velocities_to_world(w->rotations, step->tasks, w->next.x, w->next.v, a);
    if (recipe->moment_time > 0.0) {
        const struct kinematics *stage = &w->stages[0];
        rotations_kick(w->rotations, step->tasks, stage->x, w->now.v, recipe->moment_time, stage->a,
                       w->next.v);
    }
}

static void finish(struct step *step) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    struct state_recipe recipe = {0};
    problem->scheme->finish(&step->view, &recipe);
    combine(step, &recipe.position, w->next.x);
    combine(step, &recipe.velocity, w->next.v);
    if (scheme_stores_acceleration(problem->scheme)) {
        combine(step, &recipe.acceleration, w->next.a);
    }
    w->lost = scalar_end(&recipe, step->losses);
    if (!problem->scheme->is_static) {
        step->result.dissipated = w->lost.v;
    }
    problem->scripts.set_prescribed_targets(problem->scripts.self, step->span->end);
    if (!problem->scheme->kicks) {
        velocities_to_world(step, &recipe);
    }
    apply_constraints(step, w->next.x, w->next.v, w->next.a);
    if (problem->scheme->is_static) {
        vector_zero(step->tasks, step->count, w->next.v);
    }
    if (!vector_is_finite(step->tasks, step->count, w->next.x) ||
        !vector_is_finite(step->tasks, step->count, w->next.v)) {
        step->result.status = status_fail(PBS_ERROR_INADMISSIBLE,
                                          "the step of %g s ends in a state that is not finite",
                                          step->view.h);
        return;
    }
    if (is_controlled(step)) {
        control_energy(step, &recipe);
        step->result.dissipated = energy_loss(&w->energy);
    }
}

/// Applies friction to the velocities after the solve, with the contacts last reported and those
/// stored from earlier stages. Not for static schemes, which have no velocities.
static void apply_friction(struct step *step, double share) {
    const struct step_problem *problem = step->problem;
    const struct friction_input input = {.x = step->w->next.x,
                                         .mass = problem->objective.mass,
                                         .constrained_axes = problem->scripts.constrained_axes,
                                         .h = step->view.h,
                                         .time = step->contact.friction_time,
                                         .impulse_fraction = share,
                                         .velocity = step->w->next.v,
                                         .report = problem->report};
    const struct energy_step energy = energy_step(step);
    if (is_controlled(step)) {
        energy_before_friction(&step->w->energy, &energy, step->w->next.v);
    }
    const double heat = contact_set_apply_friction(&problem->objective.contacts, &input);
    step->result.dissipated += heat;
    if (is_controlled(step)) {
        energy_after_friction(&step->w->energy, &energy, step->w->next.v, heat);
    }
}

/// Post-processes the contacts last reported.
static void end_with_contacts(struct step *step, double share) {
    if (!step->problem->scheme->is_static) {
        apply_friction(step, share);
    }
    step->result.active_contacts = 0;
    for (size_t i = 0; i < CONTACT_SET_LIMIT; i++) {
        step->result.active_contacts += (uint32_t)step->active[i];
    }
}

/// Moves constrained nodes the rest of `path` alone if that is free. left: fraction of the path
/// that remains.
static void move_scripted_alone(struct step *step, double *path, double left) {
    const struct step_problem *problem = step->problem;
    const uint8_t *constrained_axes = problem->scripts.constrained_axes;
    struct step_workspace *w = step->w;
    bool moves = contact_set_has_motion(&problem->objective.contacts);
    for (size_t k = 0; k < step->count; k++) {
        path[k] = ((uint32_t)constrained_axes[k / 3] >> k % 3 & 1u) != 0 ? left * path[k] : 0.0;
        moves = moves || path[k] != 0.0;
    }
    double free = 1.0;
    if (moves) {
        step->result.status = objective_sweep(&problem->objective, w->next.x, path, 1.0, &free);
    }
    if (failed(step)) {
        return;
    }
    if (free < 1.0) {
        step->result.status = status_fail(
            PBS_ERROR_INADMISSIBLE,
            "scripted vertices or colliders meet bodies between the scheme's last stage and the "
            "end of the step: take shorter steps, or a feasible scheme (pbs_scheme)");
        return;
    }
    vector_add_scaled(step->tasks, step->count, 1.0, path, w->next.x);
    contact_set_advance_motion(&problem->objective.contacts, 1.0);
}

/// Moves from the last contact-free state towards x_{n+1} until contact. The rest of the motion
/// becomes an impulse.
static void stop_at_contact(struct step *step) {
    const struct step_problem *problem = step->problem;
    const struct objective *o = &problem->objective;
    struct step_workspace *w = step->w;
    const uint32_t stages = step->result.stages;
    const double *from = stages > 0 ? w->stages[stages - 1].x : w->now.x;
    const double time = stages > 0 ? step->times[stages - 1] : 0.0;
    double *const path = w->predictor;
    double free = 0.0;
    set_contact_obstacles(problem, fraction_at(step->span, time), step->span->end);
    vector_combine(step->tasks, step->count, w->next.x, -1.0, from, path);
    step->result.status = objective_sweep(o, from, path, 1.0, &free);
    if (failed(step) || free == 1.0) {
        contact_set_advance_motion(&o->contacts, 1.0);
        return;
    }
    vector_combine(step->tasks, step->count, from, free, path, w->next.x);
    vector_add_scaled(step->tasks, step->count, (free - 1.0) / step->view.h, path, w->next.v);
    contact_set_advance_motion(&o->contacts, free);
    move_scripted_alone(step, path, 1.0 - free);
}

/// Projects a_{n+1} onto the obstacles' constraints and adds their force in the second half of the
/// step; that in the first half follows from x_{n+1}. The two are the multipliers of RATTLE
/// (Andersen 1983). The stored acceleration is that of the forces alone, which the next step
/// projects.
static void project_final_acceleration(struct step *step, double *projected) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    double *const push = w->position_history;
    vector_copy(step->tasks, step->count, w->next.a, projected);
    contact_set_project_acceleration(&problem->objective.contacts, step->tasks, w->next.x,
                                     w->next.v, step->view.h, w->gradient_now, projected);
    for (size_t i = 0; i < step->count; i++) {
        push[i] += 0.5 * problem->objective.mass[i / 3] * (projected[i] - w->next.a[i]);
    }
}

/// Explicit schemes: computes a_{n+1} from the forces at x_{n+1} and updates the velocity.
static void kick(struct step *step) {
    struct step_workspace *w = step->w;
    struct state_recipe recipe = {0};
    step->problem->scheme->finish(&step->view, &recipe);
    const double power = accelerate(step, &w->next, w->next.a);
    if (failed(step)) {
        return;
    }
    const double *kicks = w->next.a;
    vector_add_scaled(step->tasks, step->count, -recipe.kick, step->acceleration, w->next.v);
    if (step->problem->projection->scene.obstacle_count > 0) {
        project_final_acceleration(step, w->predictor);
        kicks = w->predictor;
    }
    vector_add_scaled(step->tasks, step->count, recipe.kick, kicks, w->next.v);
    apply_constraints(step, w->next.x, w->next.v, NULL);
    const double more = recipe.kick * (power - step->losses[STATE_NOW].a);
    w->lost.v += more;
    w->lost.a = power;
    step->result.dissipated += more;
}

/// For schemes that do not end at a stage's solution: x = P(x_{n+1}). The displacement is converted
/// to an impulse, h lambda = m (x - x_{n+1}) / h.
static void return_to_feasible(struct step *step) {
    const struct step_problem *problem = step->problem;
    struct projection *projection = problem->projection;
    struct step_workspace *w = step->w;
    const double h = step->view.h;
    step->result.status = problem->scripts.set_obstacles(problem->scripts.self, step->span->end);
    if (!failed(step)) {
        if (contact_set_bounds(&problem->objective.contacts)) {
            stop_at_contact(step);
        }
    }
    if (!failed(step)) {
        vector_copy(step->tasks, step->count, w->next.x, w->predictor);
        step->result.status = projection_apply(step->tasks, projection, w->predictor, w->next.x);
    }
    if (failed(step)) {
        return;
    }
    double *const push = w->position_history;
    vector_combine(step->tasks, step->count, w->next.x, -1.0, w->predictor, push);
    vector_combine(step->tasks, step->count, w->next.v, 1.0 / h, push, w->next.v);
    apply_constraints(step, w->next.x, w->next.v, w->next.a);
    for (size_t i = 0; i < step->count; i++) {
        push[i] *= problem->objective.mass[i / 3] / (h * h);
    }
    if (problem->scheme->kicks) {
        kick(step);
    }
    const struct contact_stage solution = contact_stage_at(step, w->next.x, 1.0);
    if (!failed(step)) {
        step->result.status = contact_set_report_end(&problem->objective.contacts, step->tasks,
                                                     &solution, push, step->active);
    }
    if (!failed(step)) {
        end_with_contacts(step, 1.0);
    }
    double value = 0.0;
    if (!failed(step) && !problem->scheme->kicks) {
        step->result.status = evaluate_potential(step, w->next.x, &value, NULL);
    }
    if (!failed(step) && is_controlled(step)) {
        const struct energy_step energy = energy_step(step);
        step->result.status = energy_update_potential(&w->energy, &energy, w->next.x);
    }
}

static void begin_contact(struct step *step, uint32_t stage_count) {
    step->contact = contact_shares(step->problem->scheme, &step->view, stage_count);
    vector_zero(step->tasks, step->count, step->w->contact_force);
    contact_report_begin_step(step->problem->report);
    const struct step_problem *problem = step->problem;
    set_contact_obstacles(problem, step->span->begin, step->span->begin);
    contact_set_begin_step(&problem->objective.contacts);
    (void)lag_contact(step, step->w->now.x);
}

static void end_contact(struct step *step, uint32_t stage_count) {
    const struct step_problem *problem = step->problem;
    if (stage_count > 0) {
        end_with_contacts(step, step->contact.stage[stage_count - 1]);
    }
    if (problem->scheme->leaves_feasible) {
        return_to_feasible(step);
    }
    if (!failed(step)) {
        contact_set_end_step(&problem->objective.contacts, problem->report, step->w->contact_force);
    }
    step->result.constrained_inside = projection_count_constrained_inside(problem->projection,
                                                                          step->w->next.x);
}

struct step_result step_solve(const struct step_problem *problem, const struct step_span *span,
                              struct step_workspace *workspace) {
    struct step step = {
        .problem = problem,
        .span = span,
        .w = workspace,
        .view = {.h = span->h,
                 .h_before = workspace->memory.h_before,
                 .known = workspace->memory.known,
                 .parameters = problem->parameters,
                 .start = problem->start},
        .tasks = problem->objective.tasks,
        .count = 3 * workspace->node_count,
        .has_strains = strains_are_measured(problem->objective.terms,
                                            problem->objective.term_count),
        .losses[STATE_BEFORE] = workspace->memory.lost_before,
    };
    if (workspace->rotations != NULL) {
        workspace->rotations->begin = span->begin;
    }
    const uint32_t stage_count = problem->scheme->stage_count(&step.view);
    if (has_constraints(&step)) {
        problem->scripts.set_prescribed_targets(problem->scripts.self, span->begin);
        const double share = span->end < 1.0 ? (span->end - span->begin) / (1.0 - span->begin)
                                             : 1.0;
        constraint_set_begin_step(problem->objective.constraints, workspace->now.x, span->h, share);
    }
    begin_contact(&step, stage_count);
    if (!failed(&step) && is_controlled(&step)) {
        const struct energy_step energy = energy_step(&step);
        step.result.status = energy_begin_step(&workspace->energy, &energy, workspace->now.x);
    }
    if (!failed(&step)) {
        start_acceleration(&step);
    }
    if (!failed(&step) && is_controlled(&step)) {
        const struct energy_step energy = energy_step(&step);
        step.result.status = energy_measure_start(&workspace->energy, &energy, workspace->now.x,
                                                  workspace->gradient_now);
    }
    for (uint32_t i = 0; i < stage_count && !failed(&step); i++) {
        if (problem->scheme->is_static) {
            run_static_stage(&step);
        } else {
            run_stage(&step, i, stage_count);
        }
    }
    const pbs_status solved = step.result.status;
    if (!failed(&step)) {
        finish(&step);
    }
    if (!failed(&step)) {
        end_contact(&step, stage_count);
    }
    if (!failed(&step) && is_controlled(&step)) {
        const struct energy_step energy = energy_step(&step);
        step.result.energy = energy_end_step(&workspace->energy, &energy, workspace->next.v);
    }
    if (!failed(&step)) {
        step.result.status = solved;
    } else if (has_constraints(&step)) {
        constraint_set_restore(problem->objective.constraints);
    }
    return step.result;
}

void step_accept(struct step_workspace *workspace, struct tasks *tasks, double h) {
    struct step_workspace *w = workspace;
    const struct kinematics before = w->before;
    const bool remembers = w->scheme->history > 1;
    if (w->rotations != NULL && !w->orientations_updated) {
        rotations_recentre(w->rotations, tasks, w->next.x, remembers ? w->now.x : NULL,
                           remembers ? w->now.v : NULL);
    }
    w->orientations_updated = false;
    if (remembers) {
        w->before = w->now;
        w->now = w->next;
        w->next = before;
        w->memory.known = 2;
    } else {
        const struct kinematics now = w->now;
        w->now = w->next;
        w->next = now;
    }
    // Losses are relative to the new z_n, whose value and velocity are zero, so those of z_{n-1}
    // are shifted.
    w->memory.lost_before = (struct scalar_state){h * w->lost.v - w->lost.x, -w->lost.v, 0.0};
    w->memory.power = w->lost.a;
    energy_accept(&w->energy);
    w->memory.h_before = h;
    w->memory.has_acceleration = scheme_stores_acceleration(w->scheme);
}

// The state at the end of a step: energy control, friction, the way back to what contact allows.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/step_state.h"

#include <math.h>

#include "base/lanes/vector.h"

/// Computes the corrections of x' and w and applies energy control.
static void control_energy(struct step *step, const struct state_recipe *recipe) {
    struct step_workspace *w = step->w;
    // Corrections act on velocities in the world; the stages' values in the chart are not needed
    // any more.
    for (uint32_t i = 0; i < step->result.stages && w->rotations != NULL; i++) {
        rotations_velocities_to_world(w->rotations, step->tasks, w->stages[i].x, w->stages[i].v,
                                      w->stages[i].a);
    }
    step_combine(step, &recipe->correction, w->correction);
    if (w->position_correction != NULL) {
        step_combine(step, &recipe->position_correction, w->position_correction);
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
        .impulse = recipe->impulse,
        .forgets = w->struck.any_forgets ? w->struck.forgets : NULL,
        .forgotten_impulse = w->struck.forgotten_length,
        .contact_change = step_contact_change(step),
        .correction_now = recipe->correction.a[STATE_NOW],
        .stages = w->stages,
        .stage_count = step->result.stages,
    };
    const struct energy_step energy = step_energy(step);
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

/// What a combination gains from the acceleration of the only stage, s^k.
static double gain_of(const struct combination *combination, const struct stage_recipe *stage) {
    return combination->x[STATE_STAGE_1] * stage->weight +
           combination->v[STATE_STAGE_1] * stage->weight / stage->length +
           combination->a[STATE_STAGE_1];
}

/// Moves x_{n+1} to where joints hold, and v_{n+1} and a_{n+1} as if the stage's acceleration had
/// done it, along the forces of joints at the stage. With only a projection of velocities the rule
/// would be of first order and slow down what turns.
static void return_positions(struct step *step, const struct state_recipe *recipe,
                             const struct stage_nodes *directions) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    struct stage_recipe stage = {.share = 1.0};
    problem->scheme->stage(&step->view, 0, &stage);
    double *const moved = w->predictor;
    vector_copy(step->tasks, step->count, w->next.x, moved);
    constraint_set_return(problem->objective.constraints, directions, step->view.h, w->next.x);
    vector_combine(step->tasks, step->count, w->next.x, -1.0, moved, moved);
    const double gain = gain_of(&recipe->position, &stage);
    vector_add_scaled(step->tasks, step->count, gain_of(&recipe->velocity, &stage) / gain, moved,
                      w->next.v);
    if (scheme_stores_acceleration(problem->scheme)) {
        vector_add_scaled(step->tasks, step->count, gain_of(&recipe->acceleration, &stage) / gain,
                          moved, w->next.a);
    }
}

/// Puts the end of the step where joints hold, and removes what velocities and accelerations they
/// do not allow (docs/theory/joints.md section 4).
static void return_to_joints(struct step *step, const struct state_recipe *recipe) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    if (!problem->scheme->keeps_normal_velocity || !step_has_constraints(step)) {
        return;
    }
    struct constraint_set *const constraints = problem->objective.constraints;
    const struct stage_nodes end = step_stage_nodes(step, INFINITY, w->next.x);
    if (problem->scheme->leaves_feasible) {
        const struct stage_nodes stage = step_stage_nodes(step, INFINITY, w->stages[0].x);
        return_positions(step, recipe, &stage);
    }
    constraint_set_project_velocity(constraints, &end, step->view.h, w->next.v);
    if (scheme_stores_acceleration(problem->scheme)) {
        constraint_set_project(constraints, &end, w->next.v, w->next.a);
    }
}

void step_report_end_gap(struct step *step) {
    const struct step_problem *problem = step->problem;
    if (!problem->scheme->leaves_feasible || !step_has_constraints(step) ||
        step->result.status != PBS_OK) {
        return;
    }
    const struct stage_nodes end = step_stage_nodes(step, INFINITY, step->w->next.x);
    const struct joint_miss miss = constraint_set_end_gap(problem->objective.constraints, &end,
                                                          step->view.h);
    if (miss.share > 1.0) {
        step->result.status = status_fail(
            PBS_NOT_CONVERGED,
            "the step ends with a gap of %g m at joint %u (of pbs_world_joint_at), %g times its "
            "tolerance, as bodies touch between the scheme's stage and there: take a scheme that "
            "ends feasible (docs/integrators.md)",
            miss.gap, (unsigned)miss.number, miss.share);
        status_save(&step->result.unconverged);
    }
}

void step_finish(struct step *step) {
    const struct step_problem *problem = step->problem;
    struct step_workspace *w = step->w;
    struct state_recipe recipe = {0};
    problem->scheme->finish(&step->view, &recipe);
    step_combine(step, &recipe.position, w->next.x);
    step_combine(step, &recipe.velocity, w->next.v);
    if (scheme_stores_acceleration(problem->scheme)) {
        step_combine(step, &recipe.acceleration, w->next.a);
    }
    w->lost = scalar_end(&recipe, step->losses);
    if (!problem->scheme->is_static) {
        step->result.dissipated = w->lost.v;
    }
    problem->scripts.set_prescribed_targets(problem->scripts.self, step->span->end);
    if (!problem->scheme->kicks) {
        velocities_to_world(step, &recipe);
    }
    step_apply_constraints(step, w->next.x, w->next.v, w->next.a);
    return_to_joints(step, &recipe);
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
    if (step_is_controlled(step)) {
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
    const struct energy_step energy = step_energy(step);
    if (step_is_controlled(step)) {
        energy_before_friction(&step->w->energy, &energy, step->w->next.v);
    }
    const double heat = contact_set_apply_friction(&problem->objective.contacts, &input);
    step->result.dissipated += heat;
    if (step_is_controlled(step)) {
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
    if (step_failed(step)) {
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
    step_set_contact_obstacles(problem, step_fraction_at(step->span, time), step->span->end);
    vector_combine(step->tasks, step->count, w->next.x, -1.0, from, path);
    step->result.status = objective_sweep(o, from, path, 1.0, &free);
    if (step_failed(step) || free == 1.0) {
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
    const double power = step_accelerate(step, &w->next, w->next.a);
    if (step_failed(step)) {
        return;
    }
    const double *kicks = w->next.a;
    vector_add_scaled(step->tasks, step->count, -recipe.kick, step->acceleration, w->next.v);
    if (step->problem->projection->scene.obstacle_count > 0) {
        project_final_acceleration(step, w->predictor);
        kicks = w->predictor;
    }
    vector_add_scaled(step->tasks, step->count, recipe.kick, kicks, w->next.v);
    step_apply_constraints(step, w->next.x, w->next.v, NULL);
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
    if (!step_failed(step)) {
        if (contact_set_bounds(&problem->objective.contacts)) {
            stop_at_contact(step);
        }
    }
    if (!step_failed(step)) {
        vector_copy(step->tasks, step->count, w->next.x, w->predictor);
        step->result.status = projection_apply(step->tasks, projection, w->predictor, w->next.x);
    }
    if (step_failed(step)) {
        return;
    }
    double *const push = w->position_history;
    vector_combine(step->tasks, step->count, w->next.x, -1.0, w->predictor, push);
    vector_combine(step->tasks, step->count, w->next.v, 1.0 / h, push, w->next.v);
    step_apply_constraints(step, w->next.x, w->next.v, w->next.a);
    for (size_t i = 0; i < step->count; i++) {
        push[i] *= problem->objective.mass[i / 3] / (h * h);
    }
    if (problem->scheme->kicks) {
        kick(step);
    }
    const struct contact_stage solution = step_contact_stage(step, w->next.x, 1.0);
    if (!step_failed(step)) {
        step->result.status = contact_set_report_end(&problem->objective.contacts, step->tasks,
                                                     &solution, push, step->active);
    }
    if (!step_failed(step)) {
        end_with_contacts(step, 1.0);
    }
    double value = 0.0;
    if (!step_failed(step) && !problem->scheme->kicks) {
        step->result.status = step_evaluate_potential(step, w->next.x, &value, NULL);
    }
    if (!step_failed(step) && step_is_controlled(step)) {
        const struct energy_step energy = step_energy(step);
        step->result.status = energy_update_potential(&w->energy, &energy, w->next.x);
    }
}

void step_end_contact(struct step *step, uint32_t stage_count) {
    const struct step_problem *problem = step->problem;
    if (stage_count > 0) {
        end_with_contacts(step, step->contact.stage[stage_count - 1]);
    }
    if (problem->scheme->leaves_feasible) {
        return_to_feasible(step);
    }
    if (!step_failed(step)) {
        contact_set_end_step(&problem->objective.contacts, problem->report, step->w->contact_force);
    }
    step->result.constrained_inside = projection_count_constrained_inside(problem->projection,
                                                                          step->w->next.x);
}

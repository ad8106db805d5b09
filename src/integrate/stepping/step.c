// One step of a scheme (docs/theory/schemes.md section 1): stages (stage.c, static_stage.c), the
// new state (new_state.c), and what these share.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/step_state.h"

#include "base/lanes/vector.h"
#include "integrate/states/strain_rates.h"

// A step that is this much longer than the one before may be where another begins.
static const double LONGER = 1.5;

struct energy_step step_energy(const struct step *step) {
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

void step_set_contact_obstacles(const struct step_problem *problem, double now, double target) {
    if (problem->objective.contacts.count > 0) {
        problem->scripts.set_contact_obstacles(problem->scripts.self, now, target);
    }
}

void step_constrain_acceleration(const struct step *step, double *a) {
    const uint8_t *constrained_axes = step->problem->scripts.constrained_axes;
    for (size_t i = 0; i < step->w->node_count; i++) {
        for (uint32_t axis = 0; constrained_axes[i] != 0 && axis < 3; axis++) {
            a[3 * i + axis] = (constrained_axes[i] >> axis & 1u) != 0 ? 0.0 : a[3 * i + axis];
        }
    }
}

void step_apply_constraints(const struct step *step, double *x, double *v, double *a) {
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
        step_constrain_acceleration(step, a);
    }
}

void step_list_states(const struct step *step, struct kinematics states[STATE_COUNT]) {
    const struct step_workspace *w = step->w;
    states[STATE_NOW] = (struct kinematics){w->now.x, w->now.v, step->acceleration};
    states[STATE_BEFORE] = w->before;
    for (int i = 0; i < SCHEME_STAGE_LIMIT; i++) {
        states[STATE_STAGE_1 + i] = w->stages[i];
    }
    if (step->recalls) {
        step_recall_past(step, states);
    }
}

void step_combine(const struct step *step, const struct combination *combination, double *out) {
    struct kinematics states[STATE_COUNT];
    step_list_states(step, states);
    combination_evaluate(step->tasks, combination, states, step->count, out);
}

static void begin_contact(struct step *step) {
    vector_zero(step->tasks, step->count, step->w->contact_force);
    contact_report_begin_step(step->problem->report);
    const struct step_problem *problem = step->problem;
    step_set_contact_obstacles(problem, step->span->begin, step->span->begin);
    contact_set_begin_step(&problem->objective.contacts);
    (void)step_lag_contact(step, step->w->now.x);
}

/// Removes from the velocities at the start what joints do not allow: what a host has set, and what
/// a target that begins to move has not.
static void start_on_joints(struct step *step) {
    if (step->problem->scheme->keeps_normal_velocity) {
        const struct stage_nodes now = step_stage_nodes(step, INFINITY, step->w->now.x);
        constraint_set_project_velocity(step->problem->objective.constraints, &now, 0.0,
                                        step->w->now.v);
    }
}

/// Whether the step follows a shorter one that may have resolved a part of an impact. Two-step
/// schemes would go on with the change of velocity of that, and schemes with a stored acceleration
/// with its mean, for as long as this step is: a box that hit the ground by steps of an eighth left
/// it with 81 times its energy (docs/theory/schemes.md section 2).
static bool follows_impact(struct step *step) {
    const struct step_view *view = &step->view;
    return view->h > LONGER * view->h_before &&
           (step->w->memory.was_pressed || step_has_constraints(step) || step_barriers_press(step));
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
    step.stage_count = stage_count;
    if (step_has_constraints(&step)) {
        problem->scripts.set_prescribed_targets(problem->scripts.self, span->begin);
        const double share = span->end < 1.0 ? (span->end - span->begin) / (1.0 - span->begin)
                                             : 1.0;
        constraint_set_begin_step(problem->objective.constraints, workspace->now.x, span->h, share);
        start_on_joints(&step);
    }
    begin_contact(&step);
    step.follows_impact = !step_failed(&step) && follows_impact(&step);
    step.view.known = step.follows_impact ? 1 : step.view.known;
    step_begin_struck(&step);
    step_begin_contact_change(&step);
    step.contact = contact_shares(problem->scheme, &step.view, stage_count,
                                  step_finds_start(&step));
    if (!step_failed(&step) && step_is_controlled(&step)) {
        const struct energy_step energy = step_energy(&step);
        step.result.status = energy_begin_step(&workspace->energy, &energy, workspace->now.x);
    }
    if (!step_failed(&step)) {
        step_start_acceleration(&step);
    }
    if (!step_failed(&step) && step_is_controlled(&step)) {
        const struct energy_step energy = step_energy(&step);
        step.result.status = energy_measure_start(&workspace->energy, &energy, workspace->now.x,
                                                  workspace->gradient_now);
    }
    for (uint32_t i = 0; i < stage_count && !step_failed(&step); i++) {
        if (problem->scheme->is_static) {
            step_run_static_stage(&step);
        } else {
            step_run_stage(&step, i);
        }
    }
    const pbs_status solved = step.result.status;
    if (!step_failed(&step)) {
        step_finish(&step);
    }
    if (!step_failed(&step)) {
        step_end_contact(&step, stage_count);
    }
    if (!step_failed(&step) && step_is_controlled(&step)) {
        const struct energy_step energy = step_energy(&step);
        step.result.energy = energy_end_step(&workspace->energy, &energy, workspace->next.v);
    }
    if (!step_failed(&step)) {
        step.result.status = solved;
        step_report_end_gap(&step);
    } else if (step_has_constraints(&step)) {
        constraint_set_restore(problem->objective.constraints);
    }
    return step.result;
}

void step_note_contact(struct step_workspace *workspace, const double *contact_force) {
    bool any = false;
    for (size_t k = 0; k < 3 * workspace->node_count && !any; k++) {
        any = contact_force[k] != 0.0;
    }
    workspace->memory.was_pressed = any;
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
        if (w->scheme->forgets_impacts) {
            struck_bodies_accept(&w->struck);
            struck_memory_accept(&w->struck_memory, &w->struck, w->rotations, &w->now, h,
                                 &w->before);
        }
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
    step_note_contact(w, w->contact_force);
    if (w->scheme->forgets_impacts) {
        vector_copy(tasks, 3 * w->node_count, w->contact_force, w->contact_force_before);
    }
    w->memory.has_acceleration = scheme_stores_acceleration(w->scheme);
}

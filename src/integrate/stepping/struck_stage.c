// Stages of schemes that forget impacts: who is struck in them, and what they take for their past
// in the next one (docs/theory/schemes.md section 2.2).
// SPDX-License-Identifier: MIT
#include "integrate/stepping/step_state.h"

#include "base/lanes/vector.h"
#include "base/matrix3/math3.h"

/// Friction after the solve, as with projection, counts on the impulses of the scheme.
static bool may_forget(const struct step *step) {
    return step->problem->scheme->forgets_impacts &&
           contact_set_bounds(&step->problem->objective.contacts);
}

void step_begin_struck(struct step *step) {
    if (may_forget(step)) {
        struck_bodies_begin_step(&step->w->struck);
    }
}

void step_recall_past(const struct step *step, struct kinematics states[STATE_COUNT]) {
    const struct kinematics *const past = &step->w->struck_memory.past;
    states[STATE_NOW].x = past->x;
    states[STATE_NOW].v = past->v;
    states[STATE_STAGE_1 + step->stage - 1].a = past->a;
}

// --- lengthened stages ---

/// What is stopped in such a stage gets the way that it was stopped on, divided by b, as its change
/// of velocity: more than twice what it came with.
static bool throws_back(const struct stage_recipe *recipe) {
    return recipe->since > 0.0 && recipe->length < 0.5 * recipe->since;
}

static bool forgets(const struct step *step, size_t node) {
    return step->recalls && step->w->struck.forgets[node];
}

/// Bodies that forget, and those that are struck in a stage that throws back.
static bool is_lengthened(const struct step *step, size_t node) {
    return forgets(step, node) || step->w->struck.is_struck[node];
}

bool step_stage_is_lengthened(const struct step *step, const struct stage_recipe *recipe) {
    return step->recalls || (step->w->struck.any_struck && throws_back(recipe));
}

const double *step_lengthen_struck(const struct step *step, const struct stage_recipe *recipe) {
    struct step_workspace *w = step->w;
    const double *const mass = step->problem->objective.mass;
    const double *const x = w->stages[step->stage - 1].x;
    const double b = recipe->length, s = recipe->since;
    for (size_t i = 0; i < w->node_count; i++) {
        w->struck.mass[i] = mass[i];
        if (is_lengthened(step, i)) {
            w->struck.mass[i] *= recipe->weight / (b * s);
            add_scaled3(x + 3 * i, s - b, w->velocity_history + 3 * i, w->position_history + 3 * i);
        }
    }
    return w->struck.mass;
}

void step_differentiate_lengthened(const struct step *step, const struct stage_recipe *recipe,
                                   struct kinematics *stage) {
    const struct step_workspace *w = step->w;
    const double b = recipe->length, s = recipe->since;
    for (size_t i = 0; i < w->node_count; i++) {
        double *const a = stage->a + 3 * i;
        if (is_lengthened(step, i)) {
            scale3(recipe->weight / (b * s), a, a);
            add_scaled3(w->velocity_history + 3 * i, b, a, stage->v + 3 * i);
        }
    }
}

// --- who is struck ---

/// Compares the forces of barriers at a stage's solution x with those of the stage before, or of
/// the step before.
static void find_struck(struct step *step, const double *x) {
    const struct objective *const o = &step->problem->objective;
    struct step_workspace *w = step->w;
    double *const force = w->gradient_next;
    const bool is_first = step->stage == 0 || step->contact.stage[step->stage - 1] == 0.0;
    struct contact_energy energy;
    vector_zero(step->tasks, 3 * o->assembly->vector_slot_count, force);
    const pbs_status status = contact_set_evaluate(&o->contacts, step->tasks, x, false, force,
                                                   &energy);
    if (status < 0) {
        step->result.status = status;
        return;
    }
    vector_scale(step->tasks, step->count, -1.0, force);
    struck_bodies_find(&w->struck, o, is_first ? w->contact_force_before : w->stage_force, force);
    vector_copy(step->tasks, step->count, force, w->stage_force);
}

static bool is_last(const struct step *step) {
    return step->problem->scheme->history == 1 && step->stage + 1 == step->stage_count;
}

static bool is_of_concern(const struct step *step) {
    return may_forget(step) && step->contact.stage[step->stage] != 0.0;
}

/// Whether a stage that throws back was not lengthened yet for some that were struck in it.
static bool throws_back_others(const struct step *step) {
    bool any = false;
    for (size_t i = 0; i < step->w->node_count && !any; i++) {
        any = step->w->struck.is_struck[i] && !forgets(step, i);
    }
    return any;
}

bool step_lengthen_stage(struct step *step, const struct stage_recipe *recipe,
                         struct objective *objective, double *x) {
    struct newton_options options = step->problem->options;
    options.initial_guess = NEWTON_GUESS_GIVEN;
    if (!is_last(step) || !throws_back(recipe) || !is_of_concern(step)) {
        return true;
    }
    find_struck(step, x);
    if (step_failed(step) || !throws_back_others(step)) {
        return !step_failed(step);
    }
    *objective = step_stage_objective(step, recipe);
    contact_set_begin_stage(&objective->contacts, objective->stage.origin, objective->stage.length);
    return step_solve_stage(step, objective, &options, x) >= 0;
}

/// v + factor (v - before).
static void lead_on(const struct step *step, const double *v, const double *before, double factor,
                    double *out) {
    vector_combine(step->tasks, step->count, v, -1.0, before, out);
    vector_combine(step->tasks, step->count, v, factor, out, out);
}

/// What a two-step scheme makes of a stage's solution, and has made of z_n, in uniform motion: BDF2
/// adds a third of the last change in each step, half of it in all; p_v has the first third.
static void promise(struct step *step, const struct kinematics *stage,
                    struct struck_motion *motion) {
    struct step_workspace *w = step->w;
    struct struck_memory *const memory = &w->struck_memory;
    lead_on(step, stage->v, w->now.v, 0.5, memory->promised);
    motion->promised = memory->promised;
    motion->promised_now = w->now.v;
    if (step->view.known > 1) {
        lead_on(step, w->velocity_history, w->now.v, 0.5, memory->promised_now);
        motion->promised_now = memory->promised_now;
    }
}

static struct struck_motion motion_of(struct step *step, const struct stage_recipe *recipe,
                                      const struct kinematics *stage) {
    struct step_workspace *w = step->w;
    const bool goes_back = step->problem->scheme->history > 1 && step->view.known > 1;
    return (struct struck_motion){.next = stage,
                                  .now = &w->now,
                                  .before = goes_back ? &w->before : NULL,
                                  .contact_force = w->stage_force,
                                  .contact_force_now = goes_back && w->memory.has_acceleration
                                                           ? w->contact_force_before
                                                           : NULL,
                                  .since = recipe->time * step->view.h,
                                  .since_before = step->view.h_before,
                                  .length = recipe->length};
}

void step_find_struck(struct step *step, const struct stage_recipe *recipe,
                      const struct kinematics *stage) {
    struct step_workspace *w = step->w;
    const struct objective *const o = &step->problem->objective;
    if (is_last(step) || !is_of_concern(step)) {
        return;
    }
    find_struck(step, stage->x);
    if (step_failed(step) || !w->struck.any_struck) {
        return;
    }
    struct struck_motion motion = motion_of(step, recipe, stage);
    if (step->problem->scheme->history > 1) {
        promise(step, stage, &motion);
        struck_memory_spare(&w->struck_memory, &w->struck, o, &motion);
    }
    if (w->struck.any_struck) {
        w->struck.forgotten_length = recipe->length;
        struck_memory_replace(&w->struck_memory, &w->struck, o, &motion);
    }
}

const double *step_impulse_fractions(const struct step *step, const struct stage_recipe *recipe) {
    const double share = step->contact.stage[step->stage];
    // What struck bodies forget from the next stage on is beyond what this one did to velocities.
    return may_forget(step)
               ? struck_bodies_fractions(&step->w->struck, &step->problem->objective, share,
                                         is_last(step) ? share : recipe->length / step->view.h)
               : NULL;
}

// Stages for bodies that barriers have struck before the last known state, or strike in the stage
// (docs/theory/schemes.md section 2.2): they take implicit Euler from there, while the others go
// on.
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
        struck_bodies_begin_step(&step->w->struck, step->view.known > 1);
    }
}

/// What is stopped in such a stage gets the way that it was stopped on, divided by b, as its change
/// of velocity: more than twice what it came with.
static bool throws_back(const struct stage_recipe *recipe) {
    return recipe->since > 0.0 && recipe->length < 0.5 * recipe->since;
}

bool step_stage_forgets(const struct step *step, const struct stage_recipe *recipe) {
    const struct struck_bodies *const struck = &step->w->struck;
    return recipe->since > 0.0 &&
           (struck->any_forgets || (struck->any_struck && throws_back(recipe)));
}

/// How a stage's acceleration of a node acts. Plain: x = x~ + c a, v = p_v + b a.
struct stage_times {
    bool is_plain;
    double way;   ///< s^2: x = x~ + way a
    double speed; ///< s: v = p_v + speed a
};

/// With s the time since the last known state, bodies that forget take implicit Euler over s. Those
/// that are struck in a stage that throws back end where their velocity leads in s.
static struct stage_times times_of(const struct step *step, const struct stage_recipe *recipe,
                                   size_t node) {
    const struct struck_bodies *const struck = &step->w->struck;
    const double b = recipe->length, s = recipe->since;
    if (struck->forgets[node]) {
        return (struct stage_times){false, s * s, s};
    }
    return struck->is_struck[node] && throws_back(recipe)
               ? (struct stage_times){false, b * s, b}
               : (struct stage_times){true, recipe->weight, b};
}

const double *step_forget_impacts(const struct step *step, const struct stage_recipe *recipe) {
    struct step_workspace *w = step->w;
    const double *const mass = step->problem->objective.mass;
    struct kinematics states[STATE_COUNT];
    step_list_states(step, states);
    const struct kinematics *const last = &states[recipe->last];
    for (size_t i = 0; i < w->node_count; i++) {
        const struct stage_times times = times_of(step, recipe, i);
        double *const p_x = w->position_history + 3 * i, *const p_v = w->velocity_history + 3 * i;
        w->struck.mass[i] = mass[i] * (recipe->weight / times.way);
        if (w->struck.forgets[i]) {
            copy3(last->v + 3 * i, p_v);
        }
        if (!times.is_plain) {
            add_scaled3(last->x + 3 * i, recipe->since - recipe->length, p_v, p_x);
        }
    }
    return w->struck.mass;
}

void step_differentiate_struck(const struct step *step, const struct stage_recipe *recipe,
                               struct kinematics *stage) {
    const struct step_workspace *w = step->w;
    for (size_t i = 0; i < w->node_count; i++) {
        const struct stage_times times = times_of(step, recipe, i);
        double *const a = stage->a + 3 * i;
        if (!times.is_plain) {
            scale3(recipe->weight / times.way, a, a);
            add_scaled3(w->velocity_history + 3 * i, times.speed, a, stage->v + 3 * i);
        }
    }
}

// --- who is struck ---

/// Compares the forces of barriers at a stage's solution x with those of the stage before, or of
/// the step before.
static void find_struck(struct step *step, uint32_t index, const double *x) {
    const struct objective *const o = &step->problem->objective;
    struct step_workspace *w = step->w;
    double *const force = w->gradient_next;
    const bool is_first = index == 0 || step->contact.stage[index - 1] == 0.0;
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

static bool solve_again(struct step *step, const struct stage_recipe *recipe,
                        struct objective *objective, double *x) {
    struct newton_options options = step->problem->options;
    options.initial_guess = NEWTON_GUESS_GIVEN;
    *objective = step_stage_objective(step, recipe);
    contact_set_begin_stage(&objective->contacts, objective->stage.origin, objective->stage.length);
    return step_solve_stage(step, objective, &options, x) >= 0;
}

/// Those that would not gain by what a two-step scheme remembers go on with it.
static void spare_struck(struct step *step, const struct stage_recipe *recipe,
                         struct kinematics *stage) {
    struct step_workspace *w = step->w;
    const bool remembers = step->view.known > 1;
    const struct struck_memory memory = {
        .next = stage,
        .now = &w->now,
        .before = remembers ? &w->before : NULL,
        .velocity_history = remembers ? w->velocity_history : w->now.v,
        .contact_force = w->stage_force,
        .contact_force_now = w->memory.has_acceleration ? w->contact_force_before : NULL};
    step_differentiate_stage(step, recipe, stage);
    struck_bodies_spare(&w->struck, &step->problem->objective, &memory);
}

static bool is_last(const struct step *step, uint32_t index) {
    return step->problem->scheme->history == 1 && index + 1 == step->stage_count;
}

bool step_find_struck(struct step *step, uint32_t index, const struct stage_recipe *recipe,
                      struct objective *objective, struct kinematics *stage) {
    if (!may_forget(step) || step->contact.stage[index] == 0.0 ||
        (is_last(step, index) && !throws_back(recipe))) {
        return true;
    }
    find_struck(step, index, stage->x);
    if (!step_failed(step) && step->problem->scheme->history > 1) {
        spare_struck(step, recipe, stage);
    }
    if (!step_failed(step) && throws_back(recipe) && struck_bodies_are_new(&step->w->struck)) {
        return solve_again(step, recipe, objective, stage->x);
    }
    return !step_failed(step);
}

const double *step_impulse_fractions(const struct step *step, uint32_t index,
                                     const struct stage_recipe *recipe) {
    const double share = step->contact.stage[index], h = step->view.h;
    // What struck bodies forget from the next stage on is beyond what this one did to velocities.
    const struct impulse_fractions fractions = {
        .others = share,
        .struck = is_last(step, index) ? share : recipe->length / h,
        .forgets = recipe->since > 0.0 ? recipe->since / h : share};
    return may_forget(step) ? struck_bodies_fractions(&step->w->struck, &fractions) : NULL;
}

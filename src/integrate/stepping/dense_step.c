// See dense_step.h. Stages and the new state follow docs/theory/schemes.md section 1; division of
// failed steps follows GAT section 2.3.2.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/dense_step.h"

#include <math.h>
#include <string.h>

// --- creation and destruction ---

static bool reserve(struct memory *memory, size_t count, double **array) {
    *array = memory_allocate(memory, count, sizeof **array);
    return *array != NULL;
}

static bool reserve_kinematics(struct memory *memory, size_t size, struct kinematics *k) {
    return reserve(memory, size, &k->x) && reserve(memory, size, &k->v) &&
           reserve(memory, size, &k->a);
}

static void free_kinematics(struct memory *memory, struct kinematics *k) {
    memory_release(memory, k->x);
    memory_release(memory, k->v);
    memory_release(memory, k->a);
}

pbs_status dense_state_create(struct memory *memory, size_t size, struct dense_state *out) {
    struct dense_state state = {.memory = {.known = 1}};
    if (!reserve_kinematics(memory, size, &state.now) ||
        !reserve_kinematics(memory, size, &state.before)) {
        dense_state_free(&state, memory);
        return PBS_ERROR_MEMORY;
    }
    *out = state;
    return PBS_OK;
}

void dense_state_free(struct dense_state *state, struct memory *memory) {
    free_kinematics(memory, &state->now);
    free_kinematics(memory, &state->before);
    *state = (struct dense_state){0};
}

static void copy_kinematics(size_t size, const struct kinematics *source, struct kinematics *out) {
    memcpy(out->x, source->x, size * sizeof(double));
    memcpy(out->v, source->v, size * sizeof(double));
    memcpy(out->a, source->a, size * sizeof(double));
}

void dense_state_copy(size_t size, const struct dense_state *source, struct dense_state *out) {
    copy_kinematics(size, &source->now, &out->now);
    copy_kinematics(size, &source->before, &out->before);
    out->memory = source->memory;
    out->time = source->time;
}

static bool reserve_all(struct memory *memory, struct dense_workspace *w) {
    bool done = dense_state_create(memory, w->size, &w->state) >= 0 &&
                reserve_kinematics(memory, w->size, &w->next) &&
                reserve(memory, w->size, &w->position_history) &&
                reserve(memory, w->size, &w->velocity_history) &&
                reserve(memory, w->size, &w->predictor) &&
                reserve(memory, w->size, &w->acceleration) &&
                reserve(memory, w->size, &w->correction);
    for (int i = 0; i < SCHEME_STAGE_LIMIT; i++) {
        done = done && reserve_kinematics(memory, w->size, &w->stages[i]);
    }
    w->starts = memory_allocate(memory, w->divisions, sizeof *w->starts);
    done = done && w->starts != NULL;
    for (uint32_t i = 0; i < w->divisions; i++) {
        done = done && reserve_kinematics(memory, w->size, &w->starts[i]);
    }
    return done;
}

pbs_status dense_workspace_create(struct memory *memory, size_t size, uint32_t divisions,
                                  struct dense_workspace *out) {
    struct dense_workspace workspace = {.size = size, .divisions = divisions};
    if (!reserve_all(memory, &workspace)) {
        dense_workspace_free(&workspace, memory);
        return PBS_ERROR_MEMORY;
    }
    *out = workspace;
    return PBS_OK;
}

void dense_workspace_free(struct dense_workspace *workspace, struct memory *memory) {
    dense_state_free(&workspace->state, memory);
    free_kinematics(memory, &workspace->next);
    for (int i = 0; i < SCHEME_STAGE_LIMIT; i++) {
        free_kinematics(memory, &workspace->stages[i]);
    }
    for (uint32_t i = 0; i < workspace->divisions && workspace->starts != NULL; i++) {
        free_kinematics(memory, &workspace->starts[i]);
    }
    memory_release(memory, workspace->starts);
    memory_release(memory, workspace->position_history);
    memory_release(memory, workspace->velocity_history);
    memory_release(memory, workspace->predictor);
    memory_release(memory, workspace->acceleration);
    memory_release(memory, workspace->correction);
    *workspace = (struct dense_workspace){0};
}

// --- one substep ---

struct part {
    const struct dense_problem *problem;
    struct dense_workspace *w;
    struct step_view view;
    double *acceleration; ///< a_n for the recipes; null: not used
    struct dense_step_result *result;
};

static void combine(const struct part *part, const struct combination *combination, double *out) {
    const struct dense_workspace *w = part->w;
    struct kinematics states[STATE_COUNT] = {
        [STATE_NOW] = {w->state.now.x, w->state.now.v, part->acceleration},
        [STATE_BEFORE] = w->state.before};
    for (int i = 0; i < SCHEME_STAGE_LIMIT; i++) {
        states[STATE_STAGE_1 + i] = w->stages[i];
    }
    combination_evaluate(NULL, combination, states, w->size, out);
}

/// Provides a_n as the scheme requires; docs/theory/schemes.md section 2 for ACCELERATION_SHIFTED.
static pbs_status start_acceleration(struct part *part) {
    const enum acceleration_use use = part->problem->scheme->acceleration;
    struct dense_workspace *w = part->w;
    const struct dense_state *state = &w->state;
    // A linearized stage leaves unbalanced forces, so its acceleration is not that of the forces.
    const bool kept = state->memory.has_acceleration && !part->problem->linearized &&
                      scheme_resolves_acceleration(part->view.h, part->view.h_before);
    const bool shifted = kept && use == ACCELERATION_SHIFTED && part->view.h != part->view.h_before;
    if (use == ACCELERATION_UNUSED) {
        return PBS_OK;
    }
    if (kept && !shifted) {
        part->acceleration = state->now.a;
        return PBS_OK;
    }
    part->acceleration = w->acceleration;
    part->result->newton.force_evaluations++;
    RETURN_IF_FAILED(dense_acceleration(&part->problem->equation, state->time, state->now.x,
                                        state->now.v, w->acceleration));
    if (shifted) {
        const double ratio = part->view.h / part->view.h_before;
        for (size_t i = 0; i < w->size; i++) {
            w->acceleration[i] += ratio * (state->now.a[i] - w->acceleration[i]);
        }
    }
    return PBS_OK;
}

/// Sets the first guess: the unknown keeps its value (GAT section 2.1). Without a known
/// acceleration the velocity keeps its value.
static void guess(const struct part *part, const struct dense_stage *stage, double *x) {
    const struct dense_workspace *w = part->w;
    const int32_t unknown = part->problem->options.unknown;
    for (size_t i = 0; i < w->size; i++) {
        if (unknown == PBS_UNKNOWN_POSITION) {
            x[i] = w->state.now.x[i];
        } else if (unknown == PBS_UNKNOWN_VELOCITY || part->acceleration == NULL) {
            x[i] = stage->origin[i] + stage->length * w->state.now.v[i];
        } else {
            x[i] = stage->predictor[i] + stage->weight * part->acceleration[i];
        }
    }
}

static struct dense_result solve_stage(const struct part *part, const struct dense_stage *stage,
                                       double *x) {
    const struct dense_problem *problem = part->problem;
    const struct kinematics *now = &part->w->state.now;
    if (problem->linearized) {
        return dense_linear_solve(problem->newton, &problem->equation, stage, now->x, now->v, x);
    }
    guess(part, stage, x);
    return dense_newton_solve(problem->newton, &problem->equation, stage, &problem->options, x);
}

static pbs_status run_stage(struct part *part, uint32_t index) {
    const struct dense_problem *problem = part->problem;
    struct dense_workspace *w = part->w;
    struct kinematics *out = &w->stages[index];
    struct stage_recipe recipe = {0};
    problem->scheme->stage(&part->view, index, &recipe);
    combine(part, &recipe.position_history, w->position_history);
    combine(part, &recipe.velocity_history, w->velocity_history);
    for (size_t i = 0; i < w->size; i++) {
        w->predictor[i] = w->position_history[i] + recipe.length * w->velocity_history[i];
    }
    const struct dense_stage stage = {.predictor = w->predictor,
                                      .origin = w->position_history,
                                      .length = recipe.length,
                                      .weight = recipe.weight,
                                      .time = w->state.time + recipe.time * part->view.h};
    const struct dense_result solved = solve_stage(part, &stage, out->x);
    dense_result_add(&part->result->newton, &solved);
    part->result->stages++;
    for (size_t i = 0; i < w->size; i++) {
        out->v[i] = (out->x[i] - w->position_history[i]) / recipe.length;
        out->a[i] = (out->x[i] - w->predictor[i]) / recipe.weight;
    }
    return solved.status;
}

/// v = w - alpha dv: the correction of A-1 and related schemes, computed from forces only.
static pbs_status correct_velocity(struct part *part, const struct state_recipe *recipe) {
    const struct dense_problem *problem = part->problem;
    struct dense_workspace *w = part->w;
    const double alpha = problem->alpha;
    combine(part, &recipe->correction, w->correction);
    const double times[] = {w->state.time, w->state.time + part->view.h};
    const double *const ends[] = {w->state.now.x, w->next.x};
    const double factors[] = {recipe->gradient_now, recipe->gradient_next};
    for (int k = 0; k < 2; k++) {
        if (factors[k] == 0.0) {
            continue;
        }
        // M^-1 grad P = -a at rest. The predictor is not needed any more and serves as buffer.
        part->result->newton.force_evaluations++;
        RETURN_IF_FAILED(dense_rest_acceleration(problem->newton, &problem->equation, times[k],
                                                 ends[k], w->predictor));
        for (size_t i = 0; i < w->size; i++) {
            w->correction[i] -= factors[k] * w->predictor[i];
        }
    }
    for (size_t i = 0; i < w->size; i++) {
        w->next.v[i] -= alpha * w->correction[i];
    }
    return PBS_OK;
}

/// Explicit schemes: computes a_{n+1} from the forces at x_{n+1} and updates the velocity.
static pbs_status kick(struct part *part, double seconds) {
    struct dense_workspace *w = part->w;
    part->result->newton.force_evaluations++;
    RETURN_IF_FAILED(dense_acceleration(&part->problem->equation, w->state.time + part->view.h,
                                        w->next.x, w->next.v, w->next.a));
    for (size_t i = 0; i < w->size; i++) {
        w->next.v[i] += seconds * (w->next.a[i] - part->acceleration[i]);
    }
    return PBS_OK;
}

static pbs_status finish(struct part *part) {
    const struct scheme_table *scheme = part->problem->scheme;
    struct dense_workspace *w = part->w;
    struct state_recipe recipe = {0};
    scheme->finish(&part->view, &recipe);
    combine(part, &recipe.position, w->next.x);
    combine(part, &recipe.velocity, w->next.v);
    if (scheme_stores_acceleration(scheme)) {
        combine(part, &recipe.acceleration, w->next.a);
    }
    if (scheme->control != CONTROL_NONE) {
        RETURN_IF_FAILED(correct_velocity(part, &recipe));
    }
    if (scheme->kicks) {
        RETURN_IF_FAILED(kick(part, recipe.kick));
    }
    for (size_t i = 0; i < w->size; i++) {
        if (!isfinite(w->next.x[i]) || !isfinite(w->next.v[i])) {
            return status_fail(PBS_ERROR_INADMISSIBLE,
                               "the step of %g ends with position %zu at %g and velocity %g",
                               part->view.h, i, w->next.x[i], w->next.v[i]);
        }
    }
    return PBS_OK;
}

/// Returns whether a_n is stored and finite; otherwise sets it to zero, so that a state is always
/// finite. Squares of the step may underflow.
static bool settle_acceleration(const struct dense_workspace *w,
                                const struct scheme_table *scheme) {
    double *const a = w->state.now.a;
    bool is_known = scheme_stores_acceleration(scheme);
    for (size_t i = 0; i < w->size; i++) {
        is_known = is_known && isfinite(a[i]);
    }
    for (size_t i = 0; i < w->size && !is_known; i++) {
        a[i] = 0.0;
    }
    return is_known;
}

/// Accepts the substep: next becomes now, now becomes before.
static void accept(struct dense_workspace *w, const struct scheme_table *scheme, double h) {
    struct dense_state *state = &w->state;
    const struct kinematics free_arrays = state->before;
    state->before = state->now;
    state->now = w->next;
    w->next = free_arrays;
    state->memory.known = scheme->history;
    state->memory.h_before = h;
    state->memory.has_acceleration = settle_acceleration(w, scheme);
    state->time += h;
}

static pbs_status solve_part(const struct dense_problem *problem, double h,
                             struct dense_workspace *w, struct dense_step_result *result) {
    struct part part = {.problem = problem,
                        .w = w,
                        .view = {.h = h,
                                 .h_before = w->state.memory.h_before,
                                 .known = w->state.memory.known,
                                 .parameters = problem->parameters,
                                 .start = problem->start},
                        .result = result};
    RETURN_IF_FAILED(start_acceleration(&part));
    const uint32_t stage_count = problem->scheme->stage_count(&part.view);
    for (uint32_t i = 0; i < stage_count; i++) {
        RETURN_IF_FAILED(run_stage(&part, i));
    }
    RETURN_IF_FAILED(finish(&part));
    accept(w, problem->scheme, h);
    result->substeps++;
    return PBS_OK;
}

// --- a step and its substeps ---

static bool may_divide(pbs_status status) {
    return status == PBS_ERROR_CONVERGENCE || status == PBS_ERROR_INADMISSIBLE;
}

static pbs_status run(const struct dense_problem *problem, double h, uint32_t depth,
                      struct dense_workspace *w, struct dense_step_result *result) {
    const pbs_status status = solve_part(problem, h, w, result);
    if (status >= 0 || !may_divide(status) || depth == problem->divisions) {
        return status;
    }
    result->divisions++;
    const bool fresh = problem->scheme->restarts_when_divided;
    struct dense_state *state = &w->state;
    if (fresh) {
        copy_kinematics(w->size, &state->now, &w->starts[depth]);
        state->memory.known = 1;
    }
    RETURN_IF_FAILED(run(problem, 0.5 * h, depth + 1, w, result));
    RETURN_IF_FAILED(run(problem, 0.5 * h, depth + 1, w, result));
    if (fresh) {
        copy_kinematics(w->size, &w->starts[depth], &state->before);
        state->memory.known = 2;
        state->memory.h_before = h;
    }
    return PBS_OK;
}

struct dense_step_result dense_step_solve(const struct dense_problem *problem, double h,
                                          struct dense_workspace *workspace) {
    struct dense_step_result result = {.status = PBS_OK};
    const double start = workspace->state.time;
    result.status = run(problem, h, 0, workspace, &result);
    // The halves add up to h, but the time may differ by rounding.
    workspace->state.time = start + h;
    return result;
}

// See explicit.h. Two passes over the nodes, before and after the forces.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/explicit.h"

#include "base/lanes/vector.h"

enum { CHUNK = 8192, CONSTRAINT_CHUNK = 2048 }; // coordinates; nodes

bool explicit_is_supported(const struct step_problem *problem) {
    return problem->scheme->kicks && !contact_set_has_potential(&problem->objective.contacts) &&
           problem->damping == NULL && problem->conservative_count == problem->objective.term_count;
}

void explicit_begin(const struct step_problem *problem, struct step_workspace *workspace) {
    const uint8_t *constrained_axes = problem->scripts.constrained_axes;
    workspace->has_constraints = false;
    for (size_t i = 0; i < workspace->node_count; i++) {
        workspace->has_constraints = workspace->has_constraints || constrained_axes[i] != 0;
        const double inverse = 1.0 / problem->objective.mass[i];
        for (size_t axis = 0; axis < 3; axis++) {
            const bool free = ((uint32_t)constrained_axes[i] >> axis & 1u) == 0;
            workspace->velocity_history[3 * i + axis] = free ? inverse : 0.0;
        }
    }
    vector_zero(problem->objective.tasks, 3 * workspace->node_count, workspace->contact_force);
}

struct pass {
    const struct step_workspace *w;
    const struct scripts *scripts;
    size_t count;
    double h;
};

/// v_{n+1/2} = v_n + h / 2 a_n, x_{n+1} = x_n + h v_{n+1/2}
static PBS_MULTIVERSION void drift(const double *restrict x, const double *restrict v,
                                   const double *restrict a, double h, size_t count,
                                   double *restrict x_next, double *restrict v_next) {
    for (size_t i = 0; i < count; i++) {
        const double u = v[i] + 0.5 * h * a[i];
        v_next[i] = u;
        x_next[i] = x[i] + h * u;
    }
}

/// a = -grad P / m
static PBS_MULTIVERSION void accelerate(const double *restrict gradient,
                                        const double *restrict inverse_mass, size_t count,
                                        double *restrict a) {
    for (size_t i = 0; i < count; i++) {
        a[i] = -gradient[i] * inverse_mass[i];
    }
}

/// The same, then v_{n+1} = v_{n+1/2} + h / 2 a.
static PBS_MULTIVERSION void kick(const double *restrict gradient,
                                  const double *restrict inverse_mass, double h, size_t count,
                                  double *restrict a, double *restrict v) {
    for (size_t i = 0; i < count; i++) {
        a[i] = -gradient[i] * inverse_mass[i];
        v[i] += 0.5 * h * a[i];
    }
}

static size_t chunk_length(const struct pass *pass, size_t begin) {
    return pass->count - begin < CHUNK ? pass->count - begin : CHUNK;
}

static void drift_chunk(void *context, size_t index) {
    const struct pass *pass = context;
    const struct step_workspace *w = pass->w;
    const size_t at = index * CHUNK;
    drift(w->now.x + at, w->now.v + at, w->now.a + at, pass->h, chunk_length(pass, at),
          w->next.x + at, w->next.v + at);
}

static void start_chunk(void *context, size_t index) {
    const struct pass *pass = context;
    const struct step_workspace *w = pass->w;
    const size_t at = index * CHUNK;
    accelerate(w->gradient_now + at, w->velocity_history + at, chunk_length(pass, at),
               w->now.a + at);
}

static void kick_chunk(void *context, size_t index) {
    const struct pass *pass = context;
    const struct step_workspace *w = pass->w;
    const size_t at = index * CHUNK;
    kick(w->gradient_now + at, w->velocity_history + at, pass->h, chunk_length(pass, at),
         w->next.a + at, w->next.v + at);
}

/// Sets constrained axes to their prescribed values.
static void constrain_chunk(void *context, size_t index) {
    const struct pass *pass = context;
    const struct scripts *scripts = pass->scripts;
    const size_t end = (index + 1) * CONSTRAINT_CHUNK;
    for (size_t i = index * CONSTRAINT_CHUNK; i < end && i < pass->count / 3; i++) {
        for (size_t axis = 0; axis < 3 && scripts->constrained_axes[i] != 0; axis++) {
            if (((uint32_t)scripts->constrained_axes[i] >> axis & 1u) != 0) {
                pass->w->next.x[3 * i + axis] = scripts->targets[3 * i + axis];
                pass->w->next.v[3 * i + axis] = scripts->velocity[3 * i + axis];
            }
        }
    }
}

/// Computes the gradient at x, with rotations at the charts' origins, at the given fraction of the
/// host's step.
static pbs_status find_forces(const struct step_problem *problem, double fraction, const double *x,
                              struct step_workspace *w) {
    RETURN_IF_FAILED(step_find_contact(problem, fraction, x));
    const struct objective *o = &problem->objective;
    const struct evaluation evaluation = {.what = EVALUATE_VALUE | EVALUATE_GRADIENT,
                                          .x = x,
                                          .stage = {.origin = x, .length = 1.0},
                                          .at_chart_origin = true};
    struct terms_result result = {.gradient = w->gradient_now, .scratch = o->scratch};
    const int answer = terms_evaluate(o->tasks, o->assembly, o->terms, o->term_count, &evaluation,
                                      &result);
    if (answer == EVALUATE_STOP) {
        return terms_fail_stopped();
    }
    return answer == EVALUATE_OK
               ? PBS_OK
               : status_fail(PBS_ERROR_INADMISSIBLE,
                             "the potential is infinite at the start or the end of the step");
}

struct step_result explicit_step(const struct step_problem *problem, const struct step_span *span,
                                 struct step_workspace *workspace) {
    struct step_workspace *w = workspace;
    struct tasks *tasks = problem->objective.tasks;
    struct step_result result = {.status = PBS_OK};
    struct pass pass = {
        .w = w, .scripts = &problem->scripts, .count = 3 * w->node_count, .h = span->h};
    const size_t chunks = (pass.count + CHUNK - 1) / CHUNK;
    contact_report_begin_step(problem->report);
    if (!w->memory.has_acceleration) {
        result.status = find_forces(problem, span->begin, w->now.x, w);
        if (result.status < 0) {
            return result;
        }
        tasks_for(tasks, chunks, start_chunk, &pass);
    }
    tasks_for(tasks, chunks, drift_chunk, &pass);
    if (w->rotations != NULL) {
        w->rotations->begin = span->begin;
    }
    if (w->has_constraints) {
        problem->scripts.set_prescribed_targets(problem->scripts.self, span->end);
        tasks_for(tasks, (w->node_count + CONSTRAINT_CHUNK - 1) / CONSTRAINT_CHUNK, constrain_chunk,
                  &pass);
    }
    if (w->rotations != NULL) {
        rotations_apply(w->rotations, tasks, w->next.x);
        w->orientations_updated = true;
    }
    result.status = find_forces(problem, span->end, w->next.x, w);
    if (result.status >= 0) {
        tasks_for(tasks, chunks, kick_chunk, &pass);
        const struct friction_input input = {.x = w->next.x,
                                             .mass = problem->objective.mass,
                                             .constrained_axes = problem->scripts.constrained_axes,
                                             .h = span->h,
                                             .time = span->h,
                                             .impulse_fraction = 1.0,
                                             .velocity = w->next.v,
                                             .report = problem->report};
        result.dissipated = contact_set_apply_friction(&problem->objective.contacts, &input);
        result.active_contacts = (uint32_t)contact_set_count(&problem->objective.contacts);
    }
    w->lost = (struct scalar_state){0.0, 0.0, 0.0};
    return result;
}

void explicit_update_acceleration(struct step_workspace *workspace, size_t node) {
    const struct step_workspace *w = workspace;
    accelerate(w->gradient_now + 3 * node, w->velocity_history + 3 * node, 3, w->now.a + 3 * node);
}

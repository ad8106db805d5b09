// Steps of systems: they compute with a copy of the state, which becomes the system's state at the
// end or not at all. One step, equal steps, or steps chosen by the integrator's step control
// (src/integrate/step_control/step_control.h).
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/systems/system.h"

/// One call of pbs_system_step or pbs_system_advance.
struct run {
    pbs_system *s;
    const struct scheme_choice *choice;
    double h; ///< duration of the call
    struct dense_problem problem;
    struct step_control control;
    struct step_memory step_memory;
    struct dense_step_result sum;
    struct step_counts counts;
};

// --- preparation ---

/// Whether two choices are the same scheme. Only then can the history be used.
static bool is_same_choice(const struct scheme_choice *a, const struct scheme_choice *b) {
    bool same = a->scheme == b->scheme && a->settings.start == b->settings.start &&
                a->settings.linearized == b->settings.linearized;
    for (int i = 0; i < SCHEME_PARAMETERS; i++) {
        same = same && a->settings.parameters[i] == b->settings.parameters[i];
    }
    return same;
}

void system_forget_history(struct dense_state *state) {
    state->memory = (struct scheme_memory){.known = 1};
}

/// Schemes with energy control need a fixed alpha; blending is not possible.
static pbs_status check_scheme(const struct scheme_choice *choice) {
    const struct scheme_table *scheme = choice->scheme;
    const bool blends = scheme->control == CONTROL_STATE;
    const bool searches = scheme->control != CONTROL_NONE &&
                          choice->settings.energy_control.alpha_choice != PBS_ALPHA_FIXED;
    return blends || searches || scheme->is_static
               ? status_fail(PBS_ERROR_ARGUMENT,
                             "the scheme %s%s needs an energy, which systems do not have",
                             scheme->name, searches ? " without PBS_ALPHA_FIXED" : "")
               : PBS_OK;
}

static void fill_problem(struct run *run) {
    pbs_system *s = run->s;
    const pbs_integrator_desc *settings = &run->choice->settings;
    run->problem = (struct dense_problem){
        .scheme = run->choice->scheme,
        .parameters = settings->parameters,
        .start = settings->start,
        .alpha = settings->energy_control.alpha,
        .linearized = settings->linearized != 0,
        .equation = {.size = s->size,
                     .mass = s->mass,
                     .mass_factors = &s->mass_factors,
                     .damping = s->damping,
                     .stiffness = s->stiffness,
                     .force = s->force,
                     .jacobian = s->jacobian,
                     .user = s->user},
        .options = s->options,
        .newton = &s->newton,
    };
}

// --- steps ---

/// Solves a step from the workspace's state. It is halved up to `divisions` times if it fails.
static struct dense_step_result solve_step(struct run *run, double h, uint32_t divisions) {
    run->problem.divisions = divisions;
    const struct dense_step_result one = dense_step_solve(&run->problem, h, &run->s->workspace);
    struct dense_step_result *const sum = &run->sum;
    sum->stages += one.stages;
    sum->divisions += one.divisions;
    sum->substeps += one.substeps;
    dense_result_add(&sum->newton, &one.newton);
    return one;
}

static pbs_status equal_steps(struct run *run) {
    const double count = step_control_count(&run->control, run->h);
    const double h = run->h / count;
    for (double i = 0.0; i < count; i += 1.0) {
        const struct dense_step_result one = solve_step(run, h, run->s->workspace.divisions);
        RETURN_IF_FAILED(one.status);
        step_counts_add(&run->counts, h, one.newton.force_error);
    }
    return PBS_OK;
}

// --- step control ---

static double largest(size_t count, const double *x) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static double largest_difference(size_t count, const double *x, const double *y) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most;
}

/// Returns the distance of the end of two half steps from the end of the whole step, which is the
/// workspace's state.
static double solve_halves(struct run *run, double h, pbs_status *status) {
    pbs_system *const s = run->s;
    struct dense_state *const state = &s->workspace.state;
    memcpy(s->whole, state->now.x, s->size * sizeof(double));
    dense_state_copy(s->size, &s->saved, state);
    for (int i = 0; i < 2 && *status >= 0; i++) {
        *status = solve_step(run, 0.5 * h, 0).status;
    }
    return *status >= 0 ? largest_difference(s->size, s->whole, state->now.x) : NAN;
}

/// Solves a step from the workspace's state. Returns the value that the step control compares with
/// its tolerance.
static double try_step(struct run *run, double h, pbs_status *status) {
    pbs_system *const s = run->s;
    const struct dense_state *const state = &s->workspace.state;
    const struct dense_step_result one = solve_step(run, h, 0);
    *status = one.status;
    if (*status < 0) {
        return NAN;
    }
    switch (run->control.kind) {
    case PBS_STEP_FORCE_ERROR: return one.newton.force_error;
    case PBS_STEP_SPEED_LIMIT: return h * largest(s->size, s->saved.now.v);
    case PBS_STEP_STRETCH_LIMIT: return largest_difference(s->size, state->now.x, s->saved.now.x);
    default: return solve_halves(run, h, status);
    }
}

static bool may_divide(pbs_status status) {
    return status == PBS_ERROR_CONVERGENCE || status == PBS_ERROR_INADMISSIBLE;
}

/// Solves the planned step. *accepted: the workspace's state is at the end of the step; otherwise
/// it is unchanged.
static pbs_status try_planned(struct run *run, const struct step_plan *plan, bool *accepted) {
    pbs_system *const s = run->s;
    struct dense_workspace *const w = &s->workspace;
    dense_state_copy(s->size, &w->state, &s->saved);
    pbs_status status = PBS_OK;
    const double measured = try_step(run, plan->h, &status);
    const enum step_verdict verdict = step_control_judge(&run->control, &run->step_memory, plan,
                                                         measured);
    *accepted = verdict != STEP_REJECTED;
    run->counts.rejected += verdict == STEP_REJECTED;
    run->counts.forced += verdict == STEP_FORCED;
    if (status < 0 && !may_divide(status)) {
        return status;
    }
    if (verdict == STEP_REJECTED || verdict == STEP_FAILED) {
        dense_state_copy(s->size, &s->saved, &w->state);
    }
    if (verdict == STEP_FAILED) {
        // The control cannot choose a shorter step.
        RETURN_IF_FAILED(solve_step(run, plan->h, w->divisions).status);
    }
    if (*accepted) {
        step_counts_add(&run->counts, plan->h, verdict == STEP_FAILED ? 0.0 : measured);
    }
    return PBS_OK;
}

static pbs_status controlled_steps(struct run *run) {
    const struct dense_state *const state = &run->s->workspace.state;
    const size_t n = run->s->size;
    double elapsed = 0.0;
    for (bool ended = false; !ended;) {
        // With step doubling, the last step was one half of the step that the control chose.
        const double whole = run->control.kind == PBS_STEP_DOUBLING ? 2.0 : 1.0;
        const double h_before = state->memory.known > 1 ? whole * state->memory.h_before : 0.0;
        const struct step_plan plan = step_control_plan(
            &run->control, &run->step_memory, run->h - elapsed, h_before, largest(n, state->now.v));
        bool accepted = false;
        RETURN_IF_FAILED(try_planned(run, &plan, &accepted));
        elapsed += accepted ? plan.h : 0.0;
        ended = accepted && plan.last;
    }
    return PBS_OK;
}

// --- results ---

static void write_stats(const struct run *run, pbs_status status) {
    pbs_dense_stats *stats = &run->s->stats;
    const struct dense_result *newton = &run->sum.newton;
    const struct step_counts *counts = &run->counts;
    stats->status = status;
    stats->stages = run->sum.stages;
    stats->divisions = run->sum.divisions;
    stats->substeps = run->sum.substeps;
    stats->newton_iterations = newton->newton_iterations;
    stats->force_evaluations = newton->force_evaluations;
    stats->jacobian_evaluations = newton->jacobian_evaluations;
    stats->roundoff_accepts = newton->roundoff_accepts;
    stats->residual = newton->residual;
    stats->tolerance = newton->tolerance;
    stats->step = run->h;
    stats->total.steps += status >= 0 ? counts->accepted : 0;
    stats->total.failed_steps += status < 0;
    stats->total.newton_iterations += newton->newton_iterations;
    stats->step_control.accepted = counts->accepted;
    stats->step_control.rejected = counts->rejected;
    stats->step_control.above_tolerance = counts->forced;
    stats->step_control.shortest = counts->shortest;
    stats->step_control.longest = counts->longest;
    stats->step_control.error = counts->measured;
}

static pbs_status run_system(struct run *run, pbs_status (*steps)(struct run *run)) {
    pbs_system *s = run->s;
    struct dense_state *const state = &s->workspace.state;
    struct status_message before;
    status_save(&before);
    fill_problem(run);
    run->step_memory = s->step_memory;
    dense_state_copy(s->size, &s->state, state);
    if (!is_same_choice(&s->choice, run->choice)) {
        system_forget_history(state);
        run->step_memory = (struct step_memory){0};
    }
    pbs_status status = steps(run);
    if (status >= 0) {
        // The sum of the steps may differ from h by rounding errors.
        state->time = s->state.time + run->h;
        dense_state_copy(s->size, state, &s->state);
        s->choice = *run->choice;
        s->step_memory = run->step_memory;
    }
    if (status >= 0 && run->sum.divisions > 0) {
        status = status_fail(PBS_DIVIDED, "the step of %g needed %u halvings", run->h,
                             (unsigned)run->sum.divisions);
    }
    if (status == PBS_OK) {
        status_restore(&before);
    }
    write_stats(run, status);
    return status;
}

static pbs_status system_check(const pbs_system *s, const pbs_integrator *i) {
    RETURN_IF_FAILED(system_enter(s));
    RETURN_IF_FAILED(check_pointer(i, "the integrator"));
    return check_scheme(&i->choice);
}

pbs_status pbs_system_step(pbs_system *s, pbs_integrator *i, double h) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(system_check(s, i));
    RETURN_IF_FAILED(check_duration(h, s->state.time, "the step's length"));
    // Without a limit of the step length equal_steps takes one step.
    struct run run = {.s = s, .choice = &i->choice, .h = h};
    return run_system(&run, equal_steps);
}

pbs_status pbs_system_advance(pbs_system *s, pbs_integrator *i, double duration) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(system_check(s, i));
    RETURN_IF_FAILED(check_duration(duration, s->state.time, "duration"));
    const struct scheme_choice *const choice = &i->choice;
    struct step_control control = step_control_of(&choice->settings.step_control,
                                                  choice->scheme->history);
    RETURN_IF_FAILED(step_control_fit(&control, duration));
    if (control.kind == PBS_STEP_ALPHA) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "step_control is PBS_STEP_ALPHA, which needs an energy, and a system "
                           "has none");
    }
    struct run run = {.s = s, .choice = choice, .h = duration, .control = control};
    return run_system(&run, control.kind == PBS_STEP_FIXED ? equal_steps : controlled_steps);
}

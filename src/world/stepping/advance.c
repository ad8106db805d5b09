// Several steps of a world as one transaction: of equal length, or chosen by the integrator's step
// control (src/integrate/step_control/step_control.h).
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/arithmetic.h"
#include "base/lanes/vector.h"
#include "integrate/step_control/step_measure.h"
#include "world/breaking/breaking.h"
#include "world/interface/check.h"
#include "world/stepping/contact_stiffness.h"
#include "world/stepping/run.h"

// The error of the linear solution of a linearized stage, as a fraction of the tolerance of the
// force error (docs/theory/step_control.md section 2).
static const double LINEAR_SHARE = 0.05;

static pbs_status equal_steps(struct run *run) {
    const double count = step_control_count(&run->control, run->h);
    const double h = run->h / count;
    for (double i = 0.0; i < count; i += 1.0) {
        const struct step_span span = {.h = h, .begin = i / count, .end = (i + 1.0) / count};
        RETURN_IF_FAILED(run_whole(run, &span));
        step_counts_add(&run->counts, h, 0.0);
    }
    return PBS_OK;
}

// --- step doubling ---

/// Number of saved arrays: those of the workspace that a step reads, and the end positions of the
/// whole step.
enum { SAVED_ARRAYS = 7 };

static void list_state(struct step_workspace *workspace, double *arrays[SAVED_ARRAYS]) {
    arrays[0] = workspace->now.x;
    arrays[1] = workspace->now.v;
    arrays[2] = workspace->now.a;
    arrays[3] = workspace->before.x;
    arrays[4] = workspace->before.v;
    arrays[5] = workspace->contact_force_before;
    arrays[6] = workspace->next.x;
}

/// The saved orientations, which follow the saved arrays.
static double *saved_orientations(const struct solver *t) {
    return t->saved_states + SAVED_ARRAYS * 3 * t->workspace.node_count;
}

static void save_state(struct run *run) {
    struct solver *const t = &run->w->solver;
    const struct rotations *rotations = &t->model.rotations;
    const size_t count = 3 * t->workspace.node_count;
    double *arrays[SAVED_ARRAYS];
    list_state(&t->workspace, arrays);
    for (size_t i = 0; i < SAVED_ARRAYS; i++) {
        if (arrays[i] != NULL) {
            vector_copy(run->w->tasks, count, arrays[i], t->saved_states + i * count);
        }
    }
    vector_copy(run->w->tasks, 4 * rotations->count, rotations->orientation, saved_orientations(t));
    breaks_save(run->w);
    run->saved_elapsed = run->elapsed;
    energy_save(&t->workspace.energy);
    struck_bodies_save(&t->workspace.struck);
    contact_report_save(&t->report);
    contact_stiffness_save(t);
}

static void restore_state(struct run *run) {
    struct solver *const t = &run->w->solver;
    const struct rotations *rotations = &t->model.rotations;
    const size_t count = 3 * t->workspace.node_count;
    double *arrays[SAVED_ARRAYS];
    list_state(&t->workspace, arrays);
    for (size_t i = 0; i + 1 < SAVED_ARRAYS; i++) {
        if (arrays[i] != NULL) {
            vector_copy(run->w->tasks, count, t->saved_states + i * count, arrays[i]);
        }
    }
    vector_copy(run->w->tasks, 4 * rotations->count, saved_orientations(t), rotations->orientation);
    breaks_restore_saved(run->w);
    run->elapsed = run->saved_elapsed;
    energy_restore(&t->workspace.energy);
    struck_bodies_restore(&t->workspace.struck);
    contact_report_restore(&t->report);
    contact_stiffness_restore(t);
}

/// Solves two half steps. The first is accepted in the workspace; the second is left in its next
/// state.
static struct step_result solve_halves(struct run *run, const struct step_span *span) {
    const double h = 0.5 * span->h;
    const double middle = 0.5 * (span->begin + span->end);
    const struct step_span first = {.h = h, .begin = span->begin, .end = middle};
    const struct step_span second = {.h = h, .begin = middle, .end = span->end};
    struct step_result half = run_relieved(run, &first);
    run_add_work(run, &half);
    if (half.status < 0) {
        return half;
    }
    run_accept(run, h);
    struct step_result end = run_relieved(run, &second);
    run_add_work(run, &end);
    energy_report_add(&half.energy, &end.energy);
    end.energy = half.energy;
    end.dissipated += half.dissipated;
    end.status = end.status == PBS_OK ? half.status : end.status;
    return end;
}

// --- one attempt ---

/// The result of an attempt, which is in the workspace's next state and not accepted yet.
struct attempt {
    struct step_result result;
    double h;        ///< s: length of the step that is to be accepted
    double measured; ///< the step control's measure; NaN: the attempt failed
    bool is_saved;   ///< the state before the attempt has been saved
};

static struct attempt try_halves(struct run *run, const struct step_span *span) {
    struct solver *const t = &run->w->solver;
    struct attempt attempt = {.h = 0.5 * span->h, .measured = NAN};
    // The whole step comes first. Bonds and joints that break in it are restored, and break again
    // in the half steps.
    const struct break_mark broken = breaks_mark(run->w);
    const struct scheme_memory memory = t->workspace.memory;
    attempt.result = run_step(run, span);
    breaks_undo(run->w, broken);
    constraint_set_restore(&t->constraints);
    t->workspace.memory = memory;
    run_add_work(run, &attempt.result);
    if (attempt.result.status < 0) {
        return attempt;
    }
    save_state(run);
    attempt.is_saved = true;
    attempt.result = solve_halves(run, span);
    if (attempt.result.status >= 0) {
        const size_t nodes = t->workspace.node_count;
        double *const whole = t->saved_states + (SAVED_ARRAYS - 1) * 3 * nodes;
        rotations_compare(&t->model.rotations, t->workspace.next.x, saved_orientations(t), whole);
        attempt.measured = measure_distance(nodes, t->workspace.next.x, whole);
    }
    return attempt;
}

static double measure(const struct run *run, const struct step_result *result, double h) {
    const struct solver *const t = &run->w->solver;
    switch (run->control.kind) {
    case PBS_STEP_SPEED_LIMIT:
        return h * measure_longest(t->workspace.node_count, t->workspace.now.v);
    case PBS_STEP_FORCE_ERROR: return result->newton.force_error;
    case PBS_STEP_STRETCH_LIMIT:
        return measure_stretch(&t->model.assembly, run->w->scene.nodes.kind, t->workspace.now.x,
                               t->workspace.next.x);
    case PBS_STEP_ALPHA:
        return h * energy_deviation(&t->workspace.energy, t->workspace.node_count,
                                    t->workspace.correction);
    default: return 0.0;
    }
}

static struct attempt try_whole(struct run *run, const struct step_span *span) {
    struct attempt attempt = {.h = span->h, .measured = NAN};
    attempt.result = run_relieved(run, span);
    run_add_work(run, &attempt.result);
    if (attempt.result.status >= 0) {
        attempt.measured = measure(run, &attempt.result, span->h);
    }
    return attempt;
}

// --- the control's loop ---

static double fastest(const struct run *run) {
    const struct step_workspace *const workspace = &run->w->solver.workspace;
    return run->control.kind == PBS_STEP_SPEED_LIMIT
               ? measure_longest(workspace->node_count, workspace->now.v)
               : 0.0;
}

/// Attempts a step and lets the control judge it. Unless it is accepted, the workspace's state is
/// restored. *missed: it would be accepted, but is too long for a hit in it.
static enum step_verdict attempt_step(struct run *run, const struct step_plan *plan,
                                      const struct step_span *span, pbs_status *status,
                                      bool *missed) {
    struct step_workspace *const workspace = &run->w->solver.workspace;
    const pbs_expert_desc *const expert = &run->w->scene.expert;
    const struct scheme_memory memory = workspace->memory;
    const struct break_mark broken = breaks_mark(run->w);
    const bool doubling = run->control.kind == PBS_STEP_DOUBLING;
    run->problem.allow_unconverged = expert->allow_unconverged != 0 &&
                                     (run_is_spent(run) ||
                                      (run->division_limit == 0 && plan->h <= run->control.min));
    const struct attempt attempt = doubling ? try_halves(run, span) : try_whole(run, span);
    *status = attempt.result.status;
    const enum step_verdict verdict = step_control_judge(&run->control, &run->step_memory, plan,
                                                         attempt.measured);
    const bool is_taken = verdict == STEP_ACCEPTED || verdict == STEP_FORCED;
    *missed = is_taken && run_missed_impact(run, attempt.h);
    if (is_taken && !*missed) {
        run_commit_part(run, &attempt.result, attempt.h);
        step_counts_add(&run->counts, plan->h, attempt.measured);
        return verdict;
    }
    if (!attempt.is_saved) {
        run_undo_step(run, &memory, &broken);
        return verdict;
    }
    restore_state(run);
    breaks_undo(run->w, broken);
    workspace->memory = memory;
    return verdict;
}

static pbs_status try_planned(struct run *run, const struct step_plan *plan,
                              const struct step_span *span, bool *accepted) {
    pbs_status status = PBS_OK;
    bool missed = run_is_beyond_waves(run, plan->h);
    const enum step_verdict verdict = missed ? STEP_ACCEPTED
                                             : attempt_step(run, plan, span, &status, &missed);
    if (missed) {
        // No control knows how short; the part is halved until its steps resolve the hit.
        *accepted = true;
        RETURN_IF_FAILED(run_shorter(run, span, 0));
        step_counts_add(&run->counts, plan->h, 0.0);
        return PBS_OK;
    }
    *accepted = verdict != STEP_REJECTED;
    run->counts.rejected += verdict == STEP_REJECTED;
    run->counts.forced += verdict == STEP_FORCED;
    // A step that has spent the iterations of the call is solved no better by a shorter one, but
    // lands where the host lets it.
    const bool may_land = run->w->scene.expert.allow_unconverged != 0 && run_is_spent(run);
    if (verdict == STEP_REJECTED) {
        return status >= 0 || run_may_divide(run, status) || may_land ? PBS_OK : status;
    }
    if (verdict == STEP_FAILED) {
        // The control cannot choose a shorter step, but the step may be halved.
        if (status >= 0) {
            status = status_fail(PBS_ERROR_INADMISSIBLE,
                                 "the value that the step control measured is not finite");
        }
        if (!may_land && (!run_may_divide(run, status) || run->division_limit == 0)) {
            return status;
        }
        RETURN_IF_FAILED(may_land ? run_part(run, span, 0) : run_halves(run, span, 0));
        step_counts_add(&run->counts, plan->h, 0.0);
    }
    return PBS_OK;
}

/// Limits the next steps by the speed of cracks, after an accepted step in which the bonds from the
/// row `broken` on broke.
static void follow_cracks(struct run *run, const struct step_plan *plan, size_t broken) {
    const double chosen = run->control.fracture;
    const bool broke = run->w->solver.breaks.count > broken;
    double crack = 0.0;
    if (broke && isfinite(chosen)) {
        // Static schemes have no time in which waves travel.
        const bool waves = chosen == 0.0 && !run->problem.scheme->is_static;
        crack = waves ? breaks_crack_step(run->w, broken) : chosen;
    }
    struct step_counts *const counts = &run->counts;
    counts->cracked += plan->cracked;
    step_control_follow_cracks(&run->control, &run->step_memory, crack);
    if (run->step_memory.crack > 0.0) {
        counts->crack = counts->crack > 0.0 ? fmin(counts->crack, run->step_memory.crack)
                                            : run->step_memory.crack;
    }
}

static pbs_status controlled_steps(struct run *run) {
    struct solver *const t = &run->w->solver;
    if (run->control.kind == PBS_STEP_DOUBLING) {
        RETURN_IF_FAILED(memory_reserve(&run->w->memory, &t->saved_states, &t->saved_state_capacity,
                                        SAVED_ARRAYS * 3 * t->workspace.node_count +
                                            4 * t->model.rotations.count,
                                        sizeof *t->saved_states));
    }
    double elapsed = 0.0, begin = 0.0;
    while (begin < 1.0) {
        const struct scheme_memory *const memory = &t->workspace.memory;
        // The last step was one half of the step that the control chose.
        const double whole = run->control.kind == PBS_STEP_DOUBLING ? 2.0 : 1.0;
        const double h_before = memory->known > 1 ? whole * memory->h_before : 0.0;
        const struct step_plan plan = step_control_plan(&run->control, &run->step_memory,
                                                        run->h - elapsed, h_before, fastest(run));
        const double end = plan.last ? 1.0 : (elapsed + plan.h) / run->h;
        const struct step_span span = {.h = plan.h, .begin = begin, .end = end};
        bool accepted = false;
        const size_t broken = t->breaks.count;
        RETURN_IF_FAILED(try_planned(run, &plan, &span, &accepted));
        if (accepted) {
            follow_cracks(run, &plan, broken);
            elapsed += plan.h;
            begin = end;
        }
    }
    return PBS_OK;
}

pbs_status pbs_world_advance(pbs_world *w, double duration) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_duration(duration, w->scene.time, "duration"));
    const struct scheme_choice *const choice = &w->scene.integrator;
    struct step_control control = step_control_of(&choice->settings.step_control,
                                                  choice->scheme->history);
    RETURN_IF_FAILED(step_control_fit(&control, duration));
    const bool fixed = control.kind == PBS_STEP_FIXED;
    struct run run = {
        .w = w,
        .h = duration,
        .steps = fixed ? equal_steps : controlled_steps,
        .control = control,
        .linear_accuracy = control.kind == PBS_STEP_FORCE_ERROR ? LINEAR_SHARE * control.tolerance
                                                                : 0.0,
        .step_memory = w->scene.step_memory,
    };
    return run_world(&run);
}

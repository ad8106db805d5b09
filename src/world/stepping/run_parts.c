// Solves the steps of a run. A part that fails is halved, up to the host's limit. Explicit schemes
// take as many steps as the stable step requires.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "integrate/stepping/explicit.h"
#include "integrate/stepping/stable_step.h"
#include "world/breaking/breaking.h"
#include "world/forces/loads.h"
#include "world/breaking/impact.h"
#include "world/breaking/joint_breaking.h"
#include "world/breaking/joint_contact.h"
#include "world/stepping/contact_run.h"
#include "world/stepping/contact_stiffness.h"
#include "world/stepping/failure.h"

// Iteration limit of a step that can still be halved, if the host leaves the number of halvings to
// the library.
enum { ITERATIONS_BEFORE_DIVISION = 150 };

// How often a part is tried again with stiffer contacts where these were pressed almost to zero,
// or stiffer bodies.
enum { RELIEFS = 4 };

void run_add_work(struct run *run, const struct step_result *part) {
    newton_result_add(&run->sum.newton, &part->newton);
    run->sum.stages += part->stages;
    if (part->status != PBS_OK) {
        failure_explain(run, part);
    }
}

// --- hits ---

// Shares of a call: shorter steps are not taken around a hit.
static const double SHORTEST_SHARE = 0x1p-14;
// How often waves go through a body before steps may be long again.
static const double WAVES_WATCHED = 4.0;

static bool may_be_shorter(const struct run *run, double h) {
    return run->w->scene.settings.impact_steps > 0 && h > SHORTEST_SHARE * run->h;
}

bool run_is_beyond_waves(const struct run *run, double h) {
    const double now = run->w->scene.time + run->elapsed;
    return may_be_shorter(run, h) && now < run->waves.until && h > run->waves.step;
}

bool run_missed_impact(struct run *run, double h) {
    return may_be_shorter(run, h) &&
           impact_find(run->w, h, run->w->scene.settings.impact_steps, false).unseen;
}

pbs_status run_shorter(struct run *run, const struct step_span *span, uint32_t depth) {
    const double h = 0.5 * span->h;
    const double middle = 0.5 * (span->begin + span->end);
    const struct step_span first = {.h = h, .begin = span->begin, .end = middle};
    const struct step_span second = {.h = h, .begin = middle, .end = span->end};
    RETURN_IF_FAILED(run_part(run, &first, depth));
    return run_part(run, &second, depth);
}

/// A step of h seconds is about to be accepted.
static void watch_impacts(struct run *run, double h) {
    const uint32_t steps = run->w->scene.settings.impact_steps;
    const struct impact impact = impact_find(run->w, h, steps, true);
    if (steps == 0 || impact.wave == 0.0) {
        return;
    }
    const double now = run->w->scene.time + run->elapsed;
    const double step = impact.wave / steps;
    run->waves.step = now < run->waves.until ? fmin(run->waves.step, step) : step;
    run->waves.until = fmax(run->waves.until, now + h + WAVES_WATCHED * impact.wave);
}

void run_commit_part(struct run *run, const struct step_result *part, double h) {
    struct step_result *const sum = &run->sum;
    energy_report_add(&sum->energy, &part->energy);
    sum->dissipated += part->dissipated;
    sum->active_contacts = part->active_contacts;
    sum->constrained_inside = part->constrained_inside;
    // The first status that is not PBS_OK stays.
    sum->status = sum->status == PBS_OK ? part->status : sum->status;
    run_accept(run, h);
}

void run_accept(struct run *run, double h) {
    watch_impacts(run, h);
    step_accept(&run->w->solver.workspace, run->w->tasks, h);
    contact_report_accept(&run->w->solver.report, h);
    contact_stiffness_accept(&run->w->solver);
    run->elapsed += h;
    struct step_workspace *const workspace = &run->w->solver.workspace;
    const double time = run->w->scene.time + run->elapsed;
    const size_t broken = run->w->solver.breaks.count;
    if (breaks_update(run->w, time, h, run->forces_at_end_known) &&
        !(run->forces_at_end_known && breaks_remove_forces(run->w, broken))) {
        // The stored accelerations include the forces of bonds that have broken, or the stresses
        // before plastic flow.
        workspace->memory.has_acceleration = false;
    }
    if (joint_breaks_update(run->w, workspace->now.x, workspace->now.x, time)) {
        // What moved together does so no more.
        workspace->memory.has_acceleration = false;
        workspace->memory.known = 1;
    }
    joint_contact_release(run->w, workspace->now.x);
}

bool run_is_spent(const struct run *run) {
    return run->w->scene.settings.call_limit > 0 && run->iterations_left == 0;
}

bool run_may_divide(const struct run *run, pbs_status status) {
    return (status == PBS_ERROR_CONVERGENCE || status == PBS_ERROR_INADMISSIBLE) &&
           !run_is_spent(run);
}

pbs_status run_halves(struct run *run, const struct step_span *span, uint32_t depth) {
    world_log(run->w, PBS_LOG_WARNING, "a step failed and is divided: %s", pbs_last_error());
    run->divisions++;
    const double h = 0.5 * span->h;
    const double middle = 0.5 * (span->begin + span->end);
    const struct step_span first = {.h = h, .begin = span->begin, .end = middle};
    const struct step_span second = {.h = h, .begin = middle, .end = span->end};
    RETURN_IF_FAILED(run_part(run, &first, depth + 1));
    return run_part(run, &second, depth + 1);
}

/// Returns PBS_ERROR_INADMISSIBLE if a coordinate is beyond COORDINATE_LIMIT or not a number.
static pbs_status check_bounds(const struct solver *t, const struct scene *scene) {
    const double *x = t->workspace.next.x;
    for (size_t i = 0; i < 3 * scene->nodes.count; i++) {
        if (!(fabs(x[i]) <= COORDINATE_LIMIT)) {
            const size_t index = t->node_parts[i / 3];
            return status_fail(
                PBS_ERROR_INADMISSIBLE,
                "the step would end with body %zu, node %zu at %c = %g m, which must "
                "be between %g and %g",
                index, i / 3 - scene_body(scene, index)->node_start, "xyz"[i % 3], x[i],
                -COORDINATE_LIMIT, COORDINATE_LIMIT);
        }
    }
    return PBS_OK;
}

static struct step_result solve_within_bounds(struct run *run, const struct step_span *span) {
    struct solver *t = &run->w->solver;
    struct step_result result = step_solve(&run->problem, span, &t->workspace);
    if (result.status >= 0) {
        const pbs_status bounds = check_bounds(t, &run->w->scene);
        result.status = bounds < 0 ? bounds : result.status;
    }
    return result;
}

/// Computes the critical time step, by which static steps measure stiffness, if it is not known
/// yet.
static pbs_status set_critical_step(struct run *run) {
    struct step_workspace *workspace = &run->w->solver.workspace;
    double *known = &workspace->memory.stable_step;
    if (!run->problem.scheme->is_static) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(*known == 0.0 ? stable_step(&run->problem, workspace, known) : PBS_OK);
    run->problem.critical_step = *known;
    return PBS_OK;
}

/// How often a step may be repeated because bonds or joints broke in it.
static uint32_t pass_limit(const struct run *run) {
    const uint32_t limit = run->w->scene.settings.fracture_passes;
    // Explicit steps are so short that they are not repeated.
    if (run->problem.scheme->kicks) {
        return 0;
    }
    // In equilibrium nothing may be above its strength.
    return run->problem.scheme->is_static && limit == 0 ? UINT32_MAX : limit;
}

/// Breaks what the workspace's next state overloads. Returns true if something broke: the step is
/// to be taken again, from its start unless it is static.
static bool break_next(pbs_world *w, double end, bool is_static) {
    const bool bonds = breaks_update_next(w, end, is_static);
    const struct step_workspace *const workspace = &w->solver.workspace;
    const double *const start = is_static ? workspace->next.x : workspace->now.x;
    const bool joints = joint_breaks_update(w, workspace->next.x, start, end);
    if (!bonds && !joints) {
        return false;
    }
    joint_contact_release(w, start);
    if (!is_static) {
        constraint_set_restore(&w->solver.constraints);
    }
    return true;
}

struct step_result run_step(struct run *run, const struct step_span *span) {
    pbs_world *w = run->w;
    const pbs_status known = set_critical_step(run);
    if (known < 0) {
        return (struct step_result){.status = known};
    }
    struct step_workspace *workspace = &w->solver.workspace;
    loads_place(w, run->problem.scheme, span->h);
    contact_run_begin_step(run);
    const struct scheme_memory memory = workspace->memory;
    const struct break_mark broken = breaks_mark(w);
    const bool is_static = run->problem.scheme->is_static;
    const double end = w->scene.time + run->elapsed + span->h;
    struct step_result result = solve_within_bounds(run, span);
    for (uint32_t i = pass_limit(run); i > 0 && result.status >= 0; i--) {
        if (!break_next(w, end, is_static)) {
            break;
        }
        run_add_work(run, &result);
        workspace->memory = memory;
        // The stored accelerations include the forces of bonds that have broken.
        workspace->memory.has_acceleration = false;
        run->problem.continues = is_static;
        result = solve_within_bounds(run, span);
    }
    run->problem.continues = false;
    if (result.status < 0) {
        breaks_undo(w, broken);
        workspace->memory = memory;
    }
    return result;
}

void run_undo_step(struct run *run, const struct scheme_memory *memory,
                   const struct break_mark *broken) {
    constraint_set_restore(&run->w->solver.constraints);
    breaks_undo(run->w, *broken);
    run->w->solver.workspace.memory = *memory;
}

/// Limits the iterations of a step that can still be halved, so that it does not need hundreds of
/// iterations to fail. Limits of joints are met in a step as surfaces are, whatever the kind of
/// contact is. What crumples without touching unfolds in long steps only.
static uint32_t iteration_limit(const struct run *run, uint32_t depth) {
    const pbs_world_desc *settings = &run->w->scene.settings;
    const bool early = settings->divisions == (uint32_t)PBS_AUTOMATIC &&
                       depth < run->division_limit && !run->problem.scheme->is_static &&
                       (contact_kind_of(&run->w->scene)->divides_early ||
                        run->w->solver.joints.count > 0);
    return early && settings->newton_limit > ITERATIONS_BEFORE_DIVISION ? ITERATIONS_BEFORE_DIVISION
                                                                        : settings->newton_limit;
}

/// Makes stiffer what a step has pressed too much. Returns whether that changes how it ends. What
/// has landed with the call's last iteration stays.
static bool relieve(struct run *run, const struct step_span *span, const struct step_result *part) {
    const bool has_landed = part->status >= 0;
    if (run->problem.scheme->is_static || run_is_spent(run) ||
        (!has_landed && !run_may_divide(run, part->status))) {
        return false;
    }
    const bool minimised = run->problem.scheme->stage_limit > 0 &&
                           (has_landed || part->status == PBS_ERROR_CONVERGENCE);
    const bool contact = contact_run_relieve(run, span, has_landed);
    return (minimised && strain_relief_raise(run, has_landed)) || contact;
}

struct step_result run_relieved(struct run *run, const struct step_span *span) {
    const struct scheme_memory memory = run->w->solver.workspace.memory;
    const struct break_mark broken = breaks_mark(run->w);
    struct step_result part = run_step(run, span);
    for (int i = 0; i < RELIEFS && relieve(run, span, &part); i++) {
        run_add_work(run, &part);
        run_undo_step(run, &memory, &broken);
        part = run_step(run, span);
    }
    return part;
}

pbs_status run_part(struct run *run, const struct step_span *span, uint32_t depth) {
    pbs_world *w = run->w;
    const bool may_land = w->scene.expert.allow_unconverged != 0;
    const bool was_spent = run_is_spent(run);
    run->problem.allow_unconverged = may_land && (depth == run->division_limit || was_spent);
    run->problem.options.newton_limit = iteration_limit(run, depth);
    if (run_is_beyond_waves(run, span->h)) {
        return run_shorter(run, span, depth);
    }
    const struct scheme_memory memory = w->solver.workspace.memory;
    const struct break_mark broken = breaks_mark(w);
    const struct step_result part = run_relieved(run, span);
    run_add_work(run, &part);
    if (part.status >= 0 && run_missed_impact(run, span->h)) {
        run_undo_step(run, &memory, &broken);
        return run_shorter(run, span, depth);
    }
    if (part.status >= 0) {
        run_commit_part(run, &part, span->h);
        return PBS_OK;
    }
    if (part.status == PBS_ERROR_CONVERGENCE && may_land && !was_spent && run_is_spent(run)) {
        return run_part(run, span, depth);
    }
    if (!run_may_divide(run, part.status) || part.is_unsupported || depth == run->division_limit) {
        return part.status;
    }
    return run_halves(run, span, depth);
}

/// Only schemes that minimise divide a step for its relative motions: Newton's method converges
/// badly when bodies pass deep into each other.
static uint32_t count_parts(struct run *run, double h) {
    const struct contact_run *contact = contact_run_of(&run->w->scene);
    return contact->count_parts == NULL || run->division_limit == 0 || run->problem.linearized ||
                   run->problem.scheme->stage_limit == 0 || run->problem.scheme->is_static
               ? 1
               : contact->count_parts(run, h);
}

// --- explicit steps ---

// The stable step is recomputed after this many steps. It changes slowly as bonds stretch or break.
enum { STABLE_STEP_LIFE = 512 };
#define EXPLICIT_STEP_LIMIT 1e8

static pbs_status renew_stable_step(struct run *run) {
    struct step_workspace *workspace = &run->w->solver.workspace;
    struct scheme_memory *memory = &workspace->memory;
    if (memory->stable_step == 0.0 || memory->steps_since >= STABLE_STEP_LIFE) {
        RETURN_IF_FAILED(stable_step(&run->problem, workspace, &memory->stable_step));
        memory->steps_since = 0;
    }
    return PBS_OK;
}

/// Computes the number of equal steps for the remaining time `left`, each at most the stable step
/// times the safety factor.
static pbs_status plan_explicit(const struct run *run, double left, uint32_t *count) {
    const double stable = run->w->solver.workspace.memory.stable_step;
    const double share = run->problem.parameters[0];
    const double exact = ceil(left / (share * stable));
    if (!(exact <= EXPLICIT_STEP_LIMIT)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "%g s take more than %g explicit steps of %g times the stable step of "
                           "%g s",
                           left, EXPLICIT_STEP_LIMIT, share, stable);
    }
    *count = exact > 1.0 ? (uint32_t)exact : 1;
    return PBS_OK;
}

/// Solves one explicit step. It is halved if it fails and there are no orientations, which the
/// failed step would already have changed.
static pbs_status run_free(struct run *run, const struct step_span *span, bool last) {
    struct solver *t = &run->w->solver;
    loads_place(run->w, run->problem.scheme, span->h);
    struct step_result part = explicit_step(&run->problem, span, &t->workspace);
    if (part.status >= 0 && last) {
        part.status = check_bounds(t, &run->w->scene);
    }
    run_add_work(run, &part);
    if (part.status < 0) {
        const bool divides = run_may_divide(run, part.status) && run->division_limit > 0 &&
                             t->workspace.rotations == NULL;
        return divides ? run_halves(run, span, 0) : part.status;
    }
    run->forces_at_end_known = true;
    run_commit_part(run, &part, span->h);
    run->forces_at_end_known = false;
    return PBS_OK;
}

static pbs_status run_explicit(struct run *run, const struct step_span *span) {
    struct step_workspace *workspace = &run->w->solver.workspace;
    struct scheme_memory *memory = &workspace->memory;
    const bool free = explicit_is_supported(&run->problem) &&
                      (run->w->scene.colliders.count == 0 ||
                       contact_set_has_forces(&run->problem.objective.contacts));
    if (free) {
        workspace->orientations_updated = false;
        explicit_begin(&run->problem, workspace);
    }
    double begin = span->begin;
    double left = span->h;
    for (uint32_t count = 1; count > 0;) {
        RETURN_IF_FAILED(renew_stable_step(run));
        RETURN_IF_FAILED(plan_explicit(run, left, &count));
        const double h = left / count;
        const double fraction = (span->end - begin) / count;
        uint32_t done = 0;
        for (; done < count && memory->steps_since < STABLE_STEP_LIFE; done++) {
            const struct step_span part = {
                .h = h,
                .begin = begin + fraction * done,
                .end = done + 1 == count ? span->end : begin + fraction * (done + 1)};
            RETURN_IF_FAILED(free ? run_free(run, &part, done + 1 == count)
                                  : run_part(run, &part, 0));
            memory->steps_since++;
            run->explicit_steps++;
        }
        begin += fraction * done;
        left -= h * done;
        count -= done;
    }
    return PBS_OK;
}

pbs_status run_whole(struct run *run, const struct step_span *span) {
    if (run->problem.scheme->kicks) {
        return run_explicit(run, span);
    }
    const uint32_t parts = count_parts(run, span->h);
    run->motion_parts = parts;
    for (uint32_t i = 0; i < parts; i++) {
        const double all = span->end - span->begin;
        const struct step_span part = {
            .h = span->h / parts,
            .begin = i == 0 ? span->begin : span->begin + all * i / parts,
            .end = i + 1 == parts ? span->end : span->begin + all * (i + 1) / parts};
        RETURN_IF_FAILED(run_part(run, &part, 0));
    }
    return PBS_OK;
}

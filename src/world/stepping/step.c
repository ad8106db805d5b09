// A step of the world as a transaction: it computes with copies in the workspace, which become the
// scene's state at the end or not at all.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/lanes/vector.h"
#include "base/runtime/arithmetic.h"
#include "base/runtime/clock.h"
#include "world/bodies/affine_strain.h"
#include "world/breaking/breaking.h"
#include "world/breaking/joint_contact.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/forces/loads.h"
#include "world/interface/check.h"
#include "world/objects/motion.h"
#include "world/readback/contact_readback.h"
#include "world/stepping/contact_run.h"
#include "world/stepping/failure.h"
#include "world/stepping/run_problem.h"
#include "world/stepping/run_stats.h"

// --- preparation ---

static void warn_of_untouchable(const pbs_world *w) {
    const uint32_t count = contact_kind_count_untouchable(&w->scene);
    const bool is_any = w->scene.colliders.count > 0 || contact_kind_of(&w->scene)->has_bodies;
    if (count > 0 && is_any) {
        world_log(
            w, PBS_LOG_WARNING,
            "%u bodies touch nothing: PBS_CONTACT_PROJECTION keeps vertices of solids, shells and "
            "springs out of colliders, but no affine bodies, and none without a stiffness where "
            "colliders are penalties without one (set penalty_stiffness of pbs_contact_desc); "
            "PBS_CONTACT_PENALTY is for bonded and peridynamic ones; PBS_CONTACT_BARRIER keeps all "
            "apart",
            (unsigned)count);
    }
}

static pbs_status prepare_solver(pbs_world *w) {
    RETURN_IF_FAILED(world_check_callbacks(w));
    tasks_set_fusing(w->tasks, w->scene.settings.processor_independent == 0);
    struct solver *t = &w->solver;
    if (!t->is_current) {
        const pbs_linear_solver *host_solver = w->host_solver.solve != NULL ? &w->host_solver
                                                                            : NULL;
        RETURN_IF_FAILED(solver_build(t, &w->scene, host_solver, &w->memory));
        world_log(w, PBS_LOG_INFO,
                  "solver built: %zu bodies, %zu nodes, %zu elements, %zu blocks, %u domains",
                  w->scene.bodies.count, w->scene.nodes.count, t->model.element_count,
                  t->model.assembly.pattern.block_count,
                  (unsigned)t->model.assembly.layout.domain_count);
        warn_of_untouchable(w);
    }
    RETURN_IF_FAILED(features_prepare(w));
    RETURN_IF_FAILED(scene_reserve_history(&w->scene, &w->memory));
    RETURN_IF_FAILED(memory_reserve(&w->memory, &w->broken.rows, &w->broken.capacity,
                                    t->breaks.limit, sizeof *w->broken.rows));
    RETURN_IF_FAILED(memory_reserve(&w->memory, &t->obstacles_now, &t->obstacle_now_capacity,
                                    w->scene.colliders.count, sizeof *t->obstacles_now));
    RETURN_IF_FAILED(memory_reserve(&w->memory, &t->obstacles, &t->obstacle_capacity,
                                    w->scene.colliders.count, sizeof *t->obstacles));
    RETURN_IF_FAILED(contact_run_of(&w->scene)->prepare(w));
    return joint_contact_reserve(w);
}

static uint32_t division_limit(const struct run *run) {
    const pbs_world_desc *settings = &run->w->scene.settings;
    if (settings->divisions != (uint32_t)PBS_AUTOMATIC) {
        return settings->divisions;
    }
    // A host that accepts unconverged steps wants no additional work.
    return run->w->scene.expert.allow_unconverged != 0 ? 0 : AUTOMATIC_DIVISIONS;
}

static void copy_array(struct tasks *tasks, size_t count, const double *source, double *out) {
    if (source != NULL && out != NULL) {
        vector_copy(tasks, count, source, out);
    }
}

static bool has_broken_bond(const struct body *body) {
    for (size_t i = 0; i < body->bonds.count; i++) {
        if (body->bonds.broken[i] != BOND_INTACT) {
            return true;
        }
    }
    return false;
}

static void find_torn_bodies(const struct scene *scene, bool *out) {
    for (uint32_t b = 0; b < scene_account_count(scene); b++) {
        out[b] = has_broken_bond(scene_body(scene, b));
    }
}

static void load_accounts(const struct scene *scene, struct energy_account *out) {
    for (uint32_t b = 0; b < scene_account_count(scene); b++) {
        out[b] = scene->history.has_targets ? scene_body(scene, b)->account
                                            : (struct energy_account){.is_known = false};
    }
}

static void commit_accounts(const struct energy_account *accounts, struct scene *scene) {
    for (uint32_t b = 0; b < scene_account_count(scene); b++) {
        scene_body(scene, b)->account = accounts[b];
    }
    scene->history.has_targets = scene_account_count(scene) > 0;
}

static void load_struck(const struct scene *scene, const struct solver *t, bool *out) {
    for (size_t i = 0; out != NULL && i < scene->nodes.count; i++) {
        out[i] = scene_body(scene, t->node_parts[i])->was_struck;
    }
}

static void commit_struck(const bool *struck, struct scene *scene) {
    for (size_t b = 0; struck != NULL && b < scene->bodies.count; b++) {
        struct body *const body = scene_body(scene, b);
        body->was_struck = body->node_count > 0 && struck[body->node_start];
    }
}

/// Copies the scene's state and history to the workspace.
static void load_state(pbs_world *w, double h) {
    const struct nodes *nodes = &w->scene.nodes;
    const struct history *history = &w->scene.history;
    struct step_workspace *workspace = &w->solver.workspace;
    const size_t count = 3 * nodes->count;
    workspace->memory = history->memory;
    step_note_contact(workspace, nodes->contact_force);
    copy_array(w->tasks, count, nodes->contact_force, workspace->contact_force_before);
    vector_copy(w->tasks, count, nodes->x, workspace->now.x);
    vector_copy(w->tasks, count, nodes->v, workspace->now.v);
    copy_array(w->tasks, count, history->acceleration, workspace->now.a);
    copy_array(w->tasks, count, history->x_before, workspace->before.x);
    copy_array(w->tasks, count, history->v_before, workspace->before.v);
    load_struck(&w->scene, &w->solver, workspace->struck.before);
    load_accounts(&w->scene, workspace->energy.accounts);
    find_torn_bodies(&w->scene, workspace->energy.is_torn);
    newton_set_solver_history(w->solver.newton, &w->scene.solver_memory);
    vector_combine(w->tasks, count, nodes->target, -1.0, nodes->x, w->solver.prescribed_velocity);
    vector_scale(w->tasks, count, 1.0 / h, w->solver.prescribed_velocity);
}

// --- commit ---

/// Copies the end state to the scene. Cannot fail.
static void commit(struct run *run) {
    pbs_world *w = run->w;
    struct scene *scene = &w->scene;
    const struct step_workspace *workspace = &w->solver.workspace;
    const size_t count = 3 * scene->nodes.count;
    loads_land(w, run->problem.scheme, &run->sum.energy);
    vector_copy(w->tasks, count, workspace->now.x, scene->nodes.x);
    vector_copy(w->tasks, count, workspace->now.v, scene->nodes.v);
    copy_array(w->tasks, count, workspace->now.a, scene->history.acceleration);
    copy_array(w->tasks, count, workspace->before.x, scene->history.x_before);
    copy_array(w->tasks, count, workspace->before.v, scene->history.v_before);
    commit_struck(workspace->struck.before, scene);
    commit_accounts(workspace->energy.accounts, scene);
    features_commit(w);
    scene->history.memory = workspace->memory;
    scene->step_memory = run->step_memory;
    scene->waves = run->waves;
    newton_get_solver_history(w->solver.newton, &scene->solver_memory);
    scene->time += run->h;
    run->sum.dissipated += breaks_commit(w);
    scene->dissipated += run->sum.dissipated;
    scene->free_reference = run->free_reference;
    scene->barrier = run->barrier;
    contact_run_commit(run);
    vector_copy(w->tasks, count, workspace->contact_force, scene->nodes.contact_force);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        (void)world_follow_forces(w, scene_body(scene, i), run->h);
    }
    scene_update_vertices(scene, w->tasks);
    query_index_invalidate_positions(w->query);
    contact_readback_commit(w);
    for (size_t i = 0; i < scene->colliders.count; i++) {
        struct collider *collider = scene_collider(scene, i);
        const struct obstacle *obstacle = &w->solver.obstacles[i];
        memcpy(collider->velocity, obstacle->velocity, sizeof collider->velocity);
        memcpy(collider->angular_velocity, obstacle->angular_velocity,
               sizeof collider->angular_velocity);
        motion_end_step(collider);
    }
}

/// Returns the status of a successful run, with a message if it is not PBS_OK.
static pbs_status answer(const struct run *run) {
    if (run->sum.status == PBS_NOT_CONVERGED) {
        world_log(run->w, PBS_LOG_WARNING, "a step did not converge: %s", run->unconverged.text);
        return status_fail(PBS_NOT_CONVERGED, "%s", run->unconverged.text);
    }
    if (run->divisions > 0) {
        return status_fail(PBS_DIVIDED, "the step of %g s needed %u halvings", run->h,
                           (unsigned)run->divisions);
    }
    return PBS_OK;
}

/// Evaluates contact at the end state for read-back.
static pbs_status measure_contact(struct run *run) {
    pbs_world *w = run->w;
    struct solver *t = &w->solver;
    struct contact_energy energy;
    contact_run_set_obstacles(run, 1.0, 1.0);
    RETURN_IF_FAILED(
        contact_set_evaluate(&t->contacts, w->tasks, t->workspace.now.x, false, NULL, &energy));
    t->contact_energy = energy.potential;
    // The report also lists pairs within the contact distance that have not exerted a force.
    const struct contact_stage moment = {.x = t->workspace.now.x,
                                         .impulse_fraction = 0.0,
                                         .memory = &w->memory,
                                         .report = &t->report};
    size_t counts[CONTACT_SET_LIMIT];
    return contact_set_report(&t->contacts, w->tasks, &moment, counts);
}

/// Commits, and logs a warning when the strain of an affine body first exceeds
/// AFFINE_STRAIN_NOTABLE.
static void commit_and_warn_of_strain(struct run *run) {
    const struct scene *scene = &run->w->scene;
    const double before = affine_strain_largest(scene, NULL);
    const struct body *worst = NULL;
    commit(run);
    const double strain = affine_strain_largest(scene, &worst);
    if (strain > AFFINE_STRAIN_NOTABLE && before <= AFFINE_STRAIN_NOTABLE) {
        world_log(
            run->w, PBS_LOG_WARNING,
            "affine body %u is strained by %.3g at %g s: more stiffness, or less pressed upon "
            "it, would keep it rigid",
            (unsigned)worst->slot, strain, scene->time);
    }
}

/// The dissipated energy may overflow although the state is finite.
static pbs_status check_account(const struct run *run) {
    const double taken = run->sum.dissipated;
    return isfinite(run->w->scene.dissipated + taken)
               ? PBS_OK
               : status_fail(PBS_ERROR_INADMISSIBLE,
                             "the step of %g s dissipates %g J, which must be finite", run->h,
                             taken);
}

static pbs_status run_transaction(struct run *run) {
    pbs_world *w = run->w;
    const double start = clock_seconds();
    RETURN_IF_FAILED(prepare_solver(w));
    RETURN_IF_FAILED(run_fill_problem(run));
    run->iterations_left = w->scene.settings.call_limit;
    run->division_limit = division_limit(run);
    RETURN_IF_FAILED(contact_run_of(&w->scene)->begin(run));
    RETURN_IF_FAILED(contact_readback_start(w));
    load_state(w, run->h);
    features_begin(w);
    run->waves = w->scene.waves;
    w->stats.time.prepare = clock_seconds() - start;
    RETURN_IF_FAILED(run->steps(run));
    RETURN_IF_FAILED(check_account(run));
    const double solved = clock_seconds();
    RETURN_IF_FAILED(measure_contact(run));
    RETURN_IF_FAILED(contact_readback_prepare(w));
    RETURN_IF_FAILED(contact_events_prepare(w));
    RETURN_IF_FAILED(features_finish(w, w->solver.workspace.now.x));
    commit_and_warn_of_strain(run);
    features_landed(w);
    w->stats.time.finish = clock_seconds() - solved;
    return answer(run);
}

/// A step of a world without nodes: only colliders move.
static pbs_status step_empty(struct run *run) {
    struct scene *scene = &run->w->scene;
    run->w->readback.next_count = 0;
    RETURN_IF_FAILED(contact_events_prepare(run->w));
    RETURN_IF_FAILED(features_finish(run->w, NULL));
    pair_events_commit(&scene->touching, &run->w->contact_events);
    features_commit(run->w);
    step_counts_add(&run->counts, run->h, 0.0);
    scene->time += run->h;
    for (size_t i = 0; i < scene->colliders.count; i++) {
        struct collider *collider = scene_collider(scene, i);
        collider->load = (struct contact_load){.force = {0.0}};
        motion_end_step(collider);
    }
    run->w->readback.count = 0;
    run->w->broken.count = 0;
    query_index_invalidate_positions(run->w->query);
    return PBS_OK;
}

/// A failed step may have changed what steps compute with. Between steps it must equal what the
/// scene has.
static void leave_solver(pbs_world *w, bool has_failed) {
    strain_relief_end(w, has_failed);
    if (w->solver.is_current) {
        breaks_undo_all(w);
        features_reload(w);
    }
}

pbs_status run_world(struct run *run) {
    pbs_world *w = run->w;
    const double start = clock_seconds();
    scene_compact_nodes(&w->scene);
    struct status_message before;
    status_save(&before);
    w->stats = (pbs_stats){0};
    w->solver.contact.counters = (struct contact_counters){0};
    run->sum.energy = energy_report_empty();
    failure_begin(run);
    const pbs_status status = w->scene.nodes.count > 0 ? run_transaction(run) : step_empty(run);
    leave_solver(w, status < 0);
    if (status == PBS_OK) {
        status_restore(&before);
        failure_clear(run);
    } else if (run->failure.kind == PBS_FAILURE_NONE) {
        failure_other(run);
    }
    run_write_stats(run, status);
    w->stats.time.total = clock_seconds() - start;
    return status;
}

static pbs_status one_step(struct run *run) {
    RETURN_IF_FAILED(run_whole(run, &(struct step_span){.h = run->h, .begin = 0.0, .end = 1.0}));
    step_counts_add(&run->counts, run->h, 0.0);
    return PBS_OK;
}

pbs_status pbs_world_step(pbs_world *w, double h) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_duration(h, w->scene.time, "the step's length"));
    struct run run = {.w = w, .h = h, .steps = one_step, .step_memory = w->scene.step_memory};
    return run_world(&run);
}

pbs_status pbs_world_prepare(pbs_world *w) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    scene_compact_nodes(&w->scene);
    if (w->scene.nodes.count == 0) {
        return PBS_OK;
    }
    const pbs_status status = prepare_solver(w);
    leave_solver(w, true);
    return status;
}

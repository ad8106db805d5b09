// See contact_stiffness.h.
// SPDX-License-Identifier: MIT
#include "world/stepping/contact_stiffness.h"

#include <math.h>

#include "base/lanes/vector.h"
#include "base/matrix3/math3.h"
#include "world/contact_scenes/contact_scene.h"
#include "world/stepping/contact_run.h"
#include "world/stepping/reference.h"

/// The mean mass per vertex, including vertices of affine bodies; IPC calls it the mean nodal mass.
static double mean_vertex_mass(const struct scene *scene) {
    double mass = 0.0, count = 0.0;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        const size_t positions = nodes_count_positions(&scene->nodes, body->node_start,
                                                       body->node_count);
        for (size_t i = 0; i < positions; i++) {
            mass += scene->nodes.mass[body->node_start + i];
        }
        count += (double)body->vertex_count;
    }
    return mass / count;
}

static void zero_constrained(const struct nodes *nodes, double *gradient) {
    for (size_t at = 0; at < 3 * nodes->count; at++) {
        if (((uint32_t)nodes->constrained_axes[at / 3] >> at % 3 & 1u) != 0) {
            gradient[at] = 0.0;
        }
    }
}

/// Computes the stiffness at which the forces of the barriers balance all other forces best, by
/// least squares: -k (g_b . g_E) / |g_b|^2, g_b being the barriers' gradient at stiffness k.
static pbs_status measure_balance(struct run *run, struct stiffness_situation *situation) {
    pbs_world *w = run->w;
    struct solver *t = &w->solver;
    const struct nodes *nodes = &w->scene.nodes;
    const size_t count = 3 * nodes->count;
    const size_t slots = 3 * t->model.assembly.vector_slot_count;
    RETURN_IF_FAILED(memory_reserve(&w->memory, &t->balance, &t->balance_capacity, slots + count,
                                    sizeof *t->balance));
    double *const others = t->balance, *const barriers = t->balance + slots;
    RETURN_IF_FAILED(reference_gradient(w, &run->problem.objective, situation->step, others));
    vector_zero(w->tasks, count, barriers);
    struct contact_energy energy;
    RETURN_IF_FAILED(
        barrier_contact_evaluate(&t->contact, w->tasks, nodes->x, false, barriers, &energy));
    zero_constrained(nodes, barriers);
    const double square = vector_dot(w->tasks, count, barriers, barriers);
    const double product = vector_dot(w->tasks, count, barriers, others);
    situation->least_gap = barrier_contact_least_gap(&t->contact);
    situation->balance = square > 0.0 ? -t->contact.settings.barrier.stiffness * product / square
                                      : 0.0;
    return PBS_OK;
}

// --- body by body ---

// Upper bound of the load, as a multiple of what the smallest stiffness carries. Without it the
// stiffness would grow in every step in which a load cannot be balanced.
static const double RANGE = 1e8;

// A part of a step that ends with a gap below this fraction of its distance is taken again with
// barriers that carry the force there.
static const double TOO_CLOSE = 1e-3;
// But what pressed as the part began pushes with no more than this fraction of that force then: the
// barriers' energy grows as their stiffness does, and is given back as motion.
static const double PRESSED = 0.03;
// If the part has failed, with all of it.
static const double PRESSED_AFTER_FAILURE = 1.0;

// The step length that stiffness is chosen for changes by the simulated time over this, so slowly
// that bodies at rest in the barrier are neither thrown nor dropped by steps of another length.
static const double TIME_OVER_CHANGE = 8.0;

/// The step length that stiffness is chosen for, after a part of the run: it follows that of the
/// run's steps.
static double time_of_stiffness(const struct run *run, double elapsed) {
    const double before = run->w->scene.contact_time;
    const double change = elapsed / TIME_OVER_CHANGE;
    if (before == 0.0) {
        return run->first_step;
    }
    return before < run->first_step ? fmin(run->first_step, before + change)
                                    : fmax(run->first_step, before - change);
}

/// The same for the step that begins. One that is longer than those before counts already: at most
/// 64 times the stiffness that it needs is no hindrance.
static double time_of_step(const struct run *run) {
    const bool rises = run->w->scene.contact_time < run->first_step;
    return time_of_stiffness(run, run->elapsed + (rises ? run->first_step : 0.0));
}

/// The stiffness that masses need, and the loads that weights and the last step's forces are
/// (docs/theory/contact.md section 2.4).
static void choose_by_body(struct run *run) {
    const struct scene *scene = &run->w->scene;
    struct barrier_contact *contact = &run->w->solver.contact;
    run->contact_time = time_of_step(run);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const double reach = barrier_contact_reach(contact, (uint32_t)i, (uint32_t)i);
        const double stiffness = contact_scale_stiffness(scene, body, reach, run->contact_time);
        const double load = fmin(body->barrier.next_load, RANGE * stiffness * reach);
        const double least = fmax(contact_scale_weight(scene, body),
                                  run->w->solver.loads[i].raised);
        barrier_contact_set_stiffness(contact, (uint32_t)i, stiffness, fmax(load, least));
    }
}

void contact_stiffness_accept(struct solver *t) {
    for (uint32_t i = 0; i < t->contact.mesh.part_count; i++) {
        const struct collision_part *const part = &t->contact.mesh.parts[i];
        barrier_contact_set_solved(&t->contact, i, part->stiffness, part->load);
    }
}

void contact_stiffness_save(struct solver *t) {
    for (uint32_t i = 0; i < t->contact.mesh.part_count; i++) {
        struct collision_part *const part = &t->contact.mesh.parts[i];
        part->kept_stiffness = part->solved_stiffness;
        part->kept_load = part->solved_load;
    }
}

void contact_stiffness_restore(struct solver *t) {
    for (uint32_t i = 0; i < t->contact.mesh.part_count; i++) {
        const struct collision_part *const part = &t->contact.mesh.parts[i];
        barrier_contact_set_solved(&t->contact, i, part->kept_stiffness, part->kept_load);
    }
}

static bool is_by_body(const struct scene *scene) {
    return scene->settings.contact_stiffness == 0.0;
}

void contact_stiffness_begin_step(struct run *run) {
    if (is_by_body(&run->w->scene) && run->contact_time != time_of_step(run)) {
        choose_by_body(run);
    }
}

/// Where a search has not finished a barrier may push with any force.
static void limit_loads(struct solver *t) {
    for (uint32_t i = 0; i < t->contact.mesh.part_count; i++) {
        t->loads[i].acting = newton_last_force(t->newton, i);
    }
    part_loads_limit(&t->contact, t->loads);
}

bool contact_stiffness_raise(struct run *run, const struct step_span *span, bool has_landed) {
    struct solver *t = &run->w->solver;
    if (!is_by_body(&run->w->scene) || !part_loads_find_close(&t->contact, TOO_CLOSE, t->loads)) {
        return false;
    }
    if (run->problem.scheme->stage_limit > 0) {
        limit_loads(t);
    }
    contact_run_set_obstacles(run, span->begin, span->begin);
    if (barrier_contact_find(&t->contact, run->w->tasks, t->workspace.now.x) < 0 ||
        !part_loads_raise(&t->contact, has_landed ? PRESSED : PRESSED_AFTER_FAILURE, t->loads)) {
        return false;
    }
    choose_by_body(run);
    return true;
}

/// The load that a body's barriers carry in the next step, N. It falls slowly: bodies that have
/// just come to rest would otherwise be pushed again. It rises by a factor of 2 in the time in
/// which the body falls over its own length, or that the stiffness is chosen for if that is longer,
/// as what a rise adds to the barriers' energy is given back as motion.
static double next_load(const struct run *run, const struct body *body,
                        const struct collision_part *part, const struct part_load *load) {
    const double g = norm3(run->w->scene.settings.gravity);
    const double time = g > 0.0 ? fmax(run->contact_time, sqrt(body->extent / g))
                                : run->contact_time;
    const double common = run->w->solver.contact.settings.barrier.reach;
    const double now = fmax(part->load, part->stiffness * collision_part_reach(part, common));
    const double kept = load->gap > CONTACT_SCALE_WIDE ? 0.5 * part->load : part->load;
    const double most = now * exp2(run->h / time);
    return fmax(kept, fmin(most, contact_scale_load_of(load->force)));
}

void contact_stiffness_commit(struct run *run) {
    struct scene *scene = &run->w->scene;
    struct solver *t = &run->w->solver;
    if (!is_by_body(scene)) {
        for (size_t i = 0; i < scene->bodies.count; i++) {
            scene_body(scene, i)->barrier = (struct body_barrier){.stiffness = 0.0};
        }
        return;
    }
    part_loads_measure(&t->contact, t->loads);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct collision_part *part = &t->contact.mesh.parts[i];
        scene_body(scene, i)->barrier = (struct body_barrier){
            .stiffness = part->stiffness,
            .load = part->load,
            .next_load = next_load(run, scene_body(scene, i), part, &t->loads[i])};
    }
    if (!scene->integrator.scheme->is_static) {
        scene->contact_time = time_of_stiffness(run, run->h);
    }
}

void contact_stiffness_report(const pbs_world *w, pbs_stats *stats) {
    const struct barrier_contact *contact = &w->solver.contact;
    const struct barrier *common = &contact->settings.barrier;
    stats->contact.stiffness = common->stiffness;
    stats->contact.least_stiffness = common->stiffness;
    if (!is_by_body(&w->scene)) {
        return;
    }
    stats->contact.least_stiffness = INFINITY;
    for (size_t i = 0; i < w->scene.bodies.count && i < contact->mesh.part_count; i++) {
        const struct collision_part *part = &contact->mesh.parts[i];
        const double stiffness = fmax(part->stiffness,
                                      part->load / collision_part_reach(part, common->reach));
        stats->contact.stiffness = fmax(stats->contact.stiffness, stiffness);
        stats->contact.least_stiffness = fmin(stats->contact.least_stiffness, stiffness);
    }
}

pbs_status contact_stiffness_begin(struct run *run) {
    pbs_world *w = run->w;
    struct barrier *barrier = &w->solver.contact.settings.barrier;
    const pbs_world_desc *settings = &w->scene.settings;
    run->barrier = w->scene.barrier;
    barrier->stiffness = contact_scene_stiffness(&w->scene);
    if (is_by_body(&w->scene)) {
        for (size_t i = 0; i < w->solver.contact.mesh.part_count; i++) {
            w->solver.loads[i].raised = 0.0;
        }
        for (size_t i = 0; i < w->scene.bodies.count; i++) {
            const struct body_barrier *const last = &scene_body(&w->scene, i)->barrier;
            barrier_contact_set_solved(&w->solver.contact, (uint32_t)i, last->stiffness,
                                       last->load);
        }
        choose_by_body(run);
        return PBS_OK;
    }
    if (w->scene.expert.adaptive_stiffness == 0) {
        return PBS_OK;
    }
    struct stiffness_situation situation = {
        .barrier = *barrier, .mean_mass = mean_vertex_mass(&w->scene), .step = run->first_step};
    situation.barrier.stiffness = settings->contact_stiffness;
    RETURN_IF_FAILED(measure_balance(run, &situation));
    if (run->barrier.diagonal == 0.0) {
        run->barrier.diagonal = reference_lengths(&w->scene).diagonal;
    }
    const double stiffness = adapt_stiffness(&situation, &run->barrier);
    if (!isfinite(stiffness)) {
        return status_fail(PBS_ERROR_INADMISSIBLE,
                           "the adaptive contact stiffness is %g, must be finite: contact_distance "
                           "must be above 1e-8 of the scene's diagonal, %g m",
                           stiffness, run->barrier.diagonal);
    }
    barrier->stiffness = stiffness;
    return PBS_OK;
}

// See contact_stiffness.h.
#include "world/stepping/contact_stiffness.h"

#include <math.h>

#include "base/lanes/vector.h"
#include "world/contact_scenes/contact_scene.h"
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
    struct topology *t = &w->topology;
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

// Upper bound of the stiffness, as a multiple of the smallest. Without it the stiffness would grow
// in every step in which a load cannot be balanced.
static const double RANGE = 1e4;

/// The stiffness that the forces of the last step require, but at least that of masses and weight
/// (docs/theory/contact.md section 2.4).
static void choose_by_body(struct run *run) {
    pbs_world *w = run->w;
    struct barrier_contact *contact = &w->topology.contact;
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        const struct body *body = scene_body(&w->scene, i);
        const double least = contact_scale_stiffness(
            &w->scene, body, contact->settings.barrier.reach, run->first_step);
        barrier_contact_set_stiffness(contact, (uint32_t)i,
                                      fmax(least, fmin(body->barrier.least, RANGE * least)));
    }
}

static bool is_by_body(const struct scene *scene) {
    return scene->settings.contact_stiffness == 0.0;
}

void contact_stiffness_commit(struct run *run) {
    struct scene *scene = &run->w->scene;
    struct topology *t = &run->w->topology;
    if (!is_by_body(scene)) {
        return;
    }
    part_loads_measure(&t->contact, t->loads);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        struct body_barrier *barrier = &scene_body(scene, i)->barrier;
        barrier->stiffness = t->contact.mesh.parts[i].stiffness;
        // It decreases slowly: bodies that have just come to rest would otherwise be pushed again.
        barrier->least = t->loads[i].gap > CONTACT_SCALE_WIDE ? 0.5 * barrier->stiffness
                                                              : barrier->stiffness;
        barrier->least = fmax(barrier->least, contact_scale_stiffness_for_force(
                                                  t->loads[i].force, t->contact_scale.distance));
    }
}

void contact_stiffness_report(const pbs_world *w, pbs_stats *stats) {
    const struct barrier_contact *contact = &w->topology.contact;
    stats->contact.stiffness = contact->settings.barrier.stiffness;
    stats->contact.least_stiffness = contact->settings.barrier.stiffness;
    if (!is_by_body(&w->scene)) {
        return;
    }
    stats->contact.least_stiffness = INFINITY;
    for (size_t i = 0; i < w->scene.bodies.count && i < contact->mesh.part_count; i++) {
        const double stiffness = contact->mesh.parts[i].stiffness;
        stats->contact.stiffness = fmax(stats->contact.stiffness, stiffness);
        stats->contact.least_stiffness = fmin(stats->contact.least_stiffness, stiffness);
    }
}

pbs_status contact_stiffness_begin(struct run *run) {
    pbs_world *w = run->w;
    struct barrier *barrier = &w->topology.contact.settings.barrier;
    const pbs_world_desc *settings = &w->scene.settings;
    run->barrier = w->scene.barrier;
    barrier->stiffness = contact_scene_stiffness(&w->scene);
    if (is_by_body(&w->scene)) {
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

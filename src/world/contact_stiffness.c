// See contact_stiffness.h.
#include "world/contact_stiffness.h"

#include <math.h>

#include "base/vector.h"
#include "world/contact_scene.h"
#include "world/reference.h"

/// Of all vertices, those of affine bodies included: what IPC calls the mean nodal mass.
static double mean_vertex_mass(const struct scene *scene) {
    double mass = 0.0, count = 0.0;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        // Of an affine body's nodes the first is its centre, which has all of its mass.
        const size_t nodes = body->kind == BODY_AFFINE ? 1 : body->node_count;
        for (size_t i = 0; i < nodes; i++) {
            mass += scene->nodes.mass[body->node_start + i];
        }
        count += (double)body->vertex_count;
    }
    return mass / count;
}

static void leave_out_held(const struct nodes *nodes, double *gradient) {
    for (size_t at = 0; at < 3 * nodes->count; at++) {
        if (((uint32_t)nodes->held[at / 3] >> at % 3 & 1u) != 0) {
            gradient[at] = 0.0;
        }
    }
}

/// The stiffness at which the barriers' forces come closest to carrying all others, in the sense of
/// least squares: -k (g_b . g_E) / |g_b|^2, g_b at stiffness k.
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
    leave_out_held(nodes, barriers);
    const double square = vector_dot(w->tasks, count, barriers, barriers);
    const double product = vector_dot(w->tasks, count, barriers, others);
    situation->least_gap = barrier_contact_least_gap(&t->contact);
    situation->balance = square > 0.0 ? -t->contact.settings.barrier.stiffness * product / square
                                      : 0.0;
    return PBS_OK;
}

pbs_status contact_stiffness_begin(struct run *run) {
    pbs_world *w = run->w;
    struct barrier *barrier = &w->topology.contact.settings.barrier;
    const pbs_world_desc *settings = &w->scene.settings;
    run->barrier = w->scene.barrier;
    barrier->stiffness = contact_scene_stiffness(&w->scene);
    if (settings->adaptive_stiffness == 0) {
        return PBS_OK;
    }
    struct stiffness_situation situation = {
        .barrier = *barrier, .mean_mass = mean_vertex_mass(&w->scene), .step = run->first_step};
    situation.barrier.stiffness = settings->contact_stiffness;
    RETURN_IF_FAILED(measure_balance(run, &situation));
    if (run->barrier.diagonal == 0.0) {
        run->barrier.diagonal = reference_diagonal(&w->scene);
    }
    const double stiffness = adapt_stiffness(&situation, &run->barrier);
    if (!isfinite(stiffness)) {
        return status_fail(PBS_ERROR_INADMISSIBLE,
                           "the adaptive contact stiffness is %g: a hundred millionth of the "
                           "scene's %g m must be less than contact_distance",
                           stiffness, run->barrier.diagonal);
    }
    barrier->stiffness = stiffness;
    return PBS_OK;
}

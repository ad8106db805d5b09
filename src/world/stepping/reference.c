// Reference force and lengths; see reference.h.
// SPDX-License-Identifier: MIT
#include "world/stepping/reference.h"

#include <math.h>

#include "base/matrix3/math3.h"

/// Returns the weight and the loads of a node, N.
static double node_load(const struct scene *scene, const struct model *model, size_t node) {
    const double weight = model->gravity.weight != NULL ? norm3(model->gravity.weight + 3 * node)
                                                        : 0.0;
    return norm3(scene->settings.gravity) * model->gravity.mass[node] + weight +
           norm3(model->loads.force + 3 * node);
}

void reference_body_forces(const struct scene *scene, const struct solver *solver,
                           double *nominal_force, double *host_force) {
    const struct model *const model = &solver->model;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        nominal_force[b] = host_force[b] = 0.0;
        for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
            const double load = node_load(scene, model, i);
            nominal_force[b] = hypot(nominal_force[b], scene->nodes.stiffness[i] + load);
            host_force[b] = hypot(host_force[b], load);
        }
    }
    const struct feature_forces forces = {solver->node_parts, nominal_force, host_force};
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->add_body_forces != NULL && model->features[i] != NULL) {
            features[i]->add_body_forces(model->features[i], scene, &forces);
        }
    }
}

/// Adds the squares of the features' forces to a sum of squares, N^2.
static double add_features(const struct scene *scene, const struct model *model, double sum) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->reference != NULL && model->features[i] != NULL) {
            const double force = features[i]->reference(model->features[i], scene);
            sum += force * force;
        }
    }
    return sum;
}

/// Returns the reference force that stiffness, weights and loads give, N.
static double nominal_force(const struct scene *scene, const struct model *model) {
    double sum = 0.0;
    for (size_t i = 0; i < scene->nodes.count; i++) {
        const double force = scene->nodes.stiffness[i] + node_load(scene, model, i);
        sum += force * force;
    }
    return sqrt(add_features(scene, model, sum));
}

static double mass_norm(const struct nodes *nodes) {
    double sum = 0.0;
    for (size_t i = 0; i < nodes->count; i++) {
        sum += nodes->mass[i] * nodes->mass[i];
    }
    return sqrt(sum);
}

pbs_status reference_gradient(const pbs_world *w, const struct objective *objective, double h,
                              double *gradient) {
    const struct nodes *nodes = &w->scene.nodes;
    struct objective potential = *objective;
    potential.contacts.count = 0;
    potential.without_constraints = true;
    potential.term_count = w->solver.model.conservative_count;
    potential.predictor = nodes->x;
    potential.weight = INFINITY;
    potential.stage = (struct stage_view){.origin = nodes->x, .length = h};
    const struct objective_result result = objective_evaluate(&potential, nodes->x, false, gradient,
                                                              NULL);
    if (result.answer == EVALUATE_STOP) {
        return terms_fail_stopped();
    }
    for (size_t k = 0; k < 3 * nodes->count; k++) {
        gradient[k] = result.answer == EVALUATE_OK
                          ? gradient[k] - nodes->mass[k / 3] * nodes->v[k] / h
                          : 0.0;
    }
    return PBS_OK;
}

/// Computes the norm of reference_gradient, N.
static pbs_status gradient_norm(pbs_world *w, const struct objective *objective, double h,
                                double *out) {
    double *gradient = memory_allocate(&w->memory, objective->assembly->vector_slot_count,
                                       3 * sizeof *gradient);
    if (gradient == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const pbs_status status = reference_gradient(w, objective, h, gradient);
    double sum = 0.0;
    for (size_t k = 0; k < 3 * w->scene.nodes.count && status >= 0; k++) {
        sum += gradient[k] * gradient[k];
    }
    memory_release(&w->memory, gradient);
    *out = sqrt(sum);
    return status;
}

pbs_status reference_force(pbs_world *w, const struct objective *objective, double h,
                           double *free_reference, double *out) {
    *out = nominal_force(&w->scene, &w->solver.model);
    if (!isfinite(*out)) {
        return status_fail(PBS_ERROR_INADMISSIBLE,
                           "the reference force of the scene, of moduli and weights, is %g, must "
                           "be finite",
                           *out);
    }
    if (*out > 0.0) {
        return PBS_OK;
    }
    if (*free_reference == 0.0) {
        RETURN_IF_FAILED(gradient_norm(w, objective, h, free_reference));
        if (!isnormal(*free_reference)) {
            *free_reference = mass_norm(&w->scene.nodes);
        }
    }
    *out = *free_reference;
    return PBS_OK;
}

static void bounding_box(const struct scene *scene, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        const double *x = vertices_positions(&scene->nodes, body);
        for (size_t i = 0; i < body->vertex_count; i++, x += 3) {
            for (int k = 0; k < 3; k++) {
                low[k] = x[k] < low[k] ? x[k] : low[k];
                high[k] = x[k] > high[k] ? x[k] : high[k];
            }
        }
    }
}

static double diagonal_of(const struct scene *scene, const double low[3], const double high[3]) {
    double extent[3];
    subtract3(high, low, extent);
    double diagonal = norm3(extent);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        diagonal = fmax(diagonal, scene_body(scene, i)->extent);
    }
    return isnormal(diagonal) ? diagonal : 1.0;
}

struct reference_lengths reference_lengths(const struct scene *scene) {
    double low[3], high[3];
    bounding_box(scene, low, high);
    struct reference_lengths out = {.diagonal = diagonal_of(scene, low, high)};
    out.scale = out.diagonal;
    for (int k = 0; k < 3; k++) {
        out.scale = fmax(out.scale, fmax(fabs(low[k]), fabs(high[k])));
    }
    for (size_t i = 0; i < scene->colliders.count; i++) {
        const struct collider *collider = scene_collider(scene, i);
        for (int k = 0; k < 3; k++) {
            out.scale = fmax(out.scale, fabs(collider->desc.position[k]));
        }
    }
    return out;
}

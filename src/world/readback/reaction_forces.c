// pbs_body_constraint_forces: the forces that hold pinned and scripted vertices are the gradient of
// all potentials and what joints exert, less the force of wind, at the current state, on
// constrained axes. The world is only read; temporary data are allocated and released.
// SPDX-License-Identifier: MIT
#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "base/lanes/vector.h"
#include "world/features/feature.h"
#include "world/interface/check.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/model/joint_scene.h"
#include "world/world.h"
#include "world/particles/bonded.h"

/// Computes the gradient of all conservative terms, in the vector slots of the model's assembly.
static pbs_status add_terms(const struct model *model, struct memory *memory, const double *x,
                            double *gradient) {
    const struct evaluation evaluation = {
        .what = EVALUATE_GRADIENT, .x = x, .stage = {.origin = x, .length = 1.0}};
    struct terms_scratch scratch = {0};
    struct terms_result result = {.gradient = gradient, .scratch = &scratch};
    RETURN_IF_FAILED(terms_reserve(memory, &model->assembly, &scratch));
    const int answer = terms_evaluate(NULL, &model->assembly, model->terms,
                                      model->conservative_count, &evaluation, &result);
    terms_release(memory, &scratch);
    if (answer == EVALUATE_STOP) {
        return terms_fail_stopped();
    }
    return answer == EVALUATE_OK ? PBS_OK
                                 : status_fail(PBS_ERROR_INADMISSIBLE,
                                               "the potential is infinite at the present state");
}

/// Writes the gradient on constrained axes of `count` nodes, 0 on others. first: index of the first
/// node; scale: null, or the particles' radii.
static void write_reactions(const struct nodes *nodes, size_t first, size_t count,
                            const double *scale, const double *gradient, double *dst) {
    for (size_t k = 0; k < 3 * count; k++) {
        const size_t node = first + k / 3;
        const bool is_constrained = ((uint32_t)nodes->constrained_axes[node] >> k % 3 & 1u) != 0;
        const double radius = scale != NULL ? bonded_radius_of_gyration(scale[k / 3]) : 1.0;
        dst[k] = is_constrained ? radius * gradient[3 * node + k % 3] : 0.0;
    }
}

static pbs_status measure(const pbs_world *w, const struct model *model, struct memory *memory,
                          const struct body *body, double *forces, double *moments) {
    const struct nodes *nodes = &w->scene.nodes;
    double *gradient = memory_allocate(memory, model->assembly.vector_slot_count,
                                       3 * sizeof *gradient);
    if (gradient == NULL) {
        return PBS_ERROR_MEMORY;
    }
    pbs_status status = add_terms(model, memory, nodes->x, gradient);
    if (status >= 0) {
        struct contact_energy energy;
        status = contact_kind_evaluate(&w->scene, memory, gradient, &energy);
    }
    if (status >= 0) {
        joint_scene_add_forces(&w->scene, gradient);
    }
    if (status >= 0) {
        features_add_reaction(nodes, body, gradient);
    }
    if (status >= 0) {
        const size_t count = body->vertex_count;
        write_reactions(nodes, body->node_start, count, NULL, gradient, forces);
        if (moments != NULL && body_has_orientations(body)) {
            // The coordinates of rotations are angles times the radius of gyration.
            write_reactions(nodes, body->node_start + count, count, body->bonded.radii, gradient,
                            moments);
        } else if (moments != NULL) {
            vector_zero(NULL, 3 * count, moments);
        }
    }
    memory_release(memory, gradient);
    return status;
}

static pbs_status check(const struct body *body, const double *forces, size_t capacity) {
    RETURN_IF_FAILED(check_pointer(forces, "forces"));
    if (!vertices_are_nodes(body)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body is affine, and its vertices are not constrained one by one: "
                           "pbs_body_contact_force gives the forces of contact on the body");
    }
    return capacity >= body->vertex_count
               ? PBS_OK
               : status_fail(PBS_ERROR_CAPACITY, "capacity is %zu vertices, but the body has %zu",
                             capacity, body->vertex_count);
}

pbs_status pbs_body_constraint_forces(const pbs_world *w, pbs_body b, double *forces,
                                      double *moments, size_t capacity) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check(body, forces, capacity));
    RETURN_IF_FAILED(world_check_callbacks(w));
    world_compact_nodes(w);
    // A copy of the account, because the world is const; all memory is released again.
    struct memory memory = w->memory;
    if (w->solver.is_current) {
        return measure(w, &w->solver.model, &memory, body, forces, moments);
    }
    struct model model;
    RETURN_IF_FAILED(model_build(&w->scene, &memory, &model));
    status = measure(w, &model, &memory, body, forces, moments);
    model_free(&model, &memory);
    return status;
}

// Builds the terms of a scene: those of its bodies (struct body_table), then gravity, the host's
// forces, drag and damping. Also lists the properties of bodies that the minimiser uses.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/model/strain_damping_terms.h"
#include "world/model/solver.h"
#include "world/objects/body_table.h"

// --- node terms ---

static size_t count_positions(const struct scene *scene, const struct body *body) {
    return nodes_count_positions(&scene->nodes, body->node_start, body->node_count);
}

/// Makes the arrays of bodies whose gravity is not the world's, where they are missing. One that a
/// failure leaves is not used before the other is there.
static pbs_status reserve_gravity(const struct scene *scene, struct memory *memory, bool has_weight,
                                  struct model *model) {
    const size_t count = scene->nodes.count;
    if (model->gravity_mass == NULL) {
        model->gravity_mass = memory_allocate(memory, count, sizeof(double));
    }
    if (model->gravity_mass != NULL && has_weight && model->gravity_weight == NULL) {
        model->gravity_weight = memory_allocate(memory, 3 * count, sizeof(double));
    }
    if (model->gravity_mass == NULL || (has_weight && model->gravity_weight == NULL)) {
        return PBS_ERROR_MEMORY;
    }
    model->gravity.mass = model->gravity_mass;
    model->gravity.weight = model->gravity_weight;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        model_write_gravity(model, &scene->nodes, scene_body(scene, i));
    }
    return PBS_OK;
}

static bool has_weight(const struct body *body) {
    return norm3(body->gravity.added) > 0.0;
}

static pbs_status add_gravity(const struct scene *scene, struct memory *memory,
                              struct body_terms *terms, struct model *model) {
    bool any = false, any_weight = false;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        any_weight = any_weight || has_weight(body);
        any = any || any_weight || body->gravity.scale != 1.0 ||
              count_positions(scene, body) < body->node_count;
    }
    model->gravity.mass = scene->nodes.mass;
    model->gravity.reference = scene->nodes.initial;
    RETURN_IF_FAILED(any ? reserve_gravity(scene, memory, any_weight, model) : PBS_OK);
    memcpy(model->gravity.acceleration, scene->settings.gravity,
           sizeof model->gravity.acceleration);
    return body_terms_add(terms, gravity_term(&model->gravity));
}

static pbs_status add_loads(const struct scene *scene, struct body_terms *terms,
                            struct model *model) {
    const struct nodes *nodes = &scene->nodes;
    model->loads = (struct dead_loads){
        .force = nodes->force, .reference = nodes->initial, .any = nodes_are_loaded(nodes)};
    return body_terms_add(terms, dead_loads_term(&model->loads));
}

// --- drag ---

static pbs_status add_drag(const struct scene *scene, struct memory *memory,
                           struct body_terms *terms, struct model *model) {
    bool any = false;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        any = any || body->drag > 0.0;
        model->has_damping |= body->table->has_rayleigh_damping && body->damping > 0.0;
    }
    if (!any) {
        return PBS_OK;
    }
    model->drag_rate = memory_allocate(memory, scene->nodes.count, sizeof(double));
    if (model->drag_rate == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        for (size_t k = 0; k < body->node_count; k++) {
            model->drag_rate[body->node_start + k] = body->drag;
        }
    }
    model->drag = (struct mass_drag){.mass = scene->nodes.mass, .rate = model->drag_rate};
    return body_terms_add(terms, mass_drag_term(&model->drag));
}

// --- contact by penalties ---

static pbs_status add_penalties(const struct scene *scene, struct memory *memory,
                                struct body_terms *terms, struct model *model) {
    const struct contact_kind *kind = contact_kind_of(scene);
    if (kind->build_term == NULL) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(kind->build_term(scene, memory, &model->penalty));
    model->penalty_forces = (struct precomputed_forces){model->penalty.force,
                                                        &model->penalty.value};
    return body_terms_add(terms, precomputed_forces_term(&model->penalty_forces));
}

// --- properties of bodies ---

static pbs_status list_free_bodies(const struct scene *scene, struct memory *memory,
                                   struct model *model) {
    model->free_bodies = memory_allocate(memory, scene->bodies.count, sizeof *model->free_bodies);
    if (model->free_bodies == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        // A lagged force is no parabola of the translation.
        if (!body->table->calls_host && !features_lag_on(body)) {
            model->free_bodies[model->free_body_count] = (struct free_body){
                .node_start = body->node_start, .node_count = count_positions(scene, body)};
            model_copy_free_fall(body, &model->free_bodies[model->free_body_count]);
            model->free_body_count++;
        }
    }
    return PBS_OK;
}

/// Returns the rest positions of a body whose nodes are all positions; null for other bodies.
static const double *rest_positions(const struct scene *scene, const struct body *body) {
    return vertices_are_nodes(body) && count_positions(scene, body) == body->node_count ? body->rest
                                                                                        : NULL;
}

/// The energies of damping and of lagged forces depend on rotations, and clamped edges keep their
/// directions.
static bool is_rotation_invariant(const struct body *body) {
    return body->damping == 0.0 && body->drag == 0.0 && body->shell.clamp_count == 0 &&
           !features_lag_on(body);
}

static pbs_status list_rest_shapes(const struct scene *scene, struct memory *memory,
                                   struct model *model) {
    model->rest_shapes = memory_allocate(memory, scene->bodies.count, sizeof *model->rest_shapes);
    if (model->rest_shapes == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const double *rest = rest_positions(scene, body);
        if (rest != NULL) {
            model->rest_shapes[model->rest_shape_count] = (struct rest_shape){
                body->node_start, body->node_count, rest, is_rotation_invariant(body)};
            model->rest_shape_count++;
        }
    }
    return PBS_OK;
}

// --- assembly and terms ---

/// The position nodes of a body are its first nodes. The other nodes are assigned to them
/// cyclically.
static void list_owners(const struct scene *scene, uint32_t *owner) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        const size_t positions = count_positions(scene, body);
        for (size_t i = 0; i < body->node_count; i++) {
            owner[body->node_start + i] = (uint32_t)(body->node_start + i % positions);
        }
    }
}

static pbs_status build_assembly(const struct scene *scene, struct memory *memory,
                                 struct model *model) {
    struct stencils *sets = memory_allocate(memory, model->term_count, sizeof *sets);
    uint32_t *owner = memory_allocate(memory, scene->nodes.count, sizeof *owner);
    if (sets == NULL || owner == NULL) {
        memory_release(memory, sets);
        memory_release(memory, owner);
        return PBS_ERROR_MEMORY;
    }
    list_owners(scene, owner);
    const struct node_kinds kinds = {scene->nodes.kind, owner};
    size_t set_count = 0;
    for (size_t i = 0; i < model->term_count; i++) {
        if (model->terms[i].has_stencils) {
            sets[set_count] = model->terms[i].stencils;
            set_count++;
        }
    }
    const pbs_status status = assembly_build_of(memory, (uint32_t)scene->nodes.count, &kinds, 0,
                                                sets, set_count, &model->assembly);
    memory_release(memory, sets);
    memory_release(memory, owner);
    model->has_assembly = status >= 0;
    return status;
}

static pbs_status bind_terms(struct memory *memory, struct model *model) {
    const struct stencil_groups *groups = model->assembly.terms;
    for (size_t i = 0; i < model->term_count; i++) {
        const struct term *term = &model->terms[i];
        const struct stencil_groups *own = term->has_stencils ? groups++ : NULL;
        if (term->table->bind != NULL) {
            RETURN_IF_FAILED(term->table->bind(term->self, memory, own));
        }
    }
    return PBS_OK;
}

static pbs_status add_feature_terms(const struct scene *scene, struct memory *memory,
                                    struct body_terms *terms, struct model *model) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->add_terms != NULL) {
            RETURN_IF_FAILED(features[i]->add_terms(scene, memory, terms, &model->features[i]));
        }
    }
    return PBS_OK;
}

static pbs_status add_lagged_terms(const struct scene *scene, struct memory *memory,
                                   struct body_terms *terms, struct model *model) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->add_lagged_terms != NULL) {
            RETURN_IF_FAILED(
                features[i]->add_lagged_terms(scene, memory, terms, &model->features[i]));
        }
    }
    return PBS_OK;
}

static pbs_status list_terms(const struct scene *scene, struct memory *memory,
                             struct body_terms *terms, struct model *model) {
    for (const struct body_table *const *kind = body_tables; *kind != NULL; kind++) {
        if ((*kind)->add_terms != NULL) {
            RETURN_IF_FAILED((*kind)->add_terms(scene, memory, terms));
        }
    }
    RETURN_IF_FAILED(add_gravity(scene, memory, terms, model));
    RETURN_IF_FAILED(add_loads(scene, terms, model));
    RETURN_IF_FAILED(add_feature_terms(scene, memory, terms, model));
    RETURN_IF_FAILED(add_penalties(scene, memory, terms, model));
    model->conservative_count = terms->count;
    RETURN_IF_FAILED(add_lagged_terms(scene, memory, terms, model));
    RETURN_IF_FAILED(add_drag(scene, memory, terms, model));
    return add_strain_damping(scene, memory, terms);
}

/// Moves the terms to the model, also if the list is incomplete; the model frees them.
static void move_terms(const struct body_terms *terms, struct model *model) {
    model->terms = terms->terms;
    model->term_count = terms->count;
    model->element_count = terms->element_count;
    memcpy(model->bond_terms, terms->bonds, sizeof model->bond_terms);
    model->bond_term_count = terms->bond_count;
    memcpy(model->histories, terms->histories, sizeof model->histories);
    model->history_count = terms->history_count;
    memcpy(model->bond_damping, terms->bond_damping, sizeof model->bond_damping);
    model->bond_damping_count = terms->bond_damping_count;
    model->rotation_arrays = terms->rotation_arrays;
    model->rotations = terms->rotations;
}

static pbs_status build(const struct scene *scene, struct memory *memory, struct model *model) {
    struct body_terms terms = {.memory = memory};
    const pbs_status status = list_terms(scene, memory, &terms, model);
    move_terms(&terms, model);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(list_free_bodies(scene, memory, model));
    RETURN_IF_FAILED(list_rest_shapes(scene, memory, model));
    RETURN_IF_FAILED(build_assembly(scene, memory, model));
    return bind_terms(memory, model);
}

pbs_status model_build(const struct scene *scene, struct memory *memory, struct model *model) {
    *model = (struct model){0};
    const pbs_status status = build(scene, memory, model);
    if (status < 0) {
        model_free(model, memory);
    }
    return status;
}

void model_free(struct model *model, struct memory *memory) {
    for (size_t i = 0; i < model->term_count; i++) {
        if (model->terms[i].table->destroy != NULL) {
            model->terms[i].table->destroy(model->terms[i].self, memory);
        }
    }
    if (model->has_assembly) {
        assembly_free(memory, &model->assembly);
    }
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->destroy_terms != NULL) {
            features[i]->destroy_terms(model->features[i], memory);
        }
    }
    penalty_contact_free(&model->penalty);
    memory_release(memory, model->gravity_mass);
    memory_release(memory, model->gravity_weight);
    memory_release(memory, model->drag_rate);
    memory_release(memory, model->free_bodies);
    memory_release(memory, model->rest_shapes);
    memory_release(memory, model->rotation_arrays.node);
    memory_release(memory, model->rotation_arrays.radius);
    memory_release(memory, model->rotation_arrays.orientation);
    memory_release(memory, model->terms);
    *model = (struct model){0};
}

// --- gravity of one body ---

pbs_status model_set_gravity(struct model *model, const struct scene *scene, struct memory *memory,
                             struct body *body, const struct body_gravity *gravity) {
    const struct body_gravity before = body->gravity;
    body->gravity = *gravity;
    if (model->gravity.mass != model->gravity_mass ||
        (has_weight(body) && model->gravity.weight == NULL)) {
        const pbs_status status = reserve_gravity(scene, memory, has_weight(body), model);
        body->gravity = status < 0 ? before : *gravity;
        RETURN_IF_FAILED(status);
    }
    model_write_free_fall(model, &scene->nodes, body);
    return PBS_OK;
}

// Creates and destroys bodies: the steps that all kinds of body share.
// SPDX-License-Identifier: MIT
#include "base/runtime/arithmetic.h"
#include "world/features/feature.h"
#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/world.h"

/// Marks all data as out of date that depend on the bodies.
static void invalidate(pbs_world *w) {
    w->solver.is_current = false;
    query_index_invalidate_parts(w->query);
    w->scene.free_reference = 0.0;
    w->scene.barrier = (struct adaptive_barrier){0};
}

static pbs_body add(pbs_world *w, struct body *body) {
    body->contact = body_default_contact();
    body->moved_by = "created";
    body->slot = handle_insert(&w->scene.bodies, body);
    invalidate(w);
    scene_history_add_body(&w->scene);
    return (pbs_body){handle_id(&w->scene.bodies, body->slot, HANDLE_BODY, w->scene.stamp)};
}

/// A body that is refused may have caused the nodes' arrays to be reallocated, into which the
/// solver points.
static pbs_status refuse(pbs_world *w, size_t capacity_before, pbs_status status) {
    if (status == PBS_ERROR_MEMORY || w->scene.nodes.capacity != capacity_before) {
        w->solver.is_current = false;
    }
    return status;
}

/// settings: a struct of the kind, with defaults. If the body is refused, the memory reserved for
/// its handle stays reserved.
static pbs_status create(pbs_world *w, const struct body_table *table, const void *d,
                         void *settings, pbs_body *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    RETURN_IF_FAILED(handle_reserve(&w->scene.bodies, &w->memory, 1));
    RETURN_IF_FAILED(settings_read(table->settings, d, settings));
    struct body *body = NULL;
    const size_t capacity = w->scene.nodes.capacity;
    const pbs_status status = table->create(&w->scene, &w->memory, settings, &body);
    if (status < 0) {
        return refuse(w, capacity, status);
    }
    *out = add(w, body);
    return table->warn != NULL ? table->warn(&w->scene, body) : PBS_OK;
}

pbs_status pbs_body_create_solid(pbs_world *w, const pbs_solid_desc *d, pbs_body *out) {
    pbs_solid_desc settings = {0};
    return create(w, &body_table_solid, d, &settings, out);
}

pbs_status pbs_body_create_shell(pbs_world *w, const pbs_shell_desc *d, pbs_body *out) {
    pbs_shell_desc settings = {0};
    return create(w, &body_table_shell, d, &settings, out);
}

pbs_status pbs_body_create_springs(pbs_world *w, const pbs_springs_desc *d, pbs_body *out) {
    pbs_springs_desc settings = {0};
    return create(w, &body_table_springs, d, &settings, out);
}

pbs_status pbs_body_create_affine(pbs_world *w, const pbs_affine_desc *d, pbs_body *out) {
    pbs_affine_desc settings = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    return create(w, &body_table_affine, d, &settings, out);
}

pbs_status pbs_body_create_bonded(pbs_world *w, const pbs_bonded_desc *d, pbs_body *out) {
    pbs_bonded_desc settings = {0};
    return create(w, &body_table_bonded, d, &settings, out);
}

pbs_status pbs_body_create_peridynamic(pbs_world *w, const pbs_peridynamic_desc *d, pbs_body *out) {
    pbs_peridynamic_desc settings = {0};
    return create(w, &body_table_peridynamic, d, &settings, out);
}

pbs_status pbs_body_create_custom(pbs_world *w, const pbs_custom_desc *d, pbs_body *out) {
    pbs_custom_desc settings = {0};
    return create(w, &body_table_custom, d, &settings, out);
}

pbs_status pbs_body_destroy(pbs_world *w, pbs_body b) {
    RETURN_IF_FAILED(world_enter(w));
    if (b.id == 0) {
        return PBS_OK;
    }
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    struct scene *scene = &w->scene;
    features_body_destroyed(w, body);
    scene_vacate_nodes(scene, body);
    handle_remove(&scene->bodies, body->slot);
    body_free(body, &w->memory);
    invalidate(w);
    scene_history_remove_body(scene);
    // At most half of the nodes are vacant, so that they use at most twice the memory needed.
    if (2 * scene->nodes.vacant > scene->nodes.count) {
        scene_compact_nodes(scene);
    }
    return PBS_OK;
}

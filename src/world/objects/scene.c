// See scene.h.
// SPDX-License-Identifier: MIT
#include "world/objects/scene.h"

#include <string.h>

#include "world/objects/body_table.h"

struct body *scene_body(const struct scene *scene, size_t index) {
    return handle_at(&scene->bodies, index);
}

struct collider *scene_collider(const struct scene *scene, size_t index) {
    return handle_at(&scene->colliders, index);
}

struct world_joint *scene_joint(const struct scene *scene, size_t index) {
    return handle_at(&scene->joints, index);
}

pbs_body scene_body_id(const struct scene *scene, size_t index) {
    if (index >= scene->bodies.count) {
        return (pbs_body){0};
    }
    const uint32_t slot = handle_slot_at(&scene->bodies, index);
    return (pbs_body){handle_id(&scene->bodies, slot, HANDLE_BODY, scene->stamp)};
}

pbs_collider scene_collider_id(const struct scene *scene, size_t index) {
    if (index >= scene->colliders.count) {
        return (pbs_collider){0};
    }
    const uint32_t slot = handle_slot_at(&scene->colliders, index);
    return (pbs_collider){handle_id(&scene->colliders, slot, HANDLE_COLLIDER, scene->stamp)};
}

// --- nodes of destroyed bodies ---

void scene_vacate_nodes(struct scene *scene, const struct body *body) {
    struct nodes *nodes = &scene->nodes;
    if (body->node_start + body->node_count == nodes->count) {
        nodes->count -= body->node_count;
    } else {
        nodes->vacant += body->node_count;
    }
}

static void move_row(double *rows, size_t start, size_t count, size_t to) {
    if (rows != NULL && start != to) {
        memmove(rows + 3 * to, rows + 3 * start, 3 * count * sizeof *rows);
    }
}

/// Nodes added since the last step have no history yet.
static void move_history(struct history *history, size_t start, size_t count, size_t to) {
    if (start + count <= history->node_count) {
        move_row(history->x_before, start, count, to);
        move_row(history->v_before, start, count, to);
        move_row(history->acceleration, start, count, to);
    }
}

void scene_compact_nodes(struct scene *scene) {
    if (scene->nodes.vacant == 0) {
        return;
    }
    size_t end = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        struct body *body = scene_body(scene, i);
        nodes_move(&scene->nodes, body->node_start, body->node_count, end);
        move_history(&scene->history, body->node_start, body->node_count, end);
        body->node_start = end;
        end += body->node_count;
    }
    scene->nodes.count = end;
    scene->nodes.vacant = 0;
}

static void update_body_vertices(void *context, size_t index) {
    const struct scene *scene = context;
    vertices_update(&scene->nodes, scene_body(scene, index));
}

void scene_update_vertices(struct scene *scene, struct tasks *tasks) {
    bool any = false;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        any = any || !vertices_are_nodes(scene_body(scene, i));
    }
    if (any) {
        tasks_for(tasks, scene->bodies.count, update_body_vertices, scene);
    }
}

// --- energy control ---

bool scene_has_islands(const struct scene *scene) {
    return scene->integrator.settings.energy_control.by_island != 0;
}

uint32_t scene_account_count(const struct scene *scene) {
    const bool controlled = scene->integrator.scheme->control != CONTROL_NONE;
    return controlled ? (uint32_t)scene->bodies.count : 0;
}

// --- history ---

void scene_forget_history(struct scene *scene) {
    scene->history.memory = (struct scheme_memory){.known = 1};
    scene->history.has_targets = false;
}

void scene_forget_body(struct scene *scene, struct body *body) {
    scene->history.memory = (struct scheme_memory){.known = 1};
    body->account = (struct energy_account){.is_known = false};
    scene->history.has_targets = scene->history.has_targets && scene_has_islands(scene);
}

void scene_history_add_body(struct scene *scene) {
    scene->history.memory = (struct scheme_memory){.known = 1};
}

void scene_history_remove_body(struct scene *scene) {
    scene->history.has_targets = scene->history.has_targets && scene_has_islands(scene);
}

void scene_forget_states(struct scene *scene) {
    scene->history.memory.known = 1;
    scene->history.memory.has_acceleration = false;
}

void scene_constrain_node(struct scene *scene, size_t node, uint32_t axes) {
    uint8_t *const constrained_axes = &scene->nodes.constrained_axes[node];
    if (*constrained_axes != axes) {
        *constrained_axes = (uint8_t)axes;
        scene_forget_states(scene);
    }
}

static void free_history(struct history *history, struct memory *memory) {
    memory_release(memory, history->x_before);
    memory_release(memory, history->v_before);
    memory_release(memory, history->acceleration);
    *history = (struct history){.memory.known = 1};
}

pbs_status scene_reserve_history(struct scene *scene, struct memory *memory) {
    struct history *history = &scene->history;
    const size_t count = scene->nodes.count;
    const bool two = scene->integrator.scheme->history > 1;
    const bool acceleration = scheme_stores_acceleration(scene->integrator.scheme);
    if (history->node_count >= count && two == (history->x_before != NULL) &&
        acceleration == (history->acceleration != NULL)) {
        return PBS_OK;
    }
    const bool has_targets = history->has_targets;
    free_history(history, memory);
    if (two) {
        history->x_before = memory_allocate(memory, 3 * count, sizeof(double));
        history->v_before = memory_allocate(memory, 3 * count, sizeof(double));
    }
    if (acceleration) {
        history->acceleration = memory_allocate(memory, 3 * count, sizeof(double));
    }
    history->node_count = count;
    history->has_targets = has_targets;
    if ((two && (history->x_before == NULL || history->v_before == NULL)) ||
        (acceleration && history->acceleration == NULL)) {
        free_history(history, memory);
        return PBS_ERROR_MEMORY;
    }
    return PBS_OK;
}

void scene_free(struct scene *scene, struct memory *memory) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        body_free(scene_body(scene, i), memory);
    }
    for (size_t i = 0; i < scene->colliders.count; i++) {
        collider_free_arrays(memory, &scene_collider(scene, i)->desc);
        memory_release(memory, scene_collider(scene, i));
    }
    for (size_t i = 0; i < scene->joints.count; i++) {
        memory_release(memory, scene_joint(scene, i));
    }
    features_free(scene->features, memory);
    handle_free(&scene->bodies, memory);
    handle_free(&scene->colliders, memory);
    handle_free(&scene->joints, memory);
    nodes_free(&scene->nodes, memory);
    free_history(&scene->history, memory);
    memory_release(memory, scene->close.pairs);
    pair_list_free(memory, &scene->touching);
    *scene = (struct scene){0};
}

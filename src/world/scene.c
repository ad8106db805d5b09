// The scene's own life; see scene.h.
#include "world/scene.h"

struct body *scene_body(const struct scene *scene, size_t index) {
    return handle_at(&scene->bodies, index);
}

struct collider *scene_collider(const struct scene *scene, size_t index) {
    return handle_at(&scene->colliders, index);
}

void scene_forget_history(struct scene *scene) {
    scene->history.memory = (struct scheme_memory){.known = 1};
}

void scene_forget_states(struct scene *scene) {
    scene->history.memory.known = 1;
    scene->history.memory.has_acceleration = false;
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
    const bool acceleration = scheme_keeps_acceleration(scene->integrator.scheme);
    if (history->node_count == count && two == (history->x_before != NULL) &&
        acceleration == (history->acceleration != NULL)) {
        return PBS_OK;
    }
    free_history(history, memory);
    if (two) {
        history->x_before = memory_allocate(memory, 3 * count, sizeof(double));
        history->v_before = memory_allocate(memory, 3 * count, sizeof(double));
    }
    if (acceleration) {
        history->acceleration = memory_allocate(memory, 3 * count, sizeof(double));
    }
    history->node_count = count;
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
        memory_release(memory, scene_collider(scene, i));
    }
    handle_free(&scene->bodies, memory);
    handle_free(&scene->colliders, memory);
    nodes_free(&scene->nodes, memory);
    free_history(&scene->history, memory);
    *scene = (struct scene){0};
}

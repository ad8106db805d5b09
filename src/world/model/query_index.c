// The triangles of a scene and their tree; see query_index.h.
// SPDX-License-Identifier: MIT
#include "world/model/query_index.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "world/objects/motion.h"
#include "world/objects/scene.h"

void query_index_init(struct query_index *index, const pbs_allocator *allocator) {
    memory_init(&index->memory, allocator);
    pthread_mutex_init(&index->lock, NULL);
    atomic_init(&index->is_current, false);
}

struct memory query_index_memory(struct query_index *index) {
    pthread_mutex_lock(&index->lock);
    const struct memory memory = index->memory;
    pthread_mutex_unlock(&index->lock);
    return memory;
}

void query_index_invalidate_positions(struct query_index *index) {
    atomic_store(&index->is_current, false);
}

void query_index_invalidate_parts(struct query_index *index) {
    atomic_store(&index->is_current, false);
    index->parts_are_current = false;
}

void query_index_free(struct query_index *index) {
    struct memory *memory = &index->memory;
    memory_release(memory, index->parts);
    memory_release(memory, index->x);
    memory_release(memory, index->triangles);
    memory_release(memory, index->owners);
    memory_release(memory, index->point_boxes);
    memory_release(memory, index->boxes);
    bounding_tree_free(memory, &index->tree);
    pthread_mutex_destroy(&index->lock);
}

/// Points and triangles of a part: the surface of a body or of a mesh collider.
struct part_surface {
    size_t point_count, triangle_count;
    const uint32_t *triangles;
};

static struct part_surface surface_of(const struct scene *scene, size_t part) {
    if (part < scene->bodies.count) {
        const struct body *body = scene_body(scene, part);
        return (struct part_surface){.point_count = body->triangle_count > 0 ? body->vertex_count
                                                                             : 0,
                                     .triangle_count = body->triangle_count,
                                     .triangles = body->triangles};
    }
    const pbs_collider_desc *d = &scene_collider(scene, part - scene->bodies.count)->desc;
    if (d->shape != PBS_SHAPE_MESH || d->triangle_count == 0) {
        return (struct part_surface){0};
    }
    return (struct part_surface){.point_count = d->vertex_count,
                                 .triangle_count = d->triangle_count,
                                 .triangles = d->triangles};
}

// --- parts ---

static pbs_status reserve_parts(struct query_index *q, const struct scene *scene) {
    q->part_count = scene->bodies.count + scene->colliders.count;
    RETURN_IF_FAILED(
        memory_reserve(&q->memory, &q->parts, &q->part_capacity, q->part_count, sizeof *q->parts));
    q->point_count = 0;
    q->triangle_count = 0;
    for (size_t i = 0; i < q->part_count; i++) {
        const struct part_surface surface = surface_of(scene, i);
        q->parts[i] = (struct query_part){.first_point = q->point_count,
                                          .point_count = surface.point_count,
                                          .first_triangle = q->triangle_count,
                                          .triangle_count = surface.triangle_count};
        q->point_count += surface.point_count;
        q->triangle_count += surface.triangle_count;
    }
    RETURN_IF_FAILED(
        memory_reserve(&q->memory, &q->x, &q->x_capacity, 3 * q->point_count, sizeof *q->x));
    RETURN_IF_FAILED(memory_reserve(&q->memory, &q->point_boxes, &q->point_box_capacity,
                                    q->point_count, sizeof *q->point_boxes));
    RETURN_IF_FAILED(memory_reserve(&q->memory, &q->boxes, &q->box_capacity, q->triangle_count,
                                    sizeof *q->boxes));
    RETURN_IF_FAILED(memory_reserve(&q->memory, &q->owners, &q->owner_capacity, q->triangle_count,
                                    sizeof *q->owners));
    return memory_reserve(&q->memory, &q->triangles, &q->triangle_capacity, 3 * q->triangle_count,
                          sizeof *q->triangles);
}

static pbs_status list_parts(struct query_index *q, const struct scene *scene) {
    RETURN_IF_FAILED(reserve_parts(q, scene));
    if (q->point_count > UINT32_MAX) {
        return status_fail(PBS_ERROR_ARGUMENT, "%zu vertices on surfaces, the limit is %u",
                           q->point_count, UINT32_MAX);
    }
    for (size_t i = 0; i < q->part_count; i++) {
        const struct part_surface surface = surface_of(scene, i);
        const struct query_part *part = &q->parts[i];
        for (size_t t = 0; t < surface.triangle_count; t++) {
            const size_t at = part->first_triangle + t;
            q->owners[at] = (uint32_t)i;
            for (size_t k = 0; k < 3; k++) {
                q->triangles[3 * at + k] = (uint32_t)part->first_point +
                                           surface.triangles[3 * t + k];
            }
        }
    }
    return PBS_OK;
}

// --- positions ---

static void copy_collider_points(const struct collider *collider, double *x) {
    struct obstacle now;
    motion_obstacle_at(collider, 0.0, 1.0, &now);
    for (size_t i = 0; i < collider->desc.vertex_count; i++) {
        multiply3(now.pose.rotation, collider->desc.vertices + 3 * i, x + 3 * i);
        add3(x + 3 * i, now.pose.translation, x + 3 * i);
    }
}

static void copy_points(struct query_index *q, const struct scene *scene) {
    const size_t bodies = scene->bodies.count;
    for (size_t i = 0; i < q->part_count; i++) {
        double *x = q->x + 3 * q->parts[i].first_point;
        if (q->parts[i].triangle_count == 0) {
            continue;
        }
        if (i < bodies) {
            const struct body *body = scene_body(scene, i);
            memcpy(x, vertices_positions(&scene->nodes, body), 3 * body->vertex_count * sizeof *x);
        } else {
            copy_collider_points(scene_collider(scene, i - bodies), x);
        }
    }
}

static void bound_parts(struct query_index *q) {
    for (size_t i = 0; i < q->part_count; i++) {
        struct query_part *part = &q->parts[i];
        box_of_points(q->x + 3 * part->first_point, part->point_count, part->low, part->high);
    }
}

static pbs_status update_boxes(struct query_index *q, struct tasks *tasks) {
    const struct point_sweep sweep = {.count = q->point_count, .x = q->x};
    boxes_of_points(tasks, &sweep, q->point_boxes);
    boxes_of_primitives(tasks, q->point_boxes, q->triangles, 3, q->triangle_count, q->boxes);
    if (q->parts_are_current) {
        bounding_tree_refit(tasks, q->boxes, &q->tree);
        if (!bounding_tree_needs_rebuild(&q->tree)) {
            return PBS_OK;
        }
    }
    return bounding_tree_build(&q->memory, tasks, q->boxes, q->triangle_count, NULL, 0, &q->tree);
}

static pbs_status update(struct query_index *q, const struct scene *scene, struct tasks *tasks) {
    if (!q->parts_are_current) {
        RETURN_IF_FAILED(list_parts(q, scene));
    }
    copy_points(q, scene);
    bound_parts(q);
    RETURN_IF_FAILED(update_boxes(q, tasks));
    q->parts_are_current = true;
    return PBS_OK;
}

pbs_status query_index_update(struct query_index *index, const struct scene *scene,
                              struct tasks *tasks) {
    pbs_status status = PBS_OK;
    if (atomic_load(&index->is_current)) {
        return PBS_OK;
    }
    pthread_mutex_lock(&index->lock);
    if (!atomic_load(&index->is_current)) {
        status = update(index, scene, tasks);
        atomic_store(&index->is_current, status >= 0);
    }
    pthread_mutex_unlock(&index->lock);
    return status;
}

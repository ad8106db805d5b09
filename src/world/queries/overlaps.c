// See overlaps.h. Also pbs_world_overlaps: the overlaps of the current state, or with a moved body
// or an additional surface.
// SPDX-License-Identifier: MIT
#include "world/queries/overlaps.h"

#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "world/interface/check.h"
#include "world/contact_scenes/contact_names.h"
#include "world/contact_scenes/contact_scale.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/objects/collider.h"

// --- the scene ---

/// Whether a collider is solid. Meshes are not; for other shapes their offsets or walls define the
/// inside.
static bool is_solid_collider(const pbs_collider_desc *d) {
    const struct shape shape = collider_shape(d);
    return d->shape != PBS_SHAPE_MESH && shape_is_enclosed(&shape);
}

static void mark_solids(const struct scene *scene, struct overlaps *overlaps) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        overlaps->parts[i].is_closed = scene_body(scene, i)->table->encloses_volume;
    }
    for (size_t i = 0; i < scene->colliders.count; i++) {
        overlaps->parts[scene->bodies.count + i].is_closed = is_solid_collider(
            &scene_collider(scene, i)->desc);
    }
}

static uint32_t placement_part(const struct scene *scene,
                               const struct contact_placement *placement) {
    if (placement == NULL) {
        return UINT32_MAX;
    }
    size_t part = placement->body != NULL ? 0 : scene->bodies.count + scene->colliders.count;
    while (placement->body != NULL && scene_body(scene, part) != placement->body) {
        part++;
    }
    return (uint32_t)part;
}

/// Sets groups and masks such that searches find only pairs with the placed part.
static void restrict_to_part(struct collision_mesh *mesh, uint32_t placed) {
    enum { QUERIED = 1, OTHER = 2 };
    const struct collision_part own = mesh->parts[placed];
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        struct collision_part *part = &mesh->parts[i];
        const bool touches = (part->group & own.mask) != 0 && (own.group & part->mask) != 0;
        part->group = OTHER;
        part->mask = touches ? QUERIED : 0;
        part->touches_itself = false;
    }
    mesh->parts[placed].group = QUERIED;
    mesh->parts[placed].mask = OTHER;
    mesh->parts[placed].touches_itself = own.touches_itself;
}

pbs_status overlap_scene_build(const pbs_world *w, struct memory *memory,
                               const struct contact_placement *placement,
                               struct overlap_scene *out) {
    *out = (struct overlap_scene){.memory = memory, .only = placement_part(&w->scene, placement)};
    RETURN_IF_FAILED(contact_scene_build_with(&w->scene, memory, placement, &out->contact));
    out->contact_distance = contact_scale_of(&w->scene).distance;
    // A query asks for a distance of its own.
    for (uint32_t i = 0; i < out->contact.mesh.part_count; i++) {
        out->contact.mesh.parts[i].reach = 0.0;
    }
    out->contact.mesh.close_count = 0;
    barrier_contact_forget_reaches(&out->contact);
    RETURN_IF_FAILED(contact_scene_update_obstacles(&w->scene, memory, &out->contact));
    RETURN_IF_FAILED(overlaps_begin(memory, &out->contact.mesh, &out->overlaps));
    mark_solids(&w->scene, &out->overlaps);
    if (placement != NULL) {
        restrict_to_part(&out->contact.mesh, out->only);
    }
    return PBS_OK;
}

void overlap_scene_free(struct overlap_scene *scene) {
    overlaps_free(scene->memory, &scene->overlaps);
    barrier_contact_free(&scene->contact);
}

void overlap_describe(const pbs_world *w, const struct overlap_scene *scene,
                      const struct overlap *row, pbs_overlap *out) {
    *out = (pbs_overlap){.kind = row->kind, .gap = row->pair.gap};
    const bool swaps = row->pair.part[1] == scene->only && row->pair.part[0] != scene->only &&
                       row->kind != PBS_OVERLAP_INSIDE;
    const uint32_t *points = row->pair.points;
    for (int k = 0; k < 2; k++) {
        const int to = swaps ? 1 - k : k;
        pbs_contact_side side = {.vertex_count = 0};
        contact_name_side(&w->scene, &scene->contact.mesh, row->pair.part[k], row->pair.count[k],
                          points, &side);
        out->bodies[to] = side.body;
        out->colliders[to] = side.collider;
        out->vertex_counts[to] = side.vertex_count;
        memcpy(out->vertices + 3 * to, side.vertices, sizeof side.vertices);
        points += row->pair.count[k];
    }
    scale3(swaps ? -1.0 : 1.0, row->normal, out->normal);
}

// --- descriptions ---

static const pbs_contact_desc touches_all = {
    .struct_size = sizeof(pbs_contact_desc), .touches_itself = 1, .group = 1, .mask = UINT32_MAX};

pbs_status pbs_overlap_desc_init(pbs_overlap_desc *d, size_t struct_size) {
    const pbs_overlap_desc defaults = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    return settings_init(&settings_overlap, d, struct_size, &defaults);
}

/// The data of one query.
struct overlap_query {
    const pbs_world *world;
    pbs_overlap_desc desc;
    pbs_contact_desc contact;
    struct contact_placement placement;
    struct memory memory;
    double *x; ///< node_count + vertex_count, x 3: nodes of the world, then what is placed
    uint32_t *nodes;
    struct overlap_scene scene;
};

static pbs_status check_triangles(const pbs_overlap_desc *d) {
    RETURN_IF_FAILED(check_size(d->triangle_count, 0, UINT32_MAX / 8, "triangle_count"));
    if (d->triangle_count > 0) {
        RETURN_IF_FAILED(check_pointer(d->triangles, "triangles"));
    }
    for (size_t k = 0; k < 3 * d->triangle_count; k++) {
        if (d->triangles[k] >= d->vertex_count) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "triangle %zu: vertex index %u, but there are %zu vertices", k / 3,
                               (unsigned)d->triangles[k], d->vertex_count);
        }
    }
    return PBS_OK;
}

/// Prepares a query for a surface that is not in the world.
static pbs_status enter_surface(struct overlap_query *q) {
    const pbs_overlap_desc *d = &q->desc;
    RETURN_IF_FAILED(check_size(d->vertex_count, 0, UINT32_MAX / 8, "vertex_count"));
    RETURN_IF_FAILED(check_points(d->positions, d->vertex_count, "positions"));
    RETURN_IF_FAILED(check_triangles(d));
    q->placement = (struct contact_placement){.vertex_count = d->vertex_count,
                                              .rest = d->positions,
                                              .triangle_count = d->triangle_count,
                                              .triangles = d->triangles,
                                              .contact = &q->contact};
    return PBS_OK;
}

static pbs_status enter_body(struct overlap_query *q) {
    pbs_overlap_desc *d = &q->desc;
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(q->world, d->body, &status);
    RETURN_IF_FAILED(status);
    if (d->triangle_count != 0) {
        return status_fail(PBS_ERROR_ARGUMENT, "triangle_count is %zu, must be 0 where body is set",
                           d->triangle_count);
    }
    if (d->vertex_count != 0) {
        RETURN_IF_FAILED(world_check_vertex_count(body, d->vertex_count));
    } else {
        d->vertex_count = body->vertex_count;
        d->positions = vertices_positions(&q->world->scene.nodes, body);
    }
    RETURN_IF_FAILED(check_points(d->positions, d->vertex_count, "positions"));
    if (d->contact == NULL) {
        q->contact = body->contact;
    }
    q->placement = (struct contact_placement){.body = body,
                                              .vertex_count = d->vertex_count,
                                              .rest = d->positions,
                                              .contact = &q->contact};
    return PBS_OK;
}

static pbs_status read_query(struct overlap_query *q, const pbs_overlap_desc *d) {
    q->desc = (pbs_overlap_desc){.orientation = {0.0, 0.0, 0.0, 1.0}};
    q->contact = touches_all;
    RETURN_IF_FAILED(settings_read(&settings_overlap, d, &q->desc));
    RETURN_IF_FAILED(check_choice(q->desc.solid, 0, q->desc.body.id != 0 ? 0 : 1, "solid"));
    RETURN_IF_FAILED(check_not_negative(q->desc.distance, "distance"));
    RETURN_IF_FAILED(check_point(q->desc.position, "position"));
    RETURN_IF_FAILED(check_quaternion(q->desc.orientation, "orientation", q->desc.orientation));
    if (q->desc.contact != NULL) {
        RETURN_IF_FAILED(settings_read(&settings_contact, q->desc.contact, &q->contact));
        RETURN_IF_FAILED(body_check_contact(&q->contact));
    }
    return q->desc.body.id != 0 ? enter_body(q) : enter_surface(q);
}

// --- searches ---

/// Rotates, then translates.
static void transform_vertices(struct overlap_query *q, double *out) {
    double rotation[9];
    rotation_of(q->desc.orientation, rotation);
    for (size_t i = 0; i < q->desc.vertex_count; i++) {
        multiply3(rotation, q->desc.positions + 3 * i, out + 3 * i);
        add3(out + 3 * i, q->desc.position, out + 3 * i);
    }
}

static pbs_status search(struct overlap_query *q) {
    const struct nodes *nodes = &q->world->scene.nodes;
    const size_t placed = q->desc.vertex_count;
    q->x = memory_allocate(&q->memory, 3 * (nodes->count + placed), sizeof *q->x);
    q->nodes = memory_allocate(&q->memory, placed, sizeof *q->nodes);
    if (q->x == NULL || q->nodes == NULL) {
        return PBS_ERROR_MEMORY;
    }
    if (nodes->count > 0) {
        memcpy(q->x, nodes->x, 3 * nodes->count * sizeof *q->x);
    }
    transform_vertices(q, q->x + 3 * nodes->count);
    for (size_t i = 0; i < placed; i++) {
        q->nodes[i] = (uint32_t)(nodes->count + i);
    }
    q->placement.nodes = q->nodes;
    RETURN_IF_FAILED(
        overlap_scene_build(q->world, &q->memory, placed > 0 ? &q->placement : NULL, &q->scene));
    if (q->desc.solid != 0 && placed > 0) {
        q->scene.overlaps.parts[q->scene.only].is_closed = true;
    }
    return overlaps_find(&q->scene.contact, NULL, q->x, q->desc.distance, q->scene.only,
                         &q->scene.overlaps);
}

static pbs_status answer(const struct overlap_query *q, pbs_overlap *dst, size_t struct_size,
                         size_t *count) {
    const struct overlaps *found = &q->scene.overlaps;
    RETURN_IF_FAILED(
        rows_begin(&settings_overlap_row, struct_size, dst, count, found->count, "overlaps"));
    for (size_t i = 0; dst != NULL && i < found->count; i++) {
        pbs_overlap row;
        overlap_describe(q->world, &q->scene, &found->rows[i], &row);
        row_write(&settings_overlap_row, &row, struct_size, (char *)dst + struct_size * i);
    }
    return PBS_OK;
}

pbs_status pbs_world_overlaps(const pbs_world *w, const pbs_overlap_desc *d, pbs_overlap *dst,
                              size_t struct_size, size_t *count) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(count, "count"));
    RETURN_IF_FAILED(row_size_check(&settings_overlap_row, struct_size));
    struct overlap_query q = {.world = w};
    RETURN_IF_FAILED(read_query(&q, d));
    // A separate account of memory, because several threads may query.
    memory_init(&q.memory, &w->memory.allocator);
    pbs_status status = search(&q);
    if (status >= 0) {
        status = answer(&q, dst, struct_size, count);
    }
    q.scene.memory = &q.memory;
    overlap_scene_free(&q.scene);
    memory_release(&q.memory, q.nodes);
    memory_release(&q.memory, q.x);
    return status;
}

// See penetration_scene.h. Parts are bodies in order; their points are all of their vertices.
// SPDX-License-Identifier: MIT
#include "world/contact_scenes/penetration_scene.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/objects/body_table.h"
#include "world/objects/collider.h"
#include "world/objects/motion.h"

bool penetration_scene_is_needed(const struct scene *scene) {
    bool is_any = scene->settings.body_contact == PBS_BODY_CONTACT_PENALTY;
    for (size_t i = 0; !is_any && i < scene->colliders.count; i++) {
        is_any = collider_is_penalty(&scene_collider(scene, i)->desc);
    }
    return is_any;
}

// --- stiffness ---

/// Returns the penalty stiffness of a body, Pa: by default the modulus of its stiffest material. A
/// point that carries the load of one element then penetrates by about a tenth of an element
/// (docs/theory/contact.md section 8). Returns 0 for bodies with a custom energy, whose stiffness
/// is unknown.
static double stiffness_of(const struct body *body) {
    if (body->contact.penalty_stiffness > 0.0) {
        return body->contact.penalty_stiffness;
    }
    return body->table->stiffest != NULL ? body->table->stiffest(body) : 0.0;
}

// --- points and solids ---

struct part_buffers {
    struct memory *memory;
    uint32_t *nodes, *points, *vertices, *tets, *triangles;
    double *rest, *local;
};

static void free_buffers(struct part_buffers *b) {
    memory_release(b->memory, b->nodes);
    memory_release(b->memory, b->points);
    memory_release(b->memory, b->vertices);
    memory_release(b->memory, b->tets);
    memory_release(b->memory, b->triangles);
    memory_release(b->memory, b->rest);
    memory_release(b->memory, b->local);
}

static pbs_status allocate_buffers(struct part_buffers *b, const struct body *body) {
    const size_t count = body->vertex_count;
    const size_t tets = body->solid.tet_count;
    b->nodes = memory_allocate(b->memory, count, sizeof *b->nodes);
    b->points = memory_allocate(b->memory, count, sizeof *b->points);
    b->tets = memory_allocate(b->memory, 4 * tets, sizeof *b->tets);
    b->triangles = memory_allocate(b->memory, 3 * body->triangle_count, sizeof *b->triangles);
    b->rest = memory_allocate(b->memory, 3 * count, sizeof *b->rest);
    b->local = memory_allocate(b->memory, 3 * count, sizeof *b->local);
    return b->nodes != NULL && b->points != NULL && b->rest != NULL && b->local != NULL &&
                   (b->tets != NULL || tets == 0) &&
                   (b->triangles != NULL || body->triangle_count == 0)
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

static void fill_vertices(const struct scene *scene, const struct body *body,
                          struct part_buffers *b) {
    for (size_t i = 0; i < body->vertex_count; i++) {
        b->nodes[i] = vertices_at(body, i).node[0];
        copy3(scene->nodes.initial + 3 * (size_t)b->nodes[i], b->rest + 3 * i);
        for (size_t k = 0; k < 3; k++) {
            b->local[3 * i + k] = vertices_are_nodes(body)
                                      ? 0.0
                                      : body->vertices.weights[VERTEX_WIDTH * i + 1 + k];
        }
    }
}

static pbs_status add_points(const struct scene *scene, const struct body *body,
                             struct part_buffers *b, struct penetration *p) {
    fill_vertices(scene, body, b);
    const struct collision_part_input input = {
        .part = {.surface = {.friction = body->contact.friction,
                             .material = body->contact.surface_material},
                 .group = body->contact.group,
                 .mask = body->contact.mask,
                 .touches_itself = body->contact.touches_itself != 0},
        .kind = vertices_are_nodes(body) ? POINT_NODE : POINT_AFFINE,
        .point_count = body->vertex_count,
        .nodes = b->nodes,
        .rest = b->rest,
        .local = b->local};
    return collision_mesh_add(p->memory, &input, &p->mesh);
}

/// Lists the points that are tested for being inside other bodies: the vertices of the surface, or
/// all vertices if there is no surface.
static size_t list_surface_points(const struct body *body, uint32_t first, uint32_t *points) {
    const uint32_t mark = UINT32_MAX;
    for (size_t i = 0; i < body->vertex_count; i++) {
        points[i] = body->triangle_count > 0 ? 0 : mark;
    }
    for (size_t k = 0; k < 3 * body->triangle_count; k++) {
        points[body->triangles[k]] = mark;
    }
    size_t count = 0;
    for (size_t i = 0; i < body->vertex_count; i++) {
        if (points[i] == mark) {
            points[count++] = first + (uint32_t)i;
        }
    }
    return count;
}

static pbs_status add_solid(const struct body *body, uint32_t first, struct part_buffers *b,
                            struct penetration *p) {
    const size_t tets = body->solid.tet_count;
    for (size_t k = 0; k < 4 * tets; k++) {
        b->tets[k] = first + body->solid.tets[k];
    }
    for (size_t k = 0; k < 3 * body->triangle_count; k++) {
        b->triangles[k] = first + body->triangles[k];
    }
    const struct inclusion_input input = {
        .group = body->contact.group,
        .mask = body->contact.mask,
        .touches_itself = body->contact.touches_itself != 0,
        .vertex_count = list_surface_points(body, first, b->points),
        .vertices = b->points,
        .tet_count = tets,
        .tets = b->tets,
        .triangle_count = tets > 0 ? body->triangle_count : 0,
        .triangles = b->triangles};
    return solid_inclusion_add(p->memory, &input, &p->solids);
}

static pbs_status add_body(const struct scene *scene, const struct body *body,
                           struct penetration *p) {
    struct part_buffers b = {.memory = p->memory};
    const uint32_t first = p->mesh.point_count;
    pbs_status status = allocate_buffers(&b, body);
    if (status >= 0) {
        status = add_points(scene, body, &b, p);
    }
    if (status >= 0 && p->has_solids) {
        status = add_solid(body, first, &b, p);
    }
    free_buffers(&b);
    return status;
}

static void add_obstacles(const struct scene *scene, struct penetration *p) {
    for (size_t i = 0; i < scene->colliders.count; i++) {
        const struct collider *collider = scene_collider(scene, i);
        const pbs_collider_desc *d = &collider->desc;
        if (!collider_is_penalty(d)) {
            continue;
        }
        struct penetration_obstacle *out = &p->obstacles[p->obstacle_count++];
        *out = (struct penetration_obstacle){
            .obstacle = (uint32_t)i,
            .part = (uint32_t)(scene->bodies.count + i),
            .group = d->group,
            .mask = d->mask,
            .stiffness = d->penalty_stiffness,
            .surface = {.friction = d->friction, .material = d->surface_material}};
        motion_obstacle_at(collider, 0.0, 1.0, &out->target);
    }
}

static pbs_status build(const struct scene *scene, struct penetration *p) {
    p->has_solids = scene->settings.body_contact == PBS_BODY_CONTACT_PENALTY;
    p->friction_table = &scene->frictions;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        RETURN_IF_FAILED(add_body(scene, scene_body(scene, i), p));
    }
    RETURN_IF_FAILED(penetration_reserve(p, scene->bodies.count, scene->colliders.count));
    for (size_t i = 0; i < scene->bodies.count; i++) {
        p->stiffness[i] = stiffness_of(scene_body(scene, i));
    }
    add_obstacles(scene, p);
    return PBS_OK;
}

pbs_status penetration_scene_build(const struct scene *scene, struct memory *memory,
                                   struct penetration *p) {
    p->memory = memory;
    penetration_clear(p);
    const pbs_status status = build(scene, p);
    if (status < 0) {
        penetration_free(p);
    }
    return status;
}

// --- the row of projection, which this goes with ---

static pbs_status check_scheme(const struct scene *scene, const struct scheme_table *scheme) {
    return scheme->kicks && penetration_scene_is_needed(scene)
               ? status_fail(
                     PBS_ERROR_ARGUMENT,
                     "%s does not support PBS_BODY_CONTACT_PENALTY and PBS_COLLISION_PENALTY, "
                     "whose stiffness has no bound from which a stable step could follow",
                     scheme->name)
               : PBS_OK;
}

static pbs_status evaluate(const struct scene *scene, struct memory *memory, double *gradient,
                           struct contact_energy *out) {
    if (!penetration_scene_is_needed(scene)) {
        return PBS_OK;
    }
    struct penetration penetration = {.memory = memory};
    RETURN_IF_FAILED(penetration_scene_build(scene, memory, &penetration));
    const pbs_status status = penetration_table.evaluate(&penetration, NULL, scene->nodes.x, false,
                                                         gradient, out);
    penetration_free(&penetration);
    return status;
}

/// A body without a stiffness feels no penalties but those of colliders that have one. Groups and
/// masks are not asked.
static bool touches(const struct scene *scene, const struct body *body) {
    if (!vertices_are_nodes(body) || scene->colliders.count == 0) {
        return vertices_are_nodes(body);
    }
    for (size_t i = 0; i < scene->colliders.count; i++) {
        const pbs_collider_desc *const d = &scene_collider(scene, i)->desc;
        if (!collider_is_penalty(d) || d->penalty_stiffness > 0.0) {
            return true;
        }
    }
    return stiffness_of(body) > 0.0;
}

const struct contact_kind contact_kind_projection = {
    .id = PBS_CONTACT_PROJECTION,
    .run = &contact_run_projection,
    .scheme = PBS_SCHEME_IMPLICIT_EULER,
    .has_constraints = true,
    .has_distance = true,
    .takes_penalties = true,
    .check_scheme = check_scheme,
    .touches = touches,
    .evaluate = evaluate,
};

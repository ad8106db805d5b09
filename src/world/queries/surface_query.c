// See surface_query.h.
// SPDX-License-Identifier: MIT
#include "world/queries/surface_query.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/meshes/solid_angle.h"
#include "world/interface/check.h"

pbs_status query_begin(const pbs_world *w, int32_t reserved, double distance,
                       struct query_scope *out) {
    RETURN_IF_FAILED(check_choice(reserved, 0, 0, "reserved"));
    if (!(distance >= 0.0)) {
        return status_fail(PBS_ERROR_ARGUMENT, "distance is %g m, must be 0 or more", distance);
    }
    RETURN_IF_FAILED(query_index_update(w->query, &w->scene, w->tasks));
    *out = (struct query_scope){.world = w, .index = w->query};
    return PBS_OK;
}

void query_set_groups(uint32_t group, uint32_t mask, struct query_scope *scope) {
    scope->group = group;
    scope->mask = mask;
}

pbs_status query_check_direction(const double direction[3]) {
    RETURN_IF_FAILED(check_vector(direction, "direction"));
    return direction[0] != 0.0 || direction[1] != 0.0 || direction[2] != 0.0
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "direction is zero");
}

bool query_may_find(const struct query_scope *scope, size_t part) {
    const struct scene *scene = &scope->world->scene;
    const size_t bodies = scene->bodies.count;
    const uint32_t group = part < bodies ? scene_body(scene, part)->contact.group
                                         : scene_collider(scene, part - bodies)->desc.group;
    const uint32_t mask = part < bodies ? scene_body(scene, part)->contact.mask
                                        : scene_collider(scene, part - bodies)->desc.mask;
    return (group & scope->mask) != 0 && (scope->group & mask) != 0;
}

bool query_shape(const struct query_scope *scope, size_t index, struct obstacle *out) {
    const struct scene *scene = &scope->world->scene;
    const struct collider *collider = scene_collider(scene, index);
    if (collider->desc.shape == PBS_SHAPE_MESH ||
        !query_may_find(scope, scene->bodies.count + index)) {
        return false;
    }
    motion_obstacle_at(collider, 0.0, 1.0, out);
    return true;
}

void query_corners(const struct query_index *index, uint32_t triangle, const double *corners[3]) {
    for (size_t k = 0; k < 3; k++) {
        corners[k] = index->x + 3 * (size_t)index->triangles[3 * (size_t)triangle + k];
    }
}

bool query_is_inside(const struct query_scope *scope, size_t part, const double point[3]) {
    const struct query_index *index = scope->index;
    const size_t bodies = scope->world->scene.bodies.count;
    if (index->parts[part].triangle_count > 0) {
        return solid_angle_encloses(index->x,
                                    index->triangles + 3 * index->parts[part].first_triangle,
                                    index->parts[part].triangle_count, point);
    }
    if (part < bodies ||
        scene_collider(&scope->world->scene, part - bodies)->desc.shape == PBS_SHAPE_MESH) {
        return false;
    }
    struct obstacle now;
    motion_obstacle_at(scene_collider(&scope->world->scene, part - bodies), 0.0, 1.0, &now);
    return shape_distance(&now.shape, &now.pose, point, NULL, NULL) < 0.0;
}

// --- answers ---

static void describe_triangle(const struct query_index *index, const struct query_point *at,
                              pbs_surface_point *out) {
    const struct query_part *part = &index->parts[at->part];
    const double *corners[3];
    double sides[2][3];
    query_corners(index, at->triangle, corners);
    out->triangle = at->triangle - (uint32_t)part->first_triangle;
    for (size_t k = 0; k < 3; k++) {
        out->vertices[k] = index->triangles[3 * (size_t)at->triangle + k] -
                           (uint32_t)part->first_point;
        out->weights[k] = at->weights[k];
        add_scaled3(out->point, at->weights[k], corners[k], out->point);
    }
    subtract3(corners[1], corners[0], sides[0]);
    subtract3(corners[2], corners[0], sides[1]);
    cross3(sides[0], sides[1], out->normal);
    const double area = norm3(out->normal);
    scale3(area > 0.0 ? 1.0 / area : 0.0, out->normal, out->normal);
}

void query_describe(const struct query_scope *scope, const struct query_point *at,
                    pbs_surface_point *out) {
    const size_t bodies = scope->world->scene.bodies.count;
    *out = (pbs_surface_point){
        .struct_size = out->struct_size, .triangle = QUERY_NO_TRIANGLE, .distance = INFINITY};
    if (at->part == SIZE_MAX) {
        return;
    }
    if (at->part < bodies) {
        out->body = pbs_world_body_at(scope->world, at->part);
    } else {
        out->collider = pbs_world_collider_at(scope->world, at->part - bodies);
    }
    out->distance = at->distance;
    if (at->triangle != QUERY_NO_TRIANGLE) {
        describe_triangle(scope->index, at, out);
    } else {
        copy3(at->normal, out->normal);
        copy3(at->position, out->point);
    }
}

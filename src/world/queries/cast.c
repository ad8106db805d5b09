// pbs_world_cast: a search in the tree of all triangles along the path, then shape by shape.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "base/runtime/arithmetic.h"
#include "broad_phase/tree_search.h"
#include "geometry/capsule_cast.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/queries/surface_query.h"

pbs_status pbs_cast_desc_init(pbs_cast_desc *d, size_t struct_size) {
    const pbs_cast_desc defaults = {.radius = 0.5,
                                    .orientation = {0.0, 0.0, 0.0, 1.0},
                                    .direction = {0.0, -1.0, 0.0},
                                    .distance = INFINITY,
                                    .group = UINT32_MAX,
                                    .mask = UINT32_MAX};
    return settings_init(&settings_cast, d, struct_size, &defaults);
}

/// The query, and the first surface point found so far.
struct cast_query {
    struct query_scope scope;
    struct capsule_cast cast;
    double limit; ///< m
    struct query_point best;
    struct capsule_hit hit;
};

/// Ties are resolved in favour of the lower triangle index, as in queries of rays.
static double cast_on_triangle(void *self, uint32_t triangle, double limit) {
    struct cast_query *q = self;
    const double *corners[3];
    struct capsule_hit hit;
    double weights[3];
    query_corners(q->scope.index, triangle, corners);
    if (capsule_hits_triangle(&q->cast, corners, limit, &hit, weights) &&
        (hit.distance < q->limit || q->best.part == SIZE_MAX || triangle < q->best.triangle) &&
        query_may_find(&q->scope, q->scope.index->owners[triangle])) {
        q->limit = hit.distance;
        q->hit = hit;
        q->best.part = q->scope.index->owners[triangle];
        q->best.triangle = triangle;
        copy3(weights, q->best.weights);
    }
    return q->limit;
}

static void cast_on_shapes(struct cast_query *q) {
    const struct scene *scene = &q->scope.world->scene;
    for (size_t i = 0; i < scene->colliders.count; i++) {
        struct obstacle now;
        struct capsule_hit hit;
        if (query_shape(&q->scope, i, &now) &&
            capsule_hits_shape(&q->cast, &now.shape, &now.pose, q->limit, &hit) &&
            (hit.distance < q->limit || q->best.part == SIZE_MAX)) {
            q->limit = hit.distance;
            q->hit = hit;
            q->best.part = scene->bodies.count + i;
            q->best.triangle = QUERY_NO_TRIANGLE;
        }
    }
}

static pbs_status read_cast(const pbs_cast_desc *d, pbs_cast_desc *out) {
    *out = (pbs_cast_desc){.struct_size = sizeof *out};
    RETURN_IF_FAILED(settings_read(&settings_cast, d, out));
    RETURN_IF_FAILED(check_length(out->radius, "radius"));
    RETURN_IF_FAILED(check_not_negative(out->half_length, "half_length"));
    RETURN_IF_FAILED(check_coordinates(&out->half_length, 1, "half_length"));
    RETURN_IF_FAILED(check_point(out->origin, "origin"));
    RETURN_IF_FAILED(check_quaternion(out->orientation, "orientation", out->orientation));
    return query_check_direction(out->direction);
}

/// Half of the capsule's axis, in world axes.
static void axis_of(const pbs_cast_desc *d, double axis[3]) {
    double rotation[9];
    rotation_of(d->orientation, rotation);
    for (int k = 0; k < 3; k++) {
        axis[k] = d->half_length * rotation[3 * k + 1];
    }
}

static void search(const pbs_cast_desc *d, struct cast_query *q) {
    struct ray ray;
    double axis[3], reach[3];
    double extent = d->radius + d->half_length;
    axis_of(d, axis);
    ray_make(d->origin, d->direction, &ray);
    for (int k = 0; k < 3; k++) {
        extent = fmax(extent, fabs(d->origin[k]));
    }
    capsule_cast_make(d->origin, axis, d->radius, ray.direction, extent, &q->cast);
    for (int k = 0; k < 3; k++) {
        reach[k] = d->radius + fabs(axis[k]) + q->cast.resolution;
    }
    tree_search_sweep(&q->scope.index->tree, d->origin, ray.direction, reach, q->limit,
                      cast_on_triangle, q);
    cast_on_shapes(q);
}

pbs_status pbs_world_cast(const pbs_world *w, const pbs_cast_desc *d, pbs_surface_point *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_cast_desc own;
    struct cast_query q = {.best = {.part = SIZE_MAX, .triangle = QUERY_NO_TRIANGLE}};
    RETURN_IF_FAILED(read_cast(d, &own));
    RETURN_IF_FAILED(results_check(&settings_surface_point, out));
    RETURN_IF_FAILED(query_begin(w, own.reserved, own.distance, &q.scope));
    query_set_groups(own.group, own.mask, &q.scope);
    q.limit = own.distance;
    search(&own, &q);
    q.best.distance = q.limit;
    pbs_surface_point result = {.struct_size = sizeof result};
    query_describe(&q.scope, &q.best, &result);
    if (q.best.part != SIZE_MAX) {
        copy3(q.hit.point, result.point);
        copy3(q.hit.normal, result.normal);
    }
    return results_write(&settings_surface_point, &result, out);
}

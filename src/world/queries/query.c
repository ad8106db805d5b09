// pbs_world_ray and pbs_world_closest: a search in the tree of all triangles, then shape by shape.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "broad_phase/tree_search.h"
#include "geometry/distances/distance.h"
#include "geometry/ray.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/queries/surface_query.h"

pbs_status pbs_ray_desc_init(pbs_ray_desc *d, size_t struct_size) {
    const pbs_ray_desc defaults = {.direction = {0.0, -1.0, 0.0},
                                   .distance = INFINITY,
                                   .group = UINT32_MAX,
                                   .mask = UINT32_MAX};
    return settings_init(&settings_ray, d, struct_size, &defaults);
}

pbs_status pbs_closest_desc_init(pbs_closest_desc *d, size_t struct_size) {
    const pbs_closest_desc defaults = {
        .distance = INFINITY, .group = UINT32_MAX, .mask = UINT32_MAX};
    return settings_init(&settings_closest, d, struct_size, &defaults);
}

// --- a search ---

/// The query, and the nearest surface point found so far.
struct query {
    struct query_scope scope;
    struct query_point best; ///< its distance is the limit until something is found
    struct ray ray;
    double point[3];
    double squared; ///< m^2, of a closest point among triangles
    bool is_inside; ///< of the part of the closest point
};

/// Ties are resolved in favour of the lower triangle index, so that the result does not depend on
/// the order of traversal.
static bool is_better(const struct query *q, double found, double best, uint32_t triangle) {
    return found < best || (found == best && triangle < q->best.triangle);
}

static bool may_find_triangle(const struct query *q, uint32_t triangle) {
    return query_may_find(&q->scope, q->scope.index->owners[triangle]);
}

static void store_triangle(struct query *q, uint32_t triangle, const double weights[3]) {
    q->best.triangle = triangle;
    q->best.part = q->scope.index->owners[triangle];
    copy3(weights, q->best.weights);
}

static double hit_triangle(void *self, uint32_t triangle, double limit) {
    struct query *q = self;
    const double *corners[3];
    double distance = 0.0;
    double weights[3];
    query_corners(q->scope.index, triangle, corners);
    if (ray_hits_triangle(&q->ray, corners, limit, &distance, weights) &&
        is_better(q, distance, q->best.distance, triangle) && may_find_triangle(q, triangle)) {
        q->best.distance = distance;
        store_triangle(q, triangle, weights);
    }
    return q->best.distance;
}

static double closest_on_triangle(void *self, uint32_t triangle, double limit) {
    struct query *q = self;
    const double *nodes[PAIR_NODES] = {q->point};
    query_corners(q->scope.index, triangle, nodes + 1);
    const double squared = closest_squared(PAIR_POINT_TRIANGLE, nodes);
    // Points so far away that squared distances overflow are not found.
    if (squared <= limit && isfinite(squared) && is_better(q, squared, q->squared, triangle) &&
        may_find_triangle(q, triangle)) {
        const struct closest closest = closest_points(PAIR_POINT_TRIANGLE, nodes);
        q->squared = squared;
        store_triangle(q, triangle,
                       (double[3]){-closest.weight[1], -closest.weight[2], -closest.weight[3]});
    }
    return q->squared;
}

// --- shapes ---

/// Searches shapes for one that is closer than the point found before.
static void search_shapes(struct query *q, bool is_ray) {
    const struct scene *scene = &q->scope.world->scene;
    for (size_t i = 0; i < scene->colliders.count; i++) {
        struct obstacle now;
        struct query_point found = {.part = scene->bodies.count + i, .triangle = QUERY_NO_TRIANGLE};
        if (!query_shape(&q->scope, i, &now)) {
            continue;
        }
        const bool is_hit = is_ray ? ray_hits_shape(&q->ray, &now.shape, &now.pose,
                                                    q->best.distance, &found.distance, found.normal)
                                   : shape_closest(&now.shape, &now.pose, q->point, found.position,
                                                   &found.distance, found.normal);
        if (!is_hit || found.distance > q->best.distance ||
            (found.distance == q->best.distance && q->best.part != SIZE_MAX)) {
            continue;
        }
        if (is_ray) {
            add_scaled3(q->ray.origin, found.distance, q->ray.direction, found.position);
        }
        q->best = found;
    }
}

// --- answers ---

/// Makes the checks that both queries share, and updates the index.
static pbs_status begin(const pbs_world *w, int32_t reserved, double distance,
                        const pbs_surface_point *out, struct query *q) {
    RETURN_IF_FAILED(results_check(&settings_surface_point, out));
    *q = (struct query){
        .best = {.part = SIZE_MAX, .triangle = QUERY_NO_TRIANGLE, .distance = distance},
        .squared = distance * distance};
    return query_begin(w, reserved, distance, &q->scope);
}

static pbs_status answer(const struct query *q, pbs_surface_point *out) {
    pbs_surface_point own = {.struct_size = sizeof own};
    query_describe(&q->scope, &q->best, &own);
    own.inside = q->is_inside;
    return results_write(&settings_surface_point, &own, out);
}

pbs_status query_read_ray(const pbs_ray_desc *d, pbs_ray_desc *out, struct ray *ray) {
    *out = (pbs_ray_desc){.struct_size = sizeof *out};
    RETURN_IF_FAILED(settings_read(&settings_ray, d, out));
    RETURN_IF_FAILED(check_point(out->origin, "origin"));
    RETURN_IF_FAILED(query_check_direction(out->direction));
    ray_make(out->origin, out->direction, ray);
    return PBS_OK;
}

pbs_status pbs_world_ray(const pbs_world *w, const pbs_ray_desc *d, pbs_surface_point *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_ray_desc own;
    struct ray ray;
    struct query q;
    RETURN_IF_FAILED(query_read_ray(d, &own, &ray));
    RETURN_IF_FAILED(begin(w, own.reserved, own.distance, out, &q));
    query_set_groups(own.group, own.mask, &q.scope);
    q.ray = ray;
    tree_search_ray(&w->query->tree, own.origin, ray.direction, own.distance, hit_triangle, &q);
    search_shapes(&q, true);
    return answer(&q, out);
}

pbs_status pbs_world_closest(const pbs_world *w, const pbs_closest_desc *d,
                             pbs_surface_point *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_closest_desc own = {.struct_size = sizeof own};
    struct query q;
    RETURN_IF_FAILED(settings_read(&settings_closest, d, &own));
    RETURN_IF_FAILED(check_point(own.point, "point"));
    RETURN_IF_FAILED(begin(w, own.reserved, own.distance, out, &q));
    query_set_groups(own.group, own.mask, &q.scope);
    copy3(own.point, q.point);
    tree_search_nearest(&w->query->tree, own.point, q.squared, closest_on_triangle, &q);
    q.best.distance = q.best.part != SIZE_MAX ? sqrt(q.squared) : own.distance;
    search_shapes(&q, false);
    q.is_inside = q.best.part != SIZE_MAX && query_is_inside(&q.scope, q.best.part, q.point);
    return answer(&q, out);
}

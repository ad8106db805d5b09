// pbs_world_ray and pbs_world_closest: a search in the tree of all triangles, then shape by shape.
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "broad_phase/tree_search.h"
#include "geometry/distances/distance.h"
#include "geometry/ray.h"
#include "world/interface/check.h"
#include "world/objects/motion.h"
#include "world/interface/settings.h"
#include "world/world.h"

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
    const pbs_world *world;
    const struct query_index *index;
    uint32_t group, mask;
    struct ray ray;
    double point[3];
    double distance; ///< m
    double squared;  ///< m^2, of a closest point among triangles
    uint32_t triangle;
    size_t part; ///< SIZE_MAX: nothing was found
    double weights[3];
    double normal[3], closest[3]; ///< of a shape
};

#define QUERY_NO_TRIANGLE UINT32_MAX

static bool passes_masks(const struct query *q, size_t part) {
    const struct scene *scene = &q->world->scene;
    const size_t bodies = scene->bodies.count;
    const uint32_t group = part < bodies ? scene_body(scene, part)->contact.group
                                         : scene_collider(scene, part - bodies)->desc.group;
    const uint32_t mask = part < bodies ? scene_body(scene, part)->contact.mask
                                        : scene_collider(scene, part - bodies)->desc.mask;
    return (group & q->mask) != 0 && (q->group & mask) != 0;
}

/// Ties are resolved in favour of the lower triangle index, so that the result does not depend on
/// the order of traversal.
static bool is_better(const struct query *q, double found, double best, uint32_t triangle) {
    return found < best || (found == best && triangle < q->triangle);
}

static void store_triangle(struct query *q, uint32_t triangle, const double weights[3]) {
    q->triangle = triangle;
    q->part = q->index->owners[triangle];
    copy3(weights, q->weights);
}

static void corners_of(const struct query_index *index, uint32_t triangle,
                       const double *corners[3]) {
    for (size_t k = 0; k < 3; k++) {
        corners[k] = index->x + 3 * (size_t)index->triangles[3 * (size_t)triangle + k];
    }
}

static double hit_triangle(void *self, uint32_t triangle, double limit) {
    struct query *q = self;
    const double *corners[3];
    double distance = 0.0;
    double weights[3];
    corners_of(q->index, triangle, corners);
    if (ray_hits_triangle(&q->ray, corners, limit, &distance, weights) &&
        is_better(q, distance, q->distance, triangle) &&
        passes_masks(q, q->index->owners[triangle])) {
        q->distance = distance;
        store_triangle(q, triangle, weights);
    }
    return q->distance;
}

static double closest_on_triangle(void *self, uint32_t triangle, double limit) {
    struct query *q = self;
    const double *nodes[PAIR_NODES] = {q->point};
    corners_of(q->index, triangle, nodes + 1);
    const double squared = closest_squared(PAIR_POINT_TRIANGLE, nodes);
    // Points so far away that squared distances overflow are not found.
    if (squared <= limit && isfinite(squared) && is_better(q, squared, q->squared, triangle) &&
        passes_masks(q, q->index->owners[triangle])) {
        const struct closest closest = closest_points(PAIR_POINT_TRIANGLE, nodes);
        q->squared = squared;
        store_triangle(q, triangle,
                       (double[3]){-closest.weight[1], -closest.weight[2], -closest.weight[3]});
    }
    return q->squared;
}

// --- shapes ---

static void store_shape(struct query *q, size_t part, double distance, const double normal[3]) {
    q->distance = distance;
    q->triangle = QUERY_NO_TRIANGLE;
    q->part = part;
    copy3(normal, q->normal);
}

/// Searches shapes for one that is closer than the point found before.
static void search_shapes(struct query *q, bool is_ray) {
    const struct scene *scene = &q->world->scene;
    for (size_t i = 0; i < scene->colliders.count; i++) {
        const struct collider *collider = scene_collider(scene, i);
        const size_t part = scene->bodies.count + i;
        if (collider->desc.shape == PBS_SHAPE_MESH || !passes_masks(q, part)) {
            continue;
        }
        struct obstacle now;
        double distance = 0.0;
        double normal[3];
        double closest[3];
        motion_obstacle_at(collider, 0.0, 1.0, &now);
        const bool found = is_ray ? ray_hits_shape(&q->ray, &now.shape, &now.pose, q->distance,
                                                   &distance, normal)
                                  : shape_closest(&now.shape, &now.pose, q->point, closest,
                                                  &distance, normal);
        if (found && distance <= q->distance && (distance < q->distance || q->part == SIZE_MAX)) {
            store_shape(q, part, distance, normal);
            if (is_ray) {
                add_scaled3(q->ray.origin, distance, q->ray.direction, q->closest);
            } else {
                copy3(closest, q->closest);
            }
        }
    }
}

// --- answers ---

static void write_triangle(const struct query *q, pbs_surface_point *out) {
    const struct query_index *index = q->index;
    const struct query_part *part = &index->parts[q->part];
    const double *corners[3];
    double sides[2][3];
    corners_of(index, q->triangle, corners);
    out->triangle = q->triangle - (uint32_t)part->first_triangle;
    for (size_t k = 0; k < 3; k++) {
        out->vertices[k] = index->triangles[3 * (size_t)q->triangle + k] -
                           (uint32_t)part->first_point;
        out->weights[k] = q->weights[k];
        add_scaled3(out->point, q->weights[k], corners[k], out->point);
    }
    subtract3(corners[1], corners[0], sides[0]);
    subtract3(corners[2], corners[0], sides[1]);
    cross3(sides[0], sides[1], out->normal);
    const double area = norm3(out->normal);
    scale3(area > 0.0 ? 1.0 / area : 0.0, out->normal, out->normal);
}

static void name_part(const struct query *q, pbs_surface_point *out) {
    const size_t bodies = q->world->scene.bodies.count;
    if (q->part < bodies) {
        out->body = pbs_world_body_at(q->world, q->part);
    } else {
        out->collider = pbs_world_collider_at(q->world, q->part - bodies);
    }
}

static pbs_status answer(const struct query *q, pbs_surface_point *out) {
    pbs_surface_point own = {
        .struct_size = sizeof own, .triangle = QUERY_NO_TRIANGLE, .distance = INFINITY};
    if (q->part != SIZE_MAX) {
        name_part(q, &own);
        own.distance = q->distance;
        if (q->triangle != QUERY_NO_TRIANGLE) {
            write_triangle(q, &own);
        } else {
            copy3(q->normal, own.normal);
            copy3(q->closest, own.point);
        }
    }
    return results_write(&settings_surface_point, &own, out);
}

/// Makes the checks that both queries share, and updates the index.
static pbs_status begin(const pbs_world *w, int32_t reserved, double distance,
                        const pbs_surface_point *out, struct query *q) {
    RETURN_IF_FAILED(check_choice(reserved, 0, 0, "reserved"));
    if (!(distance >= 0.0)) {
        return status_fail(PBS_ERROR_ARGUMENT, "distance is %g m, must be 0 or more", distance);
    }
    RETURN_IF_FAILED(results_check(&settings_surface_point, out));
    RETURN_IF_FAILED(query_index_update(w->query, &w->scene, w->tasks));
    *q = (struct query){.world = w,
                        .index = w->query,
                        .distance = distance,
                        .squared = distance * distance,
                        .triangle = QUERY_NO_TRIANGLE,
                        .part = SIZE_MAX};
    return PBS_OK;
}

pbs_status pbs_world_ray(const pbs_world *w, const pbs_ray_desc *d, pbs_surface_point *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_ray_desc own = {.struct_size = sizeof own};
    struct query q = {.world = w};
    RETURN_IF_FAILED(settings_read(&settings_ray, d, &own));
    RETURN_IF_FAILED(check_point(own.origin, "origin"));
    RETURN_IF_FAILED(check_vector(own.direction, "direction"));
    if (own.direction[0] == 0.0 && own.direction[1] == 0.0 && own.direction[2] == 0.0) {
        return status_fail(PBS_ERROR_ARGUMENT, "direction is zero");
    }
    RETURN_IF_FAILED(begin(w, own.reserved, own.distance, out, &q));
    q.group = own.group;
    q.mask = own.mask;
    ray_make(own.origin, own.direction, &q.ray);
    tree_search_ray(&w->query->tree, own.origin, q.ray.direction, own.distance, hit_triangle, &q);
    search_shapes(&q, true);
    return answer(&q, out);
}

pbs_status pbs_world_closest(const pbs_world *w, const pbs_closest_desc *d,
                             pbs_surface_point *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_closest_desc own = {.struct_size = sizeof own};
    struct query q = {.world = w};
    RETURN_IF_FAILED(settings_read(&settings_closest, d, &own));
    RETURN_IF_FAILED(check_point(own.point, "point"));
    RETURN_IF_FAILED(begin(w, own.reserved, own.distance, out, &q));
    q.group = own.group;
    q.mask = own.mask;
    copy3(own.point, q.point);
    tree_search_nearest(&w->query->tree, own.point, q.squared, closest_on_triangle, &q);
    q.distance = q.part != SIZE_MAX ? sqrt(q.squared) : own.distance;
    search_shapes(&q, false);
    return answer(&q, out);
}

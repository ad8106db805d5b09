// pbs_world_ray_hits: all that a ray hits. Rows are inserted in order in the host's array, so that
// nothing is allocated.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "broad_phase/tree_search.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/queries/surface_query.h"

struct ray_hits {
    struct query_scope scope;
    struct ray ray;
    double distance;
    unsigned char *dst; ///< null: hits are only counted
    size_t row_size, capacity;
    size_t count; ///< may exceed the capacity
};

/// The members by which rows are sorted. While rows are collected, `inside` has the number of the
/// triangle, or that of the shape after all triangles.
static bool is_before(const pbs_surface_point *a, const pbs_surface_point *b) {
    return a->distance < b->distance || (a->distance == b->distance && a->inside < b->inside);
}

/// Moves farther rows by one and writes the row before them. Rows come nearly in order, so the
/// place is searched from the end.
static void insert(struct ray_hits *hits, const struct query_point *at, uint32_t number) {
    pbs_surface_point row = {.struct_size = (uint32_t)hits->row_size};
    size_t place = hits->count++;
    if (hits->dst == NULL || place >= hits->capacity) {
        return;
    }
    query_describe(&hits->scope, at, &row);
    row.inside = number;
    for (; place > 0; place--) {
        unsigned char *before = hits->dst + (place - 1) * hits->row_size;
        pbs_surface_point other;
        memcpy(&other, before, sizeof other);
        if (!is_before(&row, &other)) {
            break;
        }
        memcpy(before + hits->row_size, before, hits->row_size);
    }
    row_write(&settings_surface_point, &row, hits->row_size, hits->dst + place * hits->row_size);
}

static double hit_triangle(void *self, uint32_t triangle, double limit) {
    struct ray_hits *hits = self;
    const double *corners[3];
    struct query_point at = {.triangle = triangle, .part = hits->scope.index->owners[triangle]};
    query_corners(hits->scope.index, triangle, corners);
    if (ray_hits_triangle(&hits->ray, corners, hits->distance, &at.distance, at.weights) &&
        query_may_find(&hits->scope, at.part)) {
        insert(hits, &at, triangle);
    }
    return limit;
}

static void hit_shapes(struct ray_hits *hits) {
    const struct scene *scene = &hits->scope.world->scene;
    for (size_t i = 0; i < scene->colliders.count; i++) {
        struct obstacle now;
        struct query_point at = {.part = scene->bodies.count + i, .triangle = QUERY_NO_TRIANGLE};
        if (query_shape(&hits->scope, i, &now) &&
            ray_hits_shape(&hits->ray, &now.shape, &now.pose, hits->distance, &at.distance,
                           at.normal)) {
            add_scaled3(hits->ray.origin, at.distance, hits->ray.direction, at.position);
            insert(hits, &at, (uint32_t)(hits->scope.index->triangle_count + i));
        }
    }
}

/// Removes the numbers by which rows were sorted.
static void clear_numbers(const struct ray_hits *hits) {
    for (size_t i = 0; i < hits->count; i++) {
        pbs_surface_point row;
        memcpy(&row, hits->dst + i * hits->row_size, sizeof row);
        row.inside = 0;
        memcpy(hits->dst + i * hits->row_size, &row, sizeof row);
    }
}

pbs_status pbs_world_ray_hits(const pbs_world *w, const pbs_ray_desc *d, pbs_surface_point *dst,
                              size_t struct_size, size_t *count) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_ray_desc own;
    struct ray_hits hits = {.dst = (unsigned char *)dst, .row_size = struct_size};
    RETURN_IF_FAILED(check_pointer(count, "count"));
    RETURN_IF_FAILED(row_size_check(&settings_surface_point, struct_size));
    RETURN_IF_FAILED(query_read_ray(d, &own, &hits.ray));
    RETURN_IF_FAILED(query_begin(w, own.reserved, own.distance, &hits.scope));
    query_set_groups(own.group, own.mask, &hits.scope);
    hits.distance = own.distance;
    hits.capacity = *count;
    tree_search_ray(&w->query->tree, own.origin, hits.ray.direction, own.distance, hit_triangle,
                    &hits);
    hit_shapes(&hits);
    RETURN_IF_FAILED(
        rows_begin(&settings_surface_point, struct_size, dst, count, hits.count, "hits"));
    if (dst != NULL) {
        clear_numbers(&hits);
    }
    return PBS_OK;
}

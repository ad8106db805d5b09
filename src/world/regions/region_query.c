// Descriptions of regions, and pbs_world_region: part by part, by their bounding boxes first.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/queries/surface_query.h"
#include "world/regions/body_region.h"
#include "world/regions/sensor.h"

// --- descriptions ---

static const struct field FIELDS[] = {
    FIELD_VALUE(pbs_region_desc, shape, FIELD_ANY),
    FIELD_VALUES(pbs_region_desc, size, FIELD_ANY),
    FIELD_VALUES(pbs_region_desc, position, FIELD_ANY),
    FIELD_VALUES(pbs_region_desc, orientation, FIELD_ANY),
    FIELD_VALUE(pbs_region_desc, group, FIELD_ANY),
    FIELD_VALUE(pbs_region_desc, mask, FIELD_ANY),
};
const struct field_list region_fields = FIELD_LIST(pbs_region_desc, FIELDS);

pbs_status pbs_region_desc_init(pbs_region_desc *d, size_t struct_size) {
    const pbs_region_desc defaults = {.shape = PBS_SHAPE_BOX,
                                      .size = {0.5, 0.5, 0.5},
                                      .orientation = {0.0, 0.0, 0.0, 1.0},
                                      .group = UINT32_MAX,
                                      .mask = UINT32_MAX};
    return settings_init(&settings_region, d, struct_size, &defaults);
}

static struct shape shape_of(const pbs_region_desc *d) {
    struct shape shape = {.kind = d->shape};
    copy3(d->size, shape.size);
    return shape;
}

pbs_status region_check(const pbs_region_desc *d, double unit[4]) {
    const struct shape shape = shape_of(d);
    if (!region_takes(d->shape)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "shape is %d, must be one that is convex and bounded, such as a sphere "
                           "or a box",
                           (int)d->shape);
    }
    RETURN_IF_FAILED(shape_check(&shape));
    RETURN_IF_FAILED(check_point(d->position, "position"));
    return check_quaternion(d->orientation, "orientation", unit);
}

pbs_status region_read(const pbs_region_desc *d, pbs_region_desc *out) {
    *out = (pbs_region_desc){.struct_size = sizeof *out};
    RETURN_IF_FAILED(settings_read(&settings_region, d, out));
    return region_check(out, out->orientation);
}

struct region region_of(const pbs_region_desc *d) {
    const struct shape shape = shape_of(d);
    struct pose pose;
    struct region out;
    copy3(d->position, pose.translation);
    rotation_of(d->orientation, pose.rotation);
    region_make(&shape, &pose, &out);
    return out;
}

// --- the query ---

struct region_query {
    struct query_scope scope;
    struct region region;
    bool lists_triangles;
    unsigned char *dst; ///< null: rows are only counted
    size_t row_size, capacity;
    size_t count; ///< may exceed the capacity
};

static void add_row(struct region_query *q, size_t part, uint32_t triangle) {
    const size_t bodies = q->scope.world->scene.bodies.count;
    pbs_region_row row = {.triangle = triangle};
    const size_t place = q->count++;
    if (q->dst == NULL || place >= q->capacity) {
        return;
    }
    if (part < bodies) {
        row.body = pbs_world_body_at(q->scope.world, part);
    } else {
        row.collider = pbs_world_collider_at(q->scope.world, part - bodies);
    }
    row_write(&settings_region_row, &row, q->row_size, q->dst + place * q->row_size);
}

/// Lists a body with triangles or a mesh collider.
static void list_surface(struct region_query *q, size_t index) {
    const struct query_index *all = q->scope.index;
    const struct query_part *part = &all->parts[index];
    const uint32_t *triangles = all->triangles + 3 * part->first_triangle;
    const size_t count = part->triangle_count;
    if (!region_meets_box(&q->region, part->low, part->high)) {
        return;
    }
    if (!q->lists_triangles) {
        if (region_touches_surface(&q->region, all->x, triangles, count)) {
            add_row(q, index, QUERY_NO_TRIANGLE);
        }
        return;
    }
    for (size_t t = region_next_triangle(&q->region, all->x, triangles, count, 0); t < count;
         t = region_next_triangle(&q->region, all->x, triangles, count, t + 1)) {
        add_row(q, index, (uint32_t)t);
    }
}

/// Whether a body without triangles, or a collider that is no mesh, touches the region.
static bool touches_other(const struct region_query *q, size_t part) {
    const struct scene *scene = &q->scope.world->scene;
    struct obstacle now;
    double low[3], high[3];
    if (part < scene->bodies.count) {
        const struct body *body = scene_body(scene, part);
        const double *x = vertices_positions(&scene->nodes, body);
        body_box(body, x, low, high);
        return region_meets_box(&q->region, low, high) && region_touches_body(&q->region, body, x);
    }
    return query_shape(&q->scope, part - scene->bodies.count, &now) &&
           region_touches_shape(&q->region, &now.shape, &now.pose);
}

static void search(struct region_query *q) {
    for (size_t i = 0; i < q->scope.index->part_count; i++) {
        if (!query_may_find(&q->scope, i)) {
            continue;
        }
        if (q->scope.index->parts[i].triangle_count > 0) {
            list_surface(q, i);
        } else if (!q->lists_triangles && touches_other(q, i)) {
            add_row(q, i, QUERY_NO_TRIANGLE);
        }
    }
}

pbs_status pbs_world_region(const pbs_world *w, const pbs_region_desc *d, int32_t list,
                            pbs_region_row *dst, size_t struct_size, size_t *count) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_region_desc own;
    struct region_query q = {.dst = (unsigned char *)dst, .row_size = struct_size};
    RETURN_IF_FAILED(check_pointer(count, "count"));
    RETURN_IF_FAILED(row_size_check(&settings_region_row, struct_size));
    RETURN_IF_FAILED(check_choice(list, PBS_REGION_OBJECTS, PBS_REGION_TRIANGLES, "list"));
    RETURN_IF_FAILED(region_read(d, &own));
    RETURN_IF_FAILED(query_begin(w, 0, 0.0, &q.scope));
    query_set_groups(own.group, own.mask, &q.scope);
    q.region = region_of(&own);
    q.lists_triangles = list == PBS_REGION_TRIANGLES;
    q.capacity = *count;
    search(&q);
    return rows_begin(&settings_region_row, struct_size, dst, count, q.count, "rows");
}

// See points.h.
// SPDX-License-Identifier: MIT
#include "world/objects/points.h"

#include <math.h>

#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"

static const double WEIGHT_LIMIT = ANCHOR_WEIGHT_LIMIT;
// The sum of weights in double precision may differ from 1 by the rounding errors of weights up to
// the limit. The host normalises weights that it computed in single precision.
static const double WEIGHT_ERROR = 1e-9;

static pbs_status check_weights(const double *weights, int count, const char *name) {
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        if (!(fabs(weights[k]) <= WEIGHT_LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s: weights[%d] is %g, must be between %g and %g", name, k,
                               weights[k], -WEIGHT_LIMIT, WEIGHT_LIMIT);
        }
        sum += weights[k];
    }
    return fabs(sum - 1.0) <= WEIGHT_ERROR
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s: the %d weights sum to %.12g, must be 1", name,
                             count, sum);
}

static pbs_status check_index(uint32_t index, size_t count, const char *things, const char *name) {
    return index < count
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s: index is %u, but the body has %zu %s", name,
                             (unsigned)index, count, things);
}

static pbs_status refuse_kind(const char *name, const char *what) {
    return status_fail(PBS_ERROR_ARGUMENT, "%s: the body has no %s", name, what);
}

/// Adds weight times another point. The points that are added here have at most POINT_NODES
/// different nodes together.
static void add_point(struct point *sum, double weight, const struct point *other) {
    for (uint32_t k = 0; k < other->count; k++) {
        uint32_t i = 0;
        while (i < sum->count && sum->node[i] != other->node[k]) {
            i++;
        }
        if (i == sum->count) {
            sum->node[i] = other->node[k];
            sum->weight[i] = 0.0;
            sum->count++;
        }
        sum->weight[i] += weight * other->weight[k];
    }
}

static pbs_status at_corners(const struct body *body, const uint32_t *corners, int count,
                             const pbs_point *point, const char *name, struct point *out) {
    RETURN_IF_FAILED(check_weights(point->weights, count, name));
    for (int k = 0; k < count; k++) {
        const struct point corner = vertices_at(body, corners[k]);
        add_point(out, point->weights[k], &corner);
    }
    return PBS_OK;
}

static pbs_status in_tet(const struct body *body, const pbs_point *point, const char *name,
                         struct point *out) {
    if (body->table->list_tets == NULL) {
        return refuse_kind(name, "tetrahedra");
    }
    const struct body_simplices tets = body->table->list_tets(body);
    RETURN_IF_FAILED(check_index(point->index, tets.count, "tetrahedra", name));
    return at_corners(body, tets.corners + 4 * (size_t)point->index, 4, point, name, out);
}

static pbs_status on_triangle(const struct body *body, const pbs_point *point, const char *name,
                              struct point *out) {
    if (body->triangle_count == 0) {
        return refuse_kind(name, "surface of triangles");
    }
    RETURN_IF_FAILED(check_index(point->index, body->triangle_count, "triangles", name));
    return at_corners(body, body->triangles + 3 * (size_t)point->index, 3, point, name, out);
}

static pbs_status resolve_on_body(const pbs_point *point, const char *name, struct anchor *out) {
    switch (point->kind) {
    case PBS_POINT_VERTEX:
        RETURN_IF_FAILED(check_index(point->index, out->body->vertex_count, "vertices", name));
        out->point = vertices_at(out->body, point->index);
        return PBS_OK;
    case PBS_POINT_TET: return in_tet(out->body, point, name, &out->point);
    case PBS_POINT_TRIANGLE: return on_triangle(out->body, point, name, &out->point);
    default:
        if (out->body->table->locate == NULL) {
            return refuse_kind(name, "coordinates of its own, which affine bodies have");
        }
        RETURN_IF_FAILED(check_point(point->place, name));
        out->point = out->body->table->locate(out->body, point->place);
        return PBS_OK;
    }
}

pbs_status anchor_resolve(const struct scene *scene, const pbs_point *point, const char *name,
                          struct anchor *out) {
    pbs_point own = {0};
    *out = (struct anchor){.body = NULL};
    RETURN_IF_FAILED(settings_read(&settings_point, point, &own));
    RETURN_IF_FAILED(check_choice(own.kind, PBS_POINT_WORLD, PBS_POINT_LOCAL, name));
    if (own.kind == PBS_POINT_WORLD) {
        RETURN_IF_FAILED(check_point(own.place, name));
        copy3(own.place, out->place);
        return PBS_OK;
    }
    out->body = handle_find(&scene->bodies, own.body.id, HANDLE_BODY, scene->stamp);
    return out->body == NULL ? PBS_ERROR_HANDLE : resolve_on_body(&own, name, out);
}

void anchor_position(const struct anchor *anchor, const double *x, double out[3]) {
    point_combine(&anchor->point, x, out);
    add3(out, anchor->place, out);
}

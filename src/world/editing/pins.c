// Pins vertices, prescribes their motion by targets, and reads both.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/world.h"

static pbs_status enter_with_vertices(pbs_world *w, pbs_body b, const uint32_t *vertices,
                                      size_t count, struct body **out) {
    pbs_status status = PBS_OK;
    *out = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (!vertices_are_nodes(*out)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "vertices of an affine body cannot be pinned one by one: pin the body "
                           "by pbs_body_pin_all, or move it by pbs_body_set_target_pose");
    }
    return check_indices(vertices, count, (*out)->vertex_count, "vertices", "vertices");
}

static pbs_status check_axes(uint32_t axes) {
    return axes != 0 && (axes & ~(uint32_t)PBS_AXIS_ALL) == 0
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "axes is %#x, must be bits of PBS_AXIS_ALL",
                             (unsigned)axes);
}

pbs_status pbs_body_pin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                        uint32_t axes) {
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_vertices(w, b, vertices, count, &body));
    RETURN_IF_FAILED(check_axes(axes));
    struct nodes *nodes = &w->scene.nodes;
    for (size_t i = 0; i < count; i++) {
        const size_t node = body->node_start + vertices[i];
        scene_constrain_node(&w->scene, node, nodes->constrained_axes[node] | axes);
        for (uint32_t axis = 0; axis < 3; axis++) {
            if ((axes >> axis & 1u) != 0) {
                nodes->target[3 * node + axis] = nodes->x[3 * node + axis];
            }
        }
    }
    return PBS_OK;
}

pbs_status pbs_body_unpin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                          uint32_t axes) {
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_vertices(w, b, vertices, count, &body));
    RETURN_IF_FAILED(check_axes(axes));
    for (size_t i = 0; i < count; i++) {
        const size_t node = body->node_start + vertices[i];
        scene_constrain_node(&w->scene, node,
                             (w->scene.nodes.constrained_axes[node] & ~axes) | body->flat);
    }
    return PBS_OK;
}

pbs_status pbs_body_pin_all(pbs_world *w, pbs_body b) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    struct nodes *nodes = &w->scene.nodes;
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        scene_constrain_node(&w->scene, i, PBS_AXIS_ALL);
        memcpy(nodes->target + 3 * i, nodes->x + 3 * i, 3 * sizeof *nodes->x);
    }
    return PBS_OK;
}

pbs_status pbs_body_unpin_all(pbs_world *w, pbs_body b) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        scene_constrain_node(&w->scene, i, body->flat);
    }
    return PBS_OK;
}

static pbs_status check_targets(const uint32_t *vertices, const double *targets, size_t count) {
    if (count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_pointer(targets, "targets"));
    for (size_t i = 0; i < 3 * count; i++) {
        if (!isfinite(targets[i])) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "targets[%zu], of vertex %u: %c is %g, must be finite", i / 3,
                               (unsigned)vertices[i / 3], "xyz"[i % 3], targets[i]);
        }
        if (fabs(targets[i]) > COORDINATE_LIMIT) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "targets[%zu], of vertex %u: %c is %g m, must be between %g and %g",
                               i / 3, (unsigned)vertices[i / 3], "xyz"[i % 3], targets[i],
                               -COORDINATE_LIMIT, COORDINATE_LIMIT);
        }
    }
    return PBS_OK;
}

pbs_status pbs_body_set_targets(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                const double *targets) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_vertices(w, b, vertices, count, &body));
    RETURN_IF_FAILED(check_targets(vertices, targets, count));
    struct nodes *nodes = &w->scene.nodes;
    for (size_t i = 0; i < count; i++) {
        const double *x = nodes->x + 3 * (body->node_start + vertices[i]);
        RETURN_IF_FAILED(body_check_plane(body, targets + 3 * i, x, vertices[i], "targets"));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t node = body->node_start + vertices[i];
        if (nodes->constrained_axes[node] == body->flat) {
            scene_constrain_node(&w->scene, node, PBS_AXIS_ALL);
        }
        memcpy(nodes->target + 3 * node, targets + 3 * i, 3 * sizeof *targets);
    }
    return PBS_OK;
}

// --- reading ---

static pbs_status enter_to_read(const pbs_world *w, pbs_body b, const void *dst, size_t capacity,
                                const char *name, const struct body **out) {
    pbs_status status = PBS_OK;
    *out = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(dst, name));
    return capacity >= (*out)->vertex_count
               ? PBS_OK
               : status_fail(PBS_ERROR_CAPACITY, "capacity is %zu vertices, but the body has %zu",
                             capacity, (*out)->vertex_count);
}

/// An affine body is constrained as a whole.
pbs_status pbs_body_pinned_axes(const pbs_world *w, pbs_body b, uint32_t *axes, size_t capacity) {
    const struct body *body = NULL;
    RETURN_IF_FAILED(enter_to_read(w, b, axes, capacity, "axes", &body));
    const uint8_t *const constrained = w->scene.nodes.constrained_axes + body->node_start;
    for (size_t i = 0; i < body->vertex_count; i++) {
        axes[i] = constrained[vertices_are_nodes(body) ? i : 0];
    }
    return PBS_OK;
}

pbs_status pbs_body_targets(const pbs_world *w, pbs_body b, double *targets, size_t capacity) {
    const struct body *body = NULL;
    RETURN_IF_FAILED(enter_to_read(w, b, targets, capacity, "targets", &body));
    if (!vertices_are_nodes(body)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body is affine, and its vertices have no "
                           "targets: pbs_body_target_pose has that of the body");
    }
    for (size_t i = 0; i < body->vertex_count; i++) {
        nodes_prescribed(&w->scene.nodes, body->node_start + i, targets + 3 * i);
    }
    return PBS_OK;
}

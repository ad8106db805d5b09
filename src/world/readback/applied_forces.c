// Forces and torques that the host has set and applied, as it reads them: by vertex, or one force
// and one torque of a whole body.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/world.h"

static pbs_status enter(const pbs_world *w, pbs_body b, int32_t duration, const struct body **out) {
    pbs_status status = PBS_OK;
    *out = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    return check_choice(duration, PBS_FORCE_ONCE, PBS_FORCE_LASTING, "duration");
}

static const double *forces_of(const struct nodes *nodes, int32_t duration) {
    return duration == PBS_FORCE_ONCE ? nodes->force_once : nodes->force;
}

pbs_status pbs_body_forces(const pbs_world *w, pbs_body b, int32_t duration, double *dst,
                           size_t capacity) {
    const struct body *body = NULL;
    RETURN_IF_FAILED(enter(w, b, duration, &body));
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    if (!vertices_are_nodes(body)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body is affine, and forces on its vertices are known by their sum "
                           "alone: pbs_body_wrench has it");
    }
    if (capacity < body->vertex_count) {
        return status_fail(PBS_ERROR_CAPACITY, "capacity is %zu vertices, but the body has %zu",
                           capacity, body->vertex_count);
    }
    memcpy(dst, forces_of(&w->scene.nodes, duration) + 3 * body->node_start,
           3 * body->vertex_count * sizeof *dst);
    return PBS_OK;
}

/// Adds the force on a node and its moment. A handle is its own arm, and moves no mass.
static void add_node(const struct nodes *nodes, size_t node, const double *forces,
                     const double center[3], double force[3], double torque[3]) {
    const double *const own = forces + 3 * node;
    double arm[3], moment[3];
    copy3(nodes->x + 3 * node, arm);
    if (nodes->kind[node] == NODE_POSITION) {
        add3(force, own, force);
        subtract3(arm, center, arm);
    }
    cross3(arm, own, moment);
    add3(torque, moment, torque);
}

pbs_status pbs_body_wrench(const pbs_world *w, pbs_body b, int32_t duration, double *force,
                           double *torque) {
    ARITHMETIC_SCOPE();
    const struct body *body = NULL;
    RETURN_IF_FAILED(enter(w, b, duration, &body));
    const struct nodes *const nodes = &w->scene.nodes;
    const double *const forces = forces_of(nodes, duration);
    pbs_motion motion = {.struct_size = sizeof motion};
    RETURN_IF_FAILED(pbs_body_motion(w, b, &motion));
    double sums[2][3] = {{0.0}};
    copy3(duration == PBS_FORCE_ONCE ? body->torque_once : body->torque, sums[1]);
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        // Hosts apply no forces to the rotations of particles.
        if (nodes->kind[i] != NODE_ROTATION) {
            add_node(nodes, i, forces, motion.center, sums[0], sums[1]);
        }
    }
    if (force != NULL) {
        copy3(sums[0], force);
    }
    if (torque != NULL) {
        copy3(sums[1], torque);
    }
    return PBS_OK;
}

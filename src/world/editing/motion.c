// Sets how a body moves as a whole.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/particles/bonded.h"
#include "world/world.h"

/// A change of the motion of a rigid body.
struct change {
    double center[3], velocity[3], spin[3];
};

static pbs_status find_change(const pbs_world *w, pbs_body b, const double velocity[3],
                              const double angular_velocity[3], struct change *out) {
    pbs_motion now = {.struct_size = sizeof now};
    RETURN_IF_FAILED(pbs_body_motion(w, b, &now));
    *out = (struct change){{0.0}, {0.0}, {0.0}};
    copy3(now.center, out->center);
    if (velocity != NULL) {
        RETURN_IF_FAILED(check_vector(velocity, "velocity"));
        subtract3(velocity, now.velocity, out->velocity);
    }
    if (angular_velocity != NULL) {
        RETURN_IF_FAILED(check_vector(angular_velocity, "angular_velocity"));
        subtract3(angular_velocity, now.angular_velocity, out->spin);
    }
    return PBS_OK;
}

/// The velocity of a node after the change. Rotations of particles are stored as their radius of
/// gyration times an angle.
static void change_node(const struct nodes *nodes, const struct body *body, size_t node,
                        const struct change *change, double v[3]) {
    const double *const x = nodes->x + 3 * node;
    double turn[3], arm[3];
    copy3(nodes->v + 3 * node, v);
    switch (nodes->kind[node]) {
    case NODE_ROTATION: {
        const size_t particle = node - body->node_start - body->vertex_count;
        add_scaled3(v, bonded_radius_of_gyration(body->bonded.radii[particle]), change->spin, v);
        break;
    }
    case NODE_HANDLE:
        cross3(change->spin, x, turn);
        add3(v, turn, v);
        break;
    default:
        subtract3(x, change->center, arm);
        cross3(change->spin, arm, turn);
        add3(v, turn, v);
        add3(v, change->velocity, v);
        break;
    }
}

static pbs_status check_change(const struct nodes *nodes, const struct body *body,
                               const struct change *change) {
    const double still[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < body->node_count; i++) {
        double v[3];
        change_node(nodes, body, body->node_start + i, change, v);
        RETURN_IF_FAILED(check_vector(v, "a velocity of the motion"));
        RETURN_IF_FAILED(body_check_plane(body, v, still, i, "velocities"));
    }
    return PBS_OK;
}

static void apply_change(struct nodes *nodes, const struct body *body,
                         const struct change *change) {
    for (size_t node = body->node_start; node < body->node_start + body->node_count; node++) {
        double v[3];
        change_node(nodes, body, node, change, v);
        for (uint32_t axis = 0; axis < 3; axis++) {
            if (((uint32_t)nodes->constrained_axes[node] >> axis & 1U) == 0) {
                nodes->v[3 * node + axis] = v[axis];
            }
        }
    }
}

pbs_status pbs_body_set_motion(pbs_world *w, pbs_body b, const double velocity[3],
                               const double angular_velocity[3]) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    struct nodes *const nodes = &w->scene.nodes;
    struct change change;
    RETURN_IF_FAILED(find_change(w, b, velocity, angular_velocity, &change));
    RETURN_IF_FAILED(check_change(nodes, body, &change));
    apply_change(nodes, body, &change);
    vertices_update(nodes, body);
    if (body_has_orientations(body)) {
        bonded_update_angular_velocities(body, nodes);
    }
    scene_forget_body(&w->scene, body);
    return PBS_OK;
}

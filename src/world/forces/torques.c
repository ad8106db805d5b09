// Torques on single bodies. They become forces on nodes: those of the angular acceleration that a
// rigid body of the same masses would have. Theory: docs/theory/materials.md section 7.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"
#include "world/features/feature.h"
#include "world/interface/check.h"
#include "world/particles/bonded.h"
#include "world/world.h"

static bool has_torque(const struct body *body) {
    return norm3(body->torque) > 0.0 || norm3(body->torque_once) > 0.0;
}

// --- the forces of a torque ---

/// The state in which a torque is distributed: x + h/2 v.
struct expected {
    const struct nodes *nodes;
    const struct load_state *state;
};

static void expect(const struct expected *at, size_t node, double out[3]) {
    const struct load_state *const state = at->state;
    add_scaled3(state->x + 3 * node, state->ahead, state->v + 3 * node, out);
}

static void find_center(const struct expected *at, const struct body *body, double center[3]) {
    const struct nodes *nodes = at->nodes;
    double mass = 0.0;
    center[0] = center[1] = center[2] = 0.0;
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        if (nodes->kind[i] == NODE_POSITION) {
            double x[3];
            expect(at, i, x);
            add_scaled3(center, nodes->mass[i], x, center);
            mass += nodes->mass[i];
        }
    }
    scale3(1.0 / mass, center, center);
}

/// The arm r with which a node turns: it moves by w x r. A handle is its own arm. Not for rotation
/// nodes.
static void find_arm(const struct expected *at, const double center[3], size_t node,
                     double arm[3]) {
    expect(at, node, arm);
    if (at->nodes->kind[node] == NODE_POSITION) {
        subtract3(arm, center, arm);
    }
}

/// m: a rotation node is this times an angle.
static double radius_of(const struct body *body, size_t node) {
    return bonded_radius_of_gyration(
        body->bonded.radii[node - body->node_start - body->vertex_count]);
}

/// Adds sum m (|r|^2 1 - r r^T), row-major; of rotation nodes sum m radius^2 1.
static void add_inertia(const struct expected *at, const struct body *body, const double center[3],
                        double inertia[9]) {
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        const double m = at->nodes->mass[i];
        double arm[3] = {0.0, 0.0, 0.0}, square;
        if (at->nodes->kind[i] == NODE_ROTATION) {
            square = radius_of(body, i) * radius_of(body, i);
        } else {
            find_arm(at, center, i, arm);
            square = dot3(arm, arm);
        }
        for (int k = 0; k < 9; k++) {
            inertia[k] += m * ((k % 4 == 0 ? square : 0.0) - arm[k / 3] * arm[k % 3]);
        }
    }
}

/// out = inertia^-1 torque, without the axes about which nothing has inertia.
static void accelerate(const double inertia[9], const double torque[3], double out[3]) {
    static const double LEAST_INERTIA = 1e-12; // of the largest: rounding of a line of nodes
    double moments[3], axes[9];
    eigen3(inertia, moments, axes);
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {axes[k], axes[3 + k], axes[6 + k]};
        if (moments[k] > LEAST_INERTIA * moments[2]) {
            add_scaled3(out, dot3(axis, torque) / moments[k], axis, out);
        }
    }
}

/// Adds the forces m a of the angular acceleration that the torque gives a rigid body of the same
/// masses. They strain nothing, as inertia resists where they act.
static void add_torque(const struct expected *at, const struct body *body, const double torque[3],
                       double *force) {
    double center[3], inertia[9] = {0.0}, acceleration[3];
    find_center(at, body, center);
    add_inertia(at, body, center, inertia);
    accelerate(inertia, torque, acceleration);
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        const double m = at->nodes->mass[i];
        if (at->nodes->kind[i] == NODE_ROTATION) {
            add_scaled3(force + 3 * i, m * radius_of(body, i), acceleration, force + 3 * i);
            continue;
        }
        double arm[3], a[3];
        find_arm(at, center, i, arm);
        cross3(acceleration, arm, a);
        add_scaled3(force + 3 * i, m, a, force + 3 * i);
    }
}

// --- the life of a world ---

static bool has_loads(const struct scene *scene) {
    bool any = false;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        any = any || has_torque(scene_body(scene, b));
    }
    return any;
}

static void add_loads(const struct scene *scene, const struct load_state *state, double *force) {
    const struct expected at = {&scene->nodes, state};
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        if (has_torque(body)) {
            double torque[3];
            add3(body->torque, body->torque_once, torque);
            add_torque(&at, body, torque, force);
        }
    }
}

/// Torques of the call alone are gone.
static void commit(pbs_world *w) {
    for (size_t b = 0; b < w->scene.bodies.count; b++) {
        struct body *const body = scene_body(&w->scene, b);
        memset(body->torque_once, 0, sizeof body->torque_once);
    }
}

static const struct field FIELDS[] = {
    FIELD_VALUES(struct body, torque, FIELD_ANY),
    FIELD_VALUES(struct body, torque_once, FIELD_ANY),
};
static const struct field_list fields = FIELD_LIST(struct body, FIELDS);

static pbs_status check_restored(const struct body *body) {
    RETURN_IF_FAILED(check_vector(body->torque, "torque"));
    return check_vector(body->torque_once, "torque");
}

const struct feature feature_torques = {
    .body_state = &fields,
    .check_body_state = check_restored,
    .has_loads = has_loads,
    .add_loads = add_loads,
    .commit = commit,
};

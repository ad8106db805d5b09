// A host applies forces, torques and impulses to points and bodies, and sets their gravity.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/features/feature.h"
#include "world/interface/check.h"
#include "world/objects/points.h"
#include "world/world.h"

// N, N m: sums of squares over all vertices stay finite.
static const double FORCE_LIMIT = 1e140;

static pbs_status check_sum(const double sum[3], const char *name) {
    for (int k = 0; k < 3; k++) {
        if (!(fabs(sum[k]) <= FORCE_LIMIT)) {
            return status_fail(
                PBS_ERROR_ARGUMENT,
                "%s: the sum of all that act has the %c component %g, must be between %g and %g",
                name, "xyz"[k], sum[k], -FORCE_LIMIT, FORCE_LIMIT);
        }
    }
    return PBS_OK;
}

static pbs_status check_added(const double *present, double factor, const double added[3],
                              const char *name) {
    double sum[3];
    add_scaled3(present, factor, added, sum);
    return check_sum(sum, name);
}

static pbs_status check_duration_choice(int32_t duration) {
    return check_choice(duration, PBS_FORCE_ONCE, PBS_FORCE_LASTING, "duration");
}

pbs_status pbs_body_set_forces(pbs_world *w, pbs_body b, const double *xyz, size_t vertex_count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(world_check_vertex_count(body, vertex_count));
    RETURN_IF_FAILED(check_vectors(xyz, vertex_count, "forces"));
    for (size_t k = 0; k < 3 * vertex_count; k++) {
        if (fabs(xyz[k]) > FORCE_LIMIT) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "forces of vertex %zu: %c is %g N, must be between %g and %g", k / 3,
                               "xyz"[k % 3], xyz[k], -FORCE_LIMIT, FORCE_LIMIT);
        }
    }
    if (vertices_set_forces(&w->scene.nodes, body, xyz)) {
        w->solver.model.loads.any = nodes_are_loaded(&w->scene.nodes);
        w->scene.history.memory.has_acceleration = false;
    }
    return PBS_OK;
}

// --- what acts from now on ---

static double *forces_of(struct nodes *nodes, int32_t duration) {
    return duration == PBS_FORCE_ONCE ? nodes->force_once : nodes->force;
}

static void changed(pbs_world *w, struct body *body, int32_t duration) {
    body->has_forces_once = body->has_forces_once || duration == PBS_FORCE_ONCE;
    // Zeros are rarely applied, so nobody looks for them here.
    w->solver.model.loads.any = w->solver.model.loads.any || duration == PBS_FORCE_LASTING;
    w->scene.history.memory.has_acceleration = false;
}

static pbs_status enter_point(const pbs_world *w, const pbs_point *point, const double *vector,
                              const char *name, struct anchor *out) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_vector(vector, name));
    RETURN_IF_FAILED(anchor_resolve(&w->scene, point, "the point", out));
    return out->body != NULL
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "the point is in space (PBS_POINT_WORLD), must be on a body");
}

pbs_status pbs_body_apply_force(pbs_world *w, const pbs_point *point, const double *force,
                                int32_t duration) {
    ARITHMETIC_SCOPE();
    struct anchor anchor;
    RETURN_IF_FAILED(enter_point(w, point, force, "force", &anchor));
    RETURN_IF_FAILED(check_duration_choice(duration));
    double *const forces = forces_of(&w->scene.nodes, duration);
    for (uint32_t k = 0; k < anchor.point.count; k++) {
        RETURN_IF_FAILED(check_added(forces + 3 * (size_t)anchor.point.node[k],
                                     anchor.point.weight[k], force, "force"));
    }
    point_add_force(&anchor.point, force, forces);
    changed(w, anchor.body, duration);
    return PBS_OK;
}

/// The share of a body's mass that a node has; of places only.
static double mass_share(const struct nodes *nodes, size_t node, double mass) {
    return nodes->kind[node] == NODE_POSITION ? nodes->mass[node] / mass : 0.0;
}

static pbs_status check_wrench(pbs_world *w, const struct body *body, const double force[3],
                               const double torque[3], int32_t duration) {
    const double *present = duration == PBS_FORCE_ONCE ? body->torque_once : body->torque;
    const double *forces = forces_of(&w->scene.nodes, duration);
    RETURN_IF_FAILED(check_vector(force, "force"));
    RETURN_IF_FAILED(check_vector(torque, "torque"));
    RETURN_IF_FAILED(check_added(present, 1.0, torque, "torque"));
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        RETURN_IF_FAILED(check_added(forces + 3 * i, 1.0, force, "force"));
    }
    return PBS_OK;
}

pbs_status pbs_body_apply_wrench(pbs_world *w, pbs_body b, const double *force,
                                 const double *torque, int32_t duration) {
    ARITHMETIC_SCOPE();
    static const double none[3] = {0.0, 0.0, 0.0};
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_duration_choice(duration));
    force = force != NULL ? force : none;
    torque = torque != NULL ? torque : none;
    RETURN_IF_FAILED(check_wrench(w, body, force, torque, duration));
    struct nodes *nodes = &w->scene.nodes;
    double *const forces = forces_of(nodes, duration);
    double *const torques = duration == PBS_FORCE_ONCE ? body->torque_once : body->torque;
    const double mass = body_mass(nodes, body);
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        add_scaled3(forces + 3 * i, mass_share(nodes, i, mass), force, forces + 3 * i);
    }
    add3(torques, torque, torques);
    changed(w, body, duration);
    return PBS_OK;
}

pbs_status pbs_body_clear_forces(pbs_world *w, pbs_body b) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    struct nodes *nodes = &w->scene.nodes;
    const size_t bytes = 3 * body->node_count * sizeof(double);
    memset(nodes->force + 3 * body->node_start, 0, bytes);
    memset(nodes->force_once + 3 * body->node_start, 0, bytes);
    memset(body->torque, 0, sizeof body->torque);
    memset(body->torque_once, 0, sizeof body->torque_once);
    body->has_forces_once = false;
    w->solver.model.loads.any = nodes_are_loaded(nodes);
    w->scene.history.memory.has_acceleration = false;
    return PBS_OK;
}

// --- what has acted ---

pbs_status pbs_body_apply_impulse(pbs_world *w, const pbs_point *point, const double *impulse) {
    ARITHMETIC_SCOPE();
    struct anchor anchor;
    RETURN_IF_FAILED(enter_point(w, point, impulse, "impulse", &anchor));
    struct nodes *nodes = &w->scene.nodes;
    double v[3 * POINT_NODES];
    for (uint32_t k = 0; k < anchor.point.count; k++) {
        const size_t node = anchor.point.node[k];
        add_scaled3(nodes->v + 3 * node, anchor.point.weight[k] / nodes->mass[node], impulse,
                    v + 3 * (size_t)k);
        RETURN_IF_FAILED(check_vector(v + 3 * (size_t)k, "the velocity after the impulse"));
    }
    for (uint32_t k = 0; k < anchor.point.count; k++) {
        const size_t node = anchor.point.node[k];
        for (uint32_t axis = 0; axis < 3; axis++) {
            const bool held = ((uint32_t)nodes->constrained_axes[node] >> axis & 1u) != 0;
            nodes->v[3 * node + axis] = held ? nodes->v[3 * node + axis] : v[3 * k + axis];
        }
    }
    vertices_update(nodes, anchor.body);
    scene_forget_body(&w->scene, anchor.body);
    return PBS_OK;
}

// --- gravity ---

// Next to masses and lengths their products stay finite.
static const double GRAVITY_LIMIT = 1e100;

static pbs_status check_gravity(const struct body_gravity *gravity) {
    const double numbers[4] = {gravity->scale, gravity->added[0], gravity->added[1],
                               gravity->added[2]};
    for (int i = 0; i < 4; i++) {
        if (!(fabs(numbers[i]) <= GRAVITY_LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be between %g and %g",
                               i == 0 ? "scale" : "acceleration", numbers[i], -GRAVITY_LIMIT,
                               GRAVITY_LIMIT);
        }
    }
    return PBS_OK;
}

pbs_status pbs_body_set_gravity(pbs_world *w, pbs_body b, double scale,
                                const double *acceleration) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    struct body_gravity gravity = {.scale = scale};
    if (acceleration != NULL) {
        copy3(acceleration, gravity.added);
    }
    RETURN_IF_FAILED(check_gravity(&gravity));
    if (w->solver.is_current) {
        RETURN_IF_FAILED(
            model_set_gravity(&w->solver.model, &w->scene, &w->memory, body, &gravity));
    }
    body->gravity = gravity;
    (void)world_follow_forces(w, body, 0.0);
    w->scene.history.memory.has_acceleration = false;
    return PBS_OK;
}

pbs_status pbs_body_gravity(const pbs_world *w, pbs_body b, double *scale, double *acceleration) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (scale != NULL) {
        *scale = body->gravity.scale;
    }
    if (acceleration != NULL) {
        copy3(body->gravity.added, acceleration);
    }
    return PBS_OK;
}

static const struct field GRAVITY_FIELDS[] = {
    FIELD_VALUE(struct body, gravity.scale, FIELD_FINITE),
    FIELD_VALUES(struct body, gravity.added, FIELD_ANY),
};
static const struct field_list gravity_fields = FIELD_LIST(struct body, GRAVITY_FIELDS);

static pbs_status check_restored_gravity(const struct scene *scene, struct memory *memory,
                                         struct body *body) {
    (void)scene;
    (void)memory;
    return check_gravity(&body->gravity);
}

const struct feature feature_gravity = {.body_fields = &gravity_fields,
                                        .check_body = check_restored_gravity};

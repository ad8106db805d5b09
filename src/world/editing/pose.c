// Reads the pose of affine bodies, as an affine map of their own coordinates or as the nearest
// rigid motion, and sets it.
// Theory: docs/theory/affine_bodies.md section 6.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "base/matrix3/svd3.h"
#include "world/interface/check.h"
#include "world/objects/motion.h"
#include "world/world.h"
#include "world/objects/body_table.h"

static struct body *enter_affine(const pbs_world *w, pbs_body b, pbs_status *status) {
    struct body *body = world_enter_body(w, b, status);
    if (*status >= 0 && body->table != &body_table_affine) {
        *status = status_fail(PBS_ERROR_ARGUMENT, "the body is not affine: it has no pose");
    }
    return body;
}

/// Computes A Q^T, the linear part of the map from the body's own coordinates to the world.
static void linear_part(const struct affine_body *affine, const double *nodes, double out[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++) {
                out[3 * i + j] += nodes[3 * (k + 1) + i] * affine->axes[3 * j + k];
            }
            out[3 * i + j] /= affine->radius;
        }
    }
}

/// Computes the position of the origin of the body's own coordinates.
static void origin_of(const struct affine_body *affine, const double *nodes, const double matrix[9],
                      double out[3]) {
    double arm[3];
    multiply3(matrix, affine->center, arm);
    subtract3(nodes, arm, out);
}

pbs_status pbs_body_transform(const pbs_world *w, pbs_body b, double position[3],
                              double matrix[9]) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = enter_affine(w, b, &status);
    RETURN_IF_FAILED(status);
    const double *nodes = w->scene.nodes.x + 3 * body->node_start;
    double linear[9];
    linear_part(&body->affine, nodes, linear);
    if (position != NULL) {
        origin_of(&body->affine, nodes, linear, position);
    }
    if (matrix != NULL) {
        memcpy(matrix, linear, sizeof linear);
    }
    return PBS_OK;
}

/// Computes the rigid motion nearest to what the nodes say. Both outputs may be null.
static void nearest_pose(const struct affine_body *affine, const double *nodes, double position[3],
                         double orientation[4]) {
    double linear[9];
    double rotation[9];
    linear_part(affine, nodes, linear);
    polar3(linear, rotation);
    if (position != NULL) {
        origin_of(affine, nodes, rotation, position);
    }
    if (orientation != NULL) {
        quaternion_of(rotation, orientation);
    }
}

pbs_status pbs_body_pose(const pbs_world *w, pbs_body b, double position[3],
                         double orientation[4]) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = enter_affine(w, b, &status);
    RETURN_IF_FAILED(status);
    nearest_pose(&body->affine, w->scene.nodes.x + 3 * body->node_start, position, orientation);
    return PBS_OK;
}

pbs_status pbs_body_target_pose(const pbs_world *w, pbs_body b, double position[3],
                                double orientation[4]) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = enter_affine(w, b, &status);
    RETURN_IF_FAILED(status);
    double nodes[3 * AFFINE_NODES];
    for (size_t i = 0; i < AFFINE_NODES; i++) {
        nodes_prescribed(&w->scene.nodes, body->node_start + i, nodes + 3 * i);
    }
    nearest_pose(&body->affine, nodes, position, orientation);
    return PBS_OK;
}

/// Returns the body, and computes its nodes at a pose.
static pbs_status enter_with_pose(pbs_world *w, pbs_body b, const double *position,
                                  const double *orientation, struct body **out,
                                  double nodes[3 * AFFINE_NODES]) {
    pbs_status status = PBS_OK;
    *out = enter_affine(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(position, "position"));
    RETURN_IF_FAILED(check_pointer(orientation, "orientation"));
    RETURN_IF_FAILED(check_point(position, "position"));
    double unit[4];
    double rotation[9];
    RETURN_IF_FAILED(check_quaternion(orientation, "orientation", unit));
    rotation_of(unit, rotation);
    affine_body_nodes_at(&(*out)->affine, position, rotation, nodes);
    return check_coordinates(nodes, 3 * AFFINE_NODES, "centre and handles of the body");
}

/// Transforms the velocities of the handles such that the velocity of a point depends in the same
/// way on its position relative to the centre: v' = (v a^-1) a', handles as columns.
static void preserve_angular_velocity(const double *before, const double *now, double *v) {
    double a[9], rate[9], inverse[9] = {0.0}, gradient[9];
    for (int i = 0; i < 9; i++) {
        a[i] = before[3 + 3 * (i % 3) + i / 3];
        rate[i] = v[3 + 3 * (i % 3) + i / 3];
    }
    invert33(a, inverse);
    multiply33(rate, inverse, gradient);
    for (int k = 1; k < AFFINE_NODES; k++) {
        multiply3(gradient, now + 3 * k, v + 3 * k);
    }
}

/// Where a body is placed without strain it is also without what a load has left.
static void forget_loads(pbs_world *w, struct body *body) {
    memset(body->affine.rest_strain, 0, sizeof body->affine.rest_strain);
    world_followed_forces(w, body);
}

pbs_status pbs_body_set_pose(pbs_world *w, pbs_body b, const double position[3],
                             const double orientation[4]) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    double placed[3 * AFFINE_NODES];
    RETURN_IF_FAILED(enter_with_pose(w, b, position, orientation, &body, placed));
    struct nodes *nodes = &w->scene.nodes;
    const size_t start = 3 * body->node_start;
    double velocities[3 * AFFINE_NODES];
    memcpy(velocities, nodes->v + start, sizeof velocities);
    preserve_angular_velocity(nodes->x + start, placed, velocities);
    RETURN_IF_FAILED(
        check_numbers(velocities, 3 * AFFINE_NODES, "velocities of centre and handles"));
    memcpy(nodes->v + start, velocities, sizeof velocities);
    memcpy(nodes->x + start, placed, sizeof placed);
    memcpy(nodes->target + start, placed, sizeof placed);
    forget_loads(w, body);
    vertices_update(nodes, body);
    world_moved_body(w, body, "placed by pbs_body_set_pose");
    return PBS_OK;
}

pbs_status pbs_body_set_target_pose(pbs_world *w, pbs_body b, const double position[3],
                                    const double orientation[4]) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    double placed[3 * AFFINE_NODES];
    RETURN_IF_FAILED(enter_with_pose(w, b, position, orientation, &body, placed));
    RETURN_IF_FAILED(pbs_body_pin_all(w, b));
    forget_loads(w, body);
    memcpy(w->scene.nodes.target + 3 * body->node_start, placed, sizeof placed);
    return PBS_OK;
}

// See lagged_friction.h.
// SPDX-License-Identifier: MIT
#include "contact/barrier/lagged_friction.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// --- lagged state and anchors ---

static uint32_t second_part(const struct barrier_contact *c, const struct active_contact *contact) {
    return contact->wall != CONTACT_NO_WALL
               ? c->walls[contact->wall].part
               : c->mesh.part[contact->points[pair_first_count(contact->kind)]];
}

static double pair_friction(const struct barrier_contact *c, const struct active_contact *contact) {
    const struct collision_part *const parts = c->mesh.parts;
    return friction_between(c->settings.frictions, &parts[c->mesh.part[contact->points[0]]].surface,
                            &parts[second_part(c, contact)].surface);
}

double lagged_normal_force(const struct barrier_contact *c, const struct active_contact *contact,
                           bool is_start) {
    const double force = -contact->factor * contact->barrier.first;
    const uint32_t first = c->mesh.part[contact->points[0]];
    return is_start ? force * barrier_contact_solved_share(c, first, second_part(c, contact))
                    : force;
}

/// arm: m, from the centre of each side's sphere to the point where friction acts. It is the same
/// point for both sides, so that friction has no net torque: the middle of the gap between two
/// spheres; between a sphere and another primitive, on an obstacle's surface or at a body's points.
static void find_arms(const struct barrier_contact *c, const struct active_contact *contact,
                      const uint32_t rotation[2], double arm[2]) {
    const uint32_t *points = contact->points;
    arm[0] = arm[1] = contact->distance;
    if (contact->wall != CONTACT_NO_WALL) {
        return;
    }
    if (rotation[0] != COLLISION_NO_ROTATION && rotation[1] != COLLISION_NO_ROTATION) {
        const double first = collision_mesh_offset(&c->mesh, points[0]);
        const double both = first + collision_mesh_offset(&c->mesh, points[1]);
        const double apart = collision_mesh_pair_offset(&c->mesh, points[0], points[1]);
        arm[0] = apart * (first / both) + 0.5 * (contact->distance - apart);
        arm[1] = contact->distance - arm[0];
        return;
    }
    for (int side = 0; side < 2; side++) {
        const uint32_t other = points[side == 0 ? pair_first_count(contact->kind) : 0];
        // A body gets the friction at its points, whatever its offset.
        if (c->mesh.kind[other] == POINT_OBSTACLE) {
            arm[side] -= collision_mesh_offset(&c->mesh, other);
        }
    }
}

static void set_levers(const struct barrier_contact *c, const struct active_contact *contact,
                       struct lagged_friction *out) {
    const bool has_two = contact->wall == CONTACT_NO_WALL && contact->kind == PAIR_POINT_POINT;
    double arm[2];
    out->rotation[0] = c->mesh.rotation[contact->points[0]];
    out->rotation[1] = has_two ? c->mesh.rotation[contact->points[1]] : COLLISION_NO_ROTATION;
    // In a pair with one sphere, the sphere is the first side.
    find_arms(c, contact, out->rotation, arm);
    for (int side = 0; side < 2; side++) {
        if (out->rotation[side] != COLLISION_NO_ROTATION) {
            // The second side's arm points along the normal, but its lever is negated.
            scale3(-arm[side] / c->mesh.rotation_length[out->rotation[side]], contact->normal,
                   out->lever[side]);
        }
    }
}

pbs_status lagged_friction_lag(struct barrier_contact *c, bool is_start) {
    c->friction_count = 0;
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->frictions, &c->friction_capacity,
                                    c->contact_count, sizeof *c->frictions));
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct active_contact *contact = &c->contacts[i];
        const double force = lagged_normal_force(c, contact, is_start) * pair_friction(c, contact);
        if (!(force > 0.0)) {
            continue;
        }
        struct lagged_friction *out = &c->frictions[c->friction_count++];
        *out = (struct lagged_friction){.kind = contact->kind,
                                        .point_count = contact->point_count,
                                        .first = contact->first,
                                        .second = contact->second,
                                        .force = force,
                                        .wall = contact->wall};
        memcpy(out->points, contact->points, sizeof out->points);
        memcpy(out->weight, contact->weight, sizeof out->weight);
        tangents3(contact->normal, out->tangent);
        set_levers(c, contact, out);
    }
    return PBS_OK;
}

/// out = the position at which the obstacle's velocity is taken: for a sphere, the point where
/// friction acts.
static void touched_point(const struct barrier_contact *c, const struct lagged_friction *friction,
                          double out[3]) {
    copy3(c->points + 3 * (size_t)friction->points[0], out);
    if (friction->rotation[0] != COLLISION_NO_ROTATION) {
        add_scaled3(out, c->mesh.rotation_length[friction->rotation[0]], friction->lever[0], out);
    }
}

static void wall_velocity(const struct barrier_contact *c, const struct lagged_friction *friction,
                          double v[3]) {
    double x[3];
    touched_point(c, friction, x);
    obstacle_velocity(&c->walls[friction->wall].target, x, v);
}

/// sum += the contribution of a side's rotation to the slip. coordinates: of that rotation.
static void add_rotated(const struct lagged_friction *friction, int side, const double *coordinates,
                        double sum[3]) {
    double rotated[3];
    cross3(coordinates, friction->lever[side], rotated);
    add3(sum, rotated, sum);
}

/// sum += the slip of coordinates in node order, or of a motion, without the obstacles' part.
static void add_nodes(const struct barrier_contact *c, const struct lagged_friction *friction,
                      const double *x, double sum[3]) {
    for (int k = 0; k < friction->point_count; k++) {
        if (c->mesh.kind[friction->points[k]] == POINT_OBSTACLE) {
            continue;
        }
        uint32_t nodes[4];
        double weights[4];
        const int count = collision_mesh_nodes(&c->mesh, friction->points[k], nodes, weights);
        for (int n = 0; n < count; n++) {
            add_scaled3(sum, friction->weight[k] * weights[n], x + 3 * (size_t)nodes[n], sum);
        }
    }
    for (int side = 0; side < 2; side++) {
        if (friction->rotation[side] != COLLISION_NO_ROTATION) {
            const size_t node = c->mesh.rotation_node[friction->rotation[side]];
            add_rotated(friction, side, x + 3 * node, sum);
        }
    }
}

void lagged_friction_begin_stage(struct barrier_contact *c, const double *origin, double length) {
    for (size_t i = 0; i < c->friction_count; i++) {
        struct lagged_friction *friction = &c->frictions[i];
        double anchor[3] = {0.0, 0.0, 0.0};
        add_nodes(c, friction, origin, anchor);
        for (int k = 0; k < friction->point_count; k++) {
            const uint32_t point = friction->points[k];
            if (c->mesh.kind[point] == POINT_OBSTACLE) {
                add_scaled3(anchor, -friction->weight[k] * length, c->velocity + 3 * (size_t)point,
                            anchor);
            }
        }
        if (friction->wall != CONTACT_NO_WALL) {
            double v[3];
            wall_velocity(c, friction, v);
            add_scaled3(anchor, length, v, anchor);
        }
        copy3(anchor, friction->anchor);
        friction->dual = (struct friction_dual){.is_known = false};
    }
}

// --- energy, gradient and Hessian ---

/// Computes the slip in the basis of the tangent plane.
static void find_slip(const struct barrier_contact *c, const struct lagged_friction *friction,
                      double slip[2]) {
    double sum[3];
    scale3(-1.0, friction->anchor, sum);
    for (int k = 0; k < friction->point_count; k++) {
        if (c->mesh.kind[friction->points[k]] != POINT_OBSTACLE) {
            add_scaled3(sum, friction->weight[k], c->points + 3 * (size_t)friction->points[k], sum);
        }
    }
    for (int side = 0; side < 2; side++) {
        if (friction->rotation[side] != COLLISION_NO_ROTATION) {
            add_rotated(friction, side, c->rotations + 3 * (size_t)friction->rotation[side], sum);
        }
    }
    slip[0] = dot3(friction->tangent[0], sum);
    slip[1] = dot3(friction->tangent[1], sum);
}

static double slip_length(const double slip[2]) {
    return sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
}

double lagged_friction_evaluate(const struct barrier_contact *c,
                                const struct lagged_friction *friction, double *gradient) {
    double slip[2];
    find_slip(c, friction, slip);
    const struct friction_value f = friction_evaluate(slip_length(slip), c->slip_width);
    if (gradient != NULL) {
        double force[3];
        scale3(slip[0], friction->tangent[0], force);
        add_scaled3(force, slip[1], friction->tangent[1], force);
        for (int k = 0; k < friction->point_count; k++) {
            collision_mesh_add_to_nodes(&c->mesh, friction->points[k],
                                        friction->force * f.first_over_slip * friction->weight[k],
                                        force, gradient);
        }
        for (int side = 0; side < 2; side++) {
            if (friction->rotation[side] != COLLISION_NO_ROTATION) {
                double *to = gradient + 3 * (size_t)c->mesh.rotation_node[friction->rotation[side]];
                double moment[3];
                cross3(friction->lever[side], force, moment);
                add_scaled3(to, friction->force * f.first_over_slip, moment, to);
            }
        }
    }
    return friction->force * f.value;
}

int lagged_friction_rotation_nodes(const struct barrier_contact *c,
                                   const struct lagged_friction *friction, uint32_t nodes[2]) {
    int count = 0;
    for (int side = 0; side < 2; side++) {
        if (friction->rotation[side] != COLLISION_NO_ROTATION) {
            nodes[count++] = c->mesh.rotation_node[friction->rotation[side]];
        }
    }
    return count;
}

/// Writes the rotations' entries of the k-th vector, for a direction of slip.
static void rotation_vector_of_row(const struct lagged_friction *friction,
                                   const double direction[3], int k,
                                   struct contact_rotations *rotations) {
    int t = 0;
    for (int side = 0; side < 2; side++) {
        if (friction->rotation[side] != COLLISION_NO_ROTATION) {
            cross3(friction->lever[side], direction, rotations->vector[k][t++]);
        }
    }
}

void lagged_friction_hessian(const struct barrier_contact *c,
                             const struct lagged_friction *friction,
                             struct contact_hessian *hessian, struct contact_rotations *rotations) {
    rotations->count = lagged_friction_rotation_nodes(c, friction, rotations->node);
    double slip[2];
    find_slip(c, friction, slip);
    struct friction_hessian plane;
    friction_dual_hessian(&friction->dual, slip, c->slip_width, &plane);
    for (int k = 0; k < 2; k++) {
        double direction[3];
        scale3(plane.direction[k][0], friction->tangent[0], direction);
        add_scaled3(direction, plane.direction[k][1], friction->tangent[1], direction);
        for (int p = 0; p < friction->point_count; p++) {
            scale3(friction->weight[p], direction, hessian->vector[hessian->count][p]);
        }
        rotation_vector_of_row(friction, direction, k, rotations);
        contact_hessian_add(hessian, friction->force * plane.coefficient[k]);
    }
}

double lagged_friction_follow(const struct barrier_contact *c, struct lagged_friction *friction,
                              const double *direction) {
    double slip[2];
    double sum[3] = {0.0, 0.0, 0.0};
    find_slip(c, friction, slip);
    add_nodes(c, friction, direction, sum);
    const double motion[2] = {dot3(friction->tangent[0], sum), dot3(friction->tangent[1], sum)};
    const double error = friction_dual_error(&friction->dual, slip, c->slip_width);
    friction_dual_follow(&friction->dual, slip, motion, c->slip_width);
    return error;
}

void lagged_friction_moment(const struct barrier_contact *c, const struct lagged_friction *friction,
                            const double force[3], int side, double moment[3]) {
    scale3(0.0, force, moment);
    if (friction->rotation[side] != COLLISION_NO_ROTATION) {
        cross3(friction->lever[side], force, moment);
        scale3(c->mesh.rotation_length[friction->rotation[side]], moment, moment);
    }
}

void lagged_friction_force(const struct barrier_contact *c, const struct lagged_friction *friction,
                           double force[3]) {
    double slip[2];
    find_slip(c, friction, slip);
    const struct friction_value f = friction_evaluate(slip_length(slip), c->slip_width);
    const double factor = -friction->force * f.first_over_slip;
    scale3(factor * slip[0], friction->tangent[0], force);
    add_scaled3(force, factor * slip[1], friction->tangent[1], force);
}

// --- dissipation and work ---

/// Computes the slip velocity due to the motion of obstacles, at the point where friction acts.
static void obstacle_slip_velocity(const struct barrier_contact *c,
                                   const struct lagged_friction *friction, double out[3]) {
    scale3(0.0, friction->tangent[0], out);
    if (friction->wall != CONTACT_NO_WALL) {
        wall_velocity(c, friction, out);
    }
    for (int k = 0; k < friction->point_count; k++) {
        const uint32_t point = friction->points[k];
        if (c->mesh.kind[point] == POINT_OBSTACLE) {
            add_scaled3(out, -friction->weight[k], c->velocity + 3 * (size_t)point, out);
        }
    }
}

double lagged_friction_obstacle_power(const struct barrier_contact *c,
                                      const struct lagged_friction *friction,
                                      const double force[3]) {
    double slip_velocity[3];
    obstacle_slip_velocity(c, friction, slip_velocity);
    return dot3(force, slip_velocity);
}

double lagged_friction_power(const struct barrier_contact *c,
                             const struct lagged_friction *friction, double length) {
    double slip[2];
    find_slip(c, friction, slip);
    const double s = slip_length(slip);
    const struct friction_value f = friction_evaluate(s, c->slip_width);
    return friction->force * f.first_over_slip * s * s / length;
}

// See rolling_resistance.h.
// SPDX-License-Identifier: MIT
#include "contact/barrier/rolling_resistance.h"

#include "contact/barrier/lagged_friction.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

enum { ROWS = LAGGED_ROLLING_ROWS };

// --- lagged state and anchors ---

static uint32_t second_part(const struct barrier_contact *c, const struct active_contact *contact) {
    return contact->wall != CONTACT_NO_WALL
               ? c->walls[contact->wall].part
               : c->mesh.part[contact->points[pair_first_count(contact->kind)]];
}

/// Computes how a triangle's rotation about the three directions depends on the displacements of
/// its corners. With displacements u and gradients g of the barycentric coordinates, S = sum g x u
/// is twice the rotation about the normal, and exactly the rotation about directions in the
/// triangle's plane.
static void rotation_of_triangle(const struct barrier_contact *c,
                                 const struct active_contact *contact, double radius,
                                 struct lagged_rolling *out) {
    const double *x[3];
    double side[2][3];
    double n[3];
    for (int k = 0; k < 3; k++) {
        x[k] = c->points + 3 * (size_t)contact->points[k + 1];
    }
    subtract3(x[1], x[0], side[0]);
    subtract3(x[2], x[0], side[1]);
    cross3(side[0], side[1], n);
    const double twice_area = norm3(n);
    if (!isnormal(twice_area)) {
        return;
    }
    scale3(1.0 / twice_area, n, n);
    for (int k = 0; k < 3; k++) {
        double opposite[3];
        double gradient[3];
        subtract3(x[(k + 2) % 3], x[(k + 1) % 3], opposite);
        cross3(n, opposite, gradient);
        scale3(1.0 / twice_area, gradient, gradient);
        for (int row = 0; row < ROWS; row++) {
            double axis[3];
            add_scaled3(out->direction[row], -0.5 * dot3(out->direction[row], n), n, axis);
            cross3(axis, gradient, out->vector[row][k + 1]);
            scale3(-radius, out->vector[row][k + 1], out->vector[row][k + 1]);
        }
    }
}

static void make_rolling(const struct barrier_contact *c, const struct active_contact *contact,
                         const double force[2], struct lagged_rolling *out) {
    const bool has_two = contact->wall == CONTACT_NO_WALL && contact->kind == PAIR_POINT_POINT;
    *out = (struct lagged_rolling){.kind = contact->kind,
                                   .point_count = contact->point_count,
                                   .wall = contact->wall,
                                   .force = {force[0], force[1]}};
    memcpy(out->points, contact->points, sizeof out->points);
    out->rotation[0] = c->mesh.rotation[contact->points[0]];
    out->rotation[1] = has_two ? c->mesh.rotation[contact->points[1]] : COLLISION_NO_ROTATION;
    double radius = 0.0;
    for (int side = 0; side < 2; side++) {
        const double own = out->rotation[side] != COLLISION_NO_ROTATION
                               ? collision_mesh_offset(&c->mesh, contact->points[side])
                               : INFINITY;
        radius += 1.0 / own;
    }
    out->radius = 1.0 / radius;
    for (int side = 0; side < 2; side++) {
        if (out->rotation[side] != COLLISION_NO_ROTATION) {
            out->factor[side] = (side == 0 ? 1.0 : -1.0) * out->radius /
                                c->mesh.rotation_length[out->rotation[side]];
        }
    }
    tangents3(contact->normal, out->direction);
    copy3(contact->normal, out->direction[2]);
    if (contact->wall == CONTACT_NO_WALL && contact->kind == PAIR_POINT_TRIANGLE) {
        rotation_of_triangle(c, contact, out->radius, out);
    }
}

static bool has_rotation(const struct barrier_contact *c, const struct active_contact *contact) {
    const bool has_two = contact->wall == CONTACT_NO_WALL && contact->kind == PAIR_POINT_POINT;
    return c->mesh.rotation[contact->points[0]] != COLLISION_NO_ROTATION ||
           (has_two && c->mesh.rotation[contact->points[1]] != COLLISION_NO_ROTATION);
}

pbs_status rolling_resistance_lag(struct barrier_contact *c, bool is_start) {
    c->rolling_count = 0;
    if (c->mesh.rotation_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->rollings, &c->rolling_capacity, c->contact_count,
                                    sizeof *c->rollings));
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct active_contact *contact = &c->contacts[i];
        const struct surface *a = &c->mesh.parts[c->mesh.part[contact->points[0]]].surface;
        const struct surface *b = &c->mesh.parts[second_part(c, contact)].surface;
        const double normal = lagged_normal_force(c, contact, is_start);
        const double force[2] = {normal * fmax(a->rolling, b->rolling),
                                 normal * fmax(a->spinning, b->spinning)};
        if (force[0] + force[1] > 0.0 && has_rotation(c, contact)) {
            make_rolling(c, contact, force, &c->rollings[c->rolling_count++]);
        }
    }
    return PBS_OK;
}

/// Computes the rates of the rows that are due to obstacles, m/s.
static void obstacle_rates(const struct barrier_contact *c, const struct lagged_rolling *rolling,
                           double out[ROWS]) {
    for (int row = 0; row < ROWS; row++) {
        out[row] = rolling->wall != CONTACT_NO_WALL
                       ? rolling->radius * dot3(rolling->direction[row],
                                                c->walls[rolling->wall].target.angular_velocity)
                       : 0.0;
        for (int k = 1; k < rolling->point_count; k++) {
            const uint32_t point = rolling->points[k];
            if (c->mesh.kind[point] == POINT_OBSTACLE) {
                out[row] -= dot3(rolling->vector[row][k], c->velocity + 3 * (size_t)point);
            }
        }
    }
}

/// Returns a row for coordinates x of the nodes, without the obstacles' part.
static double row_at(const struct barrier_contact *c, const struct lagged_rolling *rolling, int row,
                     const double *x) {
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        if (rolling->rotation[side] != COLLISION_NO_ROTATION) {
            const size_t node = c->mesh.rotation_node[rolling->rotation[side]];
            sum += rolling->factor[side] * dot3(rolling->direction[row], x + 3 * node);
        }
    }
    for (int k = 1; k < rolling->point_count; k++) {
        uint32_t nodes[4];
        double weights[4];
        const int count = collision_mesh_nodes(&c->mesh, rolling->points[k], nodes, weights);
        for (int n = 0; n < count; n++) {
            sum += weights[n] * dot3(rolling->vector[row][k], x + 3 * (size_t)nodes[n]);
        }
    }
    return sum;
}

void rolling_resistance_begin_stage(struct barrier_contact *c, const double *origin,
                                    double length) {
    for (size_t i = 0; i < c->rolling_count; i++) {
        struct lagged_rolling *rolling = &c->rollings[i];
        double rate[ROWS];
        obstacle_rates(c, rolling, rate);
        for (int row = 0; row < ROWS; row++) {
            rolling->anchor[row] = row_at(c, rolling, row, origin) + length * rate[row];
        }
        rolling->roll = rolling->spin = (struct friction_dual){.is_known = false};
    }
}

// --- energy, gradient and Hessian ---

/// Computes the rows at the state evaluated last, m: the relative rolling and spinning since the
/// anchor.
static void find_rows(const struct barrier_contact *c, const struct lagged_rolling *rolling,
                      double out[ROWS]) {
    for (int row = 0; row < ROWS; row++) {
        double sum = -rolling->anchor[row];
        for (int side = 0; side < 2; side++) {
            if (rolling->rotation[side] != COLLISION_NO_ROTATION) {
                sum += rolling->factor[side] *
                       dot3(rolling->direction[row],
                            c->rotations + 3 * (size_t)rolling->rotation[side]);
            }
        }
        for (int k = 1; k < rolling->point_count; k++) {
            if (c->mesh.kind[rolling->points[k]] != POINT_OBSTACLE) {
                sum += dot3(rolling->vector[row][k], c->points + 3 * (size_t)rolling->points[k]);
            }
        }
        out[row] = sum;
    }
}

/// The friction functions of rolling and spinning at a state, and the derivatives of the potential
/// with respect to the rows.
struct resistance {
    double rows[ROWS];
    struct friction_value rolling, spinning;
    double along[ROWS]; ///< N
};

static struct resistance resistance_at(const struct barrier_contact *c,
                                       const struct lagged_rolling *rolling) {
    struct resistance out;
    find_rows(c, rolling, out.rows);
    out.rolling = friction_evaluate(sqrt(out.rows[0] * out.rows[0] + out.rows[1] * out.rows[1]),
                                    c->slip_width);
    out.spinning = friction_evaluate(fabs(out.rows[2]), c->slip_width);
    for (int row = 0; row < ROWS; row++) {
        out.along[row] = row < 2 ? rolling->force[0] * out.rolling.first_over_slip * out.rows[row]
                                 : rolling->force[1] * out.spinning.first_over_slip * out.rows[row];
    }
    return out;
}

double rolling_resistance_evaluate(const struct barrier_contact *c,
                                   const struct lagged_rolling *rolling, double *gradient) {
    const struct resistance r = resistance_at(c, rolling);
    for (int row = 0; gradient != NULL && row < ROWS; row++) {
        for (int side = 0; side < 2; side++) {
            if (rolling->rotation[side] != COLLISION_NO_ROTATION) {
                double *to = gradient + 3 * (size_t)c->mesh.rotation_node[rolling->rotation[side]];
                add_scaled3(to, r.along[row] * rolling->factor[side], rolling->direction[row], to);
            }
        }
        for (int k = 1; k < rolling->point_count; k++) {
            collision_mesh_add_to_nodes(&c->mesh, rolling->points[k], r.along[row],
                                        rolling->vector[row][k], gradient);
        }
    }
    return rolling->force[0] * r.rolling.value + rolling->force[1] * r.spinning.value;
}

int rolling_resistance_rotation_nodes(const struct barrier_contact *c,
                                      const struct lagged_rolling *rolling, uint32_t nodes[2]) {
    int count = 0;
    for (int side = 0; side < 2; side++) {
        if (rolling->rotation[side] != COLLISION_NO_ROTATION) {
            nodes[count++] = c->mesh.rotation_node[rolling->rotation[side]];
        }
    }
    return count;
}

/// Appends a vector: the sum of the rows' vectors with these weights.
static void add_vector(const struct lagged_rolling *rolling, const double weight[ROWS],
                       double coefficient, struct contact_hessian *hessian,
                       struct contact_rotations *rotations) {
    const int k = hessian->count;
    int t = 0;
    for (int side = 0; side < 2; side++) {
        if (rolling->rotation[side] != COLLISION_NO_ROTATION) {
            double *out = rotations->vector[k][t++];
            scale3(0.0, rolling->direction[0], out);
            for (int row = 0; row < ROWS; row++) {
                add_scaled3(out, weight[row] * rolling->factor[side], rolling->direction[row], out);
            }
        }
    }
    for (int p = 1; p < rolling->point_count; p++) {
        for (int row = 0; row < ROWS; row++) {
            add_scaled3(hessian->vector[k][p], weight[row], rolling->vector[row][p],
                        hessian->vector[k][p]);
        }
    }
    contact_hessian_add(hessian, coefficient);
}

/// Returns the entry of the first coordinate.
static double coefficient_of_first(const struct friction_hessian *h) {
    return h->coefficient[0] * h->direction[0][0] * h->direction[0][0] +
           h->coefficient[1] * h->direction[1][0] * h->direction[1][0];
}

void rolling_resistance_hessian(const struct barrier_contact *c,
                                const struct lagged_rolling *rolling,
                                struct contact_hessian *hessian,
                                struct contact_rotations *rotations) {
    const struct resistance r = resistance_at(c, rolling);
    const double spun[2] = {r.rows[2], 0.0};
    struct friction_hessian roll;
    struct friction_hessian spin;
    friction_dual_hessian(&rolling->roll, r.rows, c->slip_width, &roll);
    friction_dual_hessian(&rolling->spin, spun, c->slip_width, &spin);
    const double weights[ROWS][ROWS] = {{roll.direction[0][0], roll.direction[0][1], 0.0},
                                        {roll.direction[1][0], roll.direction[1][1], 0.0},
                                        {0.0, 0.0, 1.0}};
    const double coefficients[ROWS] = {rolling->force[0] * roll.coefficient[0],
                                       rolling->force[0] * roll.coefficient[1],
                                       rolling->force[1] * coefficient_of_first(&spin)};
    rotations->count = rolling_resistance_rotation_nodes(c, rolling, rotations->node);
    for (int k = 0; k < ROWS; k++) {
        add_vector(rolling, weights[k], coefficients[k], hessian, rotations);
    }
}

double rolling_resistance_follow(const struct barrier_contact *c, struct lagged_rolling *rolling,
                                 const double *direction) {
    double rows[ROWS];
    double motion[ROWS];
    find_rows(c, rolling, rows);
    for (int row = 0; row < ROWS; row++) {
        motion[row] = row_at(c, rolling, row, direction);
    }
    const double spun[2] = {rows[2], 0.0};
    const double spins[2] = {motion[2], 0.0};
    const double error = fmax(friction_dual_error(&rolling->roll, rows, c->slip_width),
                              friction_dual_error(&rolling->spin, spun, c->slip_width));
    friction_dual_follow(&rolling->roll, rows, motion, c->slip_width);
    friction_dual_follow(&rolling->spin, spun, spins, c->slip_width);
    return error;
}

double rolling_resistance_power(const struct barrier_contact *c,
                                const struct lagged_rolling *rolling, double length) {
    const struct resistance r = resistance_at(c, rolling);
    return (r.along[0] * r.rows[0] + r.along[1] * r.rows[1] + r.along[2] * r.rows[2]) / length;
}

void rolling_resistance_load(const struct barrier_contact *c, const struct lagged_rolling *rolling,
                             struct rolling_load *out) {
    const struct resistance r = resistance_at(c, rolling);
    double rate[ROWS];
    obstacle_rates(c, rolling, rate);
    *out = (struct rolling_load){.obstacle_power = 0.0};
    for (int row = 0; row < ROWS; row++) {
        out->along[row] = -r.along[row];
        out->obstacle_power -= r.along[row] * rate[row];
        add_scaled3(out->moment, -r.along[row] * rolling->radius, rolling->direction[row],
                    out->moment);
    }
}

double rolling_resistance_rate(const struct barrier_contact *c,
                               const struct lagged_rolling *rolling, int row, const double *v) {
    return row_at(c, rolling, row, v);
}

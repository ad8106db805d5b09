// Joints of random worlds; see league_parts.h.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "scenes/league/league_parts.h"

static bool has_frame(const struct league *l, int32_t body) {
    return body < 0 || l->bodies[body].kind == PBS_BODY_AFFINE ||
           l->bodies[body].kind == PBS_BODY_SOLID;
}

static void middle_of(const struct league *l, int32_t body, double out[3]) {
    for (size_t k = 0; k < 3; k++) {
        out[k] = 0.5 * (l->bodies[body].lower[k] + l->bodies[body].upper[k]);
    }
}

/// The barycentric weights of a place in the tetrahedron of a point; false where they are large.
static bool extrapolate(const struct league *l, int32_t body, const double place[3],
                        pbs_point *point) {
    const uint32_t *tets = NULL;
    size_t count = 0;
    if (point->kind != PBS_POINT_TET) {
        return false;
    }
    const double *const x = pbs_body_positions(l->world, l->bodies[body].id);
    pbs_body_tets(l->world, l->bodies[body].id, &tets, &count);
    double side[4][3], rest = 1.0;
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 3; k++) {
            const uint32_t corner = tets[4 * (size_t)point->index + (i + 1) % 4];
            const uint32_t first = tets[4 * (size_t)point->index];
            side[i][k] = (i == 3 ? place[k] : x[3 * (size_t)corner + k]) - x[3 * (size_t)first + k];
        }
    }
    double volume = 0.0;
    for (size_t i = 0; i <= 3; i++) {
        // Cramer's rule: the column of corner i is replaced by the place.
        const double *const a = side[i == 1 ? 3 : 0], *const b = side[i == 2 ? 3 : 1],
                            *const c = side[i == 3 ? 3 : 2];
        const double det = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0]);
        volume = i == 0 ? det : volume;
        point->weights[i] = det / volume;
        rest -= i == 0 ? 0.0 : point->weights[i];
    }
    point->weights[0] = rest;
    return fabs(point->weights[0]) + fabs(point->weights[1]) + fabs(point->weights[2]) +
               fabs(point->weights[3]) <
           20.0;
}

/// The point of a side at `place`, or nearest to it; false where it is not at the place.
static bool point_of(struct league *l, int32_t body, const double place[3], pbs_point *out) {
    *out = (pbs_point){.struct_size = sizeof *out, .kind = PBS_POINT_WORLD};
    if (body < 0) {
        memcpy(out->place, place, sizeof out->place);
        return true;
    }
    double distance = 0.0;
    if (!league_note(l, pbs_world_locate(l->world, l->bodies[body].id, place, 1, out, sizeof *out,
                                         &distance))) {
        return false;
    }
    return distance == 0.0 ||
           (l->bodies[body].kind == PBS_BODY_SOLID && extrapolate(l, body, place, out));
}

/// The mass of the lighter side: what a motor or a spring moves is of its size.
static double mass_of(const struct league *l, const struct league_joint *joint) {
    const double mass = l->bodies[joint->body[0]].mass;
    return joint->body[1] < 0 ? mass : fmin(mass, l->bodies[joint->body[1]].mass);
}

/// Sides whose points lie together may have any kind of joint.
static void draw_kind(struct league *l, struct league_random *r, const struct league_joint *joint,
                      pbs_joint_desc *d) {
    const bool framed = has_frame(l, joint->body[0]) && has_frame(l, joint->body[1]);
    const double draw = random_unit(r);
    d->kind = framed ? (int32_t)random_index(r, 5) : PBS_JOINT_BALL;
    if (framed && d->kind == PBS_JOINT_BALL && draw < 0.5) {
        d->swing_limit = random_range(r, 0.2, 1.5);
    }
    if (d->kind < PBS_JOINT_HINGE) {
        return;
    }
    const double unit = d->kind == PBS_JOINT_HINGE ? 1.0 : l->bodies[joint->body[0]].size;
    if (draw < 0.4) {
        d->lower = -unit * random_range(r, 0.05, 0.6);
        d->upper = unit * random_range(r, 0.05, 0.6);
    } else if (draw < 0.6) {
        d->motor_velocity = unit * random_range(r, -2.0, 2.0);
        d->motor_force = mass_of(l, joint) * LEAGUE_GRAVITY * random_unit(r) *
                         (d->kind == PBS_JOINT_HINGE ? l->bodies[joint->body[0]].size : 1.0);
    }
}

static void draw_distance(struct league *l, struct league_random *r,
                          const struct league_joint *joint, pbs_joint_desc *d) {
    double a[3], b[3], length = 0.0;
    d->kind = PBS_JOINT_DISTANCE;
    league_note(l, pbs_world_point_position(l->world, &d->a, a));
    league_note(l, pbs_world_point_position(l->world, &d->b, b));
    for (size_t k = 0; k < 3; k++) {
        length += (a[k] - b[k]) * (a[k] - b[k]);
    }
    length = sqrt(length);
    const double draw = random_unit(r);
    if (draw < 0.4) {
        d->upper = length * random_range(r, 1.0, 1.3);
    } else if (draw < 0.7) {
        d->lower = d->upper = length;
    } else {
        d->spring_target = length;
        d->spring_stiffness = mass_of(l, joint) * LEAGUE_GRAVITY /
                              (length * random_scale(r, 0.01, 0.5));
        d->spring_damping = random_chance(r, 0.5) ? 0.0 : 0.01 * d->spring_stiffness;
    }
}

/// Where a and b are joined: half way, or above a where b is space.
static void draw_place(const struct league *l, struct league_random *r, int32_t a, int32_t b,
                       double place[3]) {
    double one[3], other[3];
    middle_of(l, a, one);
    memcpy(other, one, sizeof other);
    if (b >= 0) {
        middle_of(l, b, other);
    } else {
        other[1] += 2.0 * l->bodies[a].size * random_unit(r);
    }
    for (size_t k = 0; k < 3; k++) {
        place[k] = 0.5 * (one[k] + other[k]);
    }
}

/// The middle of a body, or what of it is nearest to that; a size above a point of space.
static void point_near_middle(struct league *l, int32_t body, pbs_point *point) {
    double middle[3];
    if (body < 0) {
        point->place[1] += l->size;
        return;
    }
    middle_of(l, body, middle);
    point_of(l, body, middle, point);
}

void league_add_joint(struct league *l, struct league_random *r, int32_t a, int32_t b) {
    struct league_joint *const joint = l->joints + l->joint_count;
    pbs_joint_desc d;
    double place[3];
    pbs_joint_desc_init(&d, sizeof d);
    if (l->status < 0 || l->joint_count == LEAGUE_JOINTS) {
        return;
    }
    *joint = (struct league_joint){.body = {a, b}};
    draw_place(l, r, a, b, place);
    const bool at_a = point_of(l, a, place, &d.a), at_b = point_of(l, b, place, &d.b);
    random_direction(r, d.axis);
    if (at_a && at_b && random_chance(r, 0.7)) {
        draw_kind(l, r, joint, &d);
    } else {
        point_near_middle(l, a, &d.a);
        point_near_middle(l, b, &d.b);
        draw_distance(l, r, joint, &d);
    }
    d.touching = random_chance(r, 0.3) ? 1 : 0;
    joint->kind = d.kind;
    joint->touching = d.touching != 0;
    joint->driven = d.motor_force > 0.0 || d.spring_stiffness > 0.0;
    // Of what is all pinned no point is free, and the library refuses the joint.
    const pbs_status status = pbs_joint_create(l->world, &d, &joint->id);
    if (status == PBS_OK) {
        l->joint_count++;
    } else if (status != PBS_ERROR_ARGUMENT) {
        league_note(l, status);
    }
}

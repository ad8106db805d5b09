// Friction of spheres after an explicit step: impulses with moments (BDEM eqs. 63 and 64, in the
// form of docs/theory/bonds.md section 6.5); and the loads of all touches on bodies and obstacles.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "contact/penalty/penalty_contact.h"

/// One side of a touch, with the data that an impulse needs.
struct side {
    double *v, *w; ///< velocities of the position node and of the rotation node; null: an obstacle;
                   ///< a sphere without rotation
    double inverse_mass[3];      ///< per axis, 1/kg; 0 for a constrained axis
    double inverse_inertia[3];   ///< per axis, 1/(kg m^2)
    double length;               ///< m
    double arm[3];               ///< m, from the centre
    double velocity[3], spin[3]; ///< m/s, of the centre; rad/s
};

static void measure(struct side *s) {
    if (s->v != NULL) {
        copy3(s->v, s->velocity);
        if (s->w != NULL) {
            scale3(1.0 / s->length, s->w, s->spin);
        }
    }
}

static struct side side_of(const struct penalty_contact *c, const struct friction_motion *m,
                           uint32_t sphere, double arm, const double direction[3]) {
    const size_t node = c->node[sphere];
    const size_t rotation = c->rotation[sphere];
    const bool has_rotation = rotation != PENALTY_NO_ROTATION;
    struct side s = {.v = m->velocity + 3 * node,
                     .w = has_rotation ? m->velocity + 3 * rotation : NULL,
                     .length = c->length[sphere]};
    for (int k = 0; k < 3; k++) {
        const bool stays = ((uint32_t)m->constrained_axes[node] >> k & 1u) != 0;
        const bool still = !has_rotation ||
                           ((uint32_t)m->constrained_axes[rotation] >> k & 1u) != 0;
        s.inverse_mass[k] = stays ? 0.0 : 1.0 / m->mass[node];
        s.inverse_inertia[k] = still ? 0.0 : 1.0 / (m->mass[rotation] * s.length * s.length);
    }
    scale3(arm, direction, s.arm);
    measure(&s);
    return s;
}

/// Returns the side of an obstacle, with its velocity at the point of contact.
static struct side side_of_wall(const struct penalty_contact *c, const struct penalty_touch *t) {
    const struct obstacle *obstacle = &c->obstacles[c->walls[t->second].obstacle].obstacle;
    struct side s = {.length = 1.0};
    double at[3];
    add_scaled3(c->points + 3 * (size_t)t->first, -t->arm[0], t->normal, at);
    obstacle_velocity(obstacle, at, s.velocity);
    copy3(obstacle->angular_velocity, s.spin);
    return s;
}

/// Computes the velocity of the point of contact. An obstacle has no arm; its velocity is that of
/// the point.
static void velocity_at(const struct side *s, double out[3]) {
    double rotational[3];
    cross3(s->spin, s->arm, rotational);
    add3(s->velocity, rotational, out);
}

static double mobility(const struct side *s, const double direction[3]) {
    double moment[3];
    double sum = 0.0;
    cross3(s->arm, direction, moment);
    for (int k = 0; k < 3; k++) {
        sum += direction[k] * direction[k] * s->inverse_mass[k] +
               moment[k] * moment[k] * s->inverse_inertia[k];
    }
    return sum;
}

static double rotational_mobility(const struct side *s, const double axis[3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += axis[k] * axis[k] * s->inverse_inertia[k];
    }
    return sum;
}

static void apply_moment(struct side *s, double sign, const double moment[3]) {
    for (int k = 0; k < 3 && s->w != NULL; k++) {
        s->w[k] += sign * moment[k] * s->inverse_inertia[k] * s->length;
    }
    measure(s);
}

static void apply_impulse(struct side *s, double sign, const double impulse[3]) {
    double moment[3];
    for (int k = 0; k < 3 && s->v != NULL; k++) {
        s->v[k] += sign * impulse[k] * s->inverse_mass[k];
    }
    cross3(s->arm, impulse, moment);
    apply_moment(s, sign, moment);
}

/// out = v without its component along the normal.
static void tangential(const double normal[3], const double v[3], double out[3]) {
    add_scaled3(v, -dot3(v, normal), normal, out);
}

static double add_friction_impulse(struct penalty_touch *t, struct side sides[2], double limit) {
    double velocities[2][3], slip[3];
    double heat = 0.0;
    velocity_at(&sides[0], velocities[0]);
    velocity_at(&sides[1], velocities[1]);
    subtract3(velocities[0], velocities[1], slip);
    tangential(t->normal, slip, slip);
    const double speed = norm3(slip);
    if (!(speed > 0.0)) {
        return 0.0;
    }
    double direction[3];
    scale3(1.0 / speed, slip, direction);
    const double both = mobility(&sides[0], direction) + mobility(&sides[1], direction);
    if (!(both > 0.0)) {
        return 0.0;
    }
    scale3(-friction_impulse(speed, limit, both, &heat), direction, t->friction_impulse);
    apply_impulse(&sides[0], 1.0, t->friction_impulse);
    apply_impulse(&sides[1], -1.0, t->friction_impulse);
    return heat;
}

/// Applies an impulsive moment against the given relative spin. Returns the dissipated energy.
static double resist(struct penalty_touch *t, struct side sides[2], const double spin[3],
                     double limit) {
    const double speed = norm3(spin);
    double heat = 0.0;
    if (!(speed > 0.0)) {
        return 0.0;
    }
    double axis[3], moment[3];
    scale3(1.0 / speed, spin, axis);
    const double both = rotational_mobility(&sides[0], axis) + rotational_mobility(&sides[1], axis);
    if (!(both > 0.0)) {
        return 0.0;
    }
    scale3(-friction_impulse(speed, limit, both, &heat), axis, moment);
    apply_moment(&sides[0], 1.0, moment);
    apply_moment(&sides[1], -1.0, moment);
    add3(t->rolling_impulse, moment, t->rolling_impulse);
    return heat;
}

static double roll(struct penalty_touch *t, struct side sides[2], double rolling, double spinning) {
    double spin[3], part[3];
    double heat = 0.0;
    if (rolling > 0.0) {
        subtract3(sides[0].spin, sides[1].spin, spin);
        tangential(t->normal, spin, part);
        heat += resist(t, sides, part, rolling);
    }
    if (spinning > 0.0) {
        subtract3(sides[0].spin, sides[1].spin, spin);
        scale3(dot3(spin, t->normal), t->normal, part);
        heat += resist(t, sides, part, spinning);
    }
    return heat;
}

static const struct surface *surface_of(const struct penalty_contact *c,
                                        const struct penalty_touch *t) {
    return t->is_wall ? &c->obstacles[c->walls[t->second].obstacle].surface
                      : &c->parts[c->part[t->second]].surface;
}

double penalty_contact_apply_friction(struct penalty_contact *c, const struct friction_motion *m) {
    double heat = 0.0;
    c->friction_time = m->h;
    for (size_t i = 0; i < c->touch_count; i++) {
        struct penalty_touch *t = &c->touches[i];
        const struct surface *a = &c->parts[c->part[t->first]].surface;
        const struct surface *b = surface_of(c, t);
        const double impulse = t->force * m->h;
        const double friction = friction_between(c->frictions, a, b);
        const double rolling = fmax(a->rolling, b->rolling);
        const double spinning = fmax(a->spinning, b->spinning);
        if (friction == 0.0 && rolling == 0.0 && spinning == 0.0) {
            continue;
        }
        struct side sides[2] = {side_of(c, m, t->first, -t->arm[0], t->normal),
                                t->is_wall ? side_of_wall(c, t)
                                           : side_of(c, m, t->second, t->arm[1], t->normal)};
        // Friction comes last, so that a rolling sphere has no slip at the end of the step.
        heat += roll(t, sides, rolling * impulse * t->radius, spinning * impulse * t->radius);
        heat += add_friction_impulse(t, sides, friction * impulse);
    }
    return heat;
}

// --- loads ---

static void add_load(struct contact_load *load, double sign, const double at[3],
                     const double force[3], const double friction[3], const double moment[3]) {
    double all[3], torque[3];
    add3(force, friction, all);
    cross3(at, all, torque);
    add3(torque, moment, torque);
    add_scaled3(load->force, sign, force, load->force);
    add_scaled3(load->friction, sign, friction, load->friction);
    add_scaled3(load->torque, sign, torque, load->torque);
}

void penalty_contact_report(const struct penalty_contact *c, double h, struct contact_report *r) {
    for (size_t i = 0; i < c->touch_count; i++) {
        const struct penalty_touch *t = &c->touches[i];
        const size_t second = t->is_wall ? c->part_count + c->walls[t->second].obstacle
                                         : c->part[t->second];
        double at[3], force[3], friction[3], moment[3];
        add_scaled3(c->points + 3 * (size_t)t->first, -t->arm[0], t->normal, at);
        scale3(t->force, t->normal, force);
        scale3(1.0 / h, t->friction_impulse, friction);
        scale3(1.0 / h, t->rolling_impulse, moment);
        add_load(&r->loads[c->part[t->first]], 1.0, at, force, friction, moment);
        add_load(&r->loads[second], -1.0, at, force, friction, moment);
    }
}

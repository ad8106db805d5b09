// Scripted motion of colliders; see motion.h.
#include "world/motion.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"

void rotation_of(const double orientation[4], double rotation[9]) {
    const double x = orientation[0], y = orientation[1], z = orientation[2], w = orientation[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(rotation, r, sizeof r);
}

/// out = a b, the rotation b followed by a.
static void multiply(const double a[4], const double b[4], double out[4]) {
    cross3(a, b, out);
    for (int i = 0; i < 3; i++) {
        out[i] += a[3] * b[i] + b[3] * a[i];
    }
    out[3] = a[3] * b[3] - dot3(a, b);
}

/// The rotation vector (axis times angle, at most pi) that leads from one orientation to another.
static void rotation_between(const double from[4], const double to[4], double vector[3]) {
    const double inverse[4] = {-from[0], -from[1], -from[2], from[3]};
    double q[4];
    multiply(to, inverse, q);
    const double sign = q[3] < 0.0 ? -1.0 : 1.0;
    const double sine = norm3(q);
    const double angle = 2.0 * atan2(sine, sign * q[3]);
    scale3(sine > 0.0 ? sign * angle / sine : 0.0, q, vector);
}

static void rotate_by(const double vector[3], double fraction, const double from[4],
                      double out[4]) {
    const double half = 0.5 * fraction * norm3(vector);
    double turn[4] = {0.0, 0.0, 0.0, cos(half)};
    if (half > 0.0) {
        scale3(0.5 * fraction * sin(half) / half, vector, turn);
    }
    multiply(turn, from, out);
}

void motion_place(const struct collider *collider, double fraction, double h,
                  struct obstacle *out) {
    const pbs_collider_desc *d = &collider->desc;
    memset(out, 0, sizeof *out);
    out->shape = (struct shape){.kind = d->shape, .hollow = d->hollow != 0};
    copy3(d->size, out->shape.size);
    out->friction = d->friction;
    copy3(collider->velocity, out->velocity_before);
    copy3(collider->angular_velocity, out->angular_velocity_before);
    double orientation[4];
    memcpy(orientation, d->orientation, sizeof orientation);
    copy3(d->position, out->pose.translation);
    if (collider->moving) {
        double path[3], turn[3];
        subtract3(collider->target_position, d->position, path);
        rotation_between(d->orientation, collider->target_orientation, turn);
        scale3(1.0 / h, path, out->velocity);
        scale3(1.0 / h, turn, out->angular_velocity);
        add_scaled3(d->position, fraction, path, out->pose.translation);
        rotate_by(turn, fraction, d->orientation, orientation);
        if (fraction == 1.0) {
            copy3(collider->target_position, out->pose.translation);
            memcpy(orientation, collider->target_orientation, sizeof orientation);
        }
    }
    rotation_of(orientation, out->pose.rotation);
}

void motion_finish(struct collider *collider) {
    if (collider->moving) {
        copy3(collider->target_position, collider->desc.position);
        memcpy(collider->desc.orientation, collider->target_orientation,
               sizeof collider->desc.orientation);
        collider->moving = false;
    }
}

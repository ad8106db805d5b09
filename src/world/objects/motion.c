// See motion.h.
// SPDX-License-Identifier: MIT
#include "world/objects/motion.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "world/objects/collider.h"

void motion_obstacle_at(const struct collider *collider, double fraction, double h,
                        struct obstacle *out) {
    const pbs_collider_desc *d = &collider->desc;
    memset(out, 0, sizeof *out);
    out->shape = collider_shape(d);
    out->shape.grid = d->shape == PBS_SHAPE_GRID ? &collider->grid : NULL;
    out->is_penalty = collider_is_penalty(d);
    out->stiffness = d->penalty_stiffness;
    out->friction = d->friction;
    copy3(collider->velocity, out->velocity_before);
    copy3(collider->angular_velocity, out->angular_velocity_before);
    double orientation[4];
    memcpy(orientation, d->orientation, sizeof orientation);
    copy3(d->position, out->pose.translation);
    if (collider->moving) {
        double path[3], rotation[3];
        subtract3(collider->target_position, d->position, path);
        rotation_between(d->orientation, collider->target_orientation, rotation);
        scale3(1.0 / h, path, out->velocity);
        scale3(1.0 / h, rotation, out->angular_velocity);
        add_scaled3(d->position, fraction, path, out->pose.translation);
        rotate_by(rotation, fraction, d->orientation, orientation);
        if (fraction == 1.0) {
            copy3(collider->target_position, out->pose.translation);
            memcpy(orientation, collider->target_orientation, sizeof orientation);
        }
    }
    rotation_of(orientation, out->pose.rotation);
}

void motion_end_step(struct collider *collider) {
    if (collider->moving) {
        copy3(collider->target_position, collider->desc.position);
        memcpy(collider->desc.orientation, collider->target_orientation,
               sizeof collider->desc.orientation);
        collider->moving = false;
    }
}

// Prescribed motion of colliders, at constant linear and angular velocity over a step.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_MOTION_H
#define PBS_WORLD_OBJECTS_MOTION_H

#include "base/matrix3/quaternion.h"
#include "contact/projection/projection.h"
#include "world/objects/scene.h"

/// Computes the collider's pose at a fraction (0 .. 1) of a step of h seconds, and its velocities.
void motion_obstacle_at(const struct collider *collider, double fraction, double h,
                        struct obstacle *out);

/// Ends the step: the prescribed pose becomes the collider's pose.
void motion_end_step(struct collider *collider);

#endif

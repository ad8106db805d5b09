// Poses of colliders and their scripted motion at constant linear and angular velocity.
#ifndef PBS_WORLD_OBJECTS_MOTION_H
#define PBS_WORLD_OBJECTS_MOTION_H

#include "base/matrix3/quaternion.h"
#include "contact/projection/projection.h"
#include "world/objects/scene.h"

/// The collider at a fraction (0 .. 1) of a step of h seconds, with its velocities.
void motion_obstacle_at(const struct collider *collider, double fraction, double h,
                        struct obstacle *out);

/// The step is over: the collider is where its script said.
void motion_end_step(struct collider *collider);

#endif

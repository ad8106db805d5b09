// Bodies, colliders and joints in one call. They are made by the public calls that take
// descriptions, so that what they refuse, and why, is said there.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_SIMPLE_OBJECTS_SIMPLE_OBJECTS_H
#define PBS_WORLD_SIMPLE_OBJECTS_SIMPLE_OBJECTS_H

/// The coefficient of friction of bodies and of the ground.
#define SIMPLE_FRICTION 0.5

#endif

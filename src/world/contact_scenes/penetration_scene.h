// Builds the contact of a world with PBS_CONTACT_PROJECTION whose forces are penalties on the
// penetration depth, from its bodies and colliders.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_CONTACT_SCENES_PENETRATION_SCENE_H
#define PBS_WORLD_CONTACT_SCENES_PENETRATION_SCENE_H

#include "contact/penetration/penetration.h"
#include "world/objects/scene.h"

/// Whether a world with PBS_CONTACT_PROJECTION has any contact by such penalties.
bool penetration_scene_is_needed(const struct scene *scene);

/// Adds points and solids of all bodies, and all penalty colliders at their current poses.
pbs_status penetration_scene_build(const struct scene *scene, struct memory *memory,
                                   struct penetration *p);

#endif

// Builds the penalty contact of a world (PBS_CONTACT_PENALTY). Its spheres are the particles of
// bonded and peridynamic bodies.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_CONTACT_SCENES_PENALTY_SCENE_H
#define PBS_WORLD_CONTACT_SCENES_PENALTY_SCENE_H

#include "contact/penalty/penalty_contact.h"
#include "world/objects/scene.h"

/// Creates penalty contact between the spheres of the scene's bodies, with the bonds that join
/// them. On failure *contact is empty.
pbs_status penalty_scene_build(const struct scene *scene, struct memory *memory,
                               struct penalty_contact *contact);

/// Must be called before a step. Copies the settings of bodies and colliders that the host may have
/// changed since the last step, and chooses the stiffness of each body. Returns PBS_ERROR_ARGUMENT
/// if the host has set no stiffness and no body has a bond from which it could follow, or
/// PBS_ERROR_MEMORY.
pbs_status penalty_scene_begin(const struct scene *scene, struct penalty_contact *contact);

/// Sets the obstacles to the current poses of the colliders.
void penalty_scene_update_obstacles(const struct scene *scene, struct penalty_contact *contact);

#endif

// Builds the penalty contact of a world (PBS_CONTACT_PENALTY). The spheres are particles of bonded
// and peridynamic bodies.
#ifndef PBS_WORLD_CONTACT_SCENES_PENALTY_SCENE_H
#define PBS_WORLD_CONTACT_SCENES_PENALTY_SCENE_H

#include "contact/penalty/penalty_contact.h"
#include "world/objects/scene.h"

/// Adds the spheres and bonds of the scene's bodies. On failure *contact is empty.
pbs_status penalty_scene_build(const struct scene *scene, struct memory *memory,
                               struct penalty_contact *contact);

/// To be called before a step: copies the settings of bodies and colliders that the host may have
/// changed since the last step. PBS_ERROR_ARGUMENT if no stiffness can be chosen, PBS_ERROR_MEMORY.
pbs_status penalty_scene_begin(const struct scene *scene, struct penalty_contact *contact);

/// Sets the obstacles to the current poses of the colliders.
void penalty_scene_update_obstacles(const struct scene *scene, struct penalty_contact *contact);

#endif

// Contact by penalties as a world has it: spheres are the particles of its bonded bodies.
#ifndef PBS_WORLD_CONTACT_SCENES_PENALTY_SCENE_H
#define PBS_WORLD_CONTACT_SCENES_PENALTY_SCENE_H

#include "contact/penalty/penalty_contact.h"
#include "world/objects/scene.h"

/// Spheres and bonds of the scene's bodies. On failure *contact is empty.
pbs_status penalty_scene_build(const struct scene *scene, struct memory *memory,
                               struct penalty_contact *contact);

/// Before a step: what hosts may have changed of bodies and colliders since the one before.
/// PBS_ERROR_ARGUMENT where no stiffness is known, PBS_ERROR_MEMORY.
pbs_status penalty_scene_begin(const struct scene *scene, struct penalty_contact *contact);

/// Colliders where they are now.
void penalty_scene_update_obstacles(const struct scene *scene, struct penalty_contact *contact);

#endif

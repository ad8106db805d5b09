// Contact by penalties on depth as a world has it: what of bodies and colliders goes into each
// other and is pushed out.
#ifndef PBS_WORLD_CONTACT_SCENES_PENETRATION_SCENE_H
#define PBS_WORLD_CONTACT_SCENES_PENETRATION_SCENE_H

#include "contact/penetration/penetration.h"
#include "world/objects/scene.h"

/// Whether anything in a world with projection is pushed out by penalties.
bool penetration_scene_is_needed(const struct scene *scene);

/// Points and solids of all bodies, and the colliders that are penalties, where they are now.
pbs_status penetration_scene_build(const struct scene *scene, struct memory *memory,
                                   struct penetration *p);

#endif

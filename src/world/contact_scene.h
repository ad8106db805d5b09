// From bodies and colliders to what contact sees of them.
#ifndef PBS_WORLD_CONTACT_SCENE_H
#define PBS_WORLD_CONTACT_SCENE_H

#include "contact/barrier_contact.h"
#include "world/scene.h"

/// Whether nothing in this world may ever touch (PBS_CONTACT_BARRIER).
bool contact_scene_has_barrier(const struct scene *scene);

/// That of its barriers now: the host's, or the one chosen for the last step.
double contact_scene_stiffness(const struct scene *scene);

/// Points, edges, triangles, walls and settings of a scene. On failure *contact is empty.
pbs_status contact_scene_build(const struct scene *scene, struct memory *memory,
                               struct barrier_contact *contact);

/// Colliders where they are now, at rest.
pbs_status contact_scene_place(const struct scene *scene, struct memory *memory,
                               struct barrier_contact *contact);

#endif

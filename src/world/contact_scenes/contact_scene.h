// From bodies and colliders to what contact sees of them.
#ifndef PBS_WORLD_CONTACT_SCENES_CONTACT_SCENE_H
#define PBS_WORLD_CONTACT_SCENES_CONTACT_SCENE_H

#include "contact/barrier/barrier_contact.h"
#include "world/objects/scene.h"

/// That of its barriers now: the host's, or the one chosen for the last step; 0: body by body.
double contact_scene_stiffness(const struct scene *scene);

/// Points, edges, triangles, walls and settings of a scene. On failure *contact is empty.
pbs_status contact_scene_build(const struct scene *scene, struct memory *memory,
                               struct barrier_contact *contact);

/// A surface in a scene where it is not, or a body of it elsewhere.
struct contact_placement {
    const struct body *body; ///< takes its place; null: one more part, behind all others
    size_t vertex_count;
    const uint32_t *nodes; ///< vertex_count: where each is, in the positions that contact is given
    const double *rest;    ///< vertex_count x 3, m
    size_t triangle_count; ///< of a surface of its own
    const uint32_t *triangles;
    const pbs_contact_desc *contact;
};

/// The same with one placement.
pbs_status contact_scene_build_with(const struct scene *scene, struct memory *memory,
                                    const struct contact_placement *placement,
                                    struct barrier_contact *contact);

/// Colliders where they are now, at rest.
pbs_status contact_scene_update_obstacles(const struct scene *scene, struct memory *memory,
                                          struct barrier_contact *contact);

#endif

// Builds the barrier contact of a scene from its bodies and colliders.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_CONTACT_SCENES_CONTACT_SCENE_H
#define PBS_WORLD_CONTACT_SCENES_CONTACT_SCENE_H

#include "contact/barrier/barrier_contact.h"
#include "world/objects/scene.h"

/// Returns the stiffness of the scene's barriers: the host's, or the adaptive one of the last step;
/// 0: chosen body by body.
double contact_scene_stiffness(const struct scene *scene);

/// Adds the points, edges, triangles, walls and settings of a scene. On failure *contact is empty.
pbs_status contact_scene_build(const struct scene *scene, struct memory *memory,
                               struct barrier_contact *contact);

/// A surface that is not in the scene, or a body of the scene at other positions.
struct contact_placement {
    const struct body *body; ///< the body that it replaces; null: the surface is one more part,
                             ///< after all others
    size_t vertex_count;
    const uint32_t *nodes; ///< vertex_count: node index of each vertex in the positions passed to
                           ///< contact
    const double *rest;    ///< vertex_count x 3, m
    size_t triangle_count; ///< of the surface, if body is null
    const uint32_t *triangles;
    const pbs_contact_desc *contact;
};

/// The same with one placement; null: none.
pbs_status contact_scene_build_with(const struct scene *scene, struct memory *memory,
                                    const struct contact_placement *placement,
                                    struct barrier_contact *contact);

/// Sets the obstacles of contact to the current poses of the colliders, without motion.
pbs_status contact_scene_update_obstacles(const struct scene *scene, struct memory *memory,
                                          struct barrier_contact *contact);

/// Friction and material of a body's part.
struct surface contact_scene_surface(const pbs_contact_desc *d);

#endif

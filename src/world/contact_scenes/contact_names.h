// Public names of the two sides of a contact: ids and vertex indices, and words for messages.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_CONTACT_SCENES_CONTACT_NAMES_H
#define PBS_WORLD_CONTACT_SCENES_CONTACT_NAMES_H

#include "contact/surfaces/collision_mesh.h"
#include "pbs/readback.h"
#include "world/objects/scene.h"

/// Sets the id of a part and the vertices of `count` of its points. Parts are bodies, then
/// colliders, in order of creation; part may also be a surface behind all of these. Colliders whose
/// description has no vertices get none. Weights and positions are not set.
void contact_name_side(const struct scene *scene, const struct collision_mesh *mesh, uint32_t part,
                       int count, const uint32_t *points, pbs_contact_side *out);

/// Sets the id of a part.
void contact_name_part(const struct scene *scene, uint32_t part, pbs_contact_side *out);

/// Whether a part's points have vertex indices that the host knows.
bool contact_has_vertices(const struct scene *scene, uint32_t part);

enum { CONTACT_WORDS = 96 };

/// Writes words such as "edge 3 7 of body 1" or "collider 0"; the numbers are indices in order of
/// creation.
void contact_side_words(const struct scene *scene, uint32_t part, const pbs_contact_side *side,
                        char words[CONTACT_WORDS]);

#endif

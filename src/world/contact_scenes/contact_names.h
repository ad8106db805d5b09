// What hosts call the two sides of a contact: ids and vertices, and words.
#ifndef PBS_WORLD_CONTACT_SCENES_CONTACT_NAMES_H
#define PBS_WORLD_CONTACT_SCENES_CONTACT_NAMES_H

#include "contact/surfaces/collision_mesh.h"
#include "pbs/readback.h"
#include "world/objects/scene.h"

/// Ids and vertices of some points of a part (bodies first, then colliders, in order of creation);
/// no vertices of colliders that were given none. Weights and places are left alone.
void contact_name_side(const struct scene *scene, const struct collision_mesh *mesh, uint32_t part,
                       int count, const uint32_t *points, pbs_contact_side *out);

/// The id of a part.
void contact_name_part(const struct scene *scene, uint32_t part, pbs_contact_side *out);

/// Whether a host knows the numbers of a part's points.
bool contact_has_vertices(const struct scene *scene, uint32_t part);

enum { CONTACT_WORDS = 96 };

/// "edge 3 7 of body 1", "collider 0": bodies and colliders in order of creation.
void contact_side_words(const struct scene *scene, uint32_t part, const pbs_contact_side *side,
                        char words[CONTACT_WORDS]);

#endif

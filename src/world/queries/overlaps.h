// The contact surfaces of a scene, built outside of steps, and the overlaps between them.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_QUERIES_OVERLAPS_H
#define PBS_WORLD_QUERIES_OVERLAPS_H

#include "contact/overlap/overlap.h"
#include "pbs/query.h"
#include "world/contact_scenes/contact_scene.h"
#include "world/world.h"

/// The contact surfaces and their overlaps. A zero-initialised struct is empty and valid.
struct overlap_scene {
    struct memory *memory;
    struct barrier_contact contact;
    struct overlaps overlaps;
    uint32_t only;           ///< part whose overlaps are searched; UINT32_MAX: all parts
    double contact_distance; ///< m: contact distance of the world
};

/// Builds the surfaces of the world with colliders at their current poses. placement: the body at
/// another position, or the additional surface, that is tested; null: none.
pbs_status overlap_scene_build(const pbs_world *w, struct memory *memory,
                               const struct contact_placement *placement,
                               struct overlap_scene *out);
void overlap_scene_free(struct overlap_scene *scene);

/// Converts a row to public ids. The placed body or surface becomes the first side, except in rows
/// of PBS_OVERLAP_INSIDE, whose first side is the one that lies inside.
void overlap_describe(const pbs_world *w, const struct overlap_scene *scene,
                      const struct overlap *row, pbs_overlap *out);

#endif

// The contact surfaces of a scene, built outside of steps, and the overlaps between them.
#ifndef PBS_WORLD_QUERIES_OVERLAPS_H
#define PBS_WORLD_QUERIES_OVERLAPS_H

#include "contact/overlap/overlap.h"
#include "pbs/query.h"
#include "world/contact_scenes/contact_scene.h"
#include "world/world.h"

/// A zero-initialised struct is empty and valid.
struct overlap_scene {
    struct memory *memory;
    struct barrier_contact contact;
    struct overlaps overlaps;
    uint32_t only; ///< only overlaps of this part are searched; UINT32_MAX: those of all parts
    double contact_distance; ///< m, of the world
};

/// Builds the surfaces of the world with colliders at their current poses. placement: null, or a
/// surface or moved body to test.
pbs_status overlap_scene_build(const pbs_world *w, struct memory *memory,
                               const struct contact_placement *placement,
                               struct overlap_scene *out);
void overlap_scene_free(struct overlap_scene *scene);

/// Converts a row to public ids, with the part of the placement first.
void overlap_describe(const pbs_world *w, const struct overlap_scene *scene,
                      const struct overlap *row, pbs_overlap *out);

#endif

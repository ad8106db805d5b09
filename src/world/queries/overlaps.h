// A scene's surfaces as contact sees them, apart from any step, and what overlaps in them.
#ifndef PBS_WORLD_QUERIES_OVERLAPS_H
#define PBS_WORLD_QUERIES_OVERLAPS_H

#include "contact/overlap/overlap.h"
#include "pbs/query.h"
#include "world/contact_scenes/contact_scene.h"
#include "world/world.h"

/// All zero is a valid empty one.
struct overlap_scene {
    struct memory *memory;
    struct barrier_contact contact;
    struct overlaps overlaps;
    uint32_t only;           ///< the part that was placed; UINT32_MAX: none, all are looked at
    double contact_distance; ///< m, of the world
};

/// Surfaces of the world, colliders where they are. placement: null, or one; added to what is
/// there.
pbs_status overlap_scene_build(const pbs_world *w, struct memory *memory,
                               const struct contact_placement *placement,
                               struct overlap_scene *out);
void overlap_scene_free(struct overlap_scene *scene);

/// A row in the hosts' names, what was placed first.
void overlap_describe(const pbs_world *w, const struct overlap_scene *scene,
                      const struct overlap *row, pbs_overlap *out);

#endif

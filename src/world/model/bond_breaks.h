// What a call that moves the world has broken so far: room for it, and the lists themselves. What
// breaks and what comes of it is decided in src/world/breaking.
#ifndef PBS_WORLD_MODEL_BOND_BREAKS_H
#define PBS_WORLD_MODEL_BOND_BREAKS_H

#include "world/objects/scene.h"

/// How the particles of a broken bond begin to touch: m, between them; and what
/// collision_mesh_restore_exclusion wants to take it back.
struct bond_release {
    double distance, before;
    double ratio; ///< of the stress to the strength, until the bond is broken
};

/// What a call that moves the world has broken so far. It becomes the bodies' when the call lands,
/// and is undone where that fails.
struct bond_breaks {
    pbs_broken_bond *rows;         ///< room for all bonds that may break
    struct bond_release *releases; ///< of each row
    double *orientations; ///< of each rotation, at the end of a step that may be taken again
    size_t count, capacity, release_capacity, orientation_capacity;
    double softened;       ///< J: what softening has dissipated
    size_t aside;          ///< of count, for a step that may be taken back
    double softened_aside; ///< likewise
};

/// Room for all bonds of the scene that may break.
pbs_status breaks_reserve(struct bond_breaks *breaks, struct memory *memory,
                          const struct scene *scene);
void breaks_free(struct bond_breaks *breaks, struct memory *memory);

#endif

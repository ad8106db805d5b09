// The list of bonds that the current call (pbs_world_step or pbs_world_advance) has broken so far,
// and the memory of that list. src/world/breaking decides which bonds break, and undoes or commits
// the breaks.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_MODEL_BOND_BREAKS_H
#define PBS_WORLD_MODEL_BOND_BREAKS_H

#include "world/objects/scene.h"

/// Contact between the two particles of a broken bond.
struct bond_release {
    double distance; ///< m: the particles are in contact below this distance
    double before;   ///< m: contact's previous distance, for collision_mesh_restore_exclusion
    double ratio;    ///< stress over strength; set until the bond is broken, then 0
};

/// The bonds that a call has broken so far. A call that succeeds writes them to the bodies. A call
/// that fails undoes them.
struct bond_breaks {
    pbs_broken_bond *rows;         ///< count
    struct bond_release *releases; ///< count
    double *orientations;          ///< rotation_count x 4: quaternions at the end of a step that
                                   ///< may be repeated
    size_t limit; ///< how many one call may break. Not the capacity, which depends on what the
                  ///< world had before, and is another one after it was restored
    size_t count, capacity, release_capacity, orientation_capacity;
    size_t saved_count;      ///< count when breaks_save was called
    double dissipated;       ///< J: energy that changes of element histories (struct
                             ///< history_table) have dissipated
    double saved_dissipated; ///< J: `dissipated` when breaks_save was called
    bool forces_changed;     ///< the last update of element histories has changed forces
};

/// Reserves memory for the bonds that one call may break: all breakable bonds of the scene, but at
/// most 2^20. PBS_ERROR_MEMORY.
pbs_status breaks_reserve(struct bond_breaks *breaks, struct memory *memory,
                          const struct scene *scene);
void breaks_free(struct bond_breaks *breaks, struct memory *memory);

#endif

// The list of the bonds that the current call (pbs_world_step or pbs_world_advance) has broken so
// far, and its memory. src/world/breaking decides which bonds break, and undoes or commits the
// breaks.
#ifndef PBS_WORLD_MODEL_BOND_BREAKS_H
#define PBS_WORLD_MODEL_BOND_BREAKS_H

#include "world/objects/scene.h"

/// distance: m, below which the particles of a broken bond are in contact. before: its previous
/// value, for collision_mesh_restore_exclusion.
struct bond_release {
    double distance, before;
    double ratio; ///< of the stress to the strength; used until the bond is broken
};

/// The bonds that a call has broken so far. The bodies get them when the call commits; a call that
/// fails undoes them.
struct bond_breaks {
    pbs_broken_bond *rows;         ///< capacity: number of bonds that may break
    struct bond_release *releases; ///< one per row
    double *orientations;          ///< per rotation, at the end of a step that may be repeated
    size_t count, capacity, release_capacity, orientation_capacity;
    size_t saved_count;      ///< count when breaks_save was called
    double dissipated;       ///< J: what changes of histories have dissipated (history_table)
    double saved_dissipated; ///< J: `dissipated` when breaks_save was called
    bool forces_changed;     ///< the last update of the histories has changed forces
};

/// Reserves memory for all bonds of the scene that may break. PBS_ERROR_MEMORY.
pbs_status breaks_reserve(struct bond_breaks *breaks, struct memory *memory,
                          const struct scene *scene);
void breaks_free(struct bond_breaks *breaks, struct memory *memory);

#endif

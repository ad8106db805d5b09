// Fragments: the connected components of a bonded body. A fragment retains its number while the
// body continues to break (docs/theory/bonds.md section 5).
// SPDX-License-Identifier: MIT
#ifndef PBS_FRACTURE_FRAGMENTS_H
#define PBS_FRACTURE_FRAGMENTS_H

#include "base/runtime/memory.h"

/// A zero-initialised one is empty. Every number below `count` is a fragment with at least one
/// particle, so there are no more fragments than particles.
struct fragments {
    size_t particle_count, count;
    uint32_t *fragment; ///< particle_count: fragment of each particle
    uint32_t *parent;   ///< count: the fragment it separated from; itself if it is one of the first
    uint32_t *first;    ///< count + 1: offset of its members
    uint32_t *members;  ///< particle_count, sorted within a fragment
    float *damage; ///< particle_count: fraction of a particle's bonds that broke, or of the volume
                   ///< that its bonds reach; bonds that were cut are not counted
    uint32_t *root, *size; ///< particle_count; scratch
    double *bond_volumes;  ///< particle_count x 2, m^3; scratch; null if bonds have equal weights
};

enum { BOND_INTACT = 0, BOND_BROKE = 1, BOND_CUT = 2 };

struct bond_list {
    size_t count;
    const uint32_t *pairs; ///< count x 2 particles
    const uint8_t *broken; ///< count, BOND_*
    /// Null: all bonds have equal weight in the damage. Or count: the fraction of each particle's
    /// volume that the other one reaches; `volumes` then has particle_count entries.
    const float *volume_fractions;
    const double *volumes;
    const double *remaining; ///< with volume_fractions: null, or count: remaining fraction of the
                             ///< stiffness of intact bonds
};

/// Allocates memory and finds the fragments, numbered in the order of their first particles.
pbs_status fragments_begin(struct fragments *fragments, struct memory *memory,
                           size_t particle_count, const struct bond_list *bonds);
void fragments_free(struct fragments *fragments, struct memory *memory);

/// Updates the fragments; must be called after bonds have broken. Of a fragment that has split, the
/// part with the most particles retains the number; of equal parts, the one with the first
/// particle. The other parts get the next free numbers, ordered by the fragments they separated
/// from and then by their first particles.
void fragments_update(struct fragments *fragments, const struct bond_list *bonds);

/// Updates the damage; must be called after bonds have softened.
void fragments_measure_damage(struct fragments *fragments, const struct bond_list *bonds);

/// Restores saved fragment numbers and parents. Returns false and changes nothing if they do not
/// match the components that these bonds form.
bool fragments_restore(struct fragments *fragments, const struct bond_list *bonds,
                       const uint32_t *fragment, const uint32_t *parent, size_t count);

#endif

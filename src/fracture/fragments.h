// The connected parts of a bonded body: which particles still hang together by bonds. Fragments
// have numbers that stay theirs while a body goes on breaking (docs/theory/bonds.md section 5).
#ifndef PBS_FRACTURE_FRAGMENTS_H
#define PBS_FRACTURE_FRAGMENTS_H

#include "base/runtime/memory.h"

/// All zero is empty. Every number below count is that of a fragment with at least one particle, so
/// there are never more than particles.
struct fragments {
    size_t particle_count, count;
    uint32_t *fragment; ///< particle_count: of each particle
    uint32_t *parent;   ///< count: which fragment it came off; itself where it was there at first
    uint32_t *first;    ///< count + 1: where its members begin
    uint32_t *members;  ///< particle_count, ascending within a fragment
    float *damage;      ///< particle_count: what part of a particle's bonds broke, or of the
                        ///< volume that they reach, of all but those that were cut
    uint32_t *root, *size; ///< particle_count, of the search; no meaning in between
    double *reach;         ///< particle_count x 2, likewise: volumes; null where bonds count alike
};

enum { BOND_INTACT = 0, BOND_BROKE = 1, BOND_CUT = 2 };

struct bond_list {
    size_t count;
    const uint32_t *pairs; ///< count x 2 particles
    const uint8_t *broken; ///< count, BOND_*
    /// Null: for damage all bonds count alike. Or count: which part of each particle's volume the
    /// other one reaches; and particle_count volumes.
    const float *shares;
    const double *volumes;
    const double *remaining; ///< with shares: null, or count: of the stiffness of those that hold
};

/// Room for so many particles, and the fragments that they are in now, numbered in the order of
/// their first particles.
pbs_status fragments_begin(struct fragments *fragments, struct memory *memory,
                           size_t particle_count, const struct bond_list *bonds);
void fragments_free(struct fragments *fragments, struct memory *memory);

/// After bonds have broken. Where a fragment came apart, the part with the most particles, of
/// several the one with the first particle, keeps its number; the others get the next ones, in the
/// order of the fragments that they came off and then of their first particles.
void fragments_update(struct fragments *fragments, const struct bond_list *bonds);

/// After bonds have softened.
void fragments_measure_damage(struct fragments *fragments, const struct bond_list *bonds);

/// Takes numbers and parents as they were kept. False where they are not those of fragments that
/// these bonds make; then nothing is changed.
bool fragments_restore(struct fragments *fragments, const struct bond_list *bonds,
                       const uint32_t *fragment, const uint32_t *parent, size_t count);

#endif

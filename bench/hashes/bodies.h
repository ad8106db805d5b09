// Contents of the small worlds of bench/hashes.c. Together they have bodies of every kind and
// material, and every kind of contact. They are made by the public API only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_HASHES_BODIES_H
#define PBS_BENCH_HASHES_BODIES_H

#include <pbs/pbs.h>

enum hash_bodies {
    // The scenes of tests/support/scenes/world_scenes.h:
    HASH_DROP,
    HASH_SPRINGS,
    HASH_BOWL,
    HASH_SHEET,
    HASH_STIFF,
    // With contact by projection:
    HASH_CANTILEVER,
    HASH_CLAMPED,   ///< a solid, springs and shells, none of which can move as a whole
    HASH_MATERIALS, ///< a stack with a solid of each material
    HASH_BONDED,
    HASH_PERIDYNAMIC, ///< a solid whose bonds soften
    HASH_PLANES,      ///< peridynamic bodies in planes and a bar
    // With contact by barriers:
    HASH_PILE,     ///< affine boxes, solids and a sheet
    HASH_SHELLS,   ///< a sheet on a ball, two balls that meet
    HASH_SCRIPTED, ///< what targets, host forces and pins do
    HASH_FALLING,  ///< a bonded and a peridynamic body that break on the ground
    // With penalties between particles:
    HASH_SPHERES,
    HASH_BODIES_COUNT
};

const char *hash_bodies_name(enum hash_bodies bodies);

/// PBS_CONTACT_* of the world that takes them, and the scheme that moves it: implicit Euler, or the
/// one that its contact wants.
int32_t hash_bodies_contact(enum hash_bodies bodies);
int32_t hash_bodies_scheme(enum hash_bodies bodies);

pbs_status hash_bodies_fill(enum hash_bodies bodies, pbs_world *world);

#endif

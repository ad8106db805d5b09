// Brittle peridynamic bodies that fall on a small obstacle and break: a plane bar, and a plate.
// There are no other obstacles, and fragments do not collide with each other.
// SPDX-License-Identifier: MIT
#ifndef PBS_SCENES_BRITTLE_FALL_H
#define PBS_SCENES_BRITTLE_FALL_H

#include "pbs/pbs.h"

enum brittle_kind {
    BRITTLE_BAR,  ///< 0.48 x 0.12 m in plane stress, 10 mm thick: 48 x 12 particles at 10 mm
    BRITTLE_PLATE ///< 0.24 x 0.24 x 0.03 m
};

/// A zero member means its default, except for the speed.
struct brittle_fall_desc {
    enum brittle_kind kind;
    double spacing;         ///< metres; 0: 10 mm
    double horizon;         ///< metres; 0: 3 spacings
    double young;           ///< Pa; 0: 7e7
    double density;         ///< kg/m^3; 0: 1000
    double fracture_energy; ///< J/m^2; 0: 2 for the bar, 20 for the plate
    double damping;         ///< s, damping time of bonds
    double speed;           ///< m/s, initial downward speed
    double height;          ///< initial height above the obstacle, metres; 0: 20 mm
    int32_t preconditioner; ///< PBS_PRECONDITIONER_*
    uint32_t threads;       ///< 0: 1
};

struct brittle_fall {
    pbs_world *world;
    pbs_body body;
    size_t particle_count, bond_count;
};

/// Creates the world, which the caller must destroy. Returns the first error.
pbs_status brittle_fall_make(const struct brittle_fall_desc *d, struct brittle_fall *out);

#endif

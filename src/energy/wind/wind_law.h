// The force of air on a flat piece of surface as a function of the velocity with which it meets it,
// and the potential of that force. Theory: docs/theory/materials.md section 7.2.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_WIND_WIND_LAW_H
#define PBS_ENERGY_WIND_WIND_LAW_H

#include <stdbool.h>

struct wind_law {
    double velocity[3]; ///< m/s, of the air
    double normal;      ///< kg/m^3: density times coefficient along the normal, halved
    double tangential;  ///< kg/m^3: the same in the plane, times the number of sides
    bool is_one_sided;  ///< along the normal only what meets the outer side pushes
};

/// area: m^2, the outward normal times the area; relative: m/s, u, the air's velocity less the
/// surface's. force: N, on the surface; stiffness: null, or N s/m, its derivative by u, 3 x 3,
/// symmetric and positive semidefinite.
void wind_law_force(const struct wind_law *law, const double area[3], const double relative[3],
                    double force[3], double *stiffness);

/// W: the potential psi(u), whose gradient by u is the force, less its value where the surface is
/// at rest, u + velocity. The difference is exact where both are nearly the same.
double wind_law_potential(const struct wind_law *law, const double area[3],
                          const double relative[3], const double velocity[3]);

#endif

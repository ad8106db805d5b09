// Measures the path of a crack in a plate of cracked_plate.h from the damage field.
// SPDX-License-Identifier: MIT
#ifndef PBS_SCENES_CRACK_PATH_H
#define PBS_SCENES_CRACK_PATH_H

#include "scenes/fracture/cracked_plate.h"

/// The path of a crack that starts at a notch along y = 0. A particle is cracked if its damage
/// exceeds 0.35 (the volume fraction of its horizon to which bonds are broken).
struct crack_path {
    double tip;        ///< metres: largest x of a cracked particle; 0: none is right of the notch
    double branch;     ///< metres: smallest x from which on the crack has two separate branches;
                       ///< infinite if it has one
    bool is_symmetric; ///< the positions are exactly mirror-symmetric about y = 0
};

struct crack_path crack_path_of(const struct cracked_plate *plate);

/// Returns the largest y of a cracked particle, metres; 0 if none is above y = 0.
double crack_path_height(const struct cracked_plate *plate);

/// Returns the angle, in degrees, between the notch and the line fitted to the cracked particles
/// above the upper notch of PLATE_STEEL; NaN if there are none.
double crack_path_angle(const struct cracked_plate *plate);

#endif

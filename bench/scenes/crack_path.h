// What a field of damage says of a crack that ran through a plate of cracked_plate.h.
#ifndef PBS_SCENES_CRACK_PATH_H
#define PBS_SCENES_CRACK_PATH_H

#include "scenes/cracked_plate.h"

/// Of a crack that goes on from a notch along y = 0. Cracked is what has lost more than .35 of the
/// volume within its horizon.
struct crack_path {
    double tip;    ///< metres: the greatest x that is cracked; 0: nothing right of the notch is
    double branch; ///< metres: the least x from which on the crack has two arms and nothing between
                   ///< them that is cracked; infinite where it has one
    bool is_symmetric; ///< particles are where their mirror images in y = 0 are, to the last bit
};

struct crack_path crack_path_of(const struct cracked_plate *plate);

/// Metres: the greatest y that is cracked; 0 where nothing above y = 0 is.
double crack_path_height(const struct cracked_plate *plate);

/// Degrees from the notch's line to the line that is nearest to all cracked particles above the
/// upper notch of PLATE_STEEL; not a number where there are none.
double crack_path_angle(const struct cracked_plate *plate);

#endif

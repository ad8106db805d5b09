// Notched plates known from experiments and other codes, as plane peridynamic bodies in explicit
// steps. Particles form a square lattice; the line y = 0 lies between two rows.
// SPDX-License-Identifier: MIT
#ifndef PBS_SCENES_CRACKED_PLATE_H
#define PBS_SCENES_CRACKED_PLATE_H

#include "pbs/pbs.h"

enum cracked_plate_kind {
    /// Glass (E 32 GPa, 2450 kg/m^3, 3 J/m^2), 100 x 40 mm in plane stress, notched along y = 0
    /// from the left edge to the middle, with 1 MPa of tension applied suddenly at its long sides.
    /// The crack branches (Borden et al., Comput. Methods Appl. Mech. Eng. 217 (2012) 77-95).
    PLATE_GLASS,
    /// Soda-lime glass (72 GPa, 2440 kg/m^3, 3.8 J/m^2), loaded likewise by 2 MPa (Bobaru and
    /// Zhang,
    /// Int. J. Fract. 196 (2015) 59-98).
    PLATE_SODA_LIME,
    /// Steel (190 GPa, 8000 kg/m^3, 22.13 kJ/m^2), 100 x 200 mm in plane strain, with two notches
    /// of 50 mm that are 50 mm apart. The edge between them is struck at 16.5 m/s. Cracks run at
    /// about 70 degrees to the notches
    /// (Kalthoff, Int. J. Fract. 101 (2000) 1-31).
    PLATE_STEEL,
    PLATE_KIND_COUNT
};

struct cracked_plate_desc {
    enum cracked_plate_kind kind;
    double spacing;  ///< metres
    double horizon;  ///< in spacings; 0: 3
    uint32_t struck; ///< steel only: number of particle layers that are struck; 0: 1
    int32_t threads; ///< 0: 1
};

struct cracked_plate {
    struct cracked_plate_desc desc;
    double size[2];              ///< metres
    double notch_y;              ///< metres: y of the (upper) notch, which ends at x = 50 mm
    double wave_of_shear;        ///< m/s: shear wave speed
    double rayleigh;             ///< m/s: Rayleigh wave speed
    size_t columns, rows, count; ///< number of particles; the one in column i and row j has index i
                                 ///< + j columns
    double *places;              ///< count x 3, metres: rest positions
    uint32_t *driven;            ///< the struck particles
    size_t driven_count;
    double *targets; ///< driven_count x 3
    pbs_world *world;
    pbs_body body;
};

/// Creates a plate. On failure *plate is empty.
pbs_status cracked_plate_make(const struct cracked_plate_desc *desc, struct cracked_plate *plate);

/// Advances by `seconds` in one step of the world, which is divided into explicit steps.
pbs_status cracked_plate_step(struct cracked_plate *plate, double seconds);

void cracked_plate_free(struct cracked_plate *plate);

#endif

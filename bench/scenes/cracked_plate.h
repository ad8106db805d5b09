// Plates with notches, known from experiments and from other codes, as peridynamic bodies in a
// plane with explicit steps, one particle a cell of a square lattice; lines y = 0 are between rows.
#ifndef PBS_SCENES_CRACKED_PLATE_H
#define PBS_SCENES_CRACKED_PLATE_H

#include "pbs/pbs.h"

enum cracked_plate_kind {
    /// Glass (E 32 GPa, 2450 kg/m^3, 3 J/m^2), 100 x 40 mm in plane stress, notched along y = 0
    /// from
    /// the left to the middle, under 1 MPa of tension at its long sides from the start on: the
    /// crack
    /// branches (Borden et al., Comput. Methods Appl. Mech. Eng. 217 (2012) 77-95).
    PLATE_GLASS,
    /// Soda-lime glass (72 GPa, 2440 kg/m^3, 3.8 J/m^2), likewise under 2 MPa (Bobaru and Zhang,
    /// Int. J. Fract. 196 (2015) 59-98).
    PLATE_SODA_LIME,
    /// Steel (190 GPa, 8000 kg/m^3, 22.13 kJ/m^2), 100 x 200 mm in plane strain, two notches of 50
    /// mm, 50 mm apart, struck between them at 16.5 m/s: cracks at about 70 degrees to the notches
    /// (Kalthoff, Int. J. Fract. 101 (2000) 1-31).
    PLATE_STEEL,
    PLATE_KIND_COUNT
};

struct cracked_plate_desc {
    enum cracked_plate_kind kind;
    double spacing;  ///< metres
    double horizon;  ///< in spacings; 0: 3
    uint32_t struck; ///< of steel: rows of particles that are struck; 0: 1
    int32_t threads; ///< 0: 1
};

struct cracked_plate {
    struct cracked_plate_desc desc;
    double size[2];              ///< metres
    double notch_y;              ///< metres: of the (upper) notch, which ends at x = 50 mm
    double wave_of_shear;        ///< m/s
    double rayleigh;             ///< m/s: the speed of waves at surfaces
    size_t columns, rows, count; ///< particles; that of column i in row j is i + j columns
    double *places;              ///< count x 3, metres: at rest
    uint32_t *driven;            ///< those that are struck
    size_t driven_count;
    double *targets; ///< driven_count x 3
    pbs_world *world;
    pbs_body body;
};

/// A status below 0 is what failed; *plate is empty then.
pbs_status cracked_plate_make(const struct cracked_plate_desc *desc, struct cracked_plate *plate);

/// Some time on, in explicit steps: as one step of the world.
pbs_status cracked_plate_step(struct cracked_plate *plate, double seconds);

void cracked_plate_free(struct cracked_plate *plate);

#endif

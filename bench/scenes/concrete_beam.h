// Two notched beams of concrete in bending, until they are nearly through: peridynamic particles in
// plane stress whose bonds soften, moved by quasi-static steps.
#ifndef PBS_BENCH_CONCRETE_BEAM_H
#define PBS_BENCH_CONCRETE_BEAM_H

#include <stdbool.h>
#include <stddef.h>

#include "pbs/pbs.h"

/// One row of an envelope of what was measured.
struct beam_bounds {
    double opening;     ///< mm
    double least, most; ///< N
};

enum { BEAM_BOUNDS = 2 };

/// Metres, pascals, J/m^2.
struct concrete_beam_case {
    const char *name;
    double length, depth, width;
    double notch, notch_depth; ///< where, from the bottom
    double supports[2], load;
    double gauge; ///< the opening is that of two points on the bottom so far from the notch
    double young, fracture_energy, strength, initial; ///< initial: softening_initial
    double push;                                      ///< of the load in a step
    double last;                                      ///< opening at which it ends
    struct beam_bounds peak;                          ///< of the measured curves; opening is unused
    double peak_opening[2];                           ///< mm, of both
    struct beam_bounds after[BEAM_BOUNDS];            ///< of the falling part
};

enum { CONCRETE_BEAMS = 2 };

/// Half-notched, Gregoire, Rojas-Solano and Pijaudier-Cabot, Int. J. Numer. Anal. Meth. Geomech. 37
/// (2013) 1434-1452; with the notch aside, Garcia-Alvarez, Gettu and Carol, Sadhana 37 (2012)
/// 187-205.
extern const struct concrete_beam_case concrete_beam_cases[CONCRETE_BEAMS];

struct concrete_beam {
    const struct concrete_beam_case *of;
    pbs_world *world;
    pbs_body body;
    size_t columns, rows;
    uint32_t pushed[2], held[4]; ///< particles at the load and at the supports
    double *forces;
    double pushed_by; ///< m
};

/// What a step ends with.
struct beam_state {
    double opening, load; ///< m, N
};

/// d: as its defaults are, or with what is to be tried; what the case says is filled in. False: see
/// pbs_last_error.
bool concrete_beam_make(const struct concrete_beam_case *of, double spacing, int32_t threads,
                        const pbs_peridynamic_desc *d, struct concrete_beam *out);
pbs_status concrete_beam_push(struct concrete_beam *beam, struct beam_state *out);
void concrete_beam_free(struct concrete_beam *beam);

#endif

// Two notched concrete beams in bending, loaded until they are almost broken through: peridynamic
// bodies in plane stress with softening bonds, in quasi-static steps.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_CONCRETE_BEAM_H
#define PBS_BENCH_CONCRETE_BEAM_H

#include <stdbool.h>
#include <stddef.h>

#include "pbs/pbs.h"

/// One row of the envelope of measured curves: bounds of the load at an opening.
struct beam_bounds {
    double opening;     ///< mm
    double least, most; ///< N
};

enum { BEAM_BOUNDS = 2 };

/// A beam and its experiment. Units are metres, pascals and J/m^2 unless noted.
struct concrete_beam_case {
    const char *name;
    double length, depth, width;
    double notch, notch_depth; ///< position along the beam, and depth from the bottom
    double supports[2], load;
    double gauge; ///< the opening is measured between two points on the bottom at this distance
                  ///< from the notch
    double young, fracture_energy, strength, initial; ///< initial: softening_initial
    double push;                                      ///< displacement of the load per step
    double last;                                      ///< opening at which the test ends
    struct beam_bounds peak;               ///< peak load of the measured curves; opening is unused
    double peak_opening[2];                ///< mm, openings at the measured peaks
    struct beam_bounds after[BEAM_BOUNDS]; ///< points of the descending branch
};

enum { CONCRETE_BEAMS = 2 };

/// A half-notched beam (Gregoire, Rojas-Solano and Pijaudier-Cabot, Int. J. Numer. Anal. Meth.
/// Geomech. 37 (2013) 1434-1452), and a beam with an eccentric notch (Garcia-Alvarez, Gettu and
/// Carol, Sadhana 37 (2012) 187-205).
extern const struct concrete_beam_case concrete_beam_cases[CONCRETE_BEAMS];

struct concrete_beam {
    const struct concrete_beam_case *of;
    pbs_world *world;
    pbs_body body;
    size_t columns, rows;
    uint32_t pushed[2], held[4]; ///< particles at the load and at the supports
    double *forces;
    double pushed_by; ///< m: displacement of the load
};

/// Opening and load at the end of a step.
struct beam_state {
    double opening, load; ///< m, N
};

/// Creates a beam. d: settings with defaults or variations; the values of the case are filled in.
/// Returns false on failure: see pbs_last_error.
bool concrete_beam_make(const struct concrete_beam_case *of, double spacing, int32_t threads,
                        const pbs_peridynamic_desc *d, struct concrete_beam *out);
pbs_status concrete_beam_push(struct concrete_beam *beam, struct beam_state *out);
void concrete_beam_free(struct concrete_beam *beam);

#endif

// From particles to the bonds of bond-based peridynamics: who is bonded to whom, how stiff a bond
// is, and at which stretch it breaks (docs/theory/peridynamics.md). Counts and lengths alone; the
// forces are those of springs.
#ifndef PBS_FRACTURE_PERIDYNAMIC_H
#define PBS_FRACTURE_PERIDYNAMIC_H

#include "base/runtime/memory.h"

enum peridynamic_state {
    PERIDYNAMIC_SOLID,        ///< three dimensions, Poisson's ratio 1/4
    PERIDYNAMIC_PLANE_STRESS, ///< 1/3
    PERIDYNAMIC_PLANE_STRAIN, ///< 1/4
    PERIDYNAMIC_BAR
};

enum { PERIDYNAMIC_REACH = 64 }; ///< the most spacings that a horizon may have

/// All numbers finite.
struct peridynamic_input {
    size_t particle_count;
    const double *positions; ///< particle_count x 3, metres; in a plane: all z equal; of a bar:
                             ///< all y and z equal
    const double *volumes;   ///< particle_count, m^3, positive
    double spacing, horizon; ///< metres, positive; horizon from 1 to PERIDYNAMIC_REACH spacings
    double section;          ///< thickness (m) of a plane, area (m^2) of a bar, 1 of a solid
    enum peridynamic_state state;
    const double *young; ///< particle_count, Pa, positive; a bond has its particles' in series,
                         ///< 2 / (1 / a + 1 / b)
    /// particle_count, J/m^2, or null. Of a bond: that of the weaker particle. A bond does not
    /// break where one of its particles has 0 here.
    const double *fracture_energy;
    double critical_stretch; ///< the same for all bonds that can break; 0: from fracture_energy,
                             ///< and without that none breaks
    bool partial_volumes;    ///< see peridynamic_partial_volume; otherwise all of a particle counts
    bool calibrates;         ///< energy and fracture energy of the lattice of that spacing are the
                             ///< continuum's
    bool corrects_surfaces;  ///< bonds of particles with few neighbours are stiffer
};

/// All zero is empty.
struct peridynamic_bonds {
    size_t count;
    uint32_t *pairs;          ///< count x 2, the lower first; sorted by it, then by the other
    double *lengths;          ///< count, metres, at rest
    double *stiffness;        ///< count, N/m: the energy is 1/2 k (l - l0)^2
    double *critical_stretch; ///< count, (l - l0) / l0; INFINITY: the bond does not break
    double *partial_volumes;  ///< count: which part of each particle's volume the other one meets
};

/// What a particle of the endless lattice of unit spacing and section has: cubic, square, or a row.
struct peridynamic_lattice {
    size_t neighbors;
    double volume;   ///< sum of its neighbours' partial volumes
    double energy;   ///< when all bonds are stretched alike, over the continuum's, section 2
    double fracture; ///< energy of the bonds through a plane across an axis, over the continuum's
};

/// Force per volume squared and unit of stretch, Pa/m^3 = N/m^6: the continuum's, section 1.
double peridynamic_micromodulus(const struct peridynamic_input *input, double young);

/// That of a bond whose particles have these: the continuum's, section 1.
double peridynamic_critical_stretch(const struct peridynamic_input *input, double young,
                                    double fracture_energy);

/// The stretch of all bonds alike at which the stress is `strength`: the continuum's, section 4.
double peridynamic_strength_stretch(enum peridynamic_state state, double young, double strength);

/// How much of a particle at this distance lies within the horizon, as a line would: 1 below
/// horizon - spacing / 2, and from there falling to 1/2 at the horizon; always 1 without
/// partial_volumes.
double peridynamic_partial_volume(const struct peridynamic_input *input, double length);

/// Of an input's spacing, horizon, state and partial_volumes.
struct peridynamic_lattice peridynamic_lattice(const struct peridynamic_input *input);

/// Bonds between all particles no further apart than the horizon (and a billionth of it, for what
/// rounding does to lattices). Time and memory are linear in particles and bonds. `out` is empty
/// after an error: PBS_ERROR_ARGUMENT for a horizon that is out of range, reaches no neighbour at
/// all or makes more bonds than 32 bits can number; PBS_ERROR_MESH for two particles at one place;
/// PBS_ERROR_MEMORY.
pbs_status peridynamic_make(struct memory *memory, const struct peridynamic_input *input,
                            struct peridynamic_bonds *out);
void peridynamic_free(struct peridynamic_bonds *bonds, struct memory *memory);

#endif

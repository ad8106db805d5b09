// Makes the bonds of bond-based peridynamics from particles: the pairs, their stiffness, and the
// stretch at which they break (docs/theory/peridynamics.md). It computes these numbers only; the
// forces are those of springs.
// SPDX-License-Identifier: MIT
#ifndef PBS_FRACTURE_PERIDYNAMIC_H
#define PBS_FRACTURE_PERIDYNAMIC_H

#include "base/runtime/memory.h"

enum peridynamic_state {
    PERIDYNAMIC_SOLID,        ///< three dimensions, Poisson's ratio 1/4
    PERIDYNAMIC_PLANE_STRESS, ///< 1/3
    PERIDYNAMIC_PLANE_STRAIN, ///< 1/4
    PERIDYNAMIC_BAR
};

enum { PERIDYNAMIC_REACH = 64 }; ///< largest horizon, in spacings

/// The input of peridynamic_make. All numbers must be finite.
struct peridynamic_input {
    size_t particle_count;
    const double *positions; ///< particle_count x 3, m; in a plane all z are equal, in a bar all y
                             ///< and all z
    const double *volumes;   ///< particle_count, m^3, positive
    double spacing, horizon; ///< m, positive; the horizon is 1 to PERIDYNAMIC_REACH spacings
    double section;          ///< thickness (m) of a plane, area (m^2) of a bar, 1 for a solid
    enum peridynamic_state state;
    const double *young; ///< particle_count, Pa, positive; a bond uses its particles' moduli in
                         ///< series, 2 / (1 / a + 1 / b)
    /// particle_count, J/m^2, or null. A bond uses the smaller of its particles' values. If that is
    /// 0, the bond does not break.
    const double *fracture_energy;
    double critical_stretch; ///< of all bonds that can break; 0: computed from fracture_energy; if
                             ///< that is null, no bond breaks
    bool partial_volumes; ///< use peridynamic_partial_volume; otherwise neighbours count with their
                          ///< whole volume
    bool calibrates; ///< scale stiffness and stretch so that the energy and the fracture energy of
                     ///< a lattice with this spacing are the continuum's
    bool corrects_surfaces; ///< stiffen the bonds of particles near the surface, which have fewer
                            ///< neighbours
};

/// A zero-initialised one is empty.
struct peridynamic_bonds {
    size_t count;
    uint32_t *pairs;          ///< count x 2, the lower index first; sorted by it, then by the other
    double *lengths;          ///< count, m, at rest
    double *stiffness;        ///< count, N/m: the energy is 1/2 k (l - l0)^2
    double *critical_stretch; ///< count, (l - l0) / l0; INFINITY: the bond does not break
    double *partial_volumes;  ///< count: fraction of each particle's volume within the other's
                              ///< horizon
};

/// Sums over the neighbours of a particle in an infinite lattice of unit spacing and section:
/// cubic, square, or a row.
struct peridynamic_lattice {
    size_t neighbors;
    double volume;   ///< sum of the neighbours' partial volumes
    double energy;   ///< energy under equal stretch of all bonds, relative to the continuum's
                     ///< (section 2)
    double fracture; ///< energy of the bonds through a plane normal to an axis, relative to the
                     ///< continuum's
};

/// Returns the micromodulus of the continuum (section 1): force per volume squared and unit
/// stretch, N/m^6.
double peridynamic_micromodulus(const struct peridynamic_input *input, double young);

/// Returns the critical stretch of the continuum (section 1) for a bond with this modulus and
/// fracture energy.
double peridynamic_critical_stretch(const struct peridynamic_input *input, double young,
                                    double fracture_energy);

/// Returns the equal stretch of all bonds at which the stress is `strength`, for the continuum
/// (section 4).
double peridynamic_strength_stretch(enum peridynamic_state state, double young, double strength);

/// Returns the fraction of a particle at this distance that lies within the horizon, taken along a
/// line: 1 below horizon - spacing / 2, then linear to 1/2 at the horizon. Always 1 without
/// partial_volumes.
double peridynamic_partial_volume(const struct peridynamic_input *input, double length);

/// Computes the sums of the lattice for an input's spacing, horizon, state and partial_volumes.
struct peridynamic_lattice peridynamic_lattice(const struct peridynamic_input *input);

/// Makes bonds between all particles at most a horizon apart, plus a billionth of it for rounding
/// errors of lattices. Time and memory are linear in particles and bonds. `out` is empty after an
/// error: PBS_ERROR_ARGUMENT for a horizon that is out of range, reaches no neighbour at all or
/// makes more bonds than 32 bits can number; PBS_ERROR_MESH for two particles at the same position;
/// PBS_ERROR_MEMORY.
pbs_status peridynamic_make(struct memory *memory, const struct peridynamic_input *input,
                            struct peridynamic_bonds *out);
void peridynamic_free(struct peridynamic_bonds *bonds, struct memory *memory);

#endif

// libpbs: bodies of bond-based peridynamics, particles that are joined to all others within a
// horizon by bonds which break where they are stretched too far. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_PERIDYNAMIC_H
#define PBS_PERIDYNAMIC_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a body is a model of. Poisson's ratio is fixed by bonds that only pull and push.
typedef enum pbs_peridynamic_dimension {
    PBS_PERIDYNAMIC_SOLID = 0,        ///< three dimensions: Poisson's ratio is 1/4
    PBS_PERIDYNAMIC_PLANE_STRESS = 1, ///< a thin plate in a plane z = constant: 1/3
    PBS_PERIDYNAMIC_PLANE_STRAIN = 2, ///< a slice of a long body in such a plane: 1/4
    PBS_PERIDYNAMIC_BAR = 3           ///< a bar along x
} pbs_peridynamic_dimension;

/// Particles with volumes, and a bond between any two that are no farther apart than the horizon.
/// The energy of a bond is 1/2 k (l - l0)^2; its stiffness k follows from Young's modulus and the
/// particles' volumes. All bonds are at rest in the given positions. A particle is a vertex of the
/// body. In a plane and of a bar all particles have the same z, and y, and are held there. The
/// arrays are read during the call only.
/// Particles are given in one of three ways: by positions; by `box`; by tetrahedra. A box and
/// tetrahedra are filled, as far as whole spacings go, with a cubic (square, in a row) lattice of
/// that spacing, half a spacing from the least coordinates, the particles in the order of z, y and
/// x, x the fastest.
typedef struct pbs_peridynamic_desc {
    uint32_t struct_size;   ///< set by pbs_peridynamic_desc_init
    int32_t no_gravity;     ///< 1: gravity does not act on this body
    int32_t dimension;      ///< pbs_peridynamic_dimension
    int32_t whole_volumes;  ///< 0: of a particle at the edge of the horizon only the part of its
                            ///< volume counts that lies inside; 1: all of it
    int32_t no_calibration; ///< 1: stiffness and critical stretch are the continuum's, which a
                            ///< lattice of few particles to a horizon does not quite meet
    int32_t no_surface_correction; ///< 1: bonds near surfaces are not made stiffer for the
                                   ///< neighbours that are missing there
    size_t particle_count;         ///< 0, or what filling makes, with box and tets
    const double *positions;       ///< particle_count x 3, metres; null with box and tets
    const double *velocities;      ///< null (at rest), or particle_count x 3, m/s
    const double *volumes; ///< particle_count, m^3, > 0; null: spacing^3, in a plane spacing^2
                           ///< section, of a bar spacing section
    const double *box;     ///< null, or 6: the least coordinates, then the greatest, metres; in a
                           ///< plane both z are equal, of a bar both y too
    size_t vertex_count;
    const double *vertices; ///< null, or vertex_count x 3, metres: of tets
    size_t tet_count;
    const uint32_t *tets; ///< null, or tet_count x 4, as in pbs_solid_desc: filled where a point of
                          ///< the lattice lies in one; PBS_PERIDYNAMIC_SOLID only
    double spacing;       ///< metres, > 0: the edge of the cube that a particle stands for
    double horizon;       ///< metres, 1 to 64 spacings; 0: 3 spacings
    double section; ///< > 0: of a plane its thickness, metres; of a bar its section, m^2; 0 of a
                    ///< solid
    double density; ///< kg/m^3, > 0
    double young;   ///< Pa, > 0
    const double *particle_densities; ///< null, or particle_count values in place of density
    const double *particle_young;     ///< null, or particle_count values in place of young: a bond
                                      ///< between two materials is both in series,
                                      ///< 2 / (1 / a + 1 / b)
    double fracture_energy;  ///< J/m^2, >= 0: what a crack takes for each square metre; 0: nothing
                             ///< breaks
    double critical_stretch; ///< >= 0: the strain at which all bonds break, in place of
                             ///< fracture_energy; 0: not given
    const double *particle_fracture_energies; ///< null, or particle_count values in place of
                                              ///< fracture_energy: a bond has the lower one; one
                                              ///< that is 0 breaks nothing
    double weibull_modulus; ///< 0, or 1 to 1e6: critical stretches are scattered, as strengths in
                            ///< pbs_bonded_desc
    uint64_t seed;          ///< of the scatter
    double damping; ///< s, >= 0: a bond is damped as by a dashpot of damping times its stiffness
                    ///< along it, which keeps momenta; a vibration of frequency w is damped by
                    ///< damping w / 2 of critical
    double drag;    ///< mass drag, 1/s, >= 0
    double contact_scale; ///< as in pbs_bonded_desc, of spheres whose volume is the particle's.
                          ///< Automatic is 0.45 of the distance to the nearest particle
    const double *contact_radii; ///< null, or particle_count, metres, >= 0
    double tensile_strength;     ///< Pa, >= 0: bonds soften before they break, as those of concrete
                             ///< do, from where the stress is this if all are stretched alike; what
                             ///< a crack takes stays fracture_energy. 0: bonds are brittle. With
                             ///< critical_stretch that is where they break in the end
    double softening_knee;    ///< in (0, 1): the force falls along two lines, which meet at this
                              ///< part of where it began to; 0: 0.15
    double softening_initial; ///< in (0, 1]: the part of the energy that lies under the first line,
                              ///< were it to go on to zero; 1: there is one line; 0: 0.4
} pbs_peridynamic_desc;

/// Fills *d: density 1000, young 1e7, no fracture, no damping, no particles; spacing is to be set.
/// @param struct_size  sizeof(pbs_peridynamic_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_peridynamic_desc_init(pbs_peridynamic_desc *d, size_t struct_size);

/// Adds a body of particles (examples/glass.c makes one that breaks). Copies all its input; the
/// body is the world's, until pbs_body_destroy or the end of the world. A bond whose strain is
/// above its critical stretch where a step ends breaks, for good; pressure breaks nothing. What is
/// said of bonds in <pbs/bonded.h> holds here too: pbs_body_bonds, pbs_body_broken,
/// pbs_body_break_bonds, pbs_body_cut_plane, pbs_body_cut_triangles, pbs_world_broken_bonds,
/// pbs_body_fragments, pbs_body_particle_fragments, pbs_body_damage and pbs_body_bond_loads. Damage
/// of a particle is one minus the volume that its bonds reach over the volume that they reached at
/// first. Particles touch as spheres that nothing turns, whatever no bond joins them to. A bond
/// that softens remembers the largest strain that it had where a step ended. It is unloaded, and
/// loaded again, along the line from there to zero, and pressed as if it were whole. What that
/// takes is dissipated (pbs_energy) where a step ends, so that nothing is left to a bond which
/// breaks (pbs_broken_bond.energy). In damage, the part of its stiffness that is lost counts.
/// @param out  its id; written only on success
/// @return PBS_WEAK_BONDS (done; as pbs_body_create_bonded), PBS_ERROR_MESH (two particles at one
/// place, an inverted or flat tetrahedron, tetrahedra or a box that hold no particle; particles of
/// a plane or a bar that are not in one), PBS_ERROR_ARGUMENT (a null pointer; particles given
/// twice; a number that is not finite or out of its range; a horizon that reaches no neighbour at
/// all; more particles than a world can have; a strength at which softening would snap back: a
/// shorter horizon bears more), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see docs/theory/peridynamics.md; Silling, J. Mech. Phys. Solids 48 (2000) 175-209; Petersson,
/// report TVBM-1006, Lund (1981)
PBS_API pbs_status pbs_body_create_peridynamic(pbs_world *w, const pbs_peridynamic_desc *d,
                                               pbs_body *out);

/// The strain at which each bond breaks, softening and scatter included: bond_count values,
/// infinite for a bond that never breaks; the world's own array, valid until the next call that
/// changes the world. Null for a body that is not peridynamic or has no bonds.
PBS_API const double *pbs_body_critical_stretches(const pbs_world *w, pbs_body b);

/// Replaces them, as for a weak layer or a zone where nothing is to break. Bonds that are broken
/// stay so; others are compared where the next step ends. That step makes the terms of the world
/// anew, which takes memory and time: not for every step.
/// @param stretches  bond_count, > 0, infinite for a bond that never breaks; copied
/// @param bond_count  must be the body's
/// @return PBS_ERROR_ARGUMENT (a null pointer, another count, a number out of its range, or at
/// which softening would snap back; a body that is not peridynamic), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_critical_stretches(pbs_world *w, pbs_body b,
                                                   const double *stretches, size_t bond_count);

#ifdef __cplusplus
}
#endif
#endif

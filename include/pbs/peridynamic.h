// libpbs: bodies of bond-based peridynamics. Bonds join each particle to all others within a
// horizon, and break where they are stretched too far. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_PERIDYNAMIC_H
#define PBS_PERIDYNAMIC_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a body models. Bonds without shear stiffness leave no choice of Poisson's ratio.
typedef enum pbs_peridynamic_dimension {
    PBS_PERIDYNAMIC_SOLID = 0,        ///< three dimensions: Poisson's ratio is 1/4
    PBS_PERIDYNAMIC_PLANE_STRESS = 1, ///< a thin plate in a plane z = constant: 1/3
    PBS_PERIDYNAMIC_PLANE_STRAIN = 2, ///< a slice of a long body in such a plane: 1/4
    PBS_PERIDYNAMIC_BAR = 3           ///< a bar along x
} pbs_peridynamic_dimension;

/// Particles with volumes, and a bond between any two that are no farther apart than the horizon.
/// The energy of a bond is 1/2 k (l - l0)^2; its stiffness k follows from Young's modulus and the
/// particles' volumes. All bonds are at rest in the given positions. A particle is a vertex of the
/// body. All particles of a plane have the same z, those of a bar also the same y, and are
/// constrained to it. The arrays are read during the call only.
///
/// Particles are given in one of three ways: by positions; by `box`; by tetrahedra. A box and
/// tetrahedra are filled with a cubic lattice of that spacing (square in a plane, a row of a bar),
/// as far as whole spacings fit, half a spacing from the least coordinates. Particles are in the
/// order of z, y and x, with x the fastest.
typedef struct pbs_peridynamic_desc {
    uint32_t struct_size;   ///< set by pbs_peridynamic_desc_init
    int32_t no_gravity;     ///< 1: gravity does not act on this body
    int32_t dimension;      ///< pbs_peridynamic_dimension
    int32_t whole_volumes;  ///< 0: of a particle at the edge of the horizon, the part of its volume
                            ///< inside counts; 1: all of its volume does
    int32_t no_calibration; ///< 1: stiffness and critical stretch are those of the continuum; a
                            ///< lattice with few particles to a horizon is then a little off
    int32_t no_surface_correction; ///< 1: bonds near surfaces are not made stiffer to replace the
                                   ///< neighbours that are missing there
    size_t particle_count;         ///< with box and tets 0, or the number that they give
    const double *positions;       ///< particle_count x 3, metres; null with box and tets
    const double *velocities;      ///< null (at rest), or particle_count x 3, m/s
    const double *volumes; ///< particle_count, m^3, > 0; null: spacing^3, in a plane spacing^2
                           ///< section, of a bar spacing section
    const double *box;     ///< null, or 6: the least coordinates, then the greatest, metres; in a
                           ///< plane both z are equal, of a bar both y too
    size_t vertex_count;
    const double *vertices; ///< null, or vertex_count x 3, metres: of tets
    size_t tet_count;
    const uint32_t *tets; ///< null, or tet_count x 4, as in pbs_solid_desc: a particle at each
                          ///< lattice point in one of them; PBS_PERIDYNAMIC_SOLID only
    double spacing;       ///< metres, > 0: the edge of the cube that a particle represents
    double horizon;       ///< metres, 1 to 64 spacings; 0: 3 spacings
    double section; ///< > 0: of a plane its thickness, metres; of a bar its cross-section, m^2; 0
                    ///< of a solid
    double density; ///< kg/m^3, > 0
    double young;   ///< Pa, > 0
    const double *particle_densities; ///< null, or particle_count values in place of density
    const double *particle_young;     ///< null, or particle_count values in place of young; a bond
                                      ///< between two has 2 / (1 / a + 1 / b), both in series
    double fracture_energy;  ///< J/m^2, >= 0: the energy of each square metre of crack, of bonds
                             ///< that break at their limits; 0: nothing breaks. A crack of brittle
                             ///< bonds that runs in statics needs 1.33 to 1.56 times as much, as
                             ///< it jumps from row to row (docs/theory/peridynamics.md section 3)
    double critical_stretch; ///< >= 0: the strain at which all bonds break, in place of
                             ///< fracture_energy; 0: not given
    const double *particle_fracture_energies; ///< null, or particle_count values in place of
                                              ///< fracture_energy; a bond has the lower one, and
                                              ///< does not break where that is 0
    double weibull_modulus; ///< 0, or 1 to 1e6: critical stretches are scattered, as strengths are
                            ///< in pbs_bonded_desc
    uint64_t seed;          ///< of the scatter
    double damping; ///< s, >= 0: along each bond acts a dashpot of damping times its stiffness,
                    ///< which conserves momenta. A vibration of w radians per second has the
                    ///< damping ratio damping w / 2
    double drag;    ///< mass drag, 1/s, >= 0
    double contact_scale; ///< as in pbs_bonded_desc, of spheres whose volume is the particle's.
                          ///< Automatic is 0.45 of the distance to the nearest particle
    const double *contact_radii; ///< null, or particle_count, metres, >= 0
    /// Pa, >= 0: bonds soften before they break, as those of concrete do. Softening begins at the
    /// strain at which a body with all bonds stretched alike has this stress. The energy of a crack
    /// stays fracture_energy; with critical_stretch, that is where bonds break in the end. 0: bonds
    /// are brittle.
    double tensile_strength;
    double softening_knee;    ///< in (0, 1): the force falls along two lines, which meet at this
                              ///< part of its maximum; 0: 0.15
    double softening_initial; ///< in (0, 1]: the part of the energy under the first line, continued
                              ///< to zero; 1: there is one line; 0: 0.4
} pbs_peridynamic_desc;

/// Fills *d: density 1000, young 1e7, no fracture, no damping, no particles; spacing is to be set.
/// @param struct_size  sizeof(pbs_peridynamic_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_peridynamic_desc_init(pbs_peridynamic_desc *d, size_t struct_size);

/// Adds a body of particles (examples/glass.c makes one that breaks). Copies all its input. The
/// body exists until pbs_body_destroy or the end of the world.
///
/// A bond whose strain is above its critical stretch at the end of a step breaks, for good;
/// compression breaks nothing. The calls on bonds in <pbs/bonded.h> serve these bodies too:
/// pbs_body_bonds, pbs_body_broken, pbs_body_break_bonds, pbs_body_cut_plane,
/// pbs_body_cut_triangles, pbs_world_broken_bonds, pbs_body_fragments, pbs_body_particle_fragments,
/// pbs_body_damage and pbs_body_bond_loads. Damage of a particle is one minus the volume that its
/// intact bonds reach over the volume that they reached at first. Particles touch as spheres all
/// that no bond joins them to, and contact does not turn them.
///
/// A bond that softens remembers the largest strain that it had at the end of a step. It is
/// unloaded and reloaded along the line from there to zero, and compressed with its full stiffness.
/// The energy that softening takes is dissipated (pbs_energy) at the end of each step, so that none
/// is left when the bond breaks (pbs_broken_bond.energy). The part of its stiffness that is lost
/// counts as damage.
/// @param out  its id; written only on success
/// @return PBS_WEAK_BONDS (done; as pbs_body_create_bonded), PBS_ERROR_MESH (two particles at one
/// place, an inverted or flat tetrahedron, tetrahedra or a box that hold no particle; particles of
/// a plane or a bar that are not in one), PBS_ERROR_ARGUMENT (a null pointer; particles given in
/// two ways; a number that is not finite or out of its range; a horizon that reaches no neighbour
/// at all; more particles than a world can have; a strength at which softening would snap back,
/// which a shorter horizon raises), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see docs/theory/peridynamics.md; Silling, J. Mech. Phys. Solids 48 (2000) 175-209; Petersson,
/// report TVBM-1006, Lund (1981)
PBS_API pbs_status pbs_body_create_peridynamic(pbs_world *w, const pbs_peridynamic_desc *d,
                                               pbs_body *out);

/// The strain at which each bond breaks, softening and scatter included: bond_count values,
/// infinite for a bond that never breaks; the world's own array, valid until the next call that
/// changes the world. Null for a body that is not peridynamic or has no bonds.
PBS_API const double *pbs_body_critical_stretches(const pbs_world *w, pbs_body b);

/// Replaces them, for a weak layer or a zone where nothing is to break. Bonds that are broken stay
/// so; others are compared at the end of the next step. That step prepares its matrices anew, which
/// takes time: not for every step.
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

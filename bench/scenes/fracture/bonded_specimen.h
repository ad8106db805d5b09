// Specimens of bonded tetrahedra in a testing machine: a notched beam in three-point bending, and a
// disc between platens (the Brazilian test). Particles under the load have prescribed
// displacements; the steps are so long that inertia is negligible. Load, notch opening and stresses
// are computed from the state.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_BONDED_SPECIMEN_H
#define PBS_BENCH_BONDED_SPECIMEN_H

#include "common/meshes/shapes.h"
#include "pbs/pbs.h"

struct specimen_material {
    double young, poisson, density; ///< macroscopic: Pa, -, kg/m^3
    double tensile_strength;        ///< of bonds, Pa; 0: bonds do not fail this way
    double shear_strength;          ///< of bonds, Pa; 0: bonds do not fail this way
    double fracture_energy;         ///< J/m^2, replaces both strengths; 0: not used
    double weibull_modulus;         ///< 0: no scatter
};

struct specimen {
    pbs_world *world;
    pbs_body body;
    size_t count;           ///< particles
    double *rest, *volumes; ///< count x 3, m; count, m^3
    uint32_t *pushed;       ///< particles that are moved by the load
    double *targets;        ///< pushed_count x 3, m
    size_t pushed_count;
    int axis;               ///< axis along which they move
    double cell, thickness; ///< m
    double scale;           ///< of the beam: 1 means 175 x 50 x 50 mm
    double push;            ///< m: present displacement of the pushed particles
    double load;            ///< N: present load
    double released;        ///< J: energy of the bonds that broke in the last step
    size_t broke;           ///< number of bonds that broke in the last step
};

/// Creates the half-notched beam of Gregoire et al. (2013), 175 x 50 x 50 mm times `scale`, with a
/// 25 mm deep notch from below at mid-span and supports 25 mm from the ends. If `notch` is false
/// there is no notch.
bool specimen_beam(const struct specimen_material *m, double scale, double cell, uint64_t seed,
                   bool notch, struct specimen *out);
/// Creates a disc of diameter 50 mm, 15 mm thick along y, compressed along x.
/// @param turn  angle of the load to the lattice's axes, radians about y
bool specimen_disc(const struct specimen_material *m, double cell, uint64_t seed, double turn,
                   struct specimen *out);
void specimen_free(struct specimen *s);

/// Moves the pushed particles to `push` metres from their initial positions, and computes the load.
///
/// Rotations and strains are about 1e-4 and no other loads act, so the response is linear: before
/// any bond breaks the energy is load * push / 2, from which the load is computed.
pbs_status specimen_push(struct specimen *s, double push);

/// Computes the largest ratio of stress to strength of all intact bonds. As the response is linear,
/// the first bond breaks at push divided by this ratio.
pbs_status specimen_utilisation(const struct specimen *s, double *out);

/// Returns the notch opening between x = 77.5 and 97.5 mm on the lower face, m.
double specimen_opening(const struct specimen *s);

/// Results of linear elastic fracture mechanics, for plane stress and the beam of scale 1, divided
/// by the load. specimen_exact_opening: opening of the notch mouth, m/N; the face beside the notch
/// carries almost no stress, so the opening between the points above is nearly the same.
/// specimen_exact_crack_compliance: additional deflection due to a notch, (2 B / E) integral of (K
/// / P)^2 da. The formulas of Guinea, Pastor, Planas and Elices (1998) hold for spans of at
/// least 2.5 depths; the span here is 2.5 depths.
double specimen_exact_opening(double young);
/// Returns deflection over load of a beam without a notch, by bending and shear (Timoshenko's beam,
/// shear factor 5/6).
double specimen_timoshenko_compliance(const struct specimen_material *m);
double specimen_exact_crack_compliance(double young, double notch);

/// Computes the stress at a line along `axis` through a point, averaged over the thickness and over
/// distances d < radius with the weight (1 - d^2 / radius^2)^2. It is the sum over bonds of l (x) f
/// times the mean of the weight along l, divided by the integral of the weight. f is the bond's
/// force on its first particle, and l the vector to the second.
///
/// Only bonds transmit momentum, each along its straight line. The force through any plane is
/// therefore the sum of the forces of the bonds that cross it, and the result is a mean of a stress
/// field in equilibrium for any kind of bonds (Irving and Kirkwood 1950, Hardy 1982). A
/// discontinuous weight would depend on the number of lattice planes inside the radius, and vary by
/// 5 % if the radius changes by a quarter of a cell.
/// @param stress  3 x 3, Pa, tension positive; slightly unsymmetric, because bonds also transmit
/// torques
pbs_status specimen_stress(const struct specimen *s, const double point[3], int axis, double radius,
                           double stress[9]);

#endif

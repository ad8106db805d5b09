// Specimens of bonded tetrahedra in a testing machine: a notched beam in three-point bending and a
// disc between platens (the Brazilian test). Particles under the load are moved, in steps so long
// that inertia is nothing; load, opening and stresses are read from the state.
#ifndef PBS_BENCH_BONDED_SPECIMEN_H
#define PBS_BENCH_BONDED_SPECIMEN_H

#include "common/shapes.h"
#include "pbs/pbs.h"

struct specimen_material {
    double young, poisson, density; ///< of the whole: Pa, -, kg/m^3
    double tensile_strength;        ///< of bonds, Pa; 0: never
    double shear_strength;          ///< of bonds, Pa; 0: never
    double fracture_energy;         ///< J/m^2, in place of both; 0: none
    double weibull_modulus;         ///< 0: no scatter
};

struct specimen {
    pbs_world *world;
    pbs_body body;
    size_t count;           ///< particles
    double *rest, *volumes; ///< count x 3, m; count, m^3
    uint32_t *pushed;       ///< particles that the load moves
    double *targets;        ///< pushed_count x 3, m
    size_t pushed_count;
    int axis;               ///< that they move along
    double cell, thickness; ///< m
    double scale;           ///< of the beam: 1 is 175 x 50 x 50 mm
    double push;            ///< m: how far they are
    double load;            ///< N
    double released;        ///< J: of the bonds that broke in the last step
    size_t broke;           ///< how many
};

/// The half-notched beam of Gregoire et al. (2013), 175 x 50 x 50 mm times `scale`: notch from
/// below, 25 mm deep at mid-span, supports 25 mm from the ends. `notch`: false leaves it whole.
bool specimen_beam(const struct specimen_material *m, double scale, double cell, uint64_t seed,
                   bool notch, struct specimen *out);
/// A disc of diameter 50 mm, 15 mm thick along y, pressed along x.
/// @param turn  radians about y from the lattice's axes to the load
bool specimen_disc(const struct specimen_material *m, double cell, uint64_t seed, double turn,
                   struct specimen *out);
void specimen_free(struct specimen *s);

/// Moves the pushed particles to `push` metres from where they were at first, and finds the load.
///
/// The body answers in proportion to what moves it, as rotations and strains are 1e-4 and nothing
/// else acts, so its energy before any bond breaks is load * push / 2.
pbs_status specimen_push(struct specimen *s, double push);

/// The largest of stress over strength among the bonds that hold: as all answers in proportion, the
/// first of them breaks at push over this.
pbs_status specimen_utilisation(const struct specimen *s, double *out);

/// How far the sides of the notch come apart, between x = 77.5 and 97.5 mm on the lower face.
double specimen_opening(const struct specimen *s);

/// What linear elastic fracture mechanics has in their place, for plane stress and the beam of
/// scale 1, over the load: the opening of the mouth of the notch (m/N; nearly that between the
/// points above, as the face beside a notch bears next to nothing), and how much deeper a notch
/// lets the load sink, (2 B / E) integral of (K / P)^2 da. Formulas of Guinea, Pastor, Planas and
/// Elices (1998) for spans from 2.5 depths on; here it is 2.5.
double specimen_exact_opening(double young);
/// Deflection over load without a notch, by bending and shear (Timoshenko's factor 5/6).
double specimen_timoshenko_compliance(const struct specimen_material *m);
double specimen_exact_crack_compliance(double young, double notch);

/// The stress at a line along `axis` through a point, averaged over the thickness and over
/// distances d < radius with the weight (1 - d^2 / radius^2)^2: the sum over bonds of l (x) f times
/// the mean of the weight along l, over the integral of the weight; f is what the bond pulls its
/// first particle with and l the way to its second.
///
/// A bond carries f along its straight line, and nothing else carries momentum: the force through
/// any plane is the sum of those that cross it, so this is a mean of a stress in equilibrium,
/// whatever the bonds are (Irving and Kirkwood 1950, Hardy 1982). Weights that end abruptly count
/// lattice planes, 5 % to and fro as the radius changes by a quarter of a cell.
/// @param stress  becomes 9 numbers, Pa, tension positive; torques that bonds transmit leave it a
/// little unsymmetric
pbs_status specimen_stress(const struct specimen *s, const double point[3], int axis, double radius,
                           double stress[9]);

#endif

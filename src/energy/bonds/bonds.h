// Bonds between particles with orientation: beams that are stretched, sheared, bent and twisted
// (docs/theory/bonds.md). Each particle has two nodes, its position and its rotation x = r phi from
// the orientation at the start of the step.
#ifndef PBS_ENERGY_BONDS_BONDS_H
#define PBS_ENERGY_BONDS_BONDS_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// How a bond's energy depends on the angle between its direction and the one that its particles
/// carry along.
enum bond_shear {
    BOND_SHEAR_CHORD, ///< the square of the chord, 2 (1 - cos theta)
    BOND_SHEAR_ANGLE  ///< theta^2
};

/// kn, kt, N/m; kb, kw, N m.
struct bond_stiffness {
    double stretch, shear, bending, twisting;
};

/// Of a round beam between two particles: EA / l, factor GA / l, EI / l, GJ / l.
struct bond_stiffness bond_stiffness_of_beam(double young, double shear_modulus,
                                             double shear_factor, double radius, double length);

/// What a bond bears before it breaks: the strengths times its section, N, infinite where it never
/// does; and 4 / its radius, 1/m, by which moments across it count.
struct bond_limit {
    double normal, shear, lever;
};

/// Of a round section; strengths in Pa.
struct bond_limit bond_limit_of(double tensile, double shearing, double radius);

/// What bonds_create copies and arranges in lanes.
struct bonds_input {
    size_t count;
    const uint32_t *nodes; ///< count x 4: position and rotation of i, position and rotation of j
    const uint32_t *rotations; ///< count x 2: whose orientations
    const double *radii;       ///< count x 2, metres: r of both rotations
    const double *rest;        ///< count x 3, metres: p_j - p_i at rest, both particles unturned
    const struct bond_stiffness *stiffness; ///< count
    const double *damping;                  ///< count, s
    const uint8_t *broken;                  ///< null (none), or count: 1 where it is
    const struct bond_limit *limits;        ///< null (nothing breaks), or count
    enum bond_shear shear;
    /// 4 for each rotation, unit quaternions x, y, z, w: at the start of the step. Read in every
    /// evaluation.
    const double *orientations;
};

/// What a bond bears at its middle. Forces and moments of its ends differ from it by shear times
/// half the length.
struct bond_load {
    double normal, shear;    ///< N; tension is positive
    double torsion, bending; ///< N m
    double energy;           ///< J
};

/// A bond as it is: p_j - p_i and both orientations.
struct bond_state {
    double offset[3], from[4], to[4];
};

/// Of count bonds. rest: count x 3, as in bonds_input.
void bonds_compute_loads(size_t count, const double *rest, const struct bond_stiffness *stiffness,
                         enum bond_shear shear, const struct bond_state *states,
                         struct bond_load *out);

struct bonds; ///< self of the term

pbs_status bonds_create(struct memory *memory, const struct bonds_input *input, struct bonds **out);
struct term bonds_term(struct bonds *bonds);

/// Marks every bond above its limits, and those that rounding leaves in doubt, with particles at x
/// and at these orientations, 4 for each rotation; evaluations at such a state
/// (evaluation.at_chart_origin) have done so already. Bonds must have limits.
void bonds_mark_overloaded(struct bonds *bonds, struct tasks *tasks, size_t domain_count,
                           const double *x, const double *orientations);
bool bonds_have_limits(const struct bonds *bonds);
/// By bond, 1 where it was marked last; null where none was.
const uint8_t *bonds_overloaded(struct bonds *bonds);

/// A broken bond stays where it is, without stiffness. The term must be bound.
void bonds_set_broken(struct bonds *bonds, size_t bond, bool broken);
bool bonds_is_broken(const struct bonds *bonds, size_t bond);

#endif

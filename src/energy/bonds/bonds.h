// The elastic energy of bonds between particles with orientation. A bond is a beam that is
// stretched, sheared, bent and twisted (docs/theory/bonds.md). Each particle has two nodes: its
// position, and the rotation x = r phi from its orientation at the start of the step.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_BONDS_BONDS_H
#define PBS_ENERGY_BONDS_BONDS_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// How the shear energy depends on theta, the angle between a bond's direction and its rest
/// direction rotated with the particles.
enum bond_shear {
    BOND_SHEAR_CHORD, ///< squared chord length, 2 (1 - cos theta)
    BOND_SHEAR_ANGLE  ///< theta^2
};

/// Stiffnesses of one bond: kn and kt in N/m, kb and kw in N m.
struct bond_stiffness {
    double stretch, shear, bending, twisting;
};

/// Computes the stiffnesses of a round beam between two particles: EA / l, factor GA / l, EI / l,
/// GJ / l.
struct bond_stiffness bond_stiffness_of_beam(double young, double shear_modulus,
                                             double shear_factor, double radius, double length);

/// Failure limits of one bond. normal and shear are the strengths times the cross-section area, N
/// (infinite: unbreakable). lever = 4 / radius, 1/m, converts a bending moment to the normal force
/// with the same stress at the surface.
struct bond_limit {
    double normal, shear, lever;
};

/// Computes the limits of a round cross-section. Strengths in Pa.
struct bond_limit bond_limit_of(double tensile, double shearing, double radius);

/// Input of bonds_create, which copies all arrays except orientations.
struct bonds_input {
    size_t count;
    const uint32_t *nodes; ///< count x 4: position and rotation node of i, position and rotation
                           ///< node of j
    const uint32_t *rotations; ///< count x 2: index into orientations of i and of j
    const double *radii;       ///< count x 2, metres: r of both rotation nodes
    const double *rest; ///< count x 3, metres: p_j - p_i at rest, when both orientations are the
                        ///< identity
    const struct bond_stiffness *stiffness; ///< count
    const double *damping;                  ///< count, s, Rayleigh damping time
    const uint8_t *broken;                  ///< null (none is), or count: 1 if broken
    const struct bond_limit *limits;        ///< null (nothing breaks), or count
    enum bond_shear shear;
    /// 4 per rotation: the orientations at the start of the step, unit quaternions x, y, z, w. Not
    /// copied; read in every evaluation.
    const double *orientations;
};

/// Internal forces and moments at the middle of a bond. The moment at either end differs from the
/// one at the middle by the shear force times half the length.
struct bond_load {
    double normal, shear;    ///< N; tension is positive
    double torsion, bending; ///< N m
    double energy;           ///< J
};

/// The state of one bond: p_j - p_i, and the orientations of i and j.
struct bond_state {
    double offset[3], from[4], to[4];
};

/// Computes the loads of `count` bonds. rest: count x 3, as in bonds_input.
void bonds_compute_loads(size_t count, const double *rest, const struct bond_stiffness *stiffness,
                         enum bond_shear shear, const struct bond_state *states,
                         struct bond_load *out);

struct bonds; ///< self of the term

pbs_status bonds_create(struct memory *memory, const struct bonds_input *input, struct bonds **out);
struct term bonds_term(struct bonds *bonds);

/// Marks each bond whose load is above its limits, or below them by no more than rounding, at
/// positions x and the given orientations (4 per rotation). An evaluation with at_chart_origin set
/// marks bonds itself, so this call is then not needed. Bonds must have limits.
void bonds_mark_overloaded(struct bonds *bonds, struct tasks *tasks, size_t domain_count,
                           const double *x, const double *orientations);
/// Returns whether bonds can break.
bool bonds_have_limits(const struct bonds *bonds);
/// Returns flags by bond, 1 if the last marking has marked it; null if it has marked none.
const uint8_t *bonds_overloaded(struct bonds *bonds);

/// Sets whether a bond is broken; a broken one keeps its stencil and has no stiffness. The term
/// must be bound.
void bonds_set_broken(struct bonds *bonds, size_t bond, bool broken);
bool bonds_is_broken(const struct bonds *bonds, size_t bond);

#endif

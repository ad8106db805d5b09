// The pressure in a closed surface as a function of its volume: constant, that of a gas, or the
// multiplier of a prescribed volume. Theory: docs/theory/materials.md section 7.1.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_PRESSURE_PRESSURE_LAW_H
#define PBS_ENERGY_PRESSURE_PRESSURE_LAW_H

enum pressure_kind {
    PRESSURE_CONSTANT,
    PRESSURE_GAS,
    PRESSURE_HELD ///< the volume is prescribed by an augmented Lagrangian, see held_volumes.h
};

struct pressure_law {
    enum pressure_kind kind;
    double pressure; ///< Pa, inside: of a gas its pressure at `volume`, of a prescribed volume the
                     ///< multiplier
    double outside;  ///< Pa
    double exponent; ///< gamma >= 1, of a gas: pressure V^gamma is constant
    double volume;   ///< m^3, where the potential is 0: of a prescribed volume V0
    double penalty;  ///< Pa/m^3: rho of a prescribed volume in the present stage
};

/// The potential P(V) and its derivatives.
struct pressure_state {
    double value;     ///< J; infinite where a gas has no volume
    double excess;    ///< Pa: -dP/dV, the pressure inside minus that outside
    double curvature; ///< Pa: factor of minus the Hessian of V in the Hessian of P. It is `excess`,
                      ///< but of a prescribed volume without the contribution of rho
    double stiffness; ///< Pa / m^3: d^2P/dV^2 >= 0
};

/// Returns the pressure inside, Pa.
double pressure_law_inside(const struct pressure_law *law, double volume);

struct pressure_state pressure_law_at(const struct pressure_law *law, double volume);

#endif

// The pressure in a closed surface as a function of its volume: constant, of a gas, or whatever
// holds the volume. Theory: docs/theory/materials.md section 7.1.
#ifndef PBS_ENERGY_PRESSURE_PRESSURE_LAW_H
#define PBS_ENERGY_PRESSURE_PRESSURE_LAW_H

enum pressure_kind {
    PRESSURE_CONSTANT,
    PRESSURE_GAS,
    PRESSURE_HELD ///< an augmented Lagrangian of V = volume, see held_volumes.h
};

struct pressure_law {
    enum pressure_kind kind;
    double pressure; ///< Pa, inside; of a gas at `volume`; of a held volume what holds it
    double outside;  ///< Pa
    double exponent; ///< gamma >= 1, of a gas: pressure V^gamma is constant
    double volume;   ///< m^3, where the potential is 0
    double penalty;  ///< Pa/m^3: rho, of a held volume in the present stage
};

/// The potential P(V) and its derivatives.
struct pressure_state {
    double value;     ///< J; infinite where a gas has no volume
    double excess;    ///< Pa: the pressure inside less that outside, -dP/dV
    double curvature; ///< Pa: what the Hessian of the volume is multiplied by, with a minus:
                      ///< excess, of a held volume without what its penalty adds
    double stiffness; ///< Pa / m^3: d^2P/dV^2 >= 0
};

/// Pa, inside.
double pressure_law_inside(const struct pressure_law *law, double volume);

struct pressure_state pressure_law_at(const struct pressure_law *law, double volume);

#endif

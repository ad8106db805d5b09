// The pressure in a closed surface as a function of its volume: constant, or of a gas. Theory:
// docs/theory/materials.md section 7.1.
#ifndef PBS_ENERGY_PRESSURE_PRESSURE_LAW_H
#define PBS_ENERGY_PRESSURE_PRESSURE_LAW_H

#include <stdbool.h>

struct pressure_law {
    bool is_gas;
    double pressure; ///< Pa, inside; of a gas at `volume`
    double outside;  ///< Pa
    double exponent; ///< gamma >= 1, of a gas: pressure V^gamma is constant
    double volume;   ///< m^3, where the potential is 0
};

/// The potential P(V) and its derivatives.
struct pressure_state {
    double value;     ///< J; infinite where a gas has no volume
    double excess;    ///< Pa: the pressure inside less that outside, -dP/dV
    double stiffness; ///< Pa / m^3: d^2P/dV^2 >= 0
};

/// Pa, inside.
double pressure_law_inside(const struct pressure_law *law, double volume);

struct pressure_state pressure_law_at(const struct pressure_law *law, double volume);

#endif

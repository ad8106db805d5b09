// See pressure_law.h. Energies are functions of V / V0 - 1, in which the work against the pressure
// outside and that of the gas are small where they nearly cancel: powers of V would leave rounding
// errors of p V that minimisation sees.
// SPDX-License-Identifier: MIT
#include "energy/pressure/pressure_law.h"

#include <math.h>

/// log(V0 / V).
static double compression_at(const struct pressure_law *law, double volume) {
    return -log1p((volume - law->volume) / law->volume);
}

double pressure_law_inside(const struct pressure_law *law, double volume) {
    return law->kind == PRESSURE_GAS
               ? law->pressure * exp(law->exponent * compression_at(law, volume))
               : law->pressure;
}

/// The work that the gas does from `volume` to the law's: p0 V0 log(V0 / V), and for gamma > 1 p0
/// V0 ((V0 / V)^(gamma - 1) - 1) / (gamma - 1), which does not cancel as gamma goes to 1.
static double gas_energy(const struct pressure_law *law, double volume) {
    const double scale = law->pressure * law->volume;
    const double compression = compression_at(law, volume);
    const double more = law->exponent - 1.0;
    return scale * (more > 0.0 ? expm1(more * compression) / more : compression);
}

struct pressure_state pressure_law_at(const struct pressure_law *law, double volume) {
    const double grown = volume - law->volume;
    if (law->kind != PRESSURE_GAS) {
        const double excess = law->pressure - law->outside;
        return (struct pressure_state){.value = (0.5 * law->penalty * grown - excess) * grown,
                                       .excess = excess - law->penalty * grown,
                                       .curvature = excess,
                                       .stiffness = law->penalty};
    }
    if (!(volume > 0.0)) {
        return (struct pressure_state){.value = INFINITY};
    }
    const double inside = pressure_law_inside(law, volume);
    return (struct pressure_state){.value = gas_energy(law, volume) + law->outside * grown,
                                   .excess = inside - law->outside,
                                   .curvature = inside - law->outside,
                                   .stiffness = law->exponent * inside / volume};
}

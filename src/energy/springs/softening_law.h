// The force law of a bond that softens before it breaks (docs/theory/peridynamics.md section 4).
// All forces are divided by the stiffness, so p and the extension e are lengths. Up to the onset a
// the bond is elastic. Beyond it the force decreases along two lines, the first from a to a knee,
// the second from the knee to zero at c, where the bond breaks:
//
//     p(e) = min(e, max(first(e), second(e), 0)),   first, second: line[0] - line[1] e
//
// The history variable `remaining` is the least secant p / e of all accepted states, initially 1.
// Unloading and reloading follow this secant. Compression closes cracks, so the law is elastic for
// e < 0. As the maximum of the two lines is convex,
//
//     p(e) = e for e < 0,   min(remaining e, max(first(e), second(e), 0)) otherwise. (1)
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SPRINGS_SOFTENING_LAW_H
#define PBS_ENERGY_SPRINGS_SOFTENING_LAW_H

#include <math.h>
#include <stdbool.h>

/// The position of the knee, in dimensionless form.
struct softening_shape {
    double stress;  ///< r, force at the knee over the strength, in (0, 1)
    double opening; ///< b, opening e - p(e) at the knee over the opening at failure, in (0, 1)
};

struct softening_law {
    double first[2], second[2]; ///< line[0] in metres, line[1] dimensionless
};

/// Computes the shape from the relative force `stress` at the knee and the fraction `initial`, in
/// (0, 1], of the fracture energy under the first line if it is extended to zero. initial = 1 gives
/// a single line.
struct softening_shape softening_shape_of(double stress, double initial);

/// Returns the strain at which a bond breaks that starts to soften at `onset` and has the fracture
/// energy of a brittle bond that breaks at `brittle`.
double softening_critical(const struct softening_shape *shape, double onset, double brittle);

/// Returns whether the knee is at a larger strain than the onset, so that the force is a function
/// of the strain. Otherwise the bond would snap back.
bool softening_is_gradual(const struct softening_shape *shape, double onset, double critical);
/// Returns the largest onset for which softening is gradual, for a bond with the fracture energy of
/// a brittle one that breaks at `brittle`.
double softening_onset_limit(const struct softening_shape *shape, double brittle);

/// Computes the two lines. onset, critical: extensions in metres; an infinite critical gives a bond
/// that never softens.
struct softening_law softening_law_of(const struct softening_shape *shape, double onset,
                                      double critical);

/// Evaluates (1), in metres.
static inline double softening_force(const struct softening_law *law, double remaining, double e) {
    const double line = fmax(
        fmax(law->first[0] - law->first[1] * e, law->second[0] - law->second[1] * e), 0.0);
    return e < 0.0 ? e : fmin(remaining * e, line);
}

#endif

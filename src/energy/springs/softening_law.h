// The force of a bond that softens before it breaks (docs/theory/peridynamics.md section 4), over
// its stiffness: lengths and their slopes. Up to the onset a the bond is elastic; beyond it the
// force falls along two lines, the first from a to a knee, the second from there to zero at c,
// where the bond breaks:
//
//     p(e) = min(e, max(first(e), second(e), 0)),   first, second: line[0] - line[1] e
//
// What it remembers is the least secant p / e that it has been at in an accepted state, 1 at first:
// along that it is unloaded and loaded again. Pressure closes cracks: there it is elastic. The two
// lines are convex, so that
//
//     p(e) = e for e < 0,   min(remaining e, max(first(e), second(e), 0)) otherwise. (1)
#ifndef PBS_ENERGY_SPRINGS_SOFTENING_LAW_H
#define PBS_ENERGY_SPRINGS_SOFTENING_LAW_H

#include <math.h>
#include <stdbool.h>

/// Where the lines meet, of laws of any size.
struct softening_shape {
    double stress;  ///< r, over the strength: in (0, 1)
    double opening; ///< b, where the bond has opened so far, beyond what is elastic, over that at
                    ///< which it breaks: in (0, 1)
};

struct softening_law {
    double first[2], second[2]; ///< m, 1
};

/// The shape of which this part of the energy, in (0, 1], lies under the first line, were it to go
/// on to zero: 1 is one line.
struct softening_shape softening_shape_of(double stress, double initial);

/// The strain at which a bond breaks that begins to soften at `onset` and takes as much energy as a
/// brittle one that breaks at `brittle`.
double softening_critical(const struct softening_shape *shape, double onset, double brittle);

/// Whether a bond's force is a function of its strain: otherwise it would snap back.
bool softening_is_gradual(const struct softening_shape *shape, double onset, double critical);
/// The onset from which on it is not any more, of a bond with the energy of that brittle one.
double softening_onset_limit(const struct softening_shape *shape, double brittle);

/// onset, critical: metres. Infinite critical: a bond that never softens.
struct softening_law softening_law_of(const struct softening_shape *shape, double onset,
                                      double critical);

/// (1), m.
static inline double softening_force(const struct softening_law *law, double remaining, double e) {
    const double line = fmax(
        fmax(law->first[0] - law->first[1] * e, law->second[0] - law->second[1] * e), 0.0);
    return e < 0.0 ? e : fmin(remaining * e, line);
}

#endif

// Planes that keep the two sides of a pair apart all along the straight ways of their points: what
// most pairs whose boxes meet need instead of a distance. For eight pairs at once, in
// single precision.
#ifndef PBS_CONTACT_SEARCH_SEPARATION_H
#define PBS_CONTACT_SEARCH_SEPARATION_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/distances/distance.h"

enum { SEPARATION_PAIRS = 8 };

/// Where a point begins and ends, m, beside some place near all points. The fourth number of where
/// it begins is the offset of its part.
struct swept_point {
    float first[4], last[4];
};

struct separation {
    const struct swept_point *swept; ///< per point
    float reach;                     ///< m: gaps from here on are apart; offsets are added
};

/// Bit i: no plane was found that keeps pair i apart all along its way. Eight pairs, each with its
/// points, first side first. A pair of fewer points goes as two edges: a point is one without
/// length.
uint32_t separation_fails(const struct separation *separation, enum pair_kind kind,
                          uint32_t points[SEPARATION_PAIRS][PAIR_NODES]);

/// How far apart the planes keep the sides of eight pairs all along their ways, offsets and the
/// reach taken off, m: the best of them, or less by rounding; at least 0.
void separation_gap(const struct separation *separation, enum pair_kind kind,
                    uint32_t points[SEPARATION_PAIRS][PAIR_NODES], float min_gap[SEPARATION_PAIRS]);

#endif

// Finds planes that separate the two sides of a pair along the straight paths of their points. For
// most pairs whose boxes overlap, that replaces a distance computation. Eight pairs are processed
// at once, in single precision.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_SEARCH_SEPARATION_H
#define PBS_CONTACT_SEARCH_SEPARATION_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/distances/distance.h"

enum { SEPARATION_PAIRS = 8 };

/// Start and end of a point's path, m, relative to an origin near all points. first[3] is the
/// point's offset.
struct swept_point {
    float first[4], last[4];
};

struct separation {
    const struct swept_point *swept; ///< one per point
    float reach; ///< m: sides are separated if their gap, beyond offsets, exceeds this
};

/// Returns a mask: bit i is set if no plane was found that separates pair i along its paths.
/// points: of eight pairs, first side first. A pair of fewer than four points is given as two
/// edges, where a point is an edge of length zero.
uint32_t separation_fails(const struct separation *separation, enum pair_kind kind,
                          uint32_t points[SEPARATION_PAIRS][PAIR_NODES]);

/// min_gap: m, lower bounds of the gaps of eight pairs along their paths, beyond offsets and the
/// reach: the best of the planes tried, reduced by a rounding margin; at least 0.
void separation_gap(const struct separation *separation, enum pair_kind kind,
                    uint32_t points[SEPARATION_PAIRS][PAIR_NODES], float min_gap[SEPARATION_PAIRS]);

#endif

// How far a pair may move along straight lines before it comes too close: additive continuous
// collision detection. Conservative: it may stop early, never late.
// Source: Codim-IPC (Li et al. 2021, section 5): steps that a bound of the speed allows, until a
// part of the first gap is left. The speed is bounded by the largest relative displacement of two
// nodes. A step may be longer than that allows where a plane between the sides goes on to separate
// them, or where the volume that the nodes span does not vanish: sliding past one another and
// turning together cost few steps rather than hundreds, and what is left at the end is nearer to
// what must be left.
// Theory: docs/theory/contact.md section 3.1.
#ifndef PBS_GEOMETRY_DISTANCES_CONTINUOUS_COLLISION_H
#define PBS_GEOMETRY_DISTANCES_CONTINUOUS_COLLISION_H

#include "geometry/distances/distance.h"

/// The share of the first gap that is left at least, unless less is allowed, and the most steps:
/// after the last one the answer is only more conservative.
#define COLLISION_GAP_FRACTION 0.1
enum { COLLISION_STEPS = 256 };

/// What pairs did on their way. Distances evaluated; pairs that used up their steps.
struct collision_statistics {
    uint64_t distances, capped;
};

struct collision_limits {
    double separation;   ///< m: the gap is the distance less this
    double required_gap; ///< m, may be infinite: gaps need not be kept larger
    double t_max;        ///< >= 0
    double bound;        ///< an answer from here on need not be more; may be infinite
};

/// A time t in [0, t_max] such that at no time in [0, t] of the motion x + t dx the gap is below
/// both 0.1 of the gap at the start and what is to be kept. 0 for a start that touches (or is not a
/// number); else less than t_max only for a pair whose gap comes as close as 1.1 times the smaller
/// of these, or that uses up its steps. Above the bound it may be anything from there to t_max;
/// below, the bound makes no difference: the least time of many pairs does not depend on their
/// order when each is bounded by the least of those before.
/// dx: as many displacements as the kind has nodes. statistics: added to; may be null.
double collision_free_time(enum pair_kind kind, const double *const x[PAIR_NODES],
                           const double *const dx[PAIR_NODES],
                           const struct collision_limits *limits,
                           struct collision_statistics *statistics);

#endif

// Additive continuous collision detection (ACCD): how far a pair of primitives may move along
// straight lines before its gap becomes too small. Conservative: the returned time may be too
// early, never too late.
//
// Source: Codim-IPC (Li et al. 2021, section 5). The time advances by steps that an upper bound of
// the closing speed allows, until only a fraction of the initial gap is left. The bound is the
// largest relative displacement of two nodes. Two extensions allow longer steps: a plane that keeps
// separating the two sides, and a bound on the volume that the four nodes span. They reduce
// hundreds of steps to a few for pairs that slide past each other or rotate together, and the
// remaining gap at the end is closer to the required one.
//
// Theory: docs/theory/contact.md section 3.1.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_DISTANCES_CONTINUOUS_COLLISION_H
#define PBS_GEOMETRY_DISTANCES_CONTINUOUS_COLLISION_H

#include "geometry/distances/distance.h"

/// COLLISION_GAP_FRACTION: fraction of the initial gap that must be left, unless a smaller gap is
/// required. COLLISION_STEPS: largest number of steps. If it is reached, the result is only more
/// conservative.
#define COLLISION_GAP_FRACTION 0.1
enum { COLLISION_STEPS = 256 };

/// Counters: distance evaluations, and pairs that reached the step limit.
struct collision_statistics {
    uint64_t distances, capped;
};

struct collision_limits {
    double separation;   ///< m: the gap is the distance minus this
    double required_gap; ///< m: gaps above this are always allowed; may be infinite
    double t_max;        ///< >= 0
    double bound; ///< results at or above this may be anything from here to t_max; may be infinite
    double gap_fraction; ///< see collision_least_gap
};

/// Returns the gap, m, that must be left of an initial one: min(gap_fraction gap, required_gap).
/// gap_fraction: below 0.9; 0: COLLISION_GAP_FRACTION.
double collision_least_gap(double gap, double gap_fraction, double required_gap);

/// Returns a time t in [0, t_max] such that at all times in [0, t] of the motion x + t dx the gap
/// is at least what collision_least_gap says.
///
/// Returns 0 if the pair touches at the start or a coordinate is NaN. Otherwise the result is less
/// than t_max only if the gap comes within 1.1 times that minimum, or if the step limit is reached.
/// The bound does not change a result below it. So the minimum over many pairs does not depend on
/// their order if each pair is bounded by the smallest result so far.
///
/// dx: displacements, as many as the kind has nodes. statistics: counters to add to; may be null.
double collision_free_time(enum pair_kind kind, const double *const x[PAIR_NODES],
                           const double *const dx[PAIR_NODES],
                           const struct collision_limits *limits,
                           struct collision_statistics *statistics);

#endif

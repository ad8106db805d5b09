// A list of pairs is valid while every point stays within a margin of a straight path. This file
// stores the paths, and tests states against them. The mean motion of all points is subtracted,
// since a common translation changes no distance. So a scene in free flight keeps its lists.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_SEARCH_POINT_PATHS_H
#define PBS_CONTACT_SEARCH_POINT_PATHS_H

#include "base/runtime/tasks.h"
#include "contact/surfaces/collision_mesh.h"

/// A zero-initialised one covers no state. Buffers grow and never shrink.
struct point_paths {
    bool is_valid;
    double *start;        ///< point_count x 3, m: starts of the paths
    double *motion;       ///< point_count x 3, m: displacements along the paths, without their mean
    double motion_square; ///< m^2: sum of the squared displacements
    double longest;       ///< m: the largest displacement
    double margin; ///< m: largest allowed distance of any point from its path, at one common path
                   ///< parameter and after translating all points so that their mean equals `mean`
    double rounding; ///< m: tolerance for rounding errors, added to the margin
    double mean[3];  ///< m: mean start of the points that do not belong to obstacles
    double *pieces;  ///< results of the pieces of a parallel loop, while a deviation is computed
    size_t start_capacity, motion_capacity, piece_capacity;
};

pbs_status point_paths_reserve(struct memory *memory, const struct collision_mesh *mesh,
                               struct point_paths *paths);
void point_paths_free(struct memory *memory, struct point_paths *paths);

/// Sets the paths from x to x + motion (null: points at rest), with `margin` (m). The tolerance for
/// rounding is at most `rounding_limit`. The caller sets is_valid once its lists are built.
void point_paths_set(const struct collision_mesh *mesh, const double *x, const double *motion,
                     double margin, double rounding_limit, struct point_paths *paths);

/// Returns an upper bound, m, of the distance of any point from its path during the motion from x
/// to x + motion (null: at x). If x already exceeds the margin, only x is considered. Infinity if
/// the paths are not valid or a position is not a number.
double point_paths_deviation(struct tasks *tasks, const struct point_paths *paths,
                             const struct collision_mesh *mesh, const double *x,
                             const double *motion);

/// Whether a deviation that point_paths_deviation returned is within the margin.
static inline bool point_paths_within_margin(const struct point_paths *paths, double deviation) {
    // The other half of the tolerance covers the rounding error of the deviation itself.
    return deviation <= paths->margin + 0.5 * paths->rounding;
}

/// Returns the mean of x over the points that do not belong to obstacles; zero if there are none or
/// if x is null.
void point_paths_mean_position(const struct collision_mesh *mesh, const double *x, double mean[3]);

#endif

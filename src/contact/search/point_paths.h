// Straight ways of all points, and what lies beside them: where a list of pairs is good. What all
// points have in common is taken off their motion, which changes no distance: what flies is looked
// at as if it stood.
#ifndef PBS_CONTACT_SEARCH_POINT_PATHS_H
#define PBS_CONTACT_SEARCH_POINT_PATHS_H

#include "base/runtime/tasks.h"
#include "contact/surfaces/collision_mesh.h"

/// All zero is a valid one that covers nothing. Buffers grow, never shrink.
struct point_paths {
    bool is_valid;
    double *start;        ///< per point, 3: where its way begins
    double *motion;       ///< per point, 3: its way from there, without the mean of all
    double motion_square; ///< m^2: the sum of their squares
    double longest;       ///< m: of the motions
    double margin;        ///< m: how far all may be from their ways, at one time of theirs, when
                          ///< they are moved so that their mean is the one below
    double rounding;      ///< m: added to the margin
    double mean[3];       ///< m: of the points that are no obstacle's, where the ways begin
    size_t start_capacity, motion_capacity;
};

pbs_status point_paths_reserve(struct memory *memory, const struct collision_mesh *mesh,
                               struct point_paths *paths);
void point_paths_free(struct memory *memory, struct point_paths *paths);

/// From x to x + motion (null: they stay), with `margin` (m) around. Rounding is at most
/// `rounding_limit`. Nothing is covered before is_valid is set.
void point_paths_set(const struct collision_mesh *mesh, const double *x, const double *motion,
                     double margin, double rounding_limit, struct point_paths *paths);

/// How far any point is from its way at most while all move from x to x + motion (null: stay at x),
/// m; where the margin is left on the way, more than that. Infinite without valid ways, and for
/// what is not a number.
double point_paths_deviation(struct tasks *tasks, const struct point_paths *paths,
                             const struct collision_mesh *mesh, const double *x,
                             const double *motion);

/// Whether what is so far away is within the margin.
static inline bool point_paths_within_margin(const struct point_paths *paths, double deviation) {
    // Half of the rounding is for the distance.
    return deviation <= paths->margin + 0.5 * paths->rounding;
}

/// Of the points that are no obstacle's; zero without any, or of null.
void point_paths_mean_position(const struct collision_mesh *mesh, const double *x, double mean[3]);

#endif

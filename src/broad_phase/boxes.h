// Boxes of points in motion and of whatever has them as corners, rounded outward from double.
#ifndef PBS_BROAD_PHASE_BOXES_H
#define PBS_BROAD_PHASE_BOXES_H

#include "base/runtime/tasks.h"
#include "broad_phase/box.h"

/// Points on their way from x to x + step.
struct point_sweep {
    size_t count;
    const double *x;      ///< count x 3
    const double *step;   ///< count x 3; null: they stay
    double inflation;     ///< added on all sides, not negative
    const double *radius; ///< per point, added to that, not negative; null: zero
};

/// A box per point: holds fl(x + t step) for every t in [0, 1]. What is not finite, or above 1e38,
/// gives boxes that may be met by none or any, and does no other harm.
void boxes_of_points(struct tasks *tasks, const struct point_sweep *sweep, struct box *boxes);

/// A box per edge or triangle, around the boxes of its points.
/// points: count x width indices of `of_points`
void boxes_of_primitives(struct tasks *tasks, const struct box *of_points, const uint32_t *points,
                         uint32_t width, size_t count, struct box *boxes);

#endif

// Boxes with sides along the axes, in single precision, rounded outward from double: what the broad
// phase compares. Covers points in motion and whatever has them as corners.
#ifndef PBS_BROAD_PHASE_BOXES_H
#define PBS_BROAD_PHASE_BOXES_H

#include "base/runtime/tasks.h"

/// Lower x, y, z, then the upper x, y, z with their signs turned, then two unused numbers. So the
/// smallest box around two has the lesser of each number, and all six comparisons of an overlap
/// have one form.
struct box {
    _Alignas(32) float bound[8];
};

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

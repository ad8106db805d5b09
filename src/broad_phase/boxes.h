// Axis-aligned boxes of moving points, and of primitives whose corners are these points. Bounds are
// rounded outward from double to float.
// SPDX-License-Identifier: MIT
#ifndef PBS_BROAD_PHASE_BOXES_H
#define PBS_BROAD_PHASE_BOXES_H

#include "base/runtime/tasks.h"
#include "broad_phase/box.h"

/// Points that move from x to x + step.
struct point_sweep {
    size_t count;
    const double *x;      ///< count x 3
    const double *step;   ///< count x 3; null: the points do not move
    double inflation;     ///< m, >= 0: margin on all sides
    const double *radius; ///< count, m, >= 0: added to the margin; null: zero
};

/// Computes one box per point. It contains the point at x + t step, rounded to double, for every t
/// in [0, 1], with the margin around it. The box of a point that is not finite or lies beyond 1e38
/// has unspecified overlaps; the boxes of other points are not affected.
void boxes_of_points(struct tasks *tasks, const struct point_sweep *sweep, struct box *boxes);

/// Computes the bounding box of points that do not move. Without points, low is infinity and high
/// is -infinity. x: count x 3.
void box_of_points(const double *x, size_t count, double low[3], double high[3]);

/// Computes one box per edge or triangle: the smallest box around the boxes of its points. points:
/// count x width indices into `of_points`.
void boxes_of_primitives(struct tasks *tasks, const struct box *of_points, const uint32_t *points,
                         uint32_t width, size_t count, struct box *boxes);

#endif

// Axis-aligned boxes of moving points and of primitives that have these points as corners. Bounds
// are rounded outward from double.
#ifndef PBS_BROAD_PHASE_BOXES_H
#define PBS_BROAD_PHASE_BOXES_H

#include "base/runtime/tasks.h"
#include "broad_phase/box.h"

/// Points that move from x to x + step.
struct point_sweep {
    size_t count;
    const double *x;      ///< count x 3
    const double *step;   ///< count x 3; null: the points do not move
    double inflation;     ///< m, >= 0: added on all sides
    const double *radius; ///< m, >= 0, per point: added to the inflation; null: zero
};

/// Computes a box per point that contains fl(x + t step) for every t in [0, 1]. A point that is not
/// finite or is beyond 1e38 gets a box whose overlaps are unspecified; nothing else is affected.
void boxes_of_points(struct tasks *tasks, const struct point_sweep *sweep, struct box *boxes);

/// Computes the bounding box of points (3 each) that do not move; infinite, with low above high, if
/// there are none.
void box_of_points(const double *x, size_t count, double low[3], double high[3]);

/// Computes a box per edge or triangle: the smallest box around the boxes of its points. points:
/// count x width indices of `of_points`.
void boxes_of_primitives(struct tasks *tasks, const struct box *of_points, const uint32_t *points,
                         uint32_t width, size_t count, struct box *boxes);

#endif

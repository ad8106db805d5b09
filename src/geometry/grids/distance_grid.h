// Signed distances sampled on a regular grid, for obstacles without a formula (OPT section 5.2).
// The interpolation is tricubic (Catmull-Rom), with continuous gradients; or trilinear as in OPT,
// whose gradients jump at the faces of cells. The gradient is that of the interpolation, whose
// length is only approximately 1.
#ifndef PBS_GEOMETRY_GRIDS_DISTANCE_GRID_H
#define PBS_GEOMETRY_GRIDS_DISTANCE_GRID_H

#include "base/runtime/status.h"

struct distance_grid {
    double origin[3]; ///< m: position of sample 0
    double cell;      ///< m
    uint32_t counts[3];
    const float *samples; ///< m, counts[0] x counts[1] x counts[2], the first axis contiguous;
                          ///< negative inside the solid; not owned
    bool is_linear;
    bool is_hollow; ///< the border samples are inside the solid, as in a room; set by
                    ///< distance_grid_check
};

/// Checks the grid and all samples. PBS_ERROR_ARGUMENT: fewer than four samples along an axis, a
/// cell or sample that is not finite, or a grid beyond the coordinate limit. PBS_ERROR_MESH: the
/// outermost samples (three layers, or two for trilinear) have different signs.
pbs_status distance_grid_check(struct distance_grid *grid);

/// Returns the distance of a point in the grid's frame, m. gradient (3) and hessian (9, row-major)
/// may be null. Outside the grid it is the distance at the nearest point of the interpolation's
/// range, plus the distance to that point (minus, if is_hollow).
double distance_grid_value(const struct distance_grid *grid, const double point[3],
                           double gradient[3], double hessian[9]);

#endif

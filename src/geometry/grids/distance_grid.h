// Signed distances sampled on a regular grid, for obstacles without a formula (OPT section 5.2).
// The interpolation is tricubic (Catmull-Rom) with continuous gradients, or trilinear as in OPT
// with gradients that jump at the faces of cells. Tricubic interpolation is defined one cell inside
// the border of the grid, trilinear interpolation up to the border. Gradients are those of the
// interpolated function, so their length is only approximately 1.
// SPDX-License-Identifier: MIT
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
    bool is_hollow; ///< the surface encloses free space, and the border samples are inside the
                    ///< solid; set by distance_grid_check
};

/// Checks the grid and all samples. PBS_ERROR_ARGUMENT: fewer than four samples along an axis, a
/// cell or sample that is not finite, or a grid beyond the coordinate limit. PBS_ERROR_MESH: the
/// outermost samples (three layers, or two for trilinear) have different signs.
pbs_status distance_grid_check(struct distance_grid *grid);

/// Returns the distance of a point in the grid's frame, m. gradient (3) and hessian (9, row-major)
/// may be null. For a point outside the range of the interpolation it is the distance at the
/// nearest point of that range, plus the distance between both points (minus it, if is_hollow).
double distance_grid_value(const struct distance_grid *grid, const double point[3],
                           double gradient[3], double hessian[9]);

#endif

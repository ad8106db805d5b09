// Signed distances on a regular grid, interpolated: what has no formula as an obstacle (OPT section
// 5.2). By cubics that go through the samples (Catmull and Rom), with continuous gradients; or, as
// OPT has it, by products of straight lines, whose gradients jump at the faces of cells. The
// gradient is the interpolation's own, which is not quite of unit length.
#ifndef PBS_GEOMETRY_GRIDS_DISTANCE_GRID_H
#define PBS_GEOMETRY_GRIDS_DISTANCE_GRID_H

#include "base/runtime/status.h"

struct distance_grid {
    double origin[3]; ///< m: of sample 0
    double cell;      ///< m
    uint32_t counts[3];
    const float *samples; ///< m, counts[0] counts[1] counts[2], those along the first axis next to
                          ///< each other; negative inside the solid; not owned
    bool is_linear;
    bool is_hollow; ///< the samples at its border are inside the solid, as of a room; set by
                    ///< distance_grid_check
};

/// Looks at all samples. PBS_ERROR_ARGUMENT for fewer than four samples along an axis, a cell or a
/// sample that is not finite, a grid that reaches beyond any coordinate; PBS_ERROR_MESH where the
/// outermost samples, three deep or with straight lines two, have not all the same sign.
pbs_status distance_grid_check(struct distance_grid *grid);

/// The distance from a point in the grid's frame, m, its gradient (3) and second derivatives (9,
/// row-major); both may be null. Outside of the grid the distance goes on from the nearest point
/// that has one, as from a point of the surface.
double distance_grid_value(const struct distance_grid *grid, const double point[3],
                           double gradient[3], double hessian[9]);

#endif

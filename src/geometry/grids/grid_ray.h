// Where a ray meets the zero of an interpolated distance (distance_grid.h). Keeps nothing.
//
// Steps by the distance itself (Hart 1996, sphere tracing) may go too far, as an interpolation
// rises faster than distances do, and are many where a ray grazes. Here the ray goes from cell to
// cell. Where the samples' values, or bounds of its second derivative along the ray, leave room for
// a zero the cell is halved until they do not, or until one zero is isolated.
#ifndef PBS_GEOMETRY_GRIDS_GRID_RAY_H
#define PBS_GEOMETRY_GRIDS_GRID_RAY_H

#include "geometry/grids/distance_grid.h"

/// Whether the ray, in the grid's frame, meets the zero at a distance of 0 to limit (may be
/// infinite), m: the first such place, and the interpolation's gradient there, never zero.
/// direction: unit. A dip through the surface and back within a millionth of a cell may be missed.
bool grid_ray_meets(const struct distance_grid *grid, const double origin[3],
                    const double direction[3], double limit, double *distance, double gradient[3]);

#endif

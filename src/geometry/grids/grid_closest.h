// The place of an interpolated distance's zero (distance_grid.h) that is closest to a point. Keeps
// nothing.
#ifndef PBS_GEOMETRY_GRIDS_GRID_CLOSEST_H
#define PBS_GEOMETRY_GRIDS_GRID_CLOSEST_H

#include "geometry/grids/distance_grid.h"

/// Downhill from where the distance and its gradient point: along the surface until the way to the
/// point is along the normal, to a millionth of a cell. The closest of all where samples are
/// distances, and where it is not nearly as far to another; by straight lines, whose surface has
/// kinks between cells, to a quarter of a cell. False: the way led to no surface, as where there is
/// none. gradient: of the interpolation there, not zero.
bool grid_closest(const struct distance_grid *grid, const double point[3], double closest[3],
                  double gradient[3]);

#endif

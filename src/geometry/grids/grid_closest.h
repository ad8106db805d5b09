// The point of an interpolated distance's zero surface (distance_grid.h) that is closest to a given
// point. Has no state.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_GRIDS_GRID_CLOSEST_H
#define PBS_GEOMETRY_GRIDS_GRID_CLOSEST_H

#include "geometry/grids/distance_grid.h"

/// Finds the closest surface point. The search starts by projecting the point to the surface along
/// the gradient. It then moves along the surface until the vector to the point is normal to it, to
/// 1e-6 cells.
///
/// The result is the global minimum if the samples are distances and no other part of the surface
/// is nearly as close. With trilinear interpolation, whose surface has kinks between cells, it is
/// accurate to a quarter of a cell. Returns false if no surface was found. gradient: gradient of
/// the interpolation at the result, not zero.
bool grid_closest(const struct distance_grid *grid, const double point[3], double closest[3],
                  double gradient[3]);

#endif

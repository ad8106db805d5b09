// The first intersection of a ray and the zero surface of an interpolated distance
// (distance_grid.h). Has no state.
//
// Sphere tracing (Hart 1996) is not used. Its steps may be too long, since an interpolation can
// rise faster than a distance, and they are many if the ray grazes the surface. Here the ray is
// followed from cell to cell. If bounds of the values and of the second derivative along the ray do
// not exclude a zero, the interval is bisected until they do or until one zero is isolated.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_GRIDS_GRID_RAY_H
#define PBS_GEOMETRY_GRIDS_GRID_RAY_H

#include "geometry/grids/distance_grid.h"

/// Returns whether the ray (in the grid's frame) hits the surface at a distance from 0 to limit
/// (may be infinite), m. Writes the smallest such distance, and the interpolation's gradient there,
/// which is never zero. direction: unit. Two crossings within 1e-6 cells of each other may be
/// missed.
bool grid_ray_hits(const struct distance_grid *grid, const double origin[3],
                   const double direction[3], double limit, double *distance, double gradient[3]);

#endif

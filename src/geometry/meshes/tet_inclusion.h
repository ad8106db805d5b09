// Exact test of whether a point is inside a tetrahedron. Every point of a face that two tetrahedra
// share is in at least one of them, independent of rounding. Has no state.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_MESHES_TET_INCLUSION_H
#define PBS_GEOMETRY_MESHES_TET_INCLUSION_H

#include <stdbool.h>

/// Returns whether p is in a tetrahedron of positive volume, including its faces, and writes its
/// barycentric coordinates, all >= 0. A tetrahedron that is inverted, has a volume below 1e-14 of
/// its longest edge cubed, or is not finite contains no point.
bool tet_contains(const double *const corners[4], const double p[3], double weight[4]);

#endif

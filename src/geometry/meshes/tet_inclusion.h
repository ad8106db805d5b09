// Whether a point is inside a tetrahedron, exactly: neighbours have all points of their common face
// in at least one of them, whatever rounding does. Keeps nothing.
#ifndef PBS_GEOMETRY_MESHES_TET_INCLUSION_H
#define PBS_GEOMETRY_MESHES_TET_INCLUSION_H

#include <stdbool.h>

/// Whether p is in a tetrahedron of positive volume, its faces included; if so, its barycentric
/// coordinates, none below 0. What is turned inside out, has a volume below 1e-14 of its longest
/// edge cubed, or is not finite, contains nothing.
bool tet_contains(const double *const corners[4], const double p[3], double weight[4]);

#endif

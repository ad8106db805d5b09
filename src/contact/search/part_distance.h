// The distance of two parts of a collision mesh, whatever collision filters say of them. Serves
// parts that were joined: they touch once they are apart (docs/theory/joints.md section 5.1).
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_SEARCH_PART_DISTANCE_H
#define PBS_CONTACT_SEARCH_PART_DISTANCE_H

#include "contact/surfaces/collision_mesh.h"

/// Returns the distance of the points, edges and triangles of two parts, without radii; `most` if
/// it is larger; 0 if they intersect or one contains the other. If it is below `least`, any value
/// below `least` may be returned instead, with less work. points: of the mesh.
double part_distance(const struct collision_mesh *mesh, const double *points, uint32_t a,
                     uint32_t b, double least, double most);

#endif

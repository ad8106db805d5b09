// Searches a bounding tree for the nearest primitive along a ray or from a point. Boxes are visited
// from near to far, and boxes farther than the nearest result so far are skipped. The caller's
// visit function computes the distance of a primitive. The tree is only read.
// SPDX-License-Identifier: MIT
#ifndef PBS_BROAD_PHASE_TREE_SEARCH_H
#define PBS_BROAD_PHASE_TREE_SEARCH_H

#include "broad_phase/bounding_tree.h"

/// Visits a primitive. limit: distance of the nearest result so far. Returns the distance of the
/// nearest result including this primitive, at most `limit`. The order of visits is unspecified. A
/// primitive exactly at the limit is visited too.
typedef double tree_search_visit(void *self, uint32_t primitive, double limit);

/// Visits the primitives that may intersect the ray from origin along direction (unit) within
/// distance limit, m.
void tree_search_ray(const struct bounding_tree *tree, const double origin[3],
                     const double direction[3], double limit, tree_search_visit *visit, void *self);

/// Visits the primitives that a box around the ray's origin, of half extents `reach`, may touch
/// while the origin moves along the ray.
void tree_search_sweep(const struct bounding_tree *tree, const double origin[3],
                       const double direction[3], const double reach[3], double limit,
                       tree_search_visit *visit, void *self);

/// Visits the primitives whose squared distance from the point may be at most limit, m^2. The visit
/// function returns squared distances too.
void tree_search_nearest(const struct bounding_tree *tree, const double point[3], double limit,
                         tree_search_visit *visit, void *self);

#endif

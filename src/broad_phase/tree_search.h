// The nearest of what a bounding tree holds, along a ray or from a point: nearest boxes first, and
// none that is farther than what was found. What is asked of a primitive is the caller's; here it
// is a number. Only reads the tree.
#ifndef PBS_BROAD_PHASE_TREE_SEARCH_H
#define PBS_BROAD_PHASE_TREE_SEARCH_H

#include "broad_phase/bounding_tree.h"

/// Looks at a primitive, given how far what was found before lies: returns how far what has been
/// found now lies, at most `limit`. Primitives come in no order that a caller should rely on; one
/// that lies exactly at the limit comes too.
typedef double tree_search_visit(void *self, uint32_t primitive, double limit);

/// Visits whatever may be met from origin along direction (unit) within limit, m.
void tree_search_ray(const struct bounding_tree *tree, const double origin[3],
                     const double direction[3], double limit, tree_search_visit *visit, void *self);

/// Visits whatever may be as near to the point as limit, m squared: visits return squares too.
void tree_search_nearest(const struct bounding_tree *tree, const double point[3], double limit,
                         tree_search_visit *visit, void *self);

#endif

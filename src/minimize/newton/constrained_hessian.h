// Applies constraints to the assembled Hessian: H = Q^T H' Q + C + s (I - Q), in place. Only rows
// and columns of the nodes listed by projection_activate change (docs/theory/minimization.md
// section 1, item 2). Solutions of H d = -g then lie in the tangent space.
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_NEWTON_CONSTRAINED_HESSIAN_H
#define PBS_MINIMIZE_NEWTON_CONSTRAINED_HESSIAN_H

#include "contact/projection/projection.h"
#include "sparse/assembly.h"
#include "sparse/matrices/block_columns.h"

/// s is chosen per node: the largest entry of the node's diagonal block.
void constrain_hessian(struct tasks *tasks, const struct layout *layout,
                       const struct block_columns *columns, const struct projection_active *active,
                       size_t active_count, struct bsr *matrix);

/// Projects direction (row order) onto the tangent space at the listed nodes, which removes
/// rounding errors along the constraint normals.
void constrain_direction(const struct layout *layout, const struct projection_active *active,
                         size_t active_count, double *direction);

#endif

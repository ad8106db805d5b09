// Constraints in the assembled Hessian: H = Q^T H' Q + C + s (I - Q), in place, touching only the
// rows and columns of the nodes that projection_activate lists (docs/theory/minimization.md section
// 1, item 2). Directions then stay in the tangent space by themselves.
#ifndef PBS_MINIMIZE_NEWTON_CONSTRAINED_HESSIAN_H
#define PBS_MINIMIZE_NEWTON_CONSTRAINED_HESSIAN_H

#include "contact/projection/projection.h"
#include "sparse/assembly.h"
#include "sparse/matrices/block_columns.h"

/// s is each node's own: the largest entry of its diagonal block.
void constrain_hessian(struct tasks *tasks, const struct layout *layout,
                       const struct block_columns *columns, const struct projection_active *active,
                       size_t active_count, struct bsr *matrix);

/// direction = Q direction at the listed nodes, row order: removes what rounding left of other
/// components.
void constrain_direction(const struct layout *layout, const struct projection_active *active,
                         size_t active_count, double *direction);

#endif

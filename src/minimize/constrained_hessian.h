// Constraints in the assembled Hessian: H = Q^T H' Q + C + s (I - Q), in place, touching only the
// rows and columns of the nodes that projection_activate lists (integrators.md section 5.1, item
// 2). Directions then stay in the tangent space by themselves.
#ifndef PBS_MINIMIZE_CONSTRAINED_HESSIAN_H
#define PBS_MINIMIZE_CONSTRAINED_HESSIAN_H

#include "contact/projection.h"
#include "sparse/assembly.h"

/// The blocks above the diagonal in every column; the rows' own blocks are in the matrix. Depends
/// on the pattern alone.
struct block_columns {
    size_t *start;   ///< row_count + 1
    uint32_t *block; ///< blocks of each column, ascending
};

pbs_status block_columns_build(struct memory *memory, const struct bsr *pattern,
                               struct block_columns *out);
void block_columns_free(struct memory *memory, struct block_columns *columns);

/// s is each node's own: the largest entry of its diagonal block.
void constrain_hessian(struct tasks *tasks, const struct layout *layout,
                       const struct block_columns *columns, const struct projection_active *active,
                       size_t active_count, struct bsr *matrix);

/// direction = Q direction at the listed nodes, row order: removes what rounding left of other
/// components.
void constrain_direction(const struct layout *layout, const struct projection_active *active,
                         size_t active_count, double *direction);

#endif

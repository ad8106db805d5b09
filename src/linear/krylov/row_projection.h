// Velocities that equations J v = 0 allow, nearest in kinetic energy: conjugate gradients on
// J M^-1 J^T. Rows of J are sparse, and may be redundant.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_KRYLOV_ROW_PROJECTION_H
#define PBS_LINEAR_KRYLOV_ROW_PROJECTION_H

#include <stddef.h>
#include <stdint.h>

/// A row of J: entries of some nodes.
struct node_row {
    size_t count;
    const uint32_t *node;
    const double *entries; ///< 3 a node
};

struct row_projection {
    const struct node_row *rows;
    size_t count;
    size_t active_count; ///< rows that are not 0
    const double *mass;  ///< per node, kg
    double *residual;    ///< count: J a plus what else is to vanish, in the range of J. Overwritten
    // Scratch.
    double *direction, *product, *impulse; ///< count
    double *node_product;                  ///< 3 per node
};

/// out = J v.
void node_rows_multiply(const struct node_row *rows, size_t count, const double *v, double *out);

/// a -= M^-1 J^T (J M^-1 J^T)^-1 residual.
void row_projection_apply(struct row_projection *projection, double *a);

#endif

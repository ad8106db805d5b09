// The coarse matrix E = Z^T H Z of the two-level preconditioner: its pattern and its factor. Each
// cluster has two block rows, for translation and rotation, and each row that contact touches has
// one.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_TWO_LEVEL_COARSE_MATRIX_H
#define PBS_LINEAR_TWO_LEVEL_COARSE_MATRIX_H

#include "linear/problem.h"
#include "linear/two_level/rigid_clusters.h"
#include "linear/supernodal/supernodal.h"
#include "sparse/ordering/minimum_degree.h"

struct coarse_matrix {
    struct bsr matrix;                ///< in elimination order
    const uint32_t *cluster_position; ///< cluster -> the first of its two rows
    const uint32_t *contact_position; ///< index of a row of C -> its row in the matrix
    struct supernodal *factor;
    struct pairs pairs; ///< scratch: pairs of units, then of rows. The clusters come first as
                        ///< units, then the rows of C.
    struct minimum_degree ordering;
    uint32_t *unit_start, *unit_neighbor, *unit_order, *unit_row; ///< scratch
    uint32_t *unit_height;                                        ///< scratch: block rows of a unit
    size_t unit_start_capacity, unit_neighbor_capacity, unit_order_capacity, unit_row_capacity,
        unit_height_capacity;
    struct contact_matrix made_for; ///< only its pattern is used
    bool is_made;                   ///< pattern and symbolic factor are valid
    size_t start_capacity, column_capacity, value_capacity;
};

/// Creates the matrix without contact. The clusters must outlive it.
pbs_status coarse_matrix_create(struct memory *memory, const struct rigid_clusters *clusters,
                                struct coarse_matrix *out);
void coarse_matrix_destroy(struct memory *memory, struct coarse_matrix *e);

/// Updates pattern and symbolic factor to H if C couples other rows than at the last call, and sets
/// all values to zero. contact: row -> 1 + index of the row of C, or 0.
pbs_status coarse_matrix_prepare(struct memory *memory, const struct rigid_clusters *clusters,
                                 const struct linear_problem *problem, const uint32_t *contact,
                                 struct coarse_matrix *e);

/// Adds a block to (row, column) or, if (column, row) is the stored one, its transpose there.
/// stride: distance of the block's rows.
void coarse_matrix_add(const struct coarse_matrix *e, uint32_t row, uint32_t column,
                       const double *block, size_t stride);

#endif

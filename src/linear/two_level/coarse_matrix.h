// The pattern of the coarse matrix E = Z^T H Z and its factor: two block rows for each cluster's
// rigid motions (translation, rotation) and one for each row that contact touches.
#ifndef PBS_LINEAR_TWO_LEVEL_COARSE_MATRIX_H
#define PBS_LINEAR_TWO_LEVEL_COARSE_MATRIX_H

#include "linear/problem.h"
#include "linear/two_level/rigid_clusters.h"
#include "linear/supernodal/supernodal.h"
#include "sparse/ordering/minimum_degree.h"

struct coarse_matrix {
    struct bsr matrix;                ///< in the order of elimination
    const uint32_t *cluster_position; ///< cluster -> the first of its two rows
    const uint32_t *contact_position; ///< index of a row of C -> its row
    struct supernodal *factor;
    struct pairs pairs; ///< scratch: of units, then of rows. A unit is a cluster or, numbered after
                        ///< them, a row of C
    struct minimum_degree ordering;
    uint32_t *unit_start, *unit_neighbor, *unit_order, *unit_row; ///< scratch
    uint32_t *unit_height;                                        ///< scratch: rows of a unit
    size_t unit_start_capacity, unit_neighbor_capacity, unit_order_capacity, unit_row_capacity,
        unit_height_capacity;
    struct contact_matrix made_for; ///< of which only the pattern was copied
    bool is_made;                   ///< the pattern, and its symbolic factor
    size_t start_capacity, column_capacity, value_capacity;
};

/// Made for no contact. The clusters must outlive it.
pbs_status coarse_matrix_create(struct memory *memory, const struct rigid_clusters *clusters,
                                struct coarse_matrix *out);
void coarse_matrix_destroy(struct memory *memory, struct coarse_matrix *e);

/// Pattern and symbolic factor for what H couples now, made again where C couples other rows than
/// at the last call. contact: row -> 1 + index of a row of C, or 0. Values become zero.
pbs_status coarse_matrix_prepare(struct memory *memory, const struct rigid_clusters *clusters,
                                 const struct linear_problem *problem, const uint32_t *contact,
                                 struct coarse_matrix *e);

/// Adds to block (row, column), or its transpose to (column, row) where that one is stored. stride:
/// from one row of the block to the next.
void coarse_matrix_add(const struct coarse_matrix *e, uint32_t row, uint32_t column,
                       const double *block, size_t stride);

#endif

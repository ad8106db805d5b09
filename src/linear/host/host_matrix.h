// H = H0 + C in the form that the host's solver gets: compressed rows, scalar or block, in node
// order. The pattern is rebuilt only when it changes. Filling the values is one pass that reads
// every entry from its recorded source.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_HOST_HOST_MATRIX_H
#define PBS_LINEAR_HOST_HOST_MATRIX_H

#include "linear/problem.h"
#include "pbs/solver.h"

/// Source of a block. The highest bit marks a transposed block.
struct block_source {
    uint32_t a, c; ///< block indices in H0 and C; BLOCK_SOURCE_NONE: none
};

struct host_matrix {
    pbs_matrix view;       ///< passed to the host; valid until the next build or fill
    uint32_t *block_start; ///< node_count + 1
    int32_t *block_column; ///< nodes, ascending within a row
    struct block_source *source;
    int32_t *row_start; ///< row_start and column: scalar form only
    int32_t *column;
    double *values, *positions;
    struct contact_matrix contacts; ///< only its pattern is used
    uint32_t *list_start;           ///< list_*, scratch: blocks by column, unsorted
    struct block_source *list;
    int32_t *list_row;
    size_t start_capacity, column_capacity, source_capacity, row_start_capacity,
        scalar_column_capacity, value_capacity, position_capacity, list_start_capacity,
        list_capacity, list_row_capacity;
    bool is_built;
};

/// Updates the pattern. *changed: it differs from that of the last call. Zero-initialised: a matrix
/// that was never built. Allocates only if the pattern is larger than any before.
/// PBS_ERROR_ARGUMENT: 32-bit indices overflow.
pbs_status host_matrix_build(struct memory *memory, const struct linear_problem *problem,
                             int32_t form, int32_t triangle, struct host_matrix *m, bool *changed);
void host_matrix_free(struct memory *memory, struct host_matrix *m);

/// Fills the values. The problem must have the pattern that was built last. PBS_ERROR_CONVERGENCE:
/// a value is not finite.
pbs_status host_matrix_fill(struct host_matrix *m, struct tasks *tasks,
                            const struct linear_problem *problem);

#endif

// H = H0 + C as a host's solver takes it: compressed rows, of numbers or of blocks, in node order.
// The pattern is made again only when it changes; then a refill is one pass in which every entry is
// read from where it comes from.
#ifndef PBS_LINEAR_HOST_HOST_MATRIX_H
#define PBS_LINEAR_HOST_HOST_MATRIX_H

#include "linear/problem.h"
#include "pbs/solver.h"

/// Where a handed block comes from. Its transpose is meant where the highest bit is set.
struct block_source {
    uint32_t a, c; ///< blocks of H0 and of C; BLOCK_SOURCE_NONE: it has none there
};

struct host_matrix {
    pbs_matrix view;       ///< what the host sees: valid until the next build or fill
    uint32_t *block_start; ///< node_count + 1
    int32_t *block_column; ///< nodes, ascending within a row
    struct block_source *source;
    int32_t *row_start; ///< scalar form only, as `column`
    int32_t *column;
    double *values, *positions;
    struct contact_matrix contacts; ///< of which only the pattern was copied
    uint32_t *list_start;           ///< scratch: blocks by column, in any order
    struct block_source *list;
    int32_t *list_row;
    size_t start_capacity, column_capacity, source_capacity, row_start_capacity,
        scalar_column_capacity, value_capacity, position_capacity, list_start_capacity,
        list_capacity, list_row_capacity;
    bool is_built;
};

/// Brings the pattern up to date; *changed: it is another than at the last call. All zero is a
/// matrix that was never built. Allocates only for a pattern larger than any before.
/// PBS_ERROR_ARGUMENT where 32-bit indices do not reach.
pbs_status host_matrix_build(struct memory *memory, const struct linear_problem *problem,
                             int32_t form, int32_t triangle, struct host_matrix *m, bool *changed);
void host_matrix_free(struct memory *memory, struct host_matrix *m);

/// The values of the problem that was built for. PBS_ERROR_CONVERGENCE where one is not finite.
pbs_status host_matrix_fill(struct host_matrix *m, struct tasks *tasks,
                            const struct linear_problem *problem);

#endif

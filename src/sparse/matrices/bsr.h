// A symmetric matrix of 3x3 blocks, upper triangle stored by rows, diagonal block first. Rows are
// in a layout's order. The product is one pass over each domain without halo buffers: blocks inside
// a domain serve both triangles at once, blocks between two domains are read by both; so the result
// does not depend on the number of threads.
#ifndef PBS_SPARSE_MATRICES_BSR_H
#define PBS_SPARSE_MATRICES_BSR_H

#include "base/runtime/tasks.h"
#include "sparse/ordering/layout.h"

/// Kernels load rows of a block four entries at a time, so values must be readable (and may hold
/// anything) a little beyond the last block: an array of this many more doubles.
#define BSR_VALUE_PADDING 8

struct bsr {
    struct layout *layout; ///< a copy of the layout's struct; its arrays are not owned
    uint32_t row_count;
    size_t block_count;       ///< below 2^32
    uint32_t *row_start;      ///< row_count + 1: first block of each row, which is the diagonal one
    uint32_t *column;         ///< block_count: ascending within a row
    uint32_t *outer_start;    ///< row_count: first block of the row whose column belongs to another
                              ///< domain
    uint32_t *incoming_start; ///< row_count + 1
    uint32_t *incoming_row;   ///< rows of other domains that hold a block in this column, ascending
    uint32_t *incoming_block; ///< and which block that is
    double *values;           ///< 9 per block, row-major, cache-line aligned; see BSR_VALUE_PADDING
};

/// The pattern of a graph's matrix, with every diagonal block; values == null. The layout's arrays
/// must outlive it.
pbs_status bsr_build_pattern(struct memory *memory, const struct graph *graph,
                             const struct layout *layout, struct bsr *out);

/// Frees the pattern; values belong to whoever set them.
void bsr_free_pattern(struct memory *memory, struct bsr *a);

/// The graph of rows first .. end - 1 as a matrix of its own, couplings to other rows ignored; its
/// node i is row first + i.
pbs_status bsr_row_graph(struct memory *memory, const struct bsr *pattern, uint32_t first,
                         uint32_t end, struct graph *out);

/// y = A x; x, y: 3 * row_count in row order, must not overlap.
void bsr_multiply(struct tasks *tasks, const struct bsr *a, const double *x, double *y);

/// The rows of y = A x that one domain owns; the whole of x is read.
void bsr_multiply_domain(const struct bsr *a, uint32_t domain, const double *x, double *y);

/// The same added to what those rows of y hold.
void bsr_add_domain(const struct bsr *a, uint32_t domain, const double *x, double *y);

/// The index of block (row, column) with row <= column, or SIZE_MAX where the pattern has none.
size_t bsr_find(const struct bsr *a, uint32_t row, uint32_t column);

#endif

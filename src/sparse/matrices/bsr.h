// A symmetric matrix of 3x3 blocks. The upper triangle is stored by rows, the diagonal block first.
// Rows are in a layout's order. The product processes each domain in one pass without halo buffers:
// blocks inside a domain are applied to both triangles at once, blocks between two domains are read
// by both domains. So the result does not depend on the number of threads.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_MATRICES_BSR_H
#define PBS_SPARSE_MATRICES_BSR_H

#include "base/runtime/tasks.h"
#include "sparse/ordering/layout.h"

/// Number of doubles that must be readable after the last block, with any contents: kernels load
/// four entries of a row at a time.
#define BSR_VALUE_PADDING 8

struct bsr {
    struct layout *layout; ///< copy of the layout's struct; does not own the arrays
    uint32_t row_count;
    size_t block_count;    ///< below 2^32
    uint32_t *row_start;   ///< row_count + 1: first block of each row, its diagonal block
    uint32_t *column;      ///< block_count: ascending within a row
    uint32_t *outer_start; ///< row_count: first block of each row whose column belongs to another
                           ///< domain
    uint32_t *incoming_start; ///< row_count + 1
    uint32_t *incoming_row;   ///< rows of other domains with a block in this column, ascending
    uint32_t *incoming_block; ///< index of that block
    double *values;           ///< 9 per block, row-major, cache-line aligned; see BSR_VALUE_PADDING
};

/// Builds the pattern of a graph's matrix, including every diagonal block; values is null. The
/// layout's arrays must outlive it.
pbs_status bsr_build_pattern(struct memory *memory, const struct graph *graph,
                             const struct layout *layout, struct bsr *out);

/// Frees the pattern. values are not freed; their owner is whoever set them.
void bsr_free_pattern(struct memory *memory, struct bsr *a);

/// Builds the graph of rows first .. end - 1. Couplings to other rows are ignored. Node i is row
/// first + i.
pbs_status bsr_row_graph(struct memory *memory, const struct bsr *pattern, uint32_t first,
                         uint32_t end, struct graph *out);

/// y = A x; x, y: 3 * row_count in row order, must not overlap.
void bsr_multiply(struct tasks *tasks, const struct bsr *a, const double *x, double *y);

/// Computes the rows of y = A x that one domain owns. Reads all of x.
void bsr_multiply_domain(const struct bsr *a, uint32_t domain, const double *x, double *y);

/// Adds the same rows of A x to y.
void bsr_add_domain(const struct bsr *a, uint32_t domain, const double *x, double *y);

/// Returns the index of block (row, column), row <= column, or SIZE_MAX if it is not in the
/// pattern.
size_t bsr_find(const struct bsr *a, uint32_t row, uint32_t column);

#endif

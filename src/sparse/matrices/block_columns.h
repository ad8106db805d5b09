// The blocks of every column of a symmetric block matrix, which is stored by rows.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_MATRICES_BLOCK_COLUMNS_H
#define PBS_SPARSE_MATRICES_BLOCK_COLUMNS_H

#include "sparse/matrices/bsr.h"

/// Lists the blocks above the diagonal by column. Depends on the matrix pattern alone.
struct block_columns {
    uint32_t *start; ///< row_count + 1
    uint32_t *block; ///< block indices of each column, ascending
};

pbs_status block_columns_build(struct memory *memory, const struct bsr *pattern,
                               struct block_columns *out);
void block_columns_free(struct memory *memory, struct block_columns *columns);

#endif

// SPDX-License-Identifier: MIT
#include "sparse/matrices/block_columns.h"

#include <string.h>

pbs_status block_columns_build(struct memory *memory, const struct bsr *pattern,
                               struct block_columns *out) {
    const uint32_t rows = pattern->row_count;
    *out = (struct block_columns){0};
    out->start = memory_allocate(memory, (size_t)rows + 1, sizeof *out->start);
    out->block = memory_allocate(memory, pattern->block_count - rows, sizeof *out->block);
    if (out->start == NULL || out->block == NULL) {
        block_columns_free(memory, out);
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t k = pattern->row_start[r] + 1; k < pattern->row_start[r + 1]; k++) {
            out->start[pattern->column[k] + 1]++;
        }
    }
    for (uint32_t r = 0; r < rows; r++) {
        out->start[r + 1] += out->start[r];
    }
    // Each start is advanced while its column fills, which leaves it where the next column starts.
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t k = pattern->row_start[r] + 1; k < pattern->row_start[r + 1]; k++) {
            out->block[out->start[pattern->column[k]]++] = k;
        }
    }
    memmove(out->start + 1, out->start, rows * sizeof *out->start);
    out->start[0] = 0;
    return PBS_OK;
}

void block_columns_free(struct memory *memory, struct block_columns *columns) {
    memory_release(memory, columns->start);
    memory_release(memory, columns->block);
    *columns = (struct block_columns){0};
}

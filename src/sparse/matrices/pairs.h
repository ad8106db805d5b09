// Lists of (row, column) pairs for sparsity patterns that change often. They are sorted by radix
// sort.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_MATRICES_PAIRS_H
#define PBS_SPARSE_MATRICES_PAIRS_H

#include "base/runtime/memory.h"

/// A zero-initialised list is a valid empty list. Buffers grow and never shrink.
struct pairs {
    size_t count;
    uint64_t *pair; ///< row << 32 | column
    uint64_t *scratch;
    size_t *start; ///< of the pairs of each digit, while they are sorted by it
    size_t capacity, scratch_capacity, start_capacity;
};

pbs_status pairs_reserve(struct memory *memory, size_t count, struct pairs *pairs);
void pairs_free(struct memory *memory, struct pairs *pairs);

/// Appends a pair. The capacity must have been reserved.
static inline void pairs_add(struct pairs *pairs, uint32_t row, uint32_t column) {
    pairs->pair[pairs->count++] = (uint64_t)row << 32 | column;
}

/// Sorts the pairs by row, then by column, and removes duplicates.
void pairs_sort(struct pairs *pairs);

/// Converts a sorted list to compressed rows: the columns of row i are at start[i] .. start[i + 1]
/// - 1. start has row_count + 1 entries, column has one for each pair.
void pairs_compress(const struct pairs *pairs, uint32_t row_count, uint32_t *start,
                    uint32_t *column);

#endif

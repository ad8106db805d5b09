// Lists of (row, column) pairs, sorted by counting: how patterns come about that change too often
// for anything else.
#ifndef PBS_SPARSE_MATRICES_PAIRS_H
#define PBS_SPARSE_MATRICES_PAIRS_H

#include "base/runtime/memory.h"

/// All zero is an empty list. Room grows, never shrinks.
struct pairs {
    size_t count;
    uint64_t *pair; ///< row << 32 | column
    uint64_t *scratch;
    size_t capacity, scratch_capacity;
};

pbs_status pairs_reserve(struct memory *memory, size_t count, struct pairs *pairs);
void pairs_free(struct memory *memory, struct pairs *pairs);

/// Room for it must be there.
static inline void pairs_add(struct pairs *pairs, uint32_t row, uint32_t column) {
    pairs->pair[pairs->count++] = (uint64_t)row << 32 | column;
}

/// By row, then by column, each pair once.
void pairs_sort(struct pairs *pairs);

/// Compressed rows from a sorted list: columns of row i at start[i] .. start[i + 1] - 1.
/// start: row_count + 1; column: one per pair.
void pairs_compress(const struct pairs *pairs, uint32_t row_count, uint32_t *start,
                    uint32_t *column);

#endif

#include "sparse/pairs.h"

#include <string.h>

pbs_status pairs_reserve(struct memory *memory, size_t count, struct pairs *pairs) {
    RETURN_IF_FAILED(
        memory_reserve(memory, &pairs->pair, &pairs->capacity, count, sizeof *pairs->pair));
    return memory_reserve(memory, &pairs->scratch, &pairs->scratch_capacity, count,
                          sizeof *pairs->scratch);
}

void pairs_free(struct memory *memory, struct pairs *pairs) {
    memory_release(memory, pairs->pair);
    memory_release(memory, pairs->scratch);
    *pairs = (struct pairs){0};
}

/// One pass of the radix sort, by one byte.
static void sort_by_byte(struct pairs *pairs, int shift) {
    size_t start[257] = {0};
    for (size_t i = 0; i < pairs->count; i++) {
        start[(pairs->pair[i] >> shift & 255) + 1]++;
    }
    for (int b = 0; b < 256; b++) {
        start[b + 1] += start[b];
    }
    for (size_t i = 0; i < pairs->count; i++) {
        pairs->scratch[start[pairs->pair[i] >> shift & 255]++] = pairs->pair[i];
    }
    memcpy(pairs->pair, pairs->scratch, pairs->count * sizeof *pairs->pair);
}

void pairs_sort(struct pairs *pairs) {
    uint64_t varying = 0;
    for (size_t i = 1; i < pairs->count; i++) {
        varying |= pairs->pair[i] ^ pairs->pair[0];
    }
    for (int shift = 0; shift < 64; shift += 8) {
        if ((varying >> shift & 255) != 0) {
            sort_by_byte(pairs, shift);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        if (kept == 0 || pairs->pair[kept - 1] != pairs->pair[i]) {
            pairs->pair[kept++] = pairs->pair[i];
        }
    }
    pairs->count = kept;
}

void pairs_compress(const struct pairs *pairs, uint32_t row_count, uint32_t *start,
                    uint32_t *column) {
    uint32_t at = 0;
    for (uint32_t row = 0; row < row_count; row++) {
        start[row] = at;
        for (; at < pairs->count && pairs->pair[at] >> 32 == row; at++) {
            column[at] = (uint32_t)pairs->pair[at];
        }
    }
    start[row_count] = at;
}

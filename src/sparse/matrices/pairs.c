// SPDX-License-Identifier: MIT
#include "sparse/matrices/pairs.h"

#include <string.h>

// Bits per digit of the radix sort. The wide digit pays from WIDE_FROM pairs on, because its
// counters are many.
enum { NARROW_DIGIT = 8, WIDE_DIGIT = 12, WIDE_FROM = 4096 };

static int digit_width(size_t count) {
    return count < WIDE_FROM ? NARROW_DIGIT : WIDE_DIGIT;
}

pbs_status pairs_reserve(struct memory *memory, size_t count, struct pairs *pairs) {
    RETURN_IF_FAILED(
        memory_reserve(memory, &pairs->pair, &pairs->capacity, count, sizeof *pairs->pair));
    RETURN_IF_FAILED(memory_reserve(memory, &pairs->scratch, &pairs->scratch_capacity, count,
                                    sizeof *pairs->scratch));
    // The counters are not on the stack, where threads of hosts may have little room for them.
    return memory_reserve(memory, &pairs->start, &pairs->start_capacity,
                          ((size_t)1 << digit_width(count)) + 1, sizeof *pairs->start);
}

void pairs_free(struct memory *memory, struct pairs *pairs) {
    memory_release(memory, pairs->pair);
    memory_release(memory, pairs->scratch);
    memory_release(memory, pairs->start);
    *pairs = (struct pairs){0};
}

/// Sorts by one digit.
static void sort_by_digit(struct pairs *pairs, int shift, int width) {
    size_t *const start = pairs->start;
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    memset(start, 0, ((mask + 2) * sizeof *start));
    for (size_t i = 0; i < pairs->count; i++) {
        start[(pairs->pair[i] >> shift & mask) + 1]++;
    }
    for (uint64_t b = 0; b <= mask; b++) {
        start[b + 1] += start[b];
    }
    for (size_t i = 0; i < pairs->count; i++) {
        pairs->scratch[start[pairs->pair[i] >> shift & mask]++] = pairs->pair[i];
    }
    uint64_t *sorted = pairs->scratch;
    pairs->scratch = pairs->pair;
    pairs->pair = sorted;
    const size_t capacity = pairs->scratch_capacity;
    pairs->scratch_capacity = pairs->capacity;
    pairs->capacity = capacity;
}

void pairs_sort(struct pairs *pairs) {
    const int width = digit_width(pairs->count);
    uint64_t varying = 0;
    for (size_t i = 1; i < pairs->count; i++) {
        varying |= pairs->pair[i] ^ pairs->pair[0];
    }
    for (int shift = 0; shift < 64 && varying >> shift != 0; shift += width) {
        if ((varying >> shift & ((UINT64_C(1) << width) - 1)) != 0) {
            sort_by_digit(pairs, shift, width);
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

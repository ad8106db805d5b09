// The pattern of the incomplete factor: the blocks inside each domain, in elimination order.
// SPDX-License-Identifier: MIT
#include "linear/incomplete/incomplete_cholesky.h"

#include "sparse/matrices/nested_dissection.h"

#define BLOCK_PADDING 8

/// Visits all blocks above the diagonal whose row and column belong to the same domain.
#define FOR_INNER_BLOCKS(pattern, i, k)                                                            \
    for (uint32_t i = 0; i < (pattern)->row_count; i++)                                            \
        for (uint32_t k = (pattern)->row_start[i] + 1; k < (pattern)->outer_start[i]; k++)

static pbs_status allocate_rows(struct ichol *s, struct memory *memory, size_t n) {
    const size_t domains = s->layout->domain_count;
    s->row = memory_allocate(memory, n, sizeof *s->row);
    s->start = memory_allocate(memory, n + 1, sizeof *s->start);
    s->diagonal = memory_allocate(memory, n, sizeof *s->diagonal);
    s->above_start = memory_allocate(memory, n + 1, sizeof *s->above_start);
    s->inverse = memory_allocate(memory, 9 * n + BLOCK_PADDING, sizeof *s->inverse);
    s->pivot = memory_allocate(memory, 9 * n + BLOCK_PADDING, sizeof *s->pivot);
    s->slot = memory_allocate(memory, n, sizeof *s->slot);
    s->sums_start = memory_allocate(memory, domains + 1, sizeof *s->sums_start);
    s->exponent = memory_allocate(memory, domains, sizeof *s->exponent);
    s->shift = memory_allocate(memory, domains, sizeof *s->shift);
    s->bad_row = memory_allocate(memory, domains, sizeof *s->bad_row);
    return s->row && s->start && s->diagonal && s->above_start && s->inverse && s->pivot &&
                   s->slot && s->sums_start && s->exponent && s->shift && s->bad_row
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

static pbs_status allocate_blocks(struct ichol *s, struct memory *memory, size_t count) {
    s->column = memory_allocate(memory, count, sizeof *s->column);
    s->source = memory_allocate(memory, count, sizeof *s->source);
    s->above_block = memory_allocate(memory, count, sizeof *s->above_block);
    s->above_position = memory_allocate(memory, count, sizeof *s->above_position);
    s->factor = memory_allocate(memory, 9 * count + BLOCK_PADDING, sizeof *s->factor);
    return s->column && s->source && s->above_block && s->above_position && s->factor
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

static pbs_status choose_order(struct ichol *s, struct memory *memory, const struct bsr *pattern,
                               enum preconditioner_order order) {
    for (uint32_t i = 0; i < pattern->row_count; i++) {
        s->row[i] = i;
    }
    struct known_orders known = {0};
    pbs_status status = PBS_OK;
    for (uint32_t d = 0;
         d < s->layout->domain_count && order == ORDER_NESTED_DISSECTION && status == PBS_OK; d++) {
        const uint32_t first = s->layout->domain_start[d];
        const uint32_t end = s->layout->domain_start[d + 1];
        status = nested_dissection_order(memory, pattern, first, end, &known, s->row + first);
    }
    known_orders_free(memory, &known);
    return status;
}

/// Counts the blocks of each row and each column of the factor. position: row -> position.
static size_t count_blocks(struct ichol *s, const struct bsr *pattern, const uint32_t *position) {
    FOR_INNER_BLOCKS(pattern, i, k) {
        const uint32_t p = position[i];
        const uint32_t q = position[pattern->column[k]];
        s->start[(p < q ? p : q) + 1]++;
        s->above_start[(p < q ? q : p) + 1]++;
    }
    for (uint32_t p = 0; p < pattern->row_count; p++) {
        s->start[p + 1] += s->start[p];
        s->above_start[p + 1] += s->above_start[p];
    }
    return s->start[pattern->row_count];
}

/// Lists the blocks by column, then distributes the columns to the rows in ascending order. fill:
/// row_count, zero.
static void fill_blocks(struct ichol *s, const struct bsr *pattern, const uint32_t *position,
                        uint32_t *fill) {
    FOR_INNER_BLOCKS(pattern, i, k) {
        const uint32_t p = position[i];
        const uint32_t q = position[pattern->column[k]];
        const uint32_t late = p < q ? q : p;
        const uint32_t at = s->above_start[late] + fill[late]++;
        s->above_position[at] = p < q ? p : q;
        s->above_block[at] = 2 * k + (p > q);
    }
    for (uint32_t p = 0; p < pattern->row_count; p++) {
        fill[p] = s->start[p];
        s->diagonal[p] = pattern->row_start[s->row[p]];
    }
    for (uint32_t q = 0; q < pattern->row_count; q++) {
        for (uint32_t at = s->above_start[q]; at < s->above_start[q + 1]; at++) {
            const uint32_t block = fill[s->above_position[at]]++;
            s->column[block] = s->row[q];
            s->source[block] = s->above_block[at];
            s->above_block[at] = block;
        }
    }
}

/// Allocates sums for the longest row of each domain.
static pbs_status reserve_sums(struct ichol *s, struct memory *memory) {
    for (uint32_t d = 0; d < s->layout->domain_count; d++) {
        uint32_t longest = 0;
        for (uint32_t p = s->layout->domain_start[d]; p < s->layout->domain_start[d + 1]; p++) {
            const uint32_t length = s->start[p + 1] - s->start[p] + 1;
            longest = length > longest ? length : longest;
        }
        s->sums_start[d + 1] = s->sums_start[d] + longest;
    }
    s->sums = memory_allocate(memory, 12 * (size_t)s->sums_start[s->layout->domain_count],
                              sizeof *s->sums);
    return s->sums ? PBS_OK : PBS_ERROR_MEMORY;
}

static pbs_status build_pattern(struct ichol *s, struct memory *memory, const struct bsr *pattern,
                                uint32_t *position, uint32_t *fill) {
    if (!position || !fill) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t p = 0; p < pattern->row_count; p++) {
        position[s->row[p]] = p;
        s->slot[p] = UINT32_MAX;
    }
    RETURN_IF_FAILED(allocate_blocks(s, memory, count_blocks(s, pattern, position)));
    fill_blocks(s, pattern, position, fill);
    return reserve_sums(s, memory);
}

pbs_status ichol_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                         enum preconditioner_order order) {
    struct ichol *s = state;
    s->layout = pattern->layout;
    RETURN_IF_FAILED(allocate_rows(s, memory, pattern->row_count));
    RETURN_IF_FAILED(choose_order(s, memory, pattern, order));
    uint32_t *position = memory_allocate(memory, pattern->row_count, sizeof *position);
    uint32_t *fill = memory_allocate(memory, pattern->row_count, sizeof *fill);
    const pbs_status status = build_pattern(s, memory, pattern, position, fill);
    memory_release(memory, position);
    memory_release(memory, fill);
    return status;
}

pbs_status ichol_reserve_compensation(struct ichol *s, struct memory *memory) {
    s->dropped = memory_allocate(memory, 9 * (size_t)s->layout->node_count, sizeof *s->dropped);
    return s->dropped ? PBS_OK : PBS_ERROR_MEMORY;
}

void ichol_release(void *state, struct memory *memory) {
    struct ichol *s = state;
    memory_release(memory, s->row);
    memory_release(memory, s->start);
    memory_release(memory, s->column);
    memory_release(memory, s->source);
    memory_release(memory, s->diagonal);
    memory_release(memory, s->above_start);
    memory_release(memory, s->above_block);
    memory_release(memory, s->above_position);
    memory_release(memory, s->factor);
    memory_release(memory, s->inverse);
    memory_release(memory, s->pivot);
    memory_release(memory, s->slot);
    memory_release(memory, s->dropped);
    memory_release(memory, s->sums);
    memory_release(memory, s->sums_start);
    memory_release(memory, s->exponent);
    memory_release(memory, s->shift);
    memory_release(memory, s->bad_row);
}

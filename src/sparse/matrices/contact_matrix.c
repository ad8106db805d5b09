// The pattern comes from one list of pairs, sorted by counting, so that equal stencils give the
// same bits. The values are added stencil by stencil.
// SPDX-License-Identifier: MIT
#include "sparse/matrices/contact_matrix.h"

#include <string.h>

#include "sparse/matrices/block3.h"
#include "sparse/matrices/bsr.h"

static size_t count_pairs(const struct contact_stencils *sets, size_t set_count) {
    size_t count = 0;
    for (size_t s = 0; s < set_count; s++) {
        count += sets[s].count * sets[s].width * (sets[s].width + 1) / 2;
    }
    return count;
}

static void list_pairs(const struct contact_stencils *sets, size_t set_count, struct pairs *pairs) {
    pairs->count = 0;
    for (size_t s = 0; s < set_count; s++) {
        const size_t width = sets[s].width;
        for (size_t e = 0; e < sets[s].count; e++) {
            const uint32_t *rows = sets[s].rows + e * width;
            for (size_t a = 0; a < width; a++) {
                for (size_t b = a; b < width; b++) {
                    pairs_add(pairs, rows[a] < rows[b] ? rows[a] : rows[b],
                              rows[a] < rows[b] ? rows[b] : rows[a]);
                }
            }
        }
    }
}

static pbs_status reserve_pattern(struct memory *memory, uint32_t domain_count, size_t row_count,
                                  size_t block_count, struct contact_matrix *c) {
    RETURN_IF_FAILED(memory_reserve(memory, &c->row, &c->row_capacity, row_count, sizeof *c->row));
    RETURN_IF_FAILED(memory_reserve(memory, &c->domain_start, &c->domain_capacity,
                                    (size_t)domain_count + 1, sizeof *c->domain_start));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->start, &c->start_capacity, row_count + 1, sizeof *c->start));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->next, &c->next_capacity, row_count, sizeof *c->next));
    RETURN_IF_FAILED(
        memory_reserve(memory, &c->column, &c->block_capacity, block_count, sizeof *c->column));
    return memory_reserve(memory, &c->values, &c->value_capacity,
                          9 * block_count + BSR_VALUE_PADDING, sizeof *c->values);
}

static uint32_t row_of(uint64_t coupled) {
    return (uint32_t)(coupled >> 32);
}

static uint32_t column_of(uint64_t coupled) {
    return (uint32_t)coupled;
}

/// Counts the rows. Every row has a pair with itself.
static size_t count_rows(const struct pairs *pairs) {
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        count += row_of(pairs->pair[i]) == column_of(pairs->pair[i]);
    }
    return count;
}

static void list_rows(const struct layout *layout, struct contact_matrix *c) {
    uint32_t rows = 0;
    for (size_t i = 0; i < c->pairs.count; i++) {
        const uint32_t row = row_of(c->pairs.pair[i]);
        if (row == column_of(c->pairs.pair[i])) {
            c->index_of[row] = rows;
            c->row[rows++] = row;
        }
    }
    c->row_count = rows;
    uint32_t at = 0;
    for (uint32_t d = 0; d <= layout->domain_count; d++) {
        for (; at < rows && c->row[at] < layout->domain_start[d]; at++) {
        }
        c->domain_start[d] = at;
    }
}

/// Computes start, and sets `next` to the first block of each row.
static void count_blocks(struct contact_matrix *c) {
    memset(c->next, 0, c->row_count * sizeof *c->next);
    for (size_t i = 0; i < c->pairs.count; i++) {
        const uint32_t row = row_of(c->pairs.pair[i]);
        const uint32_t column = column_of(c->pairs.pair[i]);
        c->next[c->index_of[row]]++;
        c->next[c->index_of[column]] += row != column;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->row_count; i++) {
        const uint32_t count = c->next[i];
        c->start[i] = at;
        c->next[i] = at;
        at += count;
    }
    c->start[c->row_count] = at;
}

/// Writes the columns. The pairs are sorted by row, then by column, so the columns of every row are
/// written in ascending order: blocks below the diagonal are written while earlier rows are
/// processed.
static void list_columns(struct contact_matrix *c) {
    for (size_t i = 0; i < c->pairs.count; i++) {
        const uint32_t row = row_of(c->pairs.pair[i]);
        const uint32_t column = column_of(c->pairs.pair[i]);
        c->column[c->next[c->index_of[row]]++] = column;
        if (row != column) {
            c->column[c->next[c->index_of[column]]++] = row;
        }
    }
}

static double *find_block(const struct contact_matrix *c, uint32_t row, uint32_t column) {
    uint32_t low = c->start[c->index_of[row]];
    uint32_t high = c->start[c->index_of[row] + 1];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->column[middle] <= column) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return c->values + 9 * (size_t)low;
}

/// Adds a stencil to the upper triangle.
static void add_stencil(const uint32_t *rows, uint32_t width, const double *block,
                        struct contact_matrix *c) {
    const size_t stride = 3 * (size_t)width;
    for (uint32_t a = 0; a < width; a++) {
        for (uint32_t b = a; b < width; b++) {
            const double *from = block + 3 * a * stride + 3 * (size_t)b;
            if (rows[a] <= rows[b]) {
                double *to = find_block(c, rows[a], rows[b]);
                for (size_t e = 0; e < 9; e++) {
                    to[e] += from[e / 3 * stride + e % 3];
                }
            } else {
                double *to = find_block(c, rows[b], rows[a]);
                for (size_t e = 0; e < 9; e++) {
                    to[e] += from[e % 3 * stride + e / 3];
                }
            }
        }
    }
}

/// Copies the upper triangle to the lower one.
static void mirror_blocks(struct contact_matrix *c) {
    memcpy(c->next, c->start, c->row_count * sizeof *c->next);
    for (size_t i = 0; i < c->pairs.count; i++) {
        const uint32_t row = row_of(c->pairs.pair[i]);
        const uint32_t column = column_of(c->pairs.pair[i]);
        const double *from = c->values + 9 * (size_t)c->next[c->index_of[row]]++;
        if (row != column) {
            double *to = c->values + 9 * (size_t)c->next[c->index_of[column]]++;
            for (size_t e = 0; e < 9; e++) {
                to[e] = from[e % 3 * 3 + e / 3];
            }
        }
    }
}

pbs_status contact_matrix_build(struct memory *memory, const struct layout *layout,
                                const struct contact_stencils *sets, size_t set_count,
                                struct contact_matrix *c) {
    c->row_count = 0;
    const size_t count = count_pairs(sets, set_count);
    if (count == 0) {
        return PBS_OK;
    }
    if (count > UINT32_MAX / 2) {
        return status_fail(PBS_ERROR_ARGUMENT, "contacts of %zu blocks, at most %u", count,
                           UINT32_MAX / 2);
    }
    RETURN_IF_FAILED(memory_reserve(memory, &c->index_of, &c->index_capacity, layout->node_count,
                                    sizeof *c->index_of));
    RETURN_IF_FAILED(pairs_reserve(memory, count, &c->pairs));
    list_pairs(sets, set_count, &c->pairs);
    pairs_sort(&c->pairs);
    const size_t row_count = count_rows(&c->pairs);
    const size_t block_count = 2 * c->pairs.count - row_count;
    RETURN_IF_FAILED(reserve_pattern(memory, layout->domain_count, row_count, block_count, c));
    list_rows(layout, c);
    count_blocks(c);
    list_columns(c);
    memset(c->values, 0, 9 * block_count * sizeof *c->values);
    for (size_t s = 0; s < set_count; s++) {
        const uint32_t width = sets[s].width;
        for (size_t e = 0; e < sets[s].count; e++) {
            add_stencil(sets[s].rows + e * width, width, sets[s].blocks + 9 * e * width * width, c);
        }
    }
    mirror_blocks(c);
    return PBS_OK;
}

void contact_matrix_free(struct memory *memory, struct contact_matrix *c) {
    memory_release(memory, c->row);
    memory_release(memory, c->domain_start);
    memory_release(memory, c->start);
    memory_release(memory, c->column);
    memory_release(memory, c->values);
    memory_release(memory, c->index_of);
    memory_release(memory, c->next);
    pairs_free(memory, &c->pairs);
    *c = (struct contact_matrix){0};
}

static uint32_t rows_of(const struct contact_matrix *c) {
    return c ? c->row_count : 0;
}

bool contact_matrix_same_pattern(const struct contact_matrix *c,
                                 const struct contact_matrix *other) {
    const size_t rows = rows_of(c);
    if (rows != rows_of(other)) {
        return false;
    }
    return rows == 0 || (memcmp(c->row, other->row, rows * sizeof *c->row) == 0 &&
                         memcmp(c->start, other->start, (rows + 1) * sizeof *c->start) == 0 &&
                         memcmp(c->column, other->column, c->start[rows] * sizeof *c->column) == 0);
}

/// The Fowler-Noll-Vo hash, applied to 32-bit words.
static uint64_t hash_words(uint64_t hash, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

uint64_t contact_matrix_pattern_hash(const struct contact_matrix *c) {
    const size_t rows = rows_of(c);
    if (rows == 0) {
        return 0;
    }
    uint64_t hash = hash_words(UINT64_C(0xcbf29ce484222325), c->row, rows);
    hash = hash_words(hash, c->start, rows + 1);
    return hash_words(hash, c->column, c->start[rows]);
}

pbs_status contact_matrix_copy_pattern(struct memory *memory, const struct contact_matrix *c,
                                       struct contact_matrix *copy) {
    const size_t rows = rows_of(c);
    copy->row_count = 0;
    if (rows == 0) {
        return PBS_OK;
    }
    const size_t blocks = c->start[rows];
    RETURN_IF_FAILED(
        memory_reserve(memory, &copy->row, &copy->row_capacity, rows, sizeof *copy->row));
    RETURN_IF_FAILED(
        memory_reserve(memory, &copy->start, &copy->start_capacity, rows + 1, sizeof *copy->start));
    RETURN_IF_FAILED(
        memory_reserve(memory, &copy->column, &copy->block_capacity, blocks, sizeof *copy->column));
    memcpy(copy->row, c->row, rows * sizeof *c->row);
    memcpy(copy->start, c->start, (rows + 1) * sizeof *c->start);
    memcpy(copy->column, c->column, blocks * sizeof *c->column);
    copy->row_count = (uint32_t)rows;
    return PBS_OK;
}

PBS_MULTIVERSION
void contact_matrix_add_domain(const struct contact_matrix *c, uint32_t domain, const double *x,
                               double *y) {
    for (uint32_t i = c->domain_start[domain]; i < c->domain_start[domain + 1]; i++) {
        quad y0 = quad_set(0.0);
        quad y1 = quad_set(0.0);
        quad y2 = quad_set(0.0);
        for (uint32_t k = c->start[i]; k < c->start[i + 1]; k++) {
            const double *block = c->values + 9 * (size_t)k;
            const quad xj = quad_load3(x + 3 * (size_t)c->column[k]);
            y0 += quad_load(block) * xj;
            y1 += quad_load(block + 3) * xj;
            y2 += quad_load(block + 6) * xj;
        }
        quad_add3(y + 3 * (size_t)c->row[i],
                  (quad){quad_sum3(y0), quad_sum3(y1), quad_sum3(y2), 0.0});
    }
}

const double *contact_matrix_diagonal(const struct contact_matrix *c, uint32_t index) {
    return find_block(c, c->row[index], c->row[index]);
}

// See scalar_csr.h. Blocks are counted, listed by node, sorted by column and merged. Then they are
// expanded to scalar rows.
// SPDX-License-Identifier: MIT
#include "measure/scalar_csr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"

struct listed_block {
    uint32_t column;
    bool is_transposed;
    const double *value;
};

struct lister {
    const struct fixture *fixture;
    const struct contact_matrix *contacts;
    uint32_t *free_node; ///< row of H0 -> node of the matrix, UINT32_MAX where held
    size_t *start;       ///< node_count + 2; while listing, start[n + 1] is where n's next goes
    struct listed_block *blocks;
};

static void list(struct lister *l, uint32_t row, uint32_t column, const double *value,
                 bool is_transposed) {
    const uint32_t i = l->free_node[row];
    const uint32_t j = l->free_node[column];
    if (i == UINT32_MAX || j == UINT32_MAX) {
        return;
    }
    const size_t place = l->start[i + 1]++;
    if (l->blocks) {
        l->blocks[place] = (struct listed_block){j, is_transposed, value};
    }
}

/// Counts while there is no room yet, then lists.
static void list_all(struct lister *l) {
    const struct bsr *a = &l->fixture->matrix;
    for (uint32_t i = 0; i < a->row_count; i++) {
        for (uint32_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const double *value = a->values + 9 * (size_t)k;
            list(l, i, a->column[k], value, false);
            if (a->column[k] != i) {
                list(l, a->column[k], i, value, true);
            }
        }
    }
    const struct contact_matrix *c = l->contacts;
    for (uint32_t r = 0; c && r < c->row_count; r++) {
        for (uint32_t k = c->start[r]; k < c->start[r + 1]; k++) {
            list(l, c->row[r], c->column[k], c->values + 9 * (size_t)k, false);
        }
    }
}

static int by_column(const void *a, const void *b) {
    const uint32_t i = ((const struct listed_block *)a)->column;
    const uint32_t j = ((const struct listed_block *)b)->column;
    return (i > j) - (i < j);
}

static void add_block(struct scalar_csr *out, int32_t first, int32_t width,
                      const struct listed_block *block) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int32_t k = first + i * width + j;
            out->column[k] = (int32_t)(3 * block->column) + j;
            out->value[k] += block->value[block->is_transposed ? 3 * j + i : 3 * i + j];
        }
    }
}

static void spread(struct lister *l, struct scalar_csr *out) {
    int32_t first = 0;
    for (uint32_t n = 0; n < out->node_count; n++) {
        struct listed_block *blocks = l->blocks + l->start[n];
        const size_t count = l->start[n + 1] - l->start[n];
        qsort(blocks, count, sizeof *blocks, by_column);
        int32_t width = 0;
        for (size_t k = 0; k < count; k++) {
            width += k == 0 || blocks[k].column != blocks[k - 1].column ? 3 : 0;
        }
        int32_t at = -3;
        for (size_t k = 0; k < count; k++) {
            at += k == 0 || blocks[k].column != blocks[k - 1].column ? 3 : 0;
            add_block(out, first + at, width, blocks + k);
        }
        for (int32_t i = 0; i < 3; i++, first += width) {
            out->row_start[3 * n + (uint32_t)i] = first;
        }
    }
    out->row_start[3 * out->node_count] = first;
    out->matrix = (struct peer_matrix){.size = (int32_t)(3 * out->node_count),
                                       .entry_count = first,
                                       .row_start = out->row_start,
                                       .column = out->column,
                                       .value = out->value,
                                       .positions = out->positions};
}

/// Free nodes keep the host's order.
static void number_nodes(struct lister *l, struct scalar_csr *out) {
    const struct layout *layout = l->fixture->matrix.layout;
    for (uint32_t node = 0; node < layout->node_count; node++) {
        const uint32_t row = layout->row[node];
        l->free_node[row] = UINT32_MAX;
        if (!l->fixture->held[row]) {
            out->row[out->node_count] = row;
            l->free_node[row] = out->node_count++;
        }
    }
}

static pbs_status build_with(struct memory *memory, struct lister *l, struct scalar_csr *out) {
    const uint32_t row_count = l->fixture->matrix.row_count;
    l->free_node = memory_allocate(memory, row_count, sizeof *l->free_node);
    out->row = memory_allocate(memory, row_count, sizeof *out->row);
    l->start = memory_allocate(memory, (size_t)row_count + 2, sizeof *l->start);
    if (!l->free_node || !out->row || !l->start) {
        return PBS_ERROR_MEMORY;
    }
    number_nodes(l, out);
    list_all(l);
    // What is counted one place to the right becomes where each node begins.
    for (uint32_t n = 0; n < out->node_count; n++) {
        l->start[n + 1] += l->start[n];
    }
    const size_t count = l->start[out->node_count];
    memmove(l->start + 1, l->start, out->node_count * sizeof *l->start);
    const size_t size = 3 * (size_t)out->node_count;
    l->blocks = memory_allocate(memory, count, sizeof *l->blocks);
    out->row_start = memory_allocate(memory, size + 1, sizeof *out->row_start);
    out->column = memory_allocate(memory, 9 * count, sizeof *out->column);
    out->value = memory_allocate(memory, 9 * count, sizeof *out->value);
    out->positions = memory_allocate(memory, size, sizeof *out->positions);
    out->rhs = memory_allocate(memory, size, sizeof *out->rhs);
    if (!l->blocks || !out->row_start || !out->column || !out->value || !out->positions ||
        !out->rhs) {
        return PBS_ERROR_MEMORY;
    }
    list_all(l);
    spread(l, out);
    scalar_csr_from_rows(out, l->fixture->positions, out->positions);
    scalar_csr_from_rows(out, l->fixture->rhs, out->rhs);
    return PBS_OK;
}

pbs_status scalar_csr_build(struct memory *memory, const struct fixture *fixture,
                            const struct contact_matrix *contacts, struct scalar_csr *out) {
    *out = (struct scalar_csr){0};
    struct lister lister = {.fixture = fixture, .contacts = contacts};
    const pbs_status status = build_with(memory, &lister, out);
    memory_release(memory, lister.free_node);
    memory_release(memory, lister.start);
    memory_release(memory, lister.blocks);
    if (status != PBS_OK) {
        scalar_csr_free(memory, out);
    }
    return status;
}

void scalar_csr_free(struct memory *memory, struct scalar_csr *csr) {
    memory_release(memory, csr->row);
    memory_release(memory, csr->row_start);
    memory_release(memory, csr->column);
    memory_release(memory, csr->value);
    memory_release(memory, csr->positions);
    memory_release(memory, csr->rhs);
    *csr = (struct scalar_csr){0};
}

double scalar_csr_residual(const struct scalar_csr *csr, const double *x, double *rounding) {
    const struct peer_matrix *a = &csr->matrix;
    double residual = 0.0;
    double size = 0.0;
    double scale = 0.0;
    for (int32_t i = 0; i < a->size; i++) {
        double r = csr->rhs[i];
        double terms = fabs(r);
        scale += r * r;
        for (int32_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const double term = a->value[k] * x[a->column[k]];
            r -= term;
            terms += fabs(term);
        }
        residual += r * r;
        size += terms * terms;
    }
    *rounding = 0x1p-53 * sqrt(size / scale);
    return sqrt(residual / scale);
}

void scalar_csr_to_rows(const struct scalar_csr *csr, uint32_t row_count, const double *x,
                        double *rows) {
    memset(rows, 0, 3 * (size_t)row_count * sizeof *rows);
    for (uint32_t n = 0; n < csr->node_count; n++) {
        copy3(x + 3 * (size_t)n, rows + 3 * (size_t)csr->row[n]);
    }
}

void scalar_csr_from_rows(const struct scalar_csr *csr, const double *rows, double *x) {
    for (uint32_t n = 0; n < csr->node_count; n++) {
        copy3(rows + 3 * (size_t)csr->row[n], x + 3 * (size_t)n);
    }
}

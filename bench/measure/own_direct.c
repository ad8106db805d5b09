// See own_direct.h. The matrix that peers get is converted back to 3x3 blocks. Constrained nodes
// are missing from it already, and its vectors need no permutation.
// SPDX-License-Identifier: MIT
#include "measure/own_direct.h"

#include <stdlib.h>

#include "linear/supernodal/supernodal.h"

struct state {
    const struct own_setting *setting;
    struct bsr a;
    struct supernodal *factors;
};

static int32_t block_column(const struct scalar_csr *csr, uint32_t node, int32_t k) {
    return csr->column[csr->row_start[3 * node] + 3 * k] / 3;
}

static int32_t block_width(const struct scalar_csr *csr, uint32_t node) {
    return (csr->row_start[3 * node + 1] - csr->row_start[3 * node]) / 3;
}

static size_t count_blocks(const struct scalar_csr *csr) {
    size_t count = 0;
    for (uint32_t i = 0; i < csr->node_count; i++) {
        for (int32_t k = 0; k < block_width(csr, i); k++) {
            count += block_column(csr, i, k) >= (int32_t)i;
        }
    }
    return count;
}

static void copy_block(const struct scalar_csr *csr, uint32_t node, int32_t k, double *to) {
    for (uint32_t i = 0; i < 3; i++) {
        const double *from = csr->value + csr->row_start[3 * node + i] + 3 * k;
        for (uint32_t j = 0; j < 3; j++) {
            to[3 * i + j] = from[j];
        }
    }
}

static void fill(const struct scalar_csr *csr, struct bsr *a) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < csr->node_count; i++) {
        a->row_start[i] = at;
        for (int32_t k = 0; k < block_width(csr, i); k++) {
            if (block_column(csr, i, k) >= (int32_t)i) {
                a->column[at] = (uint32_t)block_column(csr, i, k);
                copy_block(csr, i, k, a->values + 9 * (size_t)at++);
            }
        }
    }
    a->row_start[csr->node_count] = at;
}

static void release(void *state) {
    struct state *s = state;
    struct memory *memory = s->setting->memory;
    supernodal_destroy(s->factors);
    memory_release(memory, s->a.row_start);
    memory_release(memory, s->a.column);
    memory_release(memory, s->a.values);
    free(s);
}

void *own_direct_create(const void *context) {
    struct state *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->setting = context;
    const struct scalar_csr *csr = s->setting->csr;
    struct memory *memory = s->setting->memory;
    struct bsr *a = &s->a;
    a->row_count = csr->node_count;
    a->block_count = count_blocks(csr);
    a->row_start = memory_allocate(memory, (size_t)a->row_count + 1, sizeof *a->row_start);
    a->column = memory_allocate(memory, a->block_count, sizeof *a->column);
    a->values = memory_allocate(memory, 9 * a->block_count + BSR_VALUE_PADDING, sizeof *a->values);
    if (!a->row_start || !a->column || !a->values) {
        release(s);
        return NULL;
    }
    fill(csr, a);
    return s;
}

static bool analyze(void *state) {
    struct state *s = state;
    return supernodal_create(s->setting->memory, SUPERNODAL_DOUBLE, &s->factors) == PBS_OK &&
           supernodal_analyze(s->factors, &s->a, NULL) == PBS_OK;
}

static bool factor(void *state) {
    struct state *s = state;
    return supernodal_factor(s->factors, s->setting->tasks, &s->a, 0.0) == PBS_OK;
}

static struct peer_result solve(void *state, const double *b, double tolerance, double *x) {
    (void)tolerance;
    struct state *s = state;
    supernodal_solve(s->factors, s->setting->tasks, b, x);
    return (struct peer_result){1, true};
}

static double entries(const void *state) {
    return (double)supernodal_factor_entries(((const struct state *)state)->factors);
}

static double flops(const void *state) {
    return supernodal_flops(((const struct state *)state)->factors);
}

const struct peer_table own_direct = {.name = "libpbs-supernodal",
                                      .is_direct = true,
                                      .size_limit = 500000,
                                      .analyze = analyze,
                                      .factor = factor,
                                      .solve = solve,
                                      .entries = entries,
                                      .flops = flops,
                                      .release = release};

// CHOLMOD: supernodal Cholesky after METIS, on the lower triangle.
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include <cholmod.h>

#include "peers/peer.h"

struct state {
    cholmod_common common;
    cholmod_sparse *a;
    cholmod_factor *factor;
};

static void release(void *state) {
    struct state *s = state;
    cholmod_l_free_factor(&s->factor, &s->common);
    cholmod_l_free_sparse(&s->a, &s->common);
    cholmod_l_finish(&s->common);
    free(s);
}

/// A row of the lower triangle is a column of the upper one.
static void fill(cholmod_sparse *out, const struct peer_matrix *a) {
    SuiteSparse_long *start = out->p;
    SuiteSparse_long *row = out->i;
    double *value = out->x;
    SuiteSparse_long count = 0;
    for (int32_t i = 0; i < a->size; i++) {
        start[i] = count;
        for (int32_t k = a->row_start[i]; k < a->row_start[i + 1] && a->column[k] <= i; k++) {
            row[count] = a->column[k];
            value[count++] = a->value[k];
        }
    }
    start[a->size] = count;
}

static void *create(const struct peer_matrix *a) {
    struct state *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    cholmod_l_start(&s->common);
    s->common.print = 0;
    s->common.supernodal = CHOLMOD_SUPERNODAL;
    s->common.nmethods = 1;
    s->common.method[0].ordering = CHOLMOD_METIS;
    const size_t size = (size_t)a->size;
    s->a = cholmod_l_allocate_sparse(size, size, ((size_t)a->entry_count + size) / 2, 1, 1, 1,
                                     CHOLMOD_REAL, &s->common);
    if (!s->a) {
        release(s);
        return NULL;
    }
    fill(s->a, a);
    return s;
}

static bool analyze(void *state) {
    struct state *s = state;
    s->factor = cholmod_l_analyze(s->a, &s->common);
    return s->factor != NULL;
}

static bool factor(void *state) {
    struct state *s = state;
    return cholmod_l_factorize(s->a, s->factor, &s->common) && s->common.status == CHOLMOD_OK;
}

static struct peer_result solve(void *state, const double *b, double tolerance, double *x) {
    (void)tolerance;
    struct state *s = state;
    const size_t size = s->a->nrow;
    cholmod_dense right = {.nrow = size,
                           .ncol = 1,
                           .nzmax = size,
                           .d = size,
                           .x = (void *)(uintptr_t)b,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *result = cholmod_l_solve(CHOLMOD_A, s->factor, &right, &s->common);
    if (!result) {
        return (struct peer_result){0, false};
    }
    memcpy(x, result->x, size * sizeof *x);
    cholmod_l_free_dense(&result, &s->common);
    return (struct peer_result){1, true};
}

/// The lower triangle that is stored, zeros of merged supernodes included.
static double entries(const void *state) {
    const cholmod_factor *l = ((const struct state *)state)->factor;
    const SuiteSparse_long *first = l->super;
    const SuiteSparse_long *row = l->pi;
    double sum = 0.0;
    for (size_t s = 0; s < l->nsuper; s++) {
        const double columns = (double)(first[s + 1] - first[s]);
        sum += columns * (double)(row[s + 1] - row[s]) - 0.5 * columns * (columns - 1.0);
    }
    return sum;
}

static double flops(const void *state) {
    return ((const struct state *)state)->common.fl;
}

static const struct peer_table supernodal = {.name = "cholmod-supernodal-metis",
                                             .is_direct = true,
                                             .size_limit = 500000,
                                             .create = create,
                                             .analyze = analyze,
                                             .factor = factor,
                                             .solve = solve,
                                             .entries = entries,
                                             .flops = flops,
                                             .release = release};

PEER_EXPORT const struct peer_table *const *peer_tables(void) {
    static const struct peer_table *const tables[] = {&supernodal, NULL};
    return tables;
}

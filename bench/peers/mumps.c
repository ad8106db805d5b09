// MUMPS, sequential: multifrontal L D L^T of a positive definite matrix after METIS.
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include <dmumps_c.h>

#include "peers/peer.h"

enum { JOB_START = -1, JOB_END = -2, JOB_ANALYZE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3 };
enum { POSITIVE_DEFINITE = 1, SEQUENTIAL_WORLD = -987654, METIS = 5 };

struct state {
    DMUMPS_STRUC_C mumps;
    MUMPS_INT *row;
    MUMPS_INT *column;
    double *value;
};

static bool run(struct state *s, int job) {
    s->mumps.job = job;
    dmumps_c(&s->mumps);
    return s->mumps.infog[0] >= 0;
}

static void release(void *state) {
    struct state *s = state;
    run(s, JOB_END);
    free(s->row);
    free(s->column);
    free(s->value);
    free(s);
}

static void fill(struct state *s, const struct peer_matrix *a) {
    MUMPS_INT8 count = 0;
    for (int32_t i = 0; i < a->size; i++) {
        for (int32_t k = a->row_start[i]; k < a->row_start[i + 1] && a->column[k] <= i; k++) {
            s->row[count] = i + 1;
            s->column[count] = a->column[k] + 1;
            s->value[count++] = a->value[k];
        }
    }
    s->mumps.n = a->size;
    s->mumps.nnz = count;
    s->mumps.irn = s->row;
    s->mumps.jcn = s->column;
    s->mumps.a = s->value;
}

static void *create(const struct peer_matrix *a) {
    struct state *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->mumps.par = 1;
    s->mumps.sym = POSITIVE_DEFINITE;
    s->mumps.comm_fortran = SEQUENTIAL_WORLD;
    const size_t most = (size_t)a->entry_count;
    s->row = malloc(most * sizeof *s->row);
    s->column = malloc(most * sizeof *s->column);
    s->value = malloc(most * sizeof *s->value);
    if (!run(s, JOB_START) || !s->row || !s->column || !s->value) {
        release(s);
        return NULL;
    }
    // ICNTL(1..4): silent. ICNTL(7): the ordering.
    memset(s->mumps.icntl, 0, 4 * sizeof *s->mumps.icntl);
    s->mumps.icntl[6] = METIS;
    fill(s, a);
    return s;
}

static bool analyze(void *state) {
    return run(state, JOB_ANALYZE);
}

static bool factor(void *state) {
    return run(state, JOB_FACTOR);
}

static struct peer_result solve(void *state, const double *b, double tolerance, double *x) {
    (void)tolerance;
    struct state *s = state;
    memcpy(x, b, (size_t)s->mumps.n * sizeof *x);
    s->mumps.rhs = x;
    const bool done = run(s, JOB_SOLVE);
    return (struct peer_result){1, done};
}

/// INFOG(29): negative values are millions.
static double entries(const void *state) {
    const double value = ((const struct state *)state)->mumps.infog[28];
    return value < 0.0 ? -1e6 * value : value;
}

/// RINFOG(3): of the elimination, as it was done.
static double flops(const void *state) {
    return ((const struct state *)state)->mumps.rinfog[2];
}

static const struct peer_table multifrontal = {.name = "mumps-metis",
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
    static const struct peer_table *const tables[] = {&multifrontal, NULL};
    return tables;
}

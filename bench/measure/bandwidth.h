// What the memory gives: the triad a = b + s c, and what a block product must move.
#ifndef PBS_BENCH_BANDWIDTH_H
#define PBS_BENCH_BANDWIDTH_H

#include "sparse/matrices/bsr.h"

struct triad {
    size_t count;
    double *a, *b, *c;
};

/// About `count` elements an array.
pbs_status triad_create(struct memory *memory, size_t count, struct triad *out);
void triad_free(struct memory *memory, struct triad *triad);
void triad_run(struct tasks *tasks, struct triad *triad);
/// Of one run: 24 an element.
double triad_bytes(const struct triad *triad);

/// Blocks and their indices once, those between two domains twice, row starts, x read, y written.
double product_bytes(const struct bsr *a);

#endif

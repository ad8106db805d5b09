// Memory bandwidth: the triad a = b + s c measures it, and product_bytes is the memory traffic of a
// block matrix product.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_BANDWIDTH_H
#define PBS_BENCH_BANDWIDTH_H

#include "sparse/matrices/bsr.h"

struct triad {
    size_t count;
    double *a, *b, *c;
};

/// Allocates three arrays of about `count` elements each.
pbs_status triad_create(struct memory *memory, size_t count, struct triad *out);
void triad_free(struct memory *memory, struct triad *triad);
void triad_run(struct tasks *tasks, struct triad *triad);
/// Returns the bytes that one run moves: 24 per element.
double triad_bytes(const struct triad *triad);

/// Returns the bytes that one product moves: blocks and their indices once, those between two
/// domains twice, row starts, x and y.
double product_bytes(const struct bsr *a);

#endif

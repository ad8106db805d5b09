// A fill-reducing elimination order in milliseconds, for graphs that change too often for METIS.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_ORDERING_MINIMUM_DEGREE_H
#define PBS_SPARSE_ORDERING_MINIMUM_DEGREE_H

#include "base/runtime/memory.h"

/// Scratch memory. A zero-initialised struct is valid; buffers grow and never shrink.
struct minimum_degree {
    uint32_t *words;
    uint64_t *wide;
    uint32_t *pool;
    size_t word_capacity, wide_capacity, pool_capacity;
};

void minimum_degree_free(struct memory *memory, struct minimum_degree *m);

/// Computes the elimination order of a graph: order[k] is the vertex to eliminate k-th. start,
/// neighbor: compressed rows. An edge may be listed at one end or at both, any number of times;
/// loops are ignored. weight: number of matrix rows per vertex, 1 or more, with a sum below 2^32
/// (the memory used grows with the sum); null: 1 each.
pbs_status minimum_degree_order(struct memory *memory, uint32_t vertex_count, const uint32_t *start,
                                const uint32_t *neighbor, const uint32_t *weight,
                                struct minimum_degree *m, uint32_t *order);

#endif

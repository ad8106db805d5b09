// An elimination order with little fill, in milliseconds: for graphs that change too often for
// METIS.
#ifndef PBS_SPARSE_ORDERING_MINIMUM_DEGREE_H
#define PBS_SPARSE_ORDERING_MINIMUM_DEGREE_H

#include "base/runtime/memory.h"

/// Scratch, all zero at first; room grows, never shrinks.
struct minimum_degree {
    uint32_t *words;
    uint64_t *wide;
    uint32_t *pool;
    size_t word_capacity, wide_capacity, pool_capacity;
};

void minimum_degree_free(struct memory *memory, struct minimum_degree *m);

/// start, neighbor: compressed rows in which every edge is named at one of its ends or at both, any
/// number of times; a vertex that names itself is passed over. weight: how many rows each vertex
/// stands for, 1 or more, all together below 2^32 (room grows with their sum); null: 1 each.
/// order[k] becomes the vertex to eliminate k-th.
pbs_status minimum_degree_order(struct memory *memory, uint32_t vertex_count, const uint32_t *start,
                                const uint32_t *neighbor, const uint32_t *weight,
                                struct minimum_degree *m, uint32_t *order);

#endif

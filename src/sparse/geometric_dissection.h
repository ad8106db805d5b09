// An elimination order with little fill from where the vertices are: for graphs that change too
// often for METIS.
#ifndef PBS_SPARSE_GEOMETRIC_DISSECTION_H
#define PBS_SPARSE_GEOMETRIC_DISSECTION_H

#include "base/memory.h"

/// All zero at first; room grows, never shrinks.
struct geometric_dissection {
    uint32_t *side; ///< scratch: vertex -> the half it is in
    uint32_t *held; ///< scratch: vertex -> 1 where it has an edge to the other half
    uint32_t *other;
    size_t side_capacity, held_capacity, other_capacity;
};

void geometric_dissection_free(struct memory *memory, struct geometric_dissection *d);

/// start, neighbor: compressed rows in which every edge is named at one of its ends or at both.
/// positions: 3 per vertex. order[k] becomes the vertex to eliminate k-th.
pbs_status geometric_dissection_order(struct memory *memory, uint32_t vertex_count,
                                      const uint32_t *start, const uint32_t *neighbor,
                                      const double *positions, struct geometric_dissection *d,
                                      uint32_t *order);

#endif

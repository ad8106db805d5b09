// Springs between pairs of nodes: the sum of 1/2 k (|l| - l0)^2, l from one end to the other.
#ifndef PBS_ENERGY_SPRINGS_H
#define PBS_ENERGY_SPRINGS_H

#include "base/memory.h"
#include "energy/term.h"

/// What springs_create copies and arranges in lanes.
struct springs_input {
    size_t count;
    const uint32_t *nodes;      ///< count x 2
    const double *stiffness;    ///< count, N/m
    const double *rest_lengths; ///< count, metres, >= 0
    const double *damping;      ///< count, s
};

struct springs; ///< self of the term

pbs_status springs_create(struct memory *memory, const struct springs_input *input,
                          struct springs **out);
struct term springs_term(struct springs *springs);

#endif

// Dashpots between pairs of nodes, which leave rotation alone: c / (2 b) (|l| - l_p)^2, l from one
// end to the other, l_p the history of its length (strain_history.h), b the stage's length.
// Theory: docs/theory/materials.md section 6.1.
#ifndef PBS_ENERGY_DAMPING_SPRING_DAMPING_H
#define PBS_ENERGY_DAMPING_SPRING_DAMPING_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// What spring_damping_create copies.
struct spring_damping_input {
    size_t count;
    const uint32_t *nodes;     ///< count x 2
    const double *coefficient; ///< count, c, N s/m
    const uint8_t *broken;     ///< null (none), or count: 1 where it is
};

struct spring_damping; ///< self of the term

pbs_status spring_damping_create(struct memory *memory, const struct spring_damping_input *input,
                                 struct spring_damping **out);
struct term spring_damping_term(struct spring_damping *damping);

/// A broken dashpot stays where it is and does nothing. The term must be bound.
void spring_damping_set_broken(struct spring_damping *damping, size_t dashpot, bool broken);

#endif

// Dashpots between pairs of nodes, which do not damp rotations: c / (2 b) (|l| - l_p)^2, where l is
// the vector from one end to the other, l_p the history of its length (strain_history.h), and b the
// stage's length. Theory: docs/theory/materials.md section 6.1.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_DAMPING_SPRING_DAMPING_H
#define PBS_ENERGY_DAMPING_SPRING_DAMPING_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// Input of spring_damping_create, which copies it.
struct spring_damping_input {
    size_t count;
    const uint32_t *nodes;     ///< count x 2
    const double *coefficient; ///< count, c, N s/m
    const uint8_t *broken;     ///< null (none is), or count: 1 if broken
};

struct spring_damping; ///< self of the term

pbs_status spring_damping_create(struct memory *memory, const struct spring_damping_input *input,
                                 struct spring_damping **out);
struct term spring_damping_term(struct spring_damping *damping);

/// Sets the coefficient of a dashpot. The term must be bound.
void spring_damping_set_coefficient(struct spring_damping *damping, size_t dashpot,
                                    double coefficient);
/// Sets whether a dashpot is broken; a broken one keeps its stencil and has no energy. The term
/// must be bound.
void spring_damping_set_broken(struct spring_damping *damping, size_t dashpot, bool broken);

#endif

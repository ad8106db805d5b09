// Value and gradient of very many springs, in the order of pair_layout.h. Springs keep the indices
// of the input; a broken spring keeps its lane and has no stiffness.
//
// If all springs have a similar product of stiffness and rest length, sums of forces are exact:
// each force is rounded to a multiple of a quantum, which is not coarser than the force error
// caused by rounding a spring's length. The sums then do not depend on the order of the springs.
// Forces balance to the last bit, and a mirror-symmetric body stays symmetric.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SPRINGS_SPRING_PAIRS_H
#define PBS_ENERGY_SPRINGS_SPRING_PAIRS_H

#include "energy/springs/pair_layout.h"
#include "energy/term.h"

/// Input of spring_pairs_create. limits is not copied and must stay valid.
struct spring_pairs_input {
    size_t count;
    const uint32_t *nodes;          ///< count x 2
    const double *stiffness;        ///< count, N/m
    const double *rest_lengths;     ///< count, metres
    const uint8_t *broken;          ///< count: 1 if broken
    const double *limits;           ///< count, or null: nothing breaks
    const struct pair_order *order; ///< see pair_layout_build
};

struct spring_pairs {
    struct pair_layout layout;
    double *stiffness, *rest; ///< by lane; 0 and SPRING_PAIRS_NO_REST if the lane has no spring
    const double *limits;     ///< by spring: largest (|l| - l0) / l0; null: nothing breaks
    double *least;            ///< by group: the lowest limit of its springs; null: nothing breaks
    uint8_t *suspected;       ///< by slice: 1 if a spring may be above its limit
    uint8_t *marked;          ///< by slice: 1 if the last marking found a spring above its limit
    uint8_t *overloaded;  ///< by group of a slice with marked = 1: bit l: lane l is above its limit
    double *x, *gradient; ///< 3 x stride: positions and gradient in layout order
    double *values;       ///< by slab: energy, J
    double rounder;       ///< 3/2 2^52 quanta; 0: sums are not exact
};

/// A rest length, in metres, so large that a lane with it never exceeds a limit.
#define SPRING_PAIRS_NO_REST 1e100

pbs_status spring_pairs_create(struct memory *memory, const struct spring_pairs_input *input,
                               struct spring_pairs *out);
void spring_pairs_free(struct spring_pairs *springs, struct memory *memory);

/// Adds value and gradient (in node order) to *sums as evaluation->what requests. If `marks` is
/// set, also marks springs above their limits.
void spring_pairs_evaluate(struct spring_pairs *springs, struct tasks *tasks,
                           const struct evaluation *evaluation, bool marks,
                           struct evaluation_sums *sums);

/// Calls found(context, spring) for all springs of the last marking, by ascending lane.
void spring_pairs_each_marked(const struct spring_pairs *springs,
                              void (*found)(void *context, uint32_t spring), void *context);

/// Subtracts the contribution of a spring with this stiffness and rest length at x from the
/// gradient (in node order). If sums are exact, the result is exactly the sum over the other
/// springs.
void spring_pairs_remove_gradient(const struct spring_pairs *springs, const uint32_t nodes[2],
                                  double stiffness, double rest_length, const double *x,
                                  double *gradient);

/// Sets stiffness and rest length of a spring. Without stiffness it has no limit.
void spring_pairs_set(struct spring_pairs *springs, uint32_t spring, double stiffness,
                      double rest_length);
/// Chooses whether and how sums are exact; for when stiffnesses or rest lengths were set.
void spring_pairs_choose_rounder(struct spring_pairs *springs, size_t count,
                                 const double *stiffness, const double *rest_lengths);

#endif

// Value and gradient of very many springs, in the order of pair_layout.h. Springs are numbered as
// they were given; a broken one stays where it is, without stiffness.
//
// Where springs are of one kind, sums of forces are exact: each force is rounded to a whole number
// of a quantum that is no coarser than what rounding makes of the spring's length, so that no order
// shows. Forces then balance to the last bit, and a body that is its own mirror image stays so.
#ifndef PBS_ENERGY_SPRINGS_SPRING_PAIRS_H
#define PBS_ENERGY_SPRINGS_SPRING_PAIRS_H

#include "energy/springs/pair_layout.h"
#include "energy/term.h"

/// What spring_pairs_create reads; limits must stay.
struct spring_pairs_input {
    size_t count;
    const uint32_t *nodes;          ///< count x 2
    const double *stiffness;        ///< count, N/m
    const double *rest_lengths;     ///< count, metres
    const uint8_t *broken;          ///< count
    const double *limits;           ///< count, or null: nothing breaks
    const struct pair_order *order; ///< see pair_layout_build
};

struct spring_pairs {
    struct pair_layout layout;
    double *stiffness, *rest; ///< by lane; 0 and SPRING_PAIRS_NO_REST where there is no spring
    const double *limits;     ///< by spring: largest (|l| - l0) / l0; null: nothing breaks
    double *least;            ///< by group: the least limit of its springs; null: nothing breaks
    uint8_t *suspected;       ///< by slice: 1 where one of them may be above its limit
    uint8_t *marked;          ///< by slice: 1 where one of them was when they were marked last
    uint8_t *overloaded;      ///< by group of such a slice: bit l: lane l is
    double *x, *gradient;     ///< 3 x stride
    double *values;           ///< by slab
    double rounder;           ///< 3/2 2^52 quanta; 0: sums are not exact
};

/// So long that no lane is ever stretched beyond it.
#define SPRING_PAIRS_NO_REST 1e100

pbs_status spring_pairs_create(struct memory *memory, const struct spring_pairs_input *input,
                               struct spring_pairs *out);
void spring_pairs_free(struct spring_pairs *springs, struct memory *memory);

/// Adds to *sums what evaluation->what asks for of value and gradient, the gradient by node. Marks
/// what is above its limit if that is asked for.
void spring_pairs_evaluate(struct spring_pairs *springs, struct tasks *tasks,
                           const struct evaluation *evaluation, bool marks,
                           struct evaluation_sums *sums);

/// Calls found(context, spring) for all that were marked last, by ascending lane.
void spring_pairs_each_marked(const struct spring_pairs *springs,
                              void (*found)(void *context, uint32_t spring), void *context);

/// Takes what a spring of that stiffness and length adds to the gradient, by node and at x, off
/// again: where sums are exact, what is left is what the others have added.
void spring_pairs_remove_gradient(const struct spring_pairs *springs, const uint32_t nodes[2],
                                  double stiffness, double rest_length, const double *x,
                                  double *gradient);

/// A spring without stiffness breaks by no strain.
void spring_pairs_set(struct spring_pairs *springs, uint32_t spring, double stiffness,
                      double rest_length);

#endif

// Bodies whose contact forces have changed within a step as impacts change them. What they did
// before says nothing about how they go on, so that they start again from where they are
// (docs/theory/schemes.md section 2.2).
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_IMPACTS_STRUCK_BODIES_H
#define PBS_INTEGRATE_IMPACTS_STRUCK_BODIES_H

#include "minimize/objective/objective.h"

/// The contact forces on a body before and after, weighted by the inverse masses of its nodes.
struct force_change {
    double before, after; ///< N^2/kg: sums of squares
    double square;        ///< N^2/kg: of the difference
    bool moves;           ///< not all of its nodes are prescribed
    bool is_of_struck;    ///< of the first of an island: one of it was struck
};

/// Zero-initialised: valid and empty.
struct struck_bodies {
    size_t node_count;
    bool *is_struck; ///< per node: its body was struck in this stage, and forgets after it
    bool *forgets;   ///< per node: its body was struck in the stage before this one
    bool *before;    ///< per node: its body was struck in the last stage of the step before; of
                     ///< two-step schemes
    bool *saved;     ///< likewise
    bool any_struck, any_forgets;
    double forgotten_length;      ///< s, b of the stage in which those that forget were struck
    uint32_t *island;             ///< per body: the first of those that push each other
    struct force_change *changes; ///< per body
    double *mass;                 ///< per node, kg: of a stage's objective
    double *fraction;             ///< per node: see struck_bodies_fractions
};

pbs_status struck_bodies_reserve(struct struck_bodies *struck, struct memory *memory,
                                 size_t node_count);
void struck_bodies_free(struct struck_bodies *struck, struct memory *memory);

/// Those that were struck in the stage that has ended forget in the next one.
void struck_bodies_begin_stage(struct struck_bodies *struck);

/// Finds the bodies on which the contact forces (node order, 3 each) have changed by more than half
/// of what they are or were, and all that they touch, or are joined to, at the state that contact
/// was evaluated at last. Bodies that do not move join nothing.
/// before: null: there were none, so that all on which forces act are struck.
void struck_bodies_find(struct struck_bodies *struck, const struct objective *objective,
                        const double *before, const double *after);
/// Adds all bodies that those touch, or are joined to, at the state that contact was evaluated at
/// last.
void struck_bodies_spread(struct struck_bodies *struck, const struct objective *objective);

/// Where bodies are not told apart there is one. There are never more bodies than nodes.
uint32_t struck_bodies_body_of(const struct objective *objective, size_t node);

/// Whether a node's axis is not prescribed.
static inline bool struck_bodies_axis_is_free(const struct objective *objective, size_t node,
                                              uint32_t axis) {
    return ((objective->constrained_axes[node] >> axis) & 1u) == 0;
}

/// Starts a step.
void struck_bodies_begin_step(struct struck_bodies *struck);
/// At the end of a step of a two-step scheme: stores who was struck in its last stage.
void struck_bodies_accept(struct struck_bodies *struck);
/// Saves who was struck in the last step, for struck_bodies_restore.
void struck_bodies_save(struct struck_bodies *struck);
void struck_bodies_restore(struct struck_bodies *struck);

/// Returns per node what part of a step's impulse the forces of this stage are: `struck` of those
/// that forget after it, `others` of all others, less than 0 of bodies that do not move; null if
/// nobody was struck.
const double *struck_bodies_fractions(const struct struck_bodies *struck,
                                      const struct objective *objective, double others,
                                      double struck_fraction);

#endif

// Bodies whose contact forces have changed within a step as impacts change them. What they did
// before says nothing about how they go on, so that they start again from where they are
// (docs/theory/schemes.md section 2.2).
#ifndef PBS_INTEGRATE_IMPACTS_STRUCK_BODIES_H
#define PBS_INTEGRATE_IMPACTS_STRUCK_BODIES_H

#include "integrate/states/combination.h"
#include "minimize/objective/objective.h"

/// The contact forces on a body before and after, weighted by the inverse masses of its nodes.
struct force_change {
    double before, after; ///< N^2/kg: sums of squares
    double square;        ///< N^2/kg: of the difference
};

/// What an island that was struck would have more than before if it did not forget, J.
struct struck_gain {
    double since_now;    ///< than what z_n promised
    double since_before; ///< than at z_{n-1}
};

/// Zero-initialised: valid and empty.
struct struck_bodies {
    size_t node_count;
    bool *forgets;   ///< per node: its body was struck before the last known state of this stage
    bool *is_struck; ///< per node: its body was struck in this stage, and forgets after it
    bool *before;    ///< per node: its body was struck in the last stage of the step before, and
                     ///< forgets in the first of this one; of two-step schemes
    bool *saved;     ///< likewise
    bool any_forgets, any_struck;
    uint32_t *island;             ///< per body: the first of those that push each other
    struct force_change *changes; ///< per body
    struct struck_gain *gains;    ///< per body: of the first of an island
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
/// was evaluated at last: bodies that push each other go on alike, so that momentum is conserved.
/// before: null: there were none, so that all on which forces act are struck.
void struck_bodies_find(struct struck_bodies *struck, const struct objective *objective,
                        const double *before, const double *after);

/// How a two-step scheme goes on, in node order.
struct struck_memory {
    const struct kinematics *next, *now;
    const struct kinematics *before; ///< null: not known
    const double *velocity_history;  ///< p_v of the step: v_n with what it remembered
    const double *contact_force;     ///< N, at next
    const double *contact_force_now; ///< N, at now; null: the acceleration is not known
};
/// Spares those islands that go on with no more energy than they came with: what the scheme
/// remembers of the hit they lost in it.
void struck_bodies_spare(struct struck_bodies *struck, const struct objective *objective,
                         const struct struck_memory *memory);

/// Whether bodies were struck that do not forget yet.
bool struck_bodies_are_new(const struct struck_bodies *struck);

/// Starts a step. goes_back: its first stage goes back beyond its start, so that those that the
/// step before has struck forget.
void struck_bodies_begin_step(struct struck_bodies *struck, bool goes_back);
/// At the end of a step of h seconds: stores who was struck in its last stage, and writes to the
/// states before how they would have come to z_n in uniform motion.
void struck_bodies_accept(struct struck_bodies *struck, const struct kinematics *now, double h,
                          const struct kinematics *before);
/// Saves who was struck in the last step, for struck_bodies_restore.
void struck_bodies_save(struct struck_bodies *struck);
void struck_bodies_restore(struct struck_bodies *struck);

/// Parts of a step's impulse that the forces of a stage are.
struct impulse_fractions {
    double others;  ///< of bodies that are not struck
    double struck;  ///< of those that were struck in this stage
    double forgets; ///< of those that were struck before its last known state
};
/// Returns the fractions per node; null if they are the same for all.
const double *struck_bodies_fractions(const struct struck_bodies *struck,
                                      const struct impulse_fractions *fractions);

#endif

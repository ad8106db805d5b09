// How stiff a barrier is to be where nobody says: stiff enough for the masses that it stops, and
// for the forces that push into it where a step begins. IPC (Li et al. 2020, section 4.3 and
// supplement), with docs/theory/contact.md section 2.4: between steps only, as the stiffness is
// part of the energy.
#ifndef PBS_CONTACT_BARRIER_ADAPTIVE_STIFFNESS_H
#define PBS_CONTACT_BARRIER_ADAPTIVE_STIFFNESS_H

#include "contact/barrier/barrier.h"

/// What a world remembers. All zero: nothing is known yet.
struct adaptive_barrier {
    double stiffness; ///< of the last step; 0: none was chosen
    double least_gap; ///< m, where that step began; infinity without any within reach
    double diagonal;  ///< m, of the box around all bodies where the first was chosen; 0: not yet
};

/// Where a step begins.
struct stiffness_situation {
    struct barrier barrier; ///< its stiffness: the host's, which is the least
    double mean_mass;       ///< kg, of a vertex
    double step;            ///< s
    double balance;         ///< the stiffness at which barriers carry the other forces; 0 without
                            ///< contacts
    double least_gap;       ///< m; infinity without any within reach
};

/// IPC's least stiffness, at which a gap of 1e-8 of the diagonal is as stiff as 1e11 mean masses in
/// a step. Infinite where such a gap is beyond the reach.
double least_adaptive_stiffness(const struct stiffness_situation *situation, double diagonal);

/// The stiffness of the step that begins: what balances the forces, from IPC's least to a hundred
/// times it, twice that of the step before while gaps below 1e-9 of the diagonal shrink; never less
/// than the host's. *adaptive is what is known afterwards.
double adapt_stiffness(const struct stiffness_situation *situation,
                       struct adaptive_barrier *adaptive);

#endif

// Chooses the stiffness of a barrier that the host leaves open: stiff enough for the masses that
// the barrier stops and for the forces that press on it at the start of a step. The method is that
// of IPC (Li et al. 2020, section 4.3 and supplement). The stiffness changes between steps only,
// since it is part of the energy (docs/theory/contact.md section 2.4).
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_STIFFNESS_ADAPTIVE_STIFFNESS_H
#define PBS_CONTACT_STIFFNESS_ADAPTIVE_STIFFNESS_H

#include "contact/barrier/barrier.h"

/// State that a world keeps between steps. A zero-initialised one holds no history.
struct adaptive_barrier {
    double stiffness; ///< of the last step; 0 if none was chosen yet
    double least_gap; ///< m, the smallest gap at the start of that step; infinity: no contacts
    double diagonal; ///< m, of the bounding box of all bodies at the first choice; 0: not yet known
};

/// The state at the start of a step.
struct stiffness_situation {
    struct barrier barrier; ///< its stiffness is the host's lower bound
    double mean_mass;       ///< kg, of a vertex
    double step;            ///< s
    double balance;         ///< the stiffness at which barriers balance the other forces; 0 without
                            ///< contacts
    double least_gap;       ///< m, the smallest gap; infinity without contacts
};

/// Returns IPC's lower bound: the stiffness for which the curvature of the barrier at a gap of 1e-8
/// diagonals is 1e11 mean masses over the squared step. Infinite if that gap exceeds the reach.
double least_adaptive_stiffness(const struct stiffness_situation *situation, double diagonal);

/// Returns the stiffness for the new step: the one that balances the forces or, while gaps below
/// 1e-9 diagonals shrink, twice that of the last step if it is larger. It is limited to the range
/// from IPC's lower bound to 100 times that, and is never less than the host's. Updates *adaptive.
double adapt_stiffness(const struct stiffness_situation *situation,
                       struct adaptive_barrier *adaptive);

#endif

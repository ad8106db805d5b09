// A potential whose forces on nodes are found before terms are summed, as those of contact by
// penalties are. It has no Hessian: schemes that minimise have no use for it.
#ifndef PBS_ENERGY_NODE_TERMS_PRECOMPUTED_FORCES_H
#define PBS_ENERGY_NODE_TERMS_PRECOMPUTED_FORCES_H

#include "energy/term.h"

/// The owner's, read at each evaluation.
struct precomputed_forces {
    const double *force; ///< node order, 3, N
    const double *value; ///< J; where it is 0, so are all forces
};

struct term precomputed_forces_term(struct precomputed_forces *forces);

#endif

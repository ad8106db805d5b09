// A potential whose value and nodal forces are computed before the terms are evaluated, used for
// penalty contact. It has no Hessian, so only explicit schemes can use it.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_NODE_TERMS_PRECOMPUTED_FORCES_H
#define PBS_ENERGY_NODE_TERMS_PRECOMPUTED_FORCES_H

#include "energy/term.h"

/// Read at each evaluation; not owned by the term.
struct precomputed_forces {
    const double *force; ///< node order, 3 each, N
    const double *value; ///< J; if it is 0, all forces are 0
};

struct term precomputed_forces_term(struct precomputed_forces *forces);

#endif

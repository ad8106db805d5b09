// The potential of dead loads, constant forces set by the host: -sum F_i . (x_i - reference_i). The
// reference positions only shift the energy by a constant, as for gravity. Theory:
// docs/theory/materials.md section 7.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_NODE_TERMS_DEAD_LOADS_H
#define PBS_ENERGY_NODE_TERMS_DEAD_LOADS_H

#include "energy/term.h"

/// Read at each evaluation; not owned by the term.
struct dead_loads {
    const double *force;     ///< node order, 3 each, N
    const double *reference; ///< node order, 3 each, m
    bool any;                ///< false: all forces are zero
};

struct term dead_loads_term(struct dead_loads *loads);

#endif

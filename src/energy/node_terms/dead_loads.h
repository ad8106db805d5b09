// Forces of the host that stay as they are while what they act on moves:
// -sum F_i . (x_i - reference_i). The reference only shifts the energy, as gravity's does.
// Theory: docs/theory/materials.md section 7.
#ifndef PBS_ENERGY_NODE_TERMS_DEAD_LOADS_H
#define PBS_ENERGY_NODE_TERMS_DEAD_LOADS_H

#include "energy/term.h"

/// The owner's, read at each evaluation.
struct dead_loads {
    const double *force;     ///< node order, 3 each, N
    const double *reference; ///< node order, 3 each, m
    bool any;                ///< false: all forces are zero
};

struct term dead_loads_term(struct dead_loads *loads);

#endif

// Gravity: -sum m_i g . (x_i - reference_i). The reference (rest or initial positions) only shifts
// the energy, so that it does not cancel far from the origin; masses are those that gravity acts
// on, zero where a body opts out.
// Theory: docs/theory/materials.md section 7.
#ifndef PBS_ENERGY_NODE_TERMS_GRAVITY_H
#define PBS_ENERGY_NODE_TERMS_GRAVITY_H

#include "energy/term.h"

struct gravity {
    double acceleration[3];  ///< m/s^2
    const double *mass;      ///< node order, kg; not owned
    const double *reference; ///< node order, 3 each, m; not owned
};

struct term gravity_term(struct gravity *gravity);

#endif

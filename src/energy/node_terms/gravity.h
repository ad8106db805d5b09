// The potential of gravity: -sum m_i g . (x_i - reference_i). The reference (rest or initial
// positions) only shifts the energy by a constant; it avoids cancellation far from the origin. The
// mass m_i is zero for rotation nodes and multiplied by the scale of bodies that have one; bodies
// may have weights w_i besides: -sum w_i . (x_i - reference_i). Theory: docs/theory/materials.md
// section 7.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_NODE_TERMS_GRAVITY_H
#define PBS_ENERGY_NODE_TERMS_GRAVITY_H

#include "energy/term.h"

struct gravity {
    double acceleration[3];  ///< m/s^2
    const double *mass;      ///< node order, kg; not owned
    const double *weight;    ///< node order, 3 each, N; not owned; null: none
    const double *reference; ///< node order, 3 each, m; not owned
};

struct term gravity_term(struct gravity *gravity);

#endif

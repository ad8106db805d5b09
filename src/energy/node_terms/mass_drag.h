// Mass drag, the force -rate m v, written as the potential 1/(2b) sum rate_i m_i |x_i -
// origin_i|^2 (OPT section 4.2; docs/theory/schemes.md section 1: the velocity is (x - origin) /
// b).
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_NODE_TERMS_MASS_DRAG_H
#define PBS_ENERGY_NODE_TERMS_MASS_DRAG_H

#include "energy/term.h"

struct mass_drag {
    const double *mass; ///< node order, kg; not owned
    const double *rate; ///< node order, 1/s, >= 0; not owned
};

struct term mass_drag_term(struct mass_drag *drag);

#endif

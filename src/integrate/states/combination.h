// Linear combinations of states for recipes (scheme.h): one pass over the nodes, with a fixed order
// of addition.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STATES_COMBINATION_H
#define PBS_INTEGRATE_STATES_COMBINATION_H

#include "integrate/scheme.h"

/// The arrays of a state, 3 * node_count each. Members that no recipe reads may be null.
struct kinematics {
    double *x, *v, *a;
};

/// out = the combination of states. Arrays with coefficient zero are skipped. out must not be one
/// of the arrays read.
void combination_evaluate(struct tasks *tasks, const struct combination *combination,
                          const struct kinematics states[STATE_COUNT], size_t count, double *out);

#endif

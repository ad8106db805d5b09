// Linear combinations of states, as recipes ask for them (scheme.h): one pass over the nodes, a
// fixed order of addition.
#ifndef PBS_INTEGRATE_STATES_COMBINATION_H
#define PBS_INTEGRATE_STATES_COMBINATION_H

#include "integrate/scheme.h"

/// A state's arrays, 3 * node_count each. Members that no recipe reads may be null.
struct kinematics {
    double *x, *v, *a;
};

/// out = the combination of states. A coefficient of zero skips its array. out may be none of the
/// arrays read.
void combination_evaluate(struct tasks *tasks, const struct combination *combination,
                          const struct kinematics states[STATE_COUNT], size_t count, double *out);

#endif

// Hits whose stress an implicit step does not see: a wave of stress starts where two bodies meet,
// and a step that is longer than the wave takes through the body knows the mean of it alone
// (docs/theory/fracture.md section 8). Bodies that can break are watched.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BREAKING_IMPACT_H
#define PBS_WORLD_BREAKING_IMPACT_H

#include "world/features/feature.h"
#include "world/world.h"

/// The hits in one step on bodies that can break and are hit harder than they bear.
struct impact {
    double wave; ///< s: in which a wave goes through the smallest of those bodies; 0: no such hit
    bool unseen; ///< one of the hits was not resolved: the step is longer than the body's wave
                 ///< takes, over `steps`
};

/// Looks at the contacts of a step of h seconds, which was solved and is not accepted yet. steps:
/// how many are to resolve a wave; 0: 1. is_accepted: hits that are not resolved are remembered for
/// when the call has landed.
struct impact impact_find(pbs_world *w, double h, uint32_t steps, bool is_accepted);

/// Writes the bodies with such hits in the last call, and the worst of them.
void impact_write_stats(const struct scene *scene, pbs_step_stats *stats);

#endif

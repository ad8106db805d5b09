// A scalar with its first two time derivatives, integrated by a scheme's recipes like a coordinate.
// Used for the energy lost to damping and drag, and for the effect of a contact force on the
// velocity.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STATES_SCALAR_H
#define PBS_INTEGRATE_STATES_SCALAR_H

#include "integrate/scheme.h"

/// State of a scalar. For the energy lost, a is the dissipated power (W) and v the energy (J):
/// since the scheme itself integrates it, it has the scheme's order.
struct scalar_state {
    double x, v, a;
};

/// Computes a stage of a scalar, given its acceleration a there.
void scalar_run_stage(const struct stage_recipe *recipe, uint32_t index, double a,
                      struct scalar_state states[STATE_COUNT]);

/// Returns z_{n+1} of a scalar from its stages.
struct scalar_state scalar_end(const struct state_recipe *recipe,
                               const struct scalar_state states[STATE_COUNT]);

/// Effect of the contact forces of a step's stages.
struct contact_shares {
    double stage[SCHEME_STAGE_LIMIT]; ///< fraction of each stage in the step's impulse
    double start;                     ///< that of a_n where it is found anew; the sum of all is 1
    double friction_time; ///< s: a force f corresponds to impulses of this time times f, once per
                          ///< step
};

/// Computes the fractions from the effect of a force at a stage on the velocity in this step and,
/// through the stored acceleration, in later steps. friction_time is shorter than the step if a
/// change of velocity continues to act in the following steps. finds_start: a_n is not stored while
/// contact acts (resolve_acceleration), so that no stage acts through it.
struct contact_shares contact_shares(const struct scheme_table *scheme,
                                     const struct step_view *view, uint32_t stage_count,
                                     bool finds_start);

#endif

// A number with its first two derivatives in time that goes through a scheme's recipes as
// coordinates do. The energy lost to damping and drag is one, and so is what a contact force does
// to a velocity.
#ifndef PBS_INTEGRATE_STATES_SCALAR_H
#define PBS_INTEGRATE_STATES_SCALAR_H

#include "integrate/scheme.h"

/// The energy lost is the velocity v (J) of one whose acceleration a is the power (W): integrated
/// by the scheme itself, it has the scheme's order.
struct scalar_state {
    double x, v, a;
};

/// Fills in the stage of a scalar with acceleration a there.
void scalar_run_stage(const struct stage_recipe *recipe, uint32_t index, double a,
                      struct scalar_state states[STATE_COUNT]);

/// z_{n+1} of a scalar whose stages are known.
struct scalar_state scalar_end(const struct state_recipe *recipe,
                               const struct scalar_state states[STATE_COUNT]);

/// What the contact forces of a step's stages do.
struct contact_shares {
    double stage[SCHEME_STAGE_LIMIT]; ///< parts in the impulse of the step; they add up to 1
    double friction_time; ///< s: impulses of this times a force, in each step, are that force
};

/// The shares are by what a force at a stage does to the velocity in this step and, through the
/// acceleration that is kept, in later ones. Friction acts for less than the step where a change of
/// velocity goes on in the steps that follow.
struct contact_shares contact_shares(const struct scheme_table *scheme,
                                     const struct step_view *view, uint32_t stage_count);

#endif

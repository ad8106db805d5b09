// A recipe's history of positions, expressed in strains (energy/damping/strain_history.h).
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STATES_STRAIN_RATES_H
#define PBS_INTEGRATE_STATES_STRAIN_RATES_H

#include "energy/damping/strain_history.h"
#include "integrate/states/combination.h"

/// Returns the strain history that corresponds to p_x. h: the step. extrapolates: the step ends
/// beyond the stage, on the line from x_n through it.
struct strain_stage strain_stage_of(const struct stage_recipe *recipe,
                                    const struct kinematics states[STATE_COUNT], double h,
                                    bool extrapolates);

/// Returns the history for the strain rate at z_n itself, as measured by a stage of length h.
struct strain_stage strain_stage_now(const struct kinematics *now, double h);

#endif

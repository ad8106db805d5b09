// Explicit steps (velocity Verlet) of worlds with potential forces only, in as few passes over the
// nodes as possible. step_solve does the same scheme for all other worlds.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STEPPING_EXPLICIT_H
#define PBS_INTEGRATE_STEPPING_EXPLICIT_H

#include "integrate/stepping/step.h"

/// Returns whether there is no damping, drag, friction or barrier. The caller must check obstacles.
bool explicit_is_supported(const struct step_problem *problem);

/// Call before the first step, and again after masses or constraints have changed. Stores the
/// inverse masses, 0 on constrained axes, in workspace->velocity_history, which explicit steps do
/// not use otherwise.
void explicit_begin(const struct step_problem *problem, struct step_workspace *workspace);

/// Does a step from workspace->now to workspace->next. Orientations are updated in place, even if
/// the step fails.
struct step_result explicit_step(const struct step_problem *problem, const struct step_span *span,
                                 struct step_workspace *workspace);

/// Recomputes a node's acceleration at the accepted state after gradient_now of that node has
/// changed.
void explicit_update_acceleration(struct step_workspace *workspace, size_t node);

#endif

// The stability limit of explicit schemes (docs/theory/schemes.md section 6).
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STEPPING_STABLE_STEP_H
#define PBS_INTEGRATE_STEPPING_STABLE_STEP_H

#include "integrate/stepping/step.h"

/// Computes the limit for small motions about the workspace's current state, including all penalty
/// contacts that may become active; infinite without forces.
pbs_status stable_step(const struct step_problem *problem, const struct step_workspace *workspace,
                       double *seconds);

#endif

// The longest step at which explicit schemes are stable (docs/theory/schemes.md section 6).
#ifndef PBS_INTEGRATE_STEPPING_STABLE_STEP_H
#define PBS_INTEGRATE_STEPPING_STABLE_STEP_H

#include "integrate/stepping/step.h"

/// For small motions about the workspace's present state, whatever may touch by penalties on the
/// way; infinite where there are no forces.
pbs_status stable_step(const struct step_problem *problem, const struct step_workspace *workspace,
                       double *seconds);

#endif

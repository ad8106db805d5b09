// Explicit steps of worlds in which nothing but potentials acts, with no pass over the nodes more
// than they need: the same recipe as step_solve follows for velocity Verlet, which serves all
// others.
#ifndef PBS_INTEGRATE_STEPPING_EXPLICIT_H
#define PBS_INTEGRATE_STEPPING_EXPLICIT_H

#include "integrate/stepping/step.h"

/// Whether no damping, drag, friction or barrier acts; obstacles are the caller's to know.
bool explicit_is_supported(const struct step_problem *problem);

/// Before some steps with the same masses and held nodes: fills velocity_history.
void explicit_begin(const struct step_problem *problem, struct step_workspace *workspace);

/// From workspace->now into workspace->next. Orientations turn at once, also of a step that fails.
struct step_result explicit_step(const struct step_problem *problem, const struct step_span *span,
                                 struct step_workspace *workspace);

/// Of a state that a step has led to and that is accepted: the acceleration of a node after
/// gradient_now has changed there.
void explicit_update_acceleration(struct step_workspace *workspace, size_t node);

#endif

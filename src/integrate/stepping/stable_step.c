// See stable_step.h. The highest frequency is computed from the Hessian, the strongest damping from
// the Hessian of the damping terms.
// SPDX-License-Identifier: MIT
#include "integrate/stepping/stable_step.h"

#include <math.h>

/// Returns the limit for x'' = -w^2 x - d x', with damping evaluated at the predicted velocity, as
/// a kick does.
static double limit(double w2, double d) {
    const double rate = sqrt(w2 + d * d) + d;
    return rate > 0.0 ? 2.0 / rate : INFINITY;
}

static pbs_status why(int answer) {
    return answer == EVALUATE_STOP
               ? terms_fail_stopped()
               : status_fail(PBS_ERROR_INADMISSIBLE,
                             "the stable step cannot be computed: the Hessian at the start of the "
                             "step was refused by a callback or is not finite");
}

pbs_status stable_step(const struct step_problem *problem, const struct step_workspace *workspace,
                       double *seconds) {
    const double *x = workspace->now.x;
    struct objective objective = problem->objective;
    objective.predictor = x;
    objective.weight = INFINITY;
    objective.stage = (struct stage_view){.origin = x, .length = 1.0};
    objective.term_count = problem->conservative_count;
    objective.project_hessian = false;
    objective.project_shells = false;
    objective.damping = NULL;
    double w2 = 0.0;
    double d = 0.0;
    int answer = newton_largest_eigenvalue(problem->newton, &objective, x, &w2);
    objective.term_count = problem->objective.term_count;
    objective.damping = problem->damping;
    objective.dissipative_only = true;
    if (answer == EVALUATE_OK && problem->damping != NULL) {
        answer = rayleigh_begin(problem->damping, objective.tasks, objective.assembly,
                                objective.terms, objective.term_count, x, true, objective.scratch);
    }
    if (problem->wind != NULL) {
        wind_begin(problem->wind, objective.tasks, WIND_LINEAR, x, workspace->now.v);
    }
    // With a stage length of one second the Hessian is the damping matrix.
    if (answer == EVALUATE_OK &&
        (objective.damping != NULL || objective.term_count > problem->conservative_count)) {
        answer = newton_largest_eigenvalue(problem->newton, &objective, x, &d);
    }
    w2 += contact_set_squared_frequency(&objective.contacts, objective.mass);
    *seconds = limit(w2, d);
    return answer == EVALUATE_OK ? PBS_OK : why(answer);
}

// State and parts of one step, shared by the files that take it. Parts that can fail say so in
// step->result.status.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STEPPING_STEP_STATE_H
#define PBS_INTEGRATE_STEPPING_STEP_STATE_H

#include "integrate/stepping/step.h"

/// State of one step, shared by its parts.
struct step {
    const struct step_problem *problem;
    const struct step_span *span;
    struct step_workspace *w;
    struct step_view view;
    struct step_result result;
    struct tasks *tasks;
    size_t count; ///< 3 * nodes
    uint32_t stage_count;
    uint32_t stage; ///< index of the one that is solved
    bool recalls;   ///< bodies that were struck in the stage before take another past in this one
    double *acceleration;                    ///< a_n for the recipes; null: not used
    bool has_strains;                        ///< a term damps strain rates
    struct scalar_state losses[STATE_COUNT]; ///< energy lost, relative to z_n; see scalar.h
    double times[SCHEME_STAGE_LIMIT];        ///< of the stages, as fractions of the step
    bool follows_impact; ///< the step before, a shorter one, may have resolved one
    struct contact_shares contact;
    const double *node_fractions;     ///< of the stage: see struct contact_stage
    size_t active[CONTACT_SET_LIMIT]; ///< contacts in the last report, by kind
    size_t lagged;                    ///< number of contacts in the last lagged state
    bool lags_start;                  ///< that state is the start of the step, and no obstacle has
                                      ///< moved since
};

static inline bool step_is_controlled(const struct step *step) {
    return step->problem->scheme->control != CONTROL_NONE;
}

static inline bool step_failed(const struct step *step) {
    return step->result.status < 0;
}

static inline double step_fraction_at(const struct step_span *span, double time) {
    return time == 1.0 ? span->end : span->begin + time * (span->end - span->begin);
}

static inline bool step_has_constraints(const struct step *step) {
    return !constraint_set_is_empty(step->problem->objective.constraints);
}

// --- step.c ---

/// Returns the view of the step that energy control needs.
struct energy_step step_energy(const struct step *step);
/// Moves contact's obstacles to the fractions `now` and `target` of the step.
void step_set_contact_obstacles(const struct step_problem *problem, double now, double target);
/// Constrained axes have constant velocity during a step, so their acceleration is zero.
void step_constrain_acceleration(const struct step *step, double *a);
/// Sets constrained axes of a state to their prescribed values; the acceleration may be null.
void step_apply_constraints(const struct step *step, double *x, double *v, double *a);
/// Lists the states that recipes combine.
void step_list_states(const struct step *step, struct kinematics states[STATE_COUNT]);
/// Evaluates a recipe's linear combination of states: out, 3 per node.
void step_combine(const struct step *step, const struct combination *combination, double *out);

// --- stage_losses.c ---

/// Returns the power dissipated by damping, drag and wind at a stage. R is quadratic in v = (x -
/// p_x) / b, so the power is 2 R / b. Only dissipative terms are evaluated, so the host is not
/// called again. gradient: of R; may be null; unchanged if nothing damps.
double step_dissipated_power(const struct step_problem *problem, const struct objective *objective,
                             const double *x, double *gradient);
/// Returns the power of friction and of the joints' dampers, and adds what contact and joints did
/// in the stage to energy control.
double step_account_for_contact(struct step *step, const struct stage_recipe *recipe,
                                const struct kinematics *stage);
/// Adds the stage's damping, drag and wind to energy control. gradient: of their potential.
void step_account_for_damping(struct step *step, const struct stage_recipe *recipe,
                              const struct kinematics *stage, const double *gradient);
/// Computes the lagged damping matrix at x = x_n or, for schemes of second order, at the predictor
/// x_n + s h v_n if that is admissible, with s the stage's time. Lagging from x_n would cost an
/// order (docs/theory/schemes.md section 1).
void step_lag_damping(struct step *step, const double *x, double time);
/// Takes the normals of surfaces in wind from where step_lag_damping takes its matrix.
void step_lag_wind(struct step *step, double time);

// --- stage.c ---

/// Passes the strain history of the stage to the terms that damp strain rates.
void step_begin_strains(const struct step *step, const struct stage_recipe *recipe);
/// Sets prescribed targets and obstacles at the stage's time, onto which the minimiser projects its
/// guesses, and the initial state.
bool step_set_stage_scripts(struct step *step, uint32_t index, const struct stage_recipe *recipe);
/// Minimises the objective of a stage from x. Returns the number of iterations, or -1 if the step
/// has failed.
int64_t step_solve_stage(struct step *step, const struct objective *objective,
                         const struct newton_options *options, double *x);
/// Returns whether the step continues with the solution.
bool step_accept_solution(struct step *step, const struct newton_result *solved);
/// Updates the lagged quantities of contact from the state x.
bool step_lag_contact(struct step *step, const double *x);
/// What a report of contact at x needs. share: of the step's impulse.
struct contact_stage step_contact_stage(const struct step *step, const double *x, double share);
/// Adds the contact forces of a stage's solution to the report.
void step_report_contact(struct step *step, double share, const double *x);
/// Builds the stage's objective: histories, predictor p_x + b p_v, weight c.
struct objective step_stage_objective(const struct step *step, const struct stage_recipe *recipe);
/// Its solution's v = (x - p_x) / b, a = (x - predictor) / c.
void step_differentiate_stage(const struct step *step, const struct stage_recipe *recipe,
                              struct kinematics *stage);
/// What constraints need of the nodes at x. weight: of the stage, s^2.
struct stage_nodes step_stage_nodes(const struct step *step, double weight, const double *x);
/// time: of the stage in the step, 0 .. 1.
void step_begin_constraints(struct step *step, double weight, double time, const double *x);
/// Joints that contradict each other at a stage's solution x, and volumes that what is pinned does
/// not allow, are told about, and the step goes on.
void step_report_constraints(struct step *step, const double *x);
/// Solves stage `index`, and adds what it did to the report, the losses and energy control.
void step_run_stage(struct step *step, uint32_t index);

// --- struck_stage.c: of schemes that forget impacts; others do nothing there ---

/// Starts a step.
void step_begin_struck(struct step *step);
/// Puts the past of struck bodies in place of z_n, and of the accelerations of the stage before.
void step_recall_past(const struct step *step, struct kinematics states[STATE_COUNT]);
/// Whether a stage is longer for bodies that were struck in it, so that it does not throw them back
/// faster than they came.
bool step_stage_is_lengthened(const struct step *step, const struct stage_recipe *recipe);
/// Writes their origins, p_x = x + (s - b) p_v with the last known x and the time s since then: so
/// the predictor is x + s p_v, and what dissipates, which sees (x - p_x) / b, sees p_v where they
/// move uniformly. Returns masses with which the stage's weight is theirs, b s.
const double *step_lengthen_struck(const struct step *step, const struct stage_recipe *recipe);
/// Their velocities and accelerations.
void step_differentiate_lengthened(const struct step *step, const struct stage_recipe *recipe,
                                   struct kinematics *stage);
/// Where the last stage would throw back bodies that are struck in it, at its solution x, solves it
/// again, longer for them, and updates the objective. Returns whether the step goes on.
bool step_lengthen_stage(struct step *step, const struct stage_recipe *recipe,
                         struct objective *objective, double *x);
/// Finds the bodies that a stage has struck, at its solution, and what they take for their past
/// afterwards.
void step_find_struck(struct step *step, const struct stage_recipe *recipe,
                      const struct kinematics *stage);
/// Returns what part of the step's impulse a force at a stage is, per node; null: the same for all.
const double *step_impulse_fractions(const struct step *step, const struct stage_recipe *recipe);

// --- contact_change.c: of schemes whose correction is no difference of forces; others do nothing
// ---

void step_begin_contact_change(struct step *step);
/// Adds the impulse that a stage's contact, at its solution x, has in the correction.
void step_add_contact_change(struct step *step, const struct stage_recipe *stage, const double *x);
/// Returns the sum of the stages, N s, 3 per node; null if it is not known.
const double *step_contact_change(const struct step *step);

// --- static_stage.c ---

/// The same for a scheme without inertia.
void step_run_static_stage(struct step *step);

// --- acceleration.c ---

/// Evaluates value and gradient of the potentials only; infinite weight removes inertia from the
/// objective.
pbs_status step_evaluate_potential(const struct step *step, const double *x, double *value,
                                   double *gradient);
/// out = -M^-1 grad P(x) with all terms. Dissipative terms get the state's velocity through the
/// origin x - h v. Returns the dissipated power. Rotations: the state is in the chart at x_n, out
/// is in the world.
double step_accelerate(struct step *step, const struct kinematics *state, double *out);
/// Returns whether barriers press at the start of the step; false also if the step fails.
bool step_barriers_press(struct step *step);
/// Whether a_n is found anew in each step in which barriers press at its start.
bool step_finds_start(const struct step *step);
/// Sets step->acceleration to a_n, if the scheme uses it: as stored, rescaled, or computed; the
/// latter after an impact that a shorter step may have resolved (follows_impact). Where
/// barriers press at x_n, in place of one that is computed, and in place of each of schemes with
/// keeps_impacts, that of an implicit Euler step (docs/theory/schemes.md section 2.1).
void step_start_acceleration(struct step *step);

// --- new_state.c ---

/// Computes z_{n+1} by the scheme's recipe, with energy control.
void step_finish(struct step *step);
/// Schemes that end beyond their stage: tells about joints that do not hold there, as what they may
/// not pass through was in the way.
void step_report_end_gap(struct step *step);
/// Friction, the return to a state that contact allows, and the report's end.
void step_end_contact(struct step *step, uint32_t stage_count);

#endif

// Data shared by the parts of the minimiser: permanent buffers (struct newton) and the state of one
// call (struct minimization).
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_NEWTON_STATE_H
#define PBS_MINIMIZE_NEWTON_STATE_H

#include "linear/krylov/pcg.h"
#include "minimize/newton/constrained_hessian.h"
#include "minimize/newton/options.h"
#include "minimize/objective/objective.h"
#include "minimize/search/line_search.h"

/// An admissible state with its objective and gradient.
struct iterate {
    double *x;        ///< node order
    double *gradient; ///< g' = grad E', vector_slot_count x 3
    struct objective_result objective;
    struct body_forces forces;
};

/// Sums for each body; see stop_rule.c.
struct stop_rule {
    struct body_ranges bodies;
    double *residual;          ///< N^2: squared norm of grad E at the current state
    double *rounding;          ///< N^2: squared rounding error of that, by inertia and elasticity
    double *coupling_rounding; ///< N^2: by contact and joints
    double *elastic_rounding;  ///< N^2: the same without that of inertia
    double *extent;            ///< m: the largest coordinate
    double *gain;              ///< scratch, J
    double *kinetic;           ///< scratch, J
    double *before;            ///< scratch, 3 per node
};

/// The rigid part of a direction: a body's centre of mass, m, and how it and the body move and
/// turn, m and rad per unit of the direction.
struct screw {
    double centre[3], move[3], turn[3];
    bool is_affine; ///< the body's nodes are a centre and three handles
    bool is_joined; ///< to anything
    bool turns;     ///< false: the body moves along straight lines
};

struct newton {
    const struct assembly *assembly;
    struct bsr hessian;
    struct linear_problem problem; ///< the linear problem of `hessian`
    struct block_columns columns;
    struct preconditioner preconditioner;
    struct pcg_workspace pcg;
    struct iterate current, trial, accepted; ///< the minimiser's state, the latest evaluation, the
                                             ///< result of the line search
    struct stop_rule rule;
    double *gradient; ///< node order: grad E at the current state or, during a line search, at the
                      ///< trial
    double *gradient_rows; ///< row order: grad E at the current state
    double *direction;     ///< node order
    double *direction_rows;
    double *position_rows;
    double *radius_rows;                  ///< r of rotation nodes; null: all nodes are positions
    double *rotation_mode_rows;           ///< 9 per row; used for rows that are not positions
    uint32_t *body_groups;                ///< scratch, one per body: node_count
    uint8_t *coupled;                     ///< block_slot_count, see terms_mark_coupled
    uint64_t changes;                     ///< terms_count_changes when `coupled` was computed
    struct row_restriction *restrictions; ///< capacity: one per node
    double *prescribed_positions; ///< node order: current targets of constrained axes while these
                                  ///< move to their final targets
    struct screw *screws;         ///< one for each body
    double *tangent;              ///< node order: of a curved path at its latest place
    double *chord;                ///< scratch, node order
    double *bend;                 ///< node order: what keeps a curved path to constraints, m
    double *remaining_motion; ///< node order: motion that is left to the final targets; zero for
                              ///< free axes
};

/// The path of a line search.
struct search_path {
    double slope;           ///< J, where it begins
    bool values_are_hidden; ///< values are taken from slopes
    bool is_curved;         ///< bodies turn along it
    bool all_turn;          ///< not affine ones alone
    bool is_bent;           ///< by newton->bend, along constraints
    double turn;            ///< rad, the largest by the whole direction
    double swept;           ///< of a curved one: the latest step whose chord was swept
    double free;            ///< the part of that chord on which nothing touches
};

/// Penalties at the start of the minimisation.
struct pressing {
    double energy;    ///< J
    double *gradient; ///< N, node order; null: nothing presses, or barriers keep guesses out
};

struct minimization {
    struct newton *newton;
    const struct objective *objective;
    struct projection *projection;
    const struct newton_options *options;
    struct newton_result result;
    bool has_moved; ///< the latest iteration did, from newton->accepted.x
    double step;    ///< length of the latest line search
    struct search_path path;
    double value_before; ///< J, E at the start of the latest iteration; infinite before the first
    double rounding;     ///< N, rounding error of |grad E| by inertia, for all nodes
    uint32_t truncated_steps;    ///< consecutive ones that stalled after negative curvature
    uint32_t long_steps;         ///< consecutive steps of LONG_STEP or more
    bool contact_is_flat;        ///< the next Hessian leaves out how distances of contacts curve
    bool has_iterated;           ///< an iteration was done since the guess
    bool is_stalled;             ///< |grad E| has stopped falling
    double least_norm;           ///< N, the least |grad E| so far
    double joint_gap;            ///< of joints, at the latest update of multipliers
    uint32_t constraint_updates; ///< updates at solutions
    uint32_t hidden_steps;    ///< consecutive steps whose predicted decrease was below the energy's
                              ///< rounding error, for each body
    struct pressing pressing; ///< valid while guesses are compared
    bool is_held_back;        ///< the guess is one that holds bodies back
    bool moves_prescribed;  ///< prescribed motion moves the free nodes along, even without contact
    bool is_inertial_guess; ///< the guess ignores the forces, so at least one iteration follows
    bool is_indefinite;     ///< negative curvature was found in the latest Hessian
    bool semidefinite;      ///< the next Hessian is projected, if the objective projects on demand
    bool has_taut;          ///< the direction closes one-sided rows of joints that do not act yet
    bool is_assembled;      ///< the Hessian is that of the current state, without a factor
    bool stopped;           ///< a host's callback requested it, or a Hessian was refused
    pbs_status solver_status; ///< why the linear solver failed; the thread's message is set
    bool refused;             ///< a term has no Hessian at a state where it has a value
    const double *motion; ///< node order: motion of constrained axes in this iteration; null: none
    bool projection_failed; ///< the latest evaluation found no admissible point for some node; the
                            ///< thread's message is set
};

size_t newton_coordinate_count(const struct newton *newton);

/// Computes trial.x = P(y), and value and gradient there. Returns false if the state is not
/// admissible (infinite value) or the host stopped.
bool minimization_evaluate(struct minimization *m, const double *y);
/// The same where only values up to `ceiling` matter: above it, the result may be partial.
bool minimization_evaluate_below(struct minimization *m, const double *y, double ceiling);

/// Swaps two states without copying.
void iterate_swap(struct iterate *a, struct iterate *b);

/// Evaluates the initial guesses of OPT section 3.1 from x, projected; the one with the lowest E
/// becomes current. Returns false with result.status set.
bool minimization_guess(struct minimization *m, const double *x);

/// guess = the free-fall state: x moved by inertia and constant forces only. Uses
/// newton->trial.gradient as scratch.
void minimization_guess_free_fall(struct minimization *m, const double *x, double *guess);

/// The guess that holds bodies back, for penalties. Of the motion from x to the best guess so far,
/// newton->accepted, relative to that of the bodies that it meets, each body makes the part at
/// which its inertia, constant forces and contacts have the least energy, as if all bodies made the
/// same part. Returns false if all make the whole motion. Uses newton->direction, position_rows,
/// direction_rows and trial as scratch.
bool minimization_hold_back(struct minimization *m, const double *x, double *guess);

/// Returns the energy of contact at x, J. gradient: N, added to; may be null. m->stopped if it
/// cannot be evaluated.
double minimization_contact_energy(struct minimization *m, const double *x, double *gradient);

/// With contact, if moves_prescribed, or if a term stops nodes that jump: moves constrained axes
/// and obstacles from x to their targets without collision, and the free nodes along. x becomes
/// that state. *moved: anything moved; then x is also a good initial guess. Returns false with
/// result.status set.
bool minimization_move_prescribed(struct minimization *m, double *x, bool *moved);

/// Returns the largest step, at most limit, along direction from x without collision.
/// objective_max_step bounds inversion. Returns 0 and sets m->stopped if the contact search failed.
double minimization_free_step(struct minimization *m, const double *x, const double *direction,
                              double limit);

// --- search_path.c and screw_path.c: the path of a line search from the current state along the
// direction (docs/theory/minimization.md section 1.1) ---

/// Chooses the affine bodies that turn. Returns the step that the search must stay below; may be
/// infinite.
double search_path_begin(struct minimization *m);
/// y = where the path is at `step`, and newton->tangent where it goes from there, if it is curved.
void search_path_place(const struct minimization *m, double step, double *y);
/// Returns the derivative of the path at the latest place, node order.
const double *search_path_tangent(const struct minimization *m);
/// Whether the way to y, where a curved path is at `step`, is free of collisions. Steps of straight
/// paths below a free one are.
bool search_path_is_free(struct minimization *m, double step, const double *y);
/// Returns the largest step found, at most limit, at which the path is free. The path becomes
/// straight where it is cut at once. Uses newton->gradient as scratch. m->stopped as in
/// minimization_free_step.
double search_path_free_step(struct minimization *m, double limit);
/// Returns the largest step found from `known`, which is free, to limit.
double search_path_extend(struct minimization *m, double known, double limit);

/// Evaluates a sample of the path, as struct line_function does.
typedef bool path_evaluation(void *minimization, struct line_sample *out);
/// Bends the curved path so that constraints keep along it, to second order in the step, the values
/// that they have along the direction to first order: the end of a rod goes round a circle. step:
/// at which the curvature of the path so far is measured. Uses newton->gradient and chord as
/// scratch.
void search_path_bend(struct minimization *m, double step);

/// Where the first trial gained little, tries a path on which all bodies turn and which is bent
/// along constraints, and takes it if it is better: m->path.all_turn. Evaluates `first` anew on the
/// path that is taken. Returns false if m->stopped.
bool search_path_curve(struct minimization *m, path_evaluation *evaluate, struct line_sample origin,
                       struct line_sample *first);

/// Makes the screws of all bodies.
pbs_status screws_reserve(struct memory *memory, struct newton *newton);
/// Finds the bodies that joints hold, for the whole minimisation.
void screws_mark_joined(struct minimization *m);
/// Fits screws to newton->direction. Returns the largest turn, rad per unit.
double screws_fit(struct minimization *m);
/// The same of affine bodies that are not joined, and whose turn is at most `farthest`. Nothing
/// else turns.
double screws_fit_affine(struct minimization *m, double farthest);
/// Writes the state at `step` along the path that begins along newton->direction, on which bodies
/// turn as their screws do, and the path's derivative there, m per unit.
void screws_place(const struct minimization *m, double step, double *place, double *tangent);

/// Fixes the active set at the current state. Sets newton->gradient to grad E and gradient_norm in
/// the result.
void minimization_activate(struct minimization *m);

/// Returns whether |grad E| is below its limit for each body (stop_rule.c), or below the host's
/// tolerance. With the latter at least one iteration must have been done after an inertial guess.
bool minimization_is_solved(const struct minimization *m);

/// Computes the constrained Hessian and gradient_rows at the current state, and the rounding errors
/// of its forces.
void minimization_assemble(struct minimization *m);

/// The same, unless it has been done since the active set was fixed, and its factor. Returns false
/// if there is no usable factor or m->stopped.
bool minimization_linearize(struct minimization *m);

/// Moves bodies without constraints and contact rigidly to the minimum of their inertial energy and
/// constant forces. Returns true if that lowered E; then minimization_activate must be called.
bool minimization_align(struct minimization *m);

/// Does one iteration from the current state, whose active set is fixed. Returns false if it was
/// the last, with result.status set.
bool minimization_iterate(struct minimization *m);

/// Updates the multipliers of constraints that do not hold at the current state. step: the
/// latest, see joint_set_update; null where the gradient says that the state is a solution. Returns
/// true if all hold, and nothing has changed. Otherwise minimization_activate must be called.
bool minimization_update_multipliers(struct minimization *m, const struct joint_step *step);

/// The same at a state that solves the objective with the present multipliers. Returns true also if
/// further updates are useless, with result.constraint_gap > 1. Where it returns true the
/// constraints are finished.
bool minimization_close_constraints(struct minimization *m, const struct joint_step *step);

/// Reads the preconditioner's report after the linear solve, because the host's solver may have
/// switched to its substitute. Counts a factor that needed a shift.
void minimization_read_solver_report(struct minimization *m);

/// Converts direction_rows to direction, projected onto the tangent space.
void minimization_finish_direction(struct minimization *m);

/// Stops with the linear solver's status and the thread's message.
void minimization_stop_solver(struct minimization *m, pbs_status status);

/// Sets status and message for a state from which no step can be taken.
void minimization_fail_stopped(struct minimization *m);
/// Sets status, message and result.failure at the current state. kind: PBS_FAILURE_*.
void minimization_fail_unconverged(struct minimization *m, int32_t kind, const char *reason);

/// Sets result.failure to the node with the largest residual of the body that is farthest from its
/// limit, and to that node's strongest contact or, if the
/// prescribed motion is blocked, to the contact that resists it most.
void minimization_locate_failure(struct minimization *m, int32_t kind);

/// The baseline: full Newton steps with MINRES, from the current state.
void plain_newton_run(struct minimization *m);

// --- stop_rule.c: what counts as solved (docs/theory/minimization.md section 2) ---

pbs_status stop_rule_reserve(struct memory *memory, const uint32_t *node_bodies,
                             struct newton *newton);
void stop_rule_free(struct memory *memory, struct newton *newton);

/// Begins a minimisation at x: of rounding errors only those of inertia are known yet.
void stop_rule_begin(struct minimization *m, const double *x);

/// Measures rounding errors with the Hessian at the current state, before it is constrained.
void stop_rule_measure_rounding(struct minimization *m);

/// Returns the rounding error of E at the current state, J: of its parts, and of the work that the
/// forces do over the rounding errors of coordinates.
double stop_rule_energy_error(const struct minimization *m);

/// What rounding hides of newton->direction.
struct stop_noise {
    bool is_hidden;   ///< the decrease that it predicts, for each body
    bool has_arrived; ///< a search along it that finds nothing lower means convergence
};

/// slope: of newton->direction at the current state, J.
struct stop_noise stop_rule_noise(const struct minimization *m, double slope);

/// Measures newton->gradient for each body. Returns the norm over all nodes, N.
double stop_rule_measure_residual(struct minimization *m);

/// How far a body is from its limit.
struct stop_measure {
    uint32_t body;          ///< UINT32_MAX: all bodies, whose tolerance the host has set
    double residual, limit; ///< N
    double share;           ///< residual / limit; at most 1: solved
};

/// Returns that of the body with the largest share.
struct stop_measure stop_rule_measure(const struct minimization *m);

/// Returns whether a state that is solved is so because of rounding errors alone.
bool stop_rule_is_rounded(const struct minimization *m);

/// Returns whether the decrease of E that the accepted iterate's forces predicted for
/// newton->direction is small for each body, where no node moves by more than `length`, m.
bool stop_rule_gain_is_small(const struct minimization *m, double length);

/// Returns whether what is left of the forces on each body, as a whole, is small beside those that
/// act on it. Small steps alone leave bodies where they are whose contacts press: inside a barrier
/// a step is as short as the gap.
bool stop_rule_resultants_are_small(const struct minimization *m);

/// Writes to the result what the limits of all bodies come to, and whether rounding hides forces of
/// the host.
void stop_rule_report(struct minimization *m);

#endif

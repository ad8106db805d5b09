// What the parts of the minimiser share: the buffers that stay (struct newton) and one call's view
// of the problem (struct minimization).
#ifndef PBS_MINIMIZE_NEWTON_STATE_H
#define PBS_MINIMIZE_NEWTON_STATE_H

#include "linear/krylov/pcg.h"
#include "minimize/newton/constrained_hessian.h"
#include "minimize/newton/options.h"
#include "minimize/objective/objective.h"

/// An admissible state and what is known there.
struct iterate {
    double *x;        ///< node order
    double *gradient; ///< g' = grad E', vector_slot_count x 3
    struct objective_result objective;
};

struct newton {
    const struct assembly *assembly;
    struct bsr hessian;
    struct linear_problem problem; ///< that of the Hessian
    struct block_columns columns;
    struct preconditioner preconditioner;
    struct pcg_workspace pcg;
    struct iterate current, trial, accepted; ///< the minimiser's state, the latest evaluation, the
                                             ///< one the line search will return
    double *gradient; ///< node order: grad E, of the current state or, during a line search, of the
                      ///< trial
    double *gradient_rows; ///< row order: grad E of the current state
    double *direction;     ///< node order
    double *direction_rows;
    double *position_rows;
    double *radius_rows;                  ///< r of rotations; null: all nodes are places
    double *rotation_mode_rows;           ///< 9 per row, of those that are none
    uint8_t *coupled;                     ///< block_slot_count, see terms_mark_coupled
    uint64_t changes;                     ///< of what couples, when that was marked
    struct row_restriction *restrictions; ///< room for one per node
    double *prescribed_positions; ///< node order: with contact, where held axes are on the way to
                                  ///< their targets
    double *remaining_motion; ///< node order: what is left of it; zero elsewhere
};

struct minimization {
    struct newton *newton;
    const struct objective *objective;
    struct projection *projection;
    const struct newton_options *options;
    struct newton_result result;
    double step;            ///< of the latest line search
    double before;          ///< J: E where the latest iteration began; infinite before the first
    double rounding;        ///< N: what rounding may leave of |grad E| however good the solution
    uint32_t hidden_steps;  ///< in a row that promised less than the rounding of the energy
    bool moves_prescribed;  ///< all of what is scripted takes the others along, without contact too
    bool is_inertial_guess; ///< the guess ignores the forces: at least one iteration
    bool is_indefinite;     ///< the latest Hessian was found to be
    bool semidefinite;      ///< the next one is to be, where the objective lets it on demand
    bool stopped;           ///< a host's callback said so, or a Hessian was refused
    pbs_status solver;    ///< why the linear solver cannot go on, as the thread's message explains
    bool refused;         ///< a term has no Hessian at a state whose value it has given
    const double *motion; ///< node order: how held axes move in this iteration; null: not at all
    bool projection_failed; ///< the latest evaluation found no admissible point for some node, as
                            ///< the thread's message says
};

size_t newton_coordinate_count(const struct newton *newton);

/// trial.x = P(y); then value and gradient there. False when that state is not admissible (value
/// infinite) or the host stopped.
bool minimization_evaluate(struct minimization *m, const double *y);

/// Exchanges two states without copying.
void iterate_swap(struct iterate *a, struct iterate *b);

/// Starts from x: the guesses of OPT section 3.1, projected; the one with the lowest E becomes
/// current. False with result.status set.
bool minimization_guess(struct minimization *m, const double *x);

/// guess = where x goes under inertia and the forces that are the same everywhere: the solution in
/// free fall. Uses newton->trial.gradient as scratch.
void minimization_guess_free_fall(struct minimization *m, const double *x, double *guess);

/// With contact, and where the minimisation moves_prescribed: takes held axes and obstacles from
/// where they are at x to their targets, and everything else along, without anything touching; x
/// becomes that state, which is a guess as good as any where anything moved. False with
/// result.status set.
bool minimization_move_prescribed(struct minimization *m, double *x, bool *moved);

/// How far the line from x along direction is free, at most limit: nothing touches, no element
/// inverts. 0 where the search for contacts failed, with m->stopped.
double minimization_free_step(struct minimization *m, const double *x, const double *direction,
                              double limit);

/// Fixes the active set at the current state; newton->gradient = grad E, gradient_norm in the
/// result.
void minimization_activate(struct minimization *m);

/// |grad E| is below the tolerance, or below what rounding leaves of it, and a is_inertial_guess
/// guess has had its iteration.
bool minimization_is_solved(const struct minimization *m);

/// The constrained Hessian and its factor at the current state, gradient_rows. False when there is
/// no usable factor, or stopped.
bool minimization_linearize(struct minimization *m);

/// current = its bodies that nothing holds or touches, moved and turned as they are to where
/// inertia and the forces that are the same everywhere want them most. True where that made E
/// lower: then minimization_activate is due.
bool minimization_align(struct minimization *m);

/// One iteration from the current state, whose active set is fixed. False when it was the last,
/// with result.status set.
bool minimization_iterate(struct minimization *m);

/// What the preconditioner has come to, once the system is solved: a host's solver may give way to
/// another before. A factor that needed a shift is counted.
void minimization_read_solver_report(struct minimization *m);

/// direction from direction_rows, with what rounding left outside the tangent space removed.
void minimization_finish_direction(struct minimization *m);

/// Stops with the linear solver's status and the thread's message.
void minimization_stop_solver(struct minimization *m, pbs_status status);

/// Status and message for a state from which no step leads on.
void minimization_fail_stopped(struct minimization *m);
/// With where the residual is largest at the current state. kind: PBS_FAILURE_*.
void minimization_fail_unconverged(struct minimization *m, int32_t kind, const char *reason);

/// result.failure = where the residual is largest at the current state, and the contact that pushes
/// most there; or, where the script is blocked, the contact that pushes most against it.
void minimization_locate_failure(struct minimization *m, int32_t kind);

/// The baseline: full steps with MINRES, from the current state.
void plain_newton_run(struct minimization *m);

#endif

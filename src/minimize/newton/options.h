// Options and results of a minimisation: plain values.
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_NEWTON_OPTIONS_H
#define PBS_MINIMIZE_NEWTON_OPTIONS_H

#include "contact/contact_table.h"
#include "joints/joint_set.h"
#include "linear/preconditioner.h"

/// In addition to PBS_GUESS_*: start from the given state.
enum { NEWTON_GUESS_GIVEN = -1 };

struct newton_options {
    int32_t method;        ///< PBS_METHOD_*
    int32_t line_search;   ///< PBS_LINE_SEARCH_*
    int32_t initial_guess; ///< PBS_GUESS_*, NEWTON_GUESS_GIVEN
    bool is_stalled;       ///< rounding has stalled the minimisation that led to the start
    bool aligns;           ///< free bodies are moved rigidly between iterations
    uint32_t newton_limit, linear_limit;
    uint32_t *iterations_left; ///< of several minimisations; each takes off its own. Null: any
                               ///< number
    double tolerance;          ///< tau, N, of all nodes; 0: each body has its own, see stop_rule.c
    double relative_tolerance; ///< of the larger of nominal_force and the force that acts on a body
    double first_share;        ///< of the force that acts on a body, before any iteration
    double solved_share;       ///< the same after an iteration
    const double *nominal_force; ///< N, per body: scale of its elastic forces and loads; null: 0
    const double *host_force;    ///< N, per body: its weight and loads; null: 0
    double least_residual;       ///< N, for the forcing term: smaller gradients count as this large
    double velocity_tolerance;   ///< m/s; 0: only the gradient decides
    int32_t velocity_rule;       ///< PBS_VELOCITY_*
    double forcing;              ///< sigma, N^(-1/2)
    double step_length_limit;    ///< ell, m
    double residual; ///< N: tolerance of the linear solve of a linear step; 0: as accurate as
                     ///< possible
};

/// Where a minimisation that failed to converge has its largest residual.
struct newton_failure {
    int32_t kind;             ///< PBS_FAILURE_*
    uint32_t node;            ///< node with the largest residual; UINT32_MAX: unknown
    double residual;          ///< N, at that node
    struct contact_pair pair; ///< a contact at that node, or one that blocks the prescribed motion
    struct joint_miss joint;  ///< the joint that is farthest from closed; share 0: none is open
};

/// A body of which rounding hides what the host's forces do.
struct newton_hidden {
    uint32_t body;
    double rounding, force; ///< N; 0: none
};

struct newton_result {
    pbs_status status; ///< PBS_OK, or PBS_ERROR_CONVERGENCE, PBS_ERROR_INADMISSIBLE, PBS_ERROR_HOST
                       ///< with the thread's message set
    uint32_t newton_iterations, linear_solves, linear_iterations, evaluations;
    uint32_t indefinite_solves, gradient_directions, clamped_steps, roundoff_accepts,
        shifted_factors;
    uint32_t switched_solves;
    uint32_t alignments; ///< rigid alignments of free bodies, between iterations
    double gradient_norm, preconditioner_shift;
    double constraint_gap; ///< how far constraints are from holding at the end, in their
                           ///< tolerances; > 1: they contradict each other or what is constrained
    double start;          ///< J, E at the initial guess
    double value;          ///< J, E at the end
    struct preconditioner_report preconditioner; ///< of the last matrix
    double time_evaluate, time_hessian, time_factor, time_solve, time_search;
    double tolerance;              ///< N: root of the sum of the squared limits of all bodies
    struct newton_hidden hidden;   ///< if status is PBS_OK
    struct newton_failure failure; ///< of the last failure with PBS_ERROR_CONVERGENCE
    bool blocked;       ///< PBS_ERROR_CONVERGENCE because the prescribed motion is blocked: x is no
                        ///< acceptable state
    double force_error; ///< m, of a linear step: c |M^-1 grad E| at the end, largest component
};

#endif

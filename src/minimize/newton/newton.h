// Minimises the objective of one stage: OPT section 3 with the corrections of
// docs/theory/minimization.md section 1 (truncated conjugate gradients, descent test, length limit,
// line search, noise rule, gradient projection with an active set fixed per iteration). Plain
// Newton is included as a baseline.
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_NEWTON_NEWTON_H
#define PBS_MINIMIZE_NEWTON_NEWTON_H

#include "contact/projection/projection.h"
#include "linear/host/host_solver.h"
#include "minimize/newton/options.h"
#include "minimize/objective/objective.h"

/// Adds up several minimisations: counts and times are summed, the shift is the maximum, gradient,
/// value and gap of constraints are those of the last. Does not change the status.
void newton_result_add(struct newton_result *sum, const struct newton_result *part);

/// Buffers, matrix and preconditioner for one topology.
struct newton;

/// node_bodies: per node, ascending: its body, for what counts as solved; null: one body has all.
pbs_status newton_create(struct memory *memory, const struct assembly *assembly,
                         const uint32_t *node_bodies, int32_t preconditioner,
                         enum preconditioner_order order, struct newton **out);
/// Passes the radii r, in metres, of the `count` rotation nodes to the linear solvers. Call once,
/// if the assembly has rotation nodes.
void newton_set_radii(struct newton *newton, const uint32_t *nodes, const double *radii,
                      size_t count);
/// Puts the host's linear solver in front of the preconditioner, for newton_minimize with the
/// stabilised method and for newton_linear_step. On failure nothing changes.
pbs_status newton_use_host_solver(struct newton *newton, struct memory *memory,
                                  const pbs_linear_solver *functions);
/// Returns and resets the counts of the host's linear solver.
struct host_solver_counts newton_drain_host_counts(struct newton *newton);

/// Estimates the largest eigenvalue of M^-1 H, with H the objective's Hessian at x without
/// constraints. The estimate is a lower bound, on meshes a few percent too low. With infinite
/// weight its square root is the highest frequency. Returns EVALUATE_*.
int newton_largest_eigenvalue(struct newton *newton, const struct objective *objective,
                              const double *x, double *largest);

// Set and get the statistics that guide the choice of the linear solver. The caller stores them, so
// that a failed step leaves them unchanged. No-op for solvers without a choice.
void newton_set_solver_history(struct newton *newton, const struct selection_history *memory);
void newton_get_solver_history(const struct newton *newton, struct selection_history *out);

/// Returns the state at which the last minimisation ended, or failed; node order.
const double *newton_last_state(const struct newton *newton);

/// Returns what acts on a body there besides contact, N: inertia, and elasticity, weight and loads;
/// infinite where joints act, whose forces are not known apart from those of contact.
double newton_last_force(const struct newton *newton, uint32_t body);

void newton_destroy(struct newton *newton, struct memory *memory);

/// Minimises the objective. x (node order), in: the state at the start of the step, which satisfies
/// the constraints as far as possible; out: the minimiser or, on failure, the best state found.
/// Does not allocate. After success the projection holds the active pairs and multipliers at x.
struct newton_result newton_minimize(struct newton *newton, const struct objective *objective,
                                     struct projection *projection,
                                     const struct newton_options *options, double *x);

/// Moves prescribed axes and obstacles to their targets and the free nodes along with the
/// linearised forces, with or without contact. The result is an initial state; its energy is not
/// minimal. Otherwise as newton_minimize.
struct newton_result newton_move_prescribed(struct newton *newton,
                                            const struct objective *objective,
                                            struct projection *projection,
                                            const struct newton_options *options, double *x);

/// Does a linearly implicit step: one Newton step from x without initial guess and line search. On
/// failure x is unchanged. PBS_ERROR_INADMISSIBLE: the step leads to an inadmissible state, or the
/// matrix is not positive definite. Otherwise as newton_minimize.
struct newton_result newton_linear_step(struct newton *newton, const struct objective *objective,
                                        struct projection *projection,
                                        const struct newton_options *options, double *x);

#endif

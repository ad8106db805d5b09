// Minimisation of one stage: OPT section 3 with the corrections of docs/theory/minimization.md
// section 1 (truncated conjugate gradients, downhill test, length clamp, line search, noise rule,
// gradient projection with an active set fixed per iteration), and plain Newton as a baseline.
#ifndef PBS_MINIMIZE_NEWTON_NEWTON_H
#define PBS_MINIMIZE_NEWTON_NEWTON_H

#include "contact/projection/projection.h"
#include "linear/host/host_solver.h"
#include "minimize/newton/options.h"
#include "minimize/objective/objective.h"

/// After several minimisations: counts and times are added up, the shift is the largest, gradient
/// and value are those of the last. Leaves the status alone.
void newton_result_add(struct newton_result *sum, const struct newton_result *part);

/// Buffers, matrix and preconditioner for one topology.
struct newton;

pbs_status newton_create(struct memory *memory, const struct assembly *assembly,
                         int32_t preconditioner, enum preconditioner_order order,
                         struct newton **out);
/// What the solvers are to know of nodes that are rotations: `count` of them, with their r in
/// metres. Once, where the assembly has any.
void newton_set_radii(struct newton *newton, const uint32_t *nodes, const double *radii,
                      size_t count);
/// A host's linear solver in front of the preconditioner, for newton_minimize with the stabilised
/// method and for newton_linear_step. On failure nothing changes.
pbs_status newton_use_host_solver(struct newton *newton, struct memory *memory,
                                  const pbs_linear_solver *functions);
/// What a host's linear solver has done since the last call.
struct host_solver_counts newton_drain_host_counts(struct newton *newton);

/// An estimate of the largest eigenvalue of M^-1 H, H the objective's Hessian at x without
/// constraints: from below, on meshes some percent. Its square root is the highest frequency where
/// the weight is infinite. Returns EVALUATE_*.
int newton_largest_eigenvalue(struct newton *newton, const struct objective *objective,
                              const double *x, double *largest);

// What the choice among linear solvers goes by is the caller's to keep, so that a step that fails
// leaves it as it was. Where there is nothing to choose nothing happens.
void newton_set_solver_history(struct newton *newton, const struct selection_history *memory);
void newton_get_solver_history(const struct newton *newton, struct selection_history *out);

void newton_destroy(struct newton *newton, struct memory *memory);

/// x (node order): in, the state at the start of the step, feasible for the projection's masks and
/// obstacles as far as they can be; out, the minimiser. On failure x is the best state found. No
/// allocation. After a success the projection holds the active pairs and multipliers at x.
struct newton_result newton_minimize(struct newton *newton, const struct objective *objective,
                                     struct projection *projection,
                                     const struct newton_options *options, double *x);

/// What is scripted goes to its targets, and everything else along as the linearised forces say,
/// with contact as without: a state to begin with, whose energy is not minimal. Otherwise as
/// newton_minimize.
struct newton_result newton_move_prescribed(struct newton *newton,
                                            const struct objective *objective,
                                            struct projection *projection,
                                            const struct newton_options *options, double *x);

/// The linearly implicit step instead: one Newton step from x, no guess, no line search. On failure
/// x is as it was. A state that no such step leads to, or a matrix that is not positive definite,
/// is PBS_ERROR_INADMISSIBLE. Otherwise as newton_minimize.
struct newton_result newton_linear_step(struct newton *newton, const struct objective *objective,
                                        struct projection *projection,
                                        const struct newton_options *options, double *x);

#endif

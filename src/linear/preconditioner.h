// The interface of preconditioners and solvers: one table of functions each, with separate
// functions for set-up and application. A new preconditioner is one file and one row in
// preconditioner_tables. Theory: docs/theory/linear_solvers.md.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_PRECONDITIONER_H
#define PBS_LINEAR_PRECONDITIONER_H

#include "linear/problem.h"
#include "linear/solver_selection.h"

enum preconditioner_order { ORDER_NATURAL, ORDER_NESTED_DISSECTION };

struct preconditioner_report {
    int32_t used;   ///< PBS_PRECONDITIONER_*: the method that was used for the last matrix
    int32_t reason; ///< PBS_SOLVER_*: why it was chosen
    uint32_t coarse_unknowns;
    double expected_iterations; ///< of block Jacobi; 0: no expectation
    double work[SOLVER_KINDS];  ///< expected work of each solver, see selection_work
};

/// Result of a solve, reported to record_outcome.
struct solve_outcome {
    uint32_t iterations; ///< with the solver that finished
    bool is_complete;    ///< the tolerance was reached
};

struct preconditioner_table {
    int32_t id;       ///< PBS_PRECONDITIONER_*
    const char *name; ///< "block-jacobi"
    size_t state_size;
    /// Set-up per pattern: does everything that depends on the pattern alone. `state` is zeroed
    /// memory of state_size bytes. The pattern must outlive the state.
    pbs_status (*analyze)(void *state, struct memory *memory, const struct bsr *pattern,
                          enum preconditioner_order order);
    /// Set-up per matrix with that pattern. The data that the problem points to must stay valid
    /// until the last application. Allocates only if there are more contacts than in any matrix
    /// before. PBS_ERROR_CONVERGENCE: the matrix has no usable factor.
    pbs_status (*factor)(void *state, struct tasks *tasks, const struct linear_problem *problem);
    /// z = M^-1 r, row order; r and z must not overlap. M is symmetric positive definite. With a
    /// `start` function this holds only for residuals of iterations that began at the start vector.
    /// Null if there is `solve`.
    void (*apply)(const void *state, struct tasks *tasks, const double *r, double *z);
    /// Applies M^-1 to the rows of one domain. Null if M couples domains.
    void (*apply_domain)(const void *state, uint32_t domain, const double *r, double *z);
    /// Replaces `apply` if the method is itself a solver and may differ between applications: finds
    /// z with |r - H z| <= tolerance |r|. PBS_ERROR_CONVERGENCE: the solver failed; the iteration
    /// restarts with the substitute, which stays until the next factor. Any other failure ends the
    /// iteration.
    pbs_status (*solve)(void *state, struct tasks *tasks, const double *r, double tolerance,
                        double *z);
    /// Sets x to the start vector that makes `apply` positive definite, for the right-hand side b
    /// of H x = b; x . b >= 0. Returns false and leaves x alone if the last factor needs no start
    /// vector. Null: never needed.
    bool (*start)(const void *state, struct tasks *tasks, const double *b, double *x);
    /// Returns the preconditioner that does the work if this one delegates to others. It stays the
    /// same until the next `factor` or `switch_solver`. All functions above except `analyze` and
    /// `factor` may be called on it directly. Null: does not delegate.
    const struct preconditioner *(*worker)(const void *state);
    /// Returns the number of iterations after which conjugate gradients call `switch_solver`,
    /// counted from the start or from the last switch. Null: never.
    uint32_t (*iteration_budget)(const void *state);
    /// Called when the iteration budget is used up. *changed: another worker takes over at the
    /// current iterate.
    pbs_status (*switch_solver)(void *state, struct tasks *tasks, bool *changed);
    /// Called at the end of each solve. Null: not needed.
    void (*record_outcome)(void *state, const struct solve_outcome *outcome);
    /// Returns statistics of former solves that guide the choice of solver; the world stores them
    /// from step to step. Null: none.
    struct selection_history *(*history)(void *state);
    void (*release)(void *state, struct memory *memory);
    /// Returns the diagonal shift, relative to the diagonal, that the last factor needed. It is
    /// usually 0; infinite: no useful shift was found and block Jacobi replaces the factor.
    double (*shift)(const void *state);
    /// Returns an upper bound, at least 1, of the factor by which M may overestimate the stiffness
    /// of rows that contact couples; r . M^-1 r underestimates those rows by that factor. 0: M and
    /// H are equally stiff everywhere. Null: no bound.
    double (*contrast)(const void *state);
    /// Describes the last factor. Null: `id` says everything.
    void (*report)(const void *state, struct preconditioner_report *out);
};

struct preconditioner {
    const struct preconditioner_table *table;
    void *state;
};

/// All tables; the last entry is null.
extern const struct preconditioner_table *const preconditioner_tables[];
/// Returns null if there is none with that id.
const struct preconditioner_table *preconditioner_find(int32_t id);

pbs_status preconditioner_create(struct memory *memory, int32_t id, const struct bsr *pattern,
                                 enum preconditioner_order order, struct preconditioner *out);
/// As preconditioner_create, with a table that need not be in preconditioner_tables.
pbs_status preconditioner_create_from(struct memory *memory,
                                      const struct preconditioner_table *table,
                                      const struct bsr *pattern, enum preconditioner_order order,
                                      struct preconditioner *out);
/// No-op for a zero-initialised preconditioner.
void preconditioner_destroy(struct memory *memory, struct preconditioner *p);

/// Calls the table's `start`; false if there is none.
bool preconditioner_start(const struct preconditioner *p, struct tasks *tasks, const double *b,
                          double *x);
/// Returns the preconditioner that does the work: p itself or the one it delegates to.
const struct preconditioner *preconditioner_worker(const struct preconditioner *p);
/// Calls the table's `history`; null if there is none.
struct selection_history *preconditioner_history(const struct preconditioner *p);
struct preconditioner_report preconditioner_describe(const struct preconditioner *p);

/// Implements `apply` by `apply_domain` on all domains.
void preconditioner_apply_domains(const struct preconditioner_table *table, const void *state,
                                  uint32_t domain_count, struct tasks *tasks, const double *r,
                                  double *z);

// The rows of preconditioner_tables.
extern const struct preconditioner_table no_preconditioner;
extern const struct preconditioner_table block_jacobi;
extern const struct preconditioner_table incomplete_cholesky;
extern const struct preconditioner_table two_level;
extern const struct preconditioner_table cholesky;
extern const struct preconditioner_table cholesky_float;
extern const struct preconditioner_table automatic;
extern const struct preconditioner_table multigrid;
/// Multigrid of H0 only; ignores contact.
extern const struct preconditioner_table smoothed_aggregation;

#endif

// Preconditioners: one table of functions each, set-up apart from application. A new one is one
// file and one row.
#ifndef PBS_LINEAR_PRECONDITIONER_H
#define PBS_LINEAR_PRECONDITIONER_H

#include "linear/problem.h"
#include "linear/solver_selection.h"

enum preconditioner_order { ORDER_NATURAL, ORDER_NESTED_DISSECTION };

struct preconditioner_report {
    int32_t used;   ///< PBS_PRECONDITIONER_*: which of those that it can be
    int32_t reason; ///< PBS_SOLVER_*: why that one
    uint32_t coarse_unknowns;
    double expected_iterations; ///< of block Jacobi; 0: nothing was expected
    double work[SOLVER_KINDS];  ///< expected of each, see selection_work
};

/// How a solve went, for whoever chooses among several.
struct solve_outcome {
    uint32_t iterations; ///< with the preconditioner that it ended with
    bool is_complete;    ///< the tolerance was reached
};

struct preconditioner_table {
    int32_t id;       ///< PBS_PRECONDITIONER_*
    const char *name; ///< "block-jacobi"
    size_t state_size;
    /// Once per pattern: everything that depends on the pattern alone. State is zeroed memory of
    /// state_size; the pattern must outlive it.
    pbs_status (*analyze)(void *state, struct memory *memory, const struct bsr *pattern,
                          enum preconditioner_order order);
    /// Once per matrix with that pattern; what the problem points to must stay until the last
    /// application. No allocation, unless there are more contacts than ever before.
    /// PBS_ERROR_CONVERGENCE when the matrix has no usable factor.
    pbs_status (*factor)(void *state, struct tasks *tasks, const struct linear_problem *problem);
    /// z = M^-1 r, row order. Symmetric positive definite, where there is `start` for all residuals
    /// b - H x that can come after it. r and z must not overlap. Null where there is `solve`.
    void (*apply)(const void *state, struct tasks *tasks, const double *r, double *z);
    /// The same for the rows of one domain, when they need nothing else of r; else null.
    void (*apply_domain)(const void *state, uint32_t domain, const double *r, double *z);
    /// In place of `apply`, by whoever is a solver and may differ from one application to the next:
    /// where |r - H z| <= tolerance |r| the iteration will be over. PBS_ERROR_CONVERGENCE: it
    /// cannot; the iteration starts again with what stands in until the next factor. Other failures
    /// end the iteration.
    pbs_status (*solve)(void *state, struct tasks *tasks, const double *r, double tolerance,
                        double *z);
    /// Sets x to what the iteration has to start from for `apply` to be definite, from the
    /// right-hand side b of H x = b; x . b >= 0. False, and x untouched: the last factor wants no
    /// such thing, as those never do for which this is null.
    bool (*start)(const void *state, struct tasks *tasks, const double *b, double *x);
    /// Whoever has others do the work: the one that does, until the next factor or turn. Then all
    /// of the above but `analyze` and `factor` may be asked of that one instead. Null: none.
    const struct preconditioner *(*worker)(const void *state);
    /// After how many iterations conjugate gradients are to call `turn`; likewise after each turn,
    /// counted from there. Null: never.
    uint32_t (*iteration_budget)(const void *state);
    /// It has taken that long. *changed: another worker goes on from where the iteration is.
    pbs_status (*switch_solver)(void *state, struct tasks *tasks, bool *changed);
    /// Called at the end of each solve; null: does not care.
    void (*record_outcome)(void *state, const struct solve_outcome *outcome);
    /// What goes by former solves, and a world keeps from one step to the next; null: nothing does.
    struct selection_history *(*history)(void *state);
    void (*release)(void *state, struct memory *memory);
    /// The diagonal shift (relative to the diagonal) that the last factor needed; 0 as a rule,
    /// infinite where no useful one was found and block Jacobi stands in.
    double (*shift)(const void *state);
    /// How many times as stiff as H the last factor may take what contact couples, at least 1,
    /// which r . M^-1 r then counts for so much less; 0: it is stiff where H is and nowhere else.
    /// Null: any number.
    double (*contrast)(const void *state);
    /// What the last factor has come to; null: nothing but what `id` says.
    void (*report)(const void *state, struct preconditioner_report *out);
};

struct preconditioner {
    const struct preconditioner_table *table;
    void *state;
};

/// All tables, ended by null.
extern const struct preconditioner_table *const preconditioner_tables[];
/// Null when there is none with that id.
const struct preconditioner_table *preconditioner_find(int32_t id);

pbs_status preconditioner_create(struct memory *memory, int32_t id, const struct bsr *pattern,
                                 enum preconditioner_order order, struct preconditioner *out);
/// The same from a table that need not be among preconditioner_tables.
pbs_status preconditioner_create_from(struct memory *memory,
                                      const struct preconditioner_table *table,
                                      const struct bsr *pattern, enum preconditioner_order order,
                                      struct preconditioner *out);
/// One that was never created (all zero) is fine.
void preconditioner_destroy(struct memory *memory, struct preconditioner *p);

/// The table's start, if there is any.
bool preconditioner_start(const struct preconditioner *p, struct tasks *tasks, const double *b,
                          double *x);
/// Who does the work: *p, or the one that it has chosen.
const struct preconditioner *preconditioner_worker(const struct preconditioner *p);
/// The table's, where it has any; else null.
struct selection_history *preconditioner_history(const struct preconditioner *p);
struct preconditioner_report preconditioner_describe(const struct preconditioner *p);

/// Applies a table's apply_domain to all domains: the `apply` of whoever has an apply_domain.
void preconditioner_apply_domains(const struct preconditioner_table *table, const void *state,
                                  uint32_t domain_count, struct tasks *tasks, const double *r,
                                  double *z);

// The rows of the table.
extern const struct preconditioner_table no_preconditioner;
extern const struct preconditioner_table block_jacobi;
extern const struct preconditioner_table incomplete_cholesky;
extern const struct preconditioner_table two_level;
extern const struct preconditioner_table cholesky;
extern const struct preconditioner_table cholesky_float;
extern const struct preconditioner_table automatic;
extern const struct preconditioner_table multigrid;
/// Multigrid of H0 alone, without contact.
extern const struct preconditioner_table smoothed_aggregation;

#endif

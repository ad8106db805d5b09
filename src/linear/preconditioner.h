// Preconditioners: one table of functions each, set-up apart from application. A new one is one file and one row.
#ifndef PBS_LINEAR_PRECONDITIONER_H
#define PBS_LINEAR_PRECONDITIONER_H

#include "sparse/bsr.h"

enum preconditioner_order { ORDER_NATURAL, ORDER_NESTED_DISSECTION };

struct preconditioner_table {
    int32_t id;       ///< PBS_PRECONDITIONER_*
    const char *name; ///< "block-jacobi"
    size_t state_size;
    /// Once per pattern: everything that depends on the pattern alone. State is zeroed memory of state_size.
    pbs_status (*analyze)(void *state, struct memory *memory, const struct bsr *pattern,
                          enum preconditioner_order order);
    /// Once per matrix with that pattern. No allocation. PBS_ERROR_CONVERGENCE when the matrix has no usable factor.
    pbs_status (*factor)(void *state, struct tasks *tasks, const struct bsr *a);
    /// z = M^-1 r, row order. Symmetric positive definite.
    void (*apply)(const void *state, struct tasks *tasks, const double *r, double *z);
    void (*release)(void *state, struct memory *memory);
    /// The diagonal shift (relative to the diagonal) that the last factor needed; 0 as a rule.
    double (*shift)(const void *state);
};

struct preconditioner {
    const struct preconditioner_table *table;
    void *state;
};

/// All tables, ended by null: none, block Jacobi, block incomplete Cholesky.
extern const struct preconditioner_table *const preconditioner_tables[];
const struct preconditioner_table *preconditioner_find(int32_t id);

pbs_status preconditioner_create(struct memory *memory, int32_t id, const struct bsr *pattern,
                                 enum preconditioner_order order, struct preconditioner *out);
void preconditioner_destroy(struct memory *memory, struct preconditioner *p);

#endif

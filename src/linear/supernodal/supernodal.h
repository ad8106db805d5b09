// Supernodal sparse Cholesky factors of a symmetric matrix of 3x3 blocks. Used for coarse systems,
// small worlds, and as the exact reference. The symbolic part is done once per pattern, on nodes;
// only the analysis allocates. The result does not depend on the number of threads. A float factor
// and its solutions flush denormal numbers to zero: far from its diagonal the factor of a flat
// sheet is full of them.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_SUPERNODAL_SUPERNODAL_H
#define PBS_LINEAR_SUPERNODAL_SUPERNODAL_H

#include "sparse/matrices/bsr.h"

struct supernodal;

/// Precision of the factor. Float halves the memory and is meant for preconditioning.
enum supernodal_precision { SUPERNODAL_DOUBLE, SUPERNODAL_FLOAT };

/// The memory must outlive the factor.
pbs_status supernodal_create(struct memory *memory, enum supernodal_precision precision,
                             struct supernodal **out);

/// No-op if null.
void supernodal_destroy(struct supernodal *s);

/// Analyses a pattern. Only its row_count, row_start and column are read, and only during the call.
/// The blocks of a row may be in any order; every diagonal block must exist. May be called again
/// with another pattern; it then allocates nothing if the buffers are large enough and an order is
/// given. After a failure no other function may be called until it succeeds. order: order[k] is the
/// row to eliminate k-th; null: METIS nested dissection.
pbs_status supernodal_analyze(struct supernodal *s, const struct bsr *pattern,
                              const uint32_t *order);

/// supernodal_analyze in two parts. The plan gives the size of the factor without allocating its
/// numerical buffers; order: not null. The reservation allocates them and must precede the first
/// factorisation of a plan.
pbs_status supernodal_plan(struct supernodal *s, const struct bsr *pattern, const uint32_t *order);
pbs_status supernodal_reserve(struct supernodal *s);
/// Takes effect at the next supernodal_reserve with the same plan. Invalidates the factor.
void supernodal_set_precision(struct supernodal *s, enum supernodal_precision precision);

/// Factors a, with every diagonal entry multiplied by 1 + shift. The pattern must be the analysed
/// one. Does not allocate. PBS_ERROR_CONVERGENCE, with the row in the message: a pivot is not
/// positive or within rounding error of zero; supernodal_solve must then not be called.
pbs_status supernodal_factor(struct supernodal *s, struct tasks *tasks, const struct bsr *a,
                             double shift);

/// After PBS_ERROR_CONVERGENCE, returns the bad pivot divided by the size of its original diagonal
/// entry.
double supernodal_bad_pivot(const struct supernodal *s);

/// x = A^-1 b; b, x: 3 per row in row order, may be the same. Does not allocate.
void supernodal_solve(struct supernodal *s, struct tasks *tasks, const double *b, double *x);

/// Returns the number of stored entries of the lower triangle, including zeros inside the dense
/// blocks.
size_t supernodal_factor_entries(const struct supernodal *s);

/// Returns the multiplications plus additions of a factorisation.
double supernodal_flops(const struct supernodal *s);

/// Returns the bytes allocated in total.
size_t supernodal_bytes(const struct supernodal *s);

#endif

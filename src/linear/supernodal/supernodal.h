// Sparse Cholesky factors of a symmetric matrix of 3x3 blocks, columns with the same rows in dense
// blocks. For coarse systems, small worlds, and as the exact reference. The symbolic part is done
// once per pattern, on nodes; nothing but analysing allocates. The result does not depend on the
// number of threads. A float factor and its solutions take denormal numbers for zero: far from its
// diagonal that of a flat sheet is full of them.
#ifndef PBS_LINEAR_SUPERNODAL_SUPERNODAL_H
#define PBS_LINEAR_SUPERNODAL_SUPERNODAL_H

#include "sparse/matrices/bsr.h"

struct supernodal;

/// What the factor is held in. A float factor takes half the memory and is meant to precondition.
enum supernodal_precision { SUPERNODAL_DOUBLE, SUPERNODAL_FLOAT };

/// The memory must outlive it.
pbs_status supernodal_create(struct memory *memory, enum supernodal_precision precision,
                             struct supernodal **out);

/// Null is fine.
void supernodal_destroy(struct supernodal *s);

/// Reads row_count, row_start and column of the pattern, which need not outlive the call; blocks of
/// a row may come in any order, and one of a diagonal must be there. May be called again with
/// another pattern: nothing is allocated once the buffers are large enough and an order is given.
/// On failure it must succeed once before anything else is asked.
/// order: order[k] is the row to eliminate k-th; null: METIS nested dissection.
pbs_status supernodal_analyze(struct supernodal *s, const struct bsr *pattern,
                              const uint32_t *order);

/// supernodal_analyze in two parts. Planning says what a factor takes, and holds no room for its
/// numbers; order: not null. Before the first factorisation of a plan comes the reservation.
pbs_status supernodal_plan(struct supernodal *s, const struct bsr *pattern, const uint32_t *order);
pbs_status supernodal_reserve(struct supernodal *s);
/// From the next reservation on, for the same plan; nothing can be solved with before a factor.
void supernodal_set_precision(struct supernodal *s, enum supernodal_precision precision);

/// Factors a, whose pattern is the one analysed, with every diagonal entry times 1 + shift. Does
/// not allocate. PBS_ERROR_CONVERGENCE with the row in the message where a pivot is not positive,
/// or so small that it may be rounding alone; then there is nothing to solve with.
pbs_status supernodal_factor(struct supernodal *s, struct tasks *tasks, const struct bsr *a,
                             double shift);

/// After PBS_ERROR_CONVERGENCE: that pivot over the size of the diagonal entry that it came from.
double supernodal_bad_pivot(const struct supernodal *s);

/// x = A^-1 b; b, x: 3 per row in row order, may be the same. Does not allocate.
void supernodal_solve(struct supernodal *s, struct tasks *tasks, const double *b, double *x);

/// Entries of the lower triangle that are stored, zeros that came with the dense blocks included.
size_t supernodal_factor_entries(const struct supernodal *s);

/// Multiplications and additions of a factorisation.
double supernodal_flops(const struct supernodal *s);

/// Of all it holds.
size_t supernodal_bytes(const struct supernodal *s);

#endif

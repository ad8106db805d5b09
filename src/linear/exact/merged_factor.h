// Exact Cholesky factor of H = H0 + C. The contact pattern changes often: pattern and symbolic
// factor of the sum are rebuilt whenever C couples other rows, and only then. The elimination order
// is the nested dissection of H0, computed once. If contact causes too much fill with it, a minimum
// degree order of the sum is used. The choice depends on the current pattern only, so that results
// are repeatable. Theory: docs/theory/linear_solvers.md section 10.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_EXACT_MERGED_FACTOR_H
#define PBS_LINEAR_EXACT_MERGED_FACTOR_H

#include "linear/problem.h"
#include "linear/supernodal/supernodal.h"

struct merged_factor;

/// Creates a factor for matrices H0 with this pattern, prepared for H0 without contact. The pattern
/// and the memory must outlive it. Numerical buffers are allocated by the first factorisation.
pbs_status merged_factor_create(struct memory *memory, enum supernodal_precision precision,
                                const struct bsr *pattern, struct merged_factor **out);
/// No-op if null.
void merged_factor_destroy(struct merged_factor *f);

/// Updates pattern and symbolic factor to the problem's matrix. Allocates only if they are larger
/// than ever before. PBS_ERROR_ARGUMENT: 32-bit indices overflow.
pbs_status merged_factor_prepare(struct merged_factor *f, const struct linear_problem *problem);

/// Allocates the numerical buffers for the prepared pattern, so that the factorisation does not
/// allocate.
pbs_status merged_factor_reserve(struct merged_factor *f);

/// Prepares and factors. Uses double if float has not enough digits, as with contact 1e6 times
/// stiffer than the mesh. PBS_ERROR_CONVERGENCE: H is not positive definite, and
/// merged_factor_solve must not be called.
pbs_status merged_factor_make(struct merged_factor *f, struct tasks *tasks,
                              const struct linear_problem *problem);

/// x = H^-1 b, in the precision of the factor; b, x: 3 per row in row order, may be the same. Does
/// not allocate.
void merged_factor_solve(struct merged_factor *f, struct tasks *tasks, const double *b, double *x);

// Size of the factor as last prepared; see supernodal.h.
double merged_factor_flops(const struct merged_factor *f);
size_t merged_factor_entries(const struct merged_factor *f);
/// Number of blocks in the upper triangle of H.
size_t merged_factor_blocks(const struct merged_factor *f);
/// Precision of the last factor.
enum supernodal_precision merged_factor_precision(const struct merged_factor *f);
/// Returns whether the last preparation changed the pattern.
bool merged_factor_is_new(const struct merged_factor *f);

// The same for H0 alone.
double merged_factor_mesh_flops(const struct merged_factor *f);
size_t merged_factor_mesh_entries(const struct merged_factor *f);

/// Returns the bytes allocated in total.
size_t merged_factor_bytes(const struct merged_factor *f);

#endif

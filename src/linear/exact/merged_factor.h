// An exact factor of H = H0 + C. Contact comes and goes, so the pattern of the sum and the symbolic
// factor are made again whenever C couples other rows, and only then. Rows are eliminated in the
// order that nested dissection has found for H0, once; where contact fills that in too much, in one
// of minimum degree for the sum. Which of them depends on nothing but the present pattern, as
// repeatable results ask.
// Theory: docs/theory/linear_solvers.md section 10.
#ifndef PBS_LINEAR_EXACT_MERGED_FACTOR_H
#define PBS_LINEAR_EXACT_MERGED_FACTOR_H

#include "linear/problem.h"
#include "linear/supernodal/supernodal.h"

struct merged_factor;

/// For matrices H0 of that pattern, which must outlive it as the memory must. Prepared for H0
/// alone; room for numbers is taken by the first factor.
pbs_status merged_factor_create(struct memory *memory, enum supernodal_precision precision,
                                const struct bsr *pattern, struct merged_factor **out);
/// Null is fine.
void merged_factor_destroy(struct merged_factor *f);

/// Brings pattern and symbolic factor up to date with what the problem couples. Allocates only for
/// more than ever before. PBS_ERROR_ARGUMENT where indices do not reach.
pbs_status merged_factor_prepare(struct merged_factor *f, const struct linear_problem *problem);

/// Room for the numbers of what was prepared, for who wants none taken later.
pbs_status merged_factor_reserve(struct merged_factor *f);

/// Prepares, then the factor itself; in double where float has not enough digits, as with contact
/// 1e6 times stiffer than what it touches. PBS_ERROR_CONVERGENCE where H is not positive definite;
/// then there is nothing to solve with.
pbs_status merged_factor_make(struct merged_factor *f, struct tasks *tasks,
                              const struct linear_problem *problem);

/// x = H^-1 b, to the precision; b, x: 3 per row in row order, may be the same. Does not allocate.
void merged_factor_solve(struct merged_factor *f, struct tasks *tasks, const double *b, double *x);

// What the factor takes, exactly, as it was prepared last: see supernodal.h.
double merged_factor_flops(const struct merged_factor *f);
size_t merged_factor_entries(const struct merged_factor *f);
/// Blocks of the upper triangle of H.
size_t merged_factor_blocks(const struct merged_factor *f);
/// What the last factor is held in.
enum supernodal_precision merged_factor_precision(const struct merged_factor *f);
/// Whether the last preparation found another pattern than the one before.
bool merged_factor_is_new(const struct merged_factor *f);

// The same of H0 alone.
double merged_factor_mesh_flops(const struct merged_factor *f);
size_t merged_factor_mesh_entries(const struct merged_factor *f);

/// Of all it holds.
size_t merged_factor_bytes(const struct merged_factor *f);

#endif

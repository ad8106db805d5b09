// Smoothed-aggregation multigrid: data shared by its files. A grid is a level. It has a matrix of B
// x B blocks, B = 3 on the finest grid and 6 (a rigid motion) below, and the interpolation from the
// next coarser grid. All indices depend on the pattern only; factoring does not allocate.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_MULTIGRID_MULTIGRID_H
#define PBS_LINEAR_MULTIGRID_MULTIGRID_H

#include "linear/incomplete/incomplete_cholesky.h"

/// Number of rigid motions: translations, then rotations about a centre.
#define MODES      6
#define GRID_LIMIT 16
/// Kernels read eight entries at a time, so arrays of blocks are padded by this much.
#define GRID_PADDING 8
#define NO_AGGREGATE UINT32_MAX

struct grid {
    uint32_t node_count;
    uint32_t size;         ///< B
    uint32_t chunk_count;  ///< pieces of parallel work; on the finest grid, the layout's domains
    uint32_t *chunk_start; ///< chunk_count + 1, first node of each chunk

    // The matrix: both triangles, columns ascending.
    uint32_t *start;    ///< node_count + 1
    uint32_t *column;   ///< block -> node
    uint32_t *diagonal; ///< node -> block
    uint32_t *source;   ///< block -> 2 k, or 2 k + 1 if transposed; k: index in the upper triangle
                        ///< that it is copied from
    float *values;      ///< B^2 per block, column-major
    float *inverse;     ///< B^2 per node: inverse diagonal blocks of the smoother

    // Aggregates. Each lies in one chunk; they are numbered by chunk.
    uint32_t coarse_count;
    uint32_t *aggregate;       ///< node -> aggregate, or NO_AGGREGATE if the node is not coupled
    uint32_t *aggregate_start; ///< chunk_count + 1
    uint32_t *member_start;    ///< coarse_count + 1
    uint32_t *member;          ///< nodes of each aggregate, ascending

    // Interpolation P: one row of blocks per node.
    uint32_t *p_start;     ///< node_count + 1
    uint32_t *p_column;    ///< block -> aggregate, ascending in a row
    uint32_t *p_slot;      ///< block (i, j) of the matrix -> index of j's aggregate in row i of P
    uint32_t p_width;      ///< of the longest row
    float *tentative;      ///< node: B x 6, row-major
    float *p;              ///< block: B x 6, row-major
    uint32_t *outer_start; ///< coarse_count + 1: the blocks of a column of P in rows of other
                           ///< chunks
    uint32_t *outer_row;   ///< node, ascending
    uint32_t *outer_block;

    // The Galerkin product P^T A P. Each chunk has its own sums.
    uint32_t *ap_count;   ///< node: blocks in its row of A P
    uint32_t ap_width;    ///< of the longest row
    uint32_t *ap_slot;    ///< for each chunk a list: block (i, j) and block (j, I) of P -> index in
                          ///< row i of A P
    uint32_t *pair;       ///< for each chunk a list: block (i, I) of P and block (i, J >= I) of A P
                          ///< -> sum
    size_t *ap_start;     ///< chunk_count + 1: start of each chunk in ap_slot
    size_t *pair_start;   ///< chunk_count + 1: start of each chunk in pair
    uint32_t *sum_start;  ///< chunk_count + 1: first sum of each chunk
    uint32_t upper;       ///< number of blocks in the upper triangle of P^T A P
    uint32_t *part_start; ///< upper + 1
    uint32_t *part;       ///< the sums that add up to a block, by chunk
    float *work;          ///< per chunk: rows of P or A P, padded to eight

    // Vectors, B per node.
    double *b, *x, *t, *y;
    double *center; ///< 3 per node
    double *modes; ///< node: 6 x 6, the rigid motions about its centre in its unknowns; null on the
                   ///< finest grid
};

struct multigrid {
    struct memory *memory;
    const struct bsr *pattern;
    const struct layout *layout;
    uint64_t coupling;     ///< problem.coupling for which the grids were built
    struct ichol smoother; ///< of the finest grid
    uint32_t grid_count;
    struct grid grid[GRID_LIMIT];
    float *sums;   ///< 48 per sum of the grid with the most sums
    double *dense; ///< inverse of the coarsest matrix; null if that is too large
    uint32_t dense_size;
    uint32_t *restriction; ///< row -> index of its restriction, or UINT32_MAX
    uint32_t *bad_row;     ///< per domain
    int exponent;          ///< the finest grid holds H0 times 2^-exponent
    double damping;        ///< damping factor of the finest grid's smoother
    bool has_grids;        ///< false: only the smoother is used
};

/// Builds grids, aggregates and patterns.
pbs_status multigrid_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                             enum preconditioner_order order);
/// Rebuilds the grids for the blocks that couple, if these have changed. On failure nothing
/// changes.
pbs_status multigrid_couple(struct multigrid *m, const struct linear_problem *problem);
void multigrid_release(void *state, struct memory *memory);

/// Computes the values of grids 1, 2, ... from grid 0, whose values and centres must be set.
/// Returns false if the matrix is found not to be positive definite.
bool multigrid_build_grids(struct multigrid *m, struct tasks *tasks,
                           const struct linear_problem *problem);

/// Computes the inverse diagonal blocks for the smoother of a grid below the finest. Returns false
/// if one is not positive definite.
bool grid_invert_diagonal(struct tasks *tasks, struct grid *g);

/// y = M^-1 x on the rows of a chunk.
typedef void (*grid_smoother_fn)(const void *context, uint32_t chunk, const double *x, double *y);

/// Returns an upper estimate of the largest eigenvalue of M^-1 A. Overwrites the grid's vectors.
double grid_spectral_bound(struct tasks *tasks, const struct grid *g, grid_smoother_fn smoother,
                           const void *context, uint32_t steps);

/// t = b - scale A x on the rows of a chunk.
void grid_residual(const struct grid *g, uint32_t chunk, double scale, const double *b,
                   const double *x, double *t);
/// y = D^-1 x on the rows of a chunk.
void grid_scale(const struct grid *g, uint32_t chunk, const double *x, double *y);
/// to = P^T from, for the aggregates of a chunk, over the chunk's own rows.
void grid_restrict(const struct grid *g, uint32_t chunk, const double *from, double *to);
/// to += P^T from, over the rows of other chunks.
void grid_restrict_outer(const struct grid *g, uint32_t chunk, const double *from, double *to);
/// to += scale P from, on the rows of a chunk.
void grid_prolong(const struct grid *g, uint32_t chunk, double scale, const double *from,
                  double *to);
/// Solves (D + L) x = b, the lower triangle of a chunk.
void grid_sweep_forward(const struct grid *g, uint32_t chunk, const double *b, double *x);
/// Solves (D + L)^T y = t, in place.
void grid_sweep_backward(const struct grid *g, uint32_t chunk, double *t);

/// Sets t of grid 1 to the result of two cycles for its right-hand side b, which is overwritten.
void multigrid_correct(const struct multigrid *m, struct tasks *tasks);

#endif

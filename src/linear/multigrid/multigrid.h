// Smoothed-aggregation multigrid: what its files share. A grid is a level: a matrix of B x B
// blocks, B = 3 on the finest and 6 (a rigid motion) below, and the interpolation from the next.
// Everything here that is not a number is fixed by the pattern; factoring allocates nothing.
#ifndef PBS_LINEAR_MULTIGRID_MULTIGRID_H
#define PBS_LINEAR_MULTIGRID_MULTIGRID_H

#include "linear/incomplete/incomplete_cholesky.h"

/// Rigid motions: translations, then rotations about a centre.
#define MODES      6
#define GRID_LIMIT 16
/// Kernels read eight entries at a time: arrays of blocks are readable that much behind their end.
#define GRID_PADDING 8
#define NO_AGGREGATE UINT32_MAX

struct grid {
    uint32_t node_count;
    uint32_t size;         ///< B
    uint32_t chunk_count;  ///< pieces of parallel work; on the finest grid, the layout's domains
    uint32_t *chunk_start; ///< chunk_count + 1 nodes

    // The matrix: both triangles, columns ascending.
    uint32_t *start;    ///< node_count + 1
    uint32_t *column;   ///< block -> node
    uint32_t *diagonal; ///< node -> block
    uint32_t *source;   ///< block -> 2 k, or 2 k + 1 if transposed; k: what `upper` counts
    float *values;      ///< B^2 per block, column after column
    float *inverse;     ///< B^2 per node: inverse diagonal blocks of the smoother

    // Aggregates, each inside a chunk, numbered chunk by chunk.
    uint32_t coarse_count;
    uint32_t *aggregate;       ///< node -> aggregate, or NO_AGGREGATE where nothing is coupled
    uint32_t *aggregate_start; ///< chunk_count + 1
    uint32_t *member_start;    ///< coarse_count + 1
    uint32_t *member;          ///< nodes of each aggregate, ascending

    // Interpolation P, a row of blocks for each node.
    uint32_t *p_start;     ///< node_count + 1
    uint32_t *p_column;    ///< block -> aggregate, ascending in a row
    uint32_t *p_slot;      ///< block (i, j) of the matrix -> place of j's aggregate in row i of P
    uint32_t p_width;      ///< of the longest row
    float *tentative;      ///< node: B x 6, row after row
    float *p;              ///< block: B x 6, row after row
    uint32_t *outer_start; ///< coarse_count + 1: what a column of P has in other chunks' rows
    uint32_t *outer_row;   ///< node, ascending
    uint32_t *outer_block;

    // The Galerkin product P^T A P, chunk by chunk into sums of their own.
    uint32_t *ap_count;   ///< node: blocks in its row of A P
    uint32_t ap_width;    ///< of the longest row
    uint32_t *ap_slot;    ///< for each chunk a list: block (i, j) and block (j, I) of P -> place in
                          ///< row i of A P
    uint32_t *pair;       ///< for each chunk a list: block (i, I) of P and block (i, J >= I) of A P
                          ///< -> sum
    size_t *ap_start;     ///< chunk_count + 1: first of each chunk in ap_slot
    size_t *pair_start;   ///< chunk_count + 1
    uint32_t *sum_start;  ///< chunk_count + 1: sums of each chunk
    uint32_t upper;       ///< blocks of the upper triangle of P^T A P
    uint32_t *part_start; ///< upper + 1
    uint32_t *part;       ///< the sums that make up a block, chunk by chunk
    float *work;          ///< chunk: rows of P or A P, eight wide

    // Vectors, B per node.
    double *b, *x, *t, *y;
    double *center; ///< 3 per node
    double *modes;  ///< node: 6 x 6, the rigid motions about its centre in its unknowns; finest:
                    ///< null
};

struct multigrid {
    struct memory *memory;
    const struct bsr *pattern;
    const struct layout *layout;
    uint64_t coupling;     ///< that of the problem that the grids are made for
    struct ichol smoother; ///< of the finest grid
    uint32_t grid_count;
    struct grid grid[GRID_LIMIT];
    float *sums;   ///< 48 per sum of the grid with the most of them
    double *dense; ///< inverse of the coarsest matrix, or null where that is too large
    uint32_t dense_size;
    uint32_t *restriction; ///< row -> index of its restriction, or UINT32_MAX
    uint32_t *bad_row;     ///< per domain
    int exponent;          ///< the finest grid holds H0 times 2^-exponent
    double damping;        ///< of the finest grid's smoother
    bool has_grids;        ///< false: the smoother stands in for all of it
};

/// Grids, aggregates and patterns.
pbs_status multigrid_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                             enum preconditioner_order order);
/// The same anew, of the blocks that couple, where others do than before. On failure nothing
/// changes.
pbs_status multigrid_couple(struct multigrid *m, const struct linear_problem *problem);
void multigrid_release(void *state, struct memory *memory);

/// Values of grids 1 ... from grid 0, whose values and centres are set. False where the matrix is
/// found not to be positive definite.
bool multigrid_build_grids(struct multigrid *m, struct tasks *tasks,
                           const struct linear_problem *problem);

/// Inverse diagonal blocks for the smoother of a grid below the finest. False when one is not
/// positive definite.
bool grid_invert_diagonal(struct tasks *tasks, struct grid *g);

/// y = M^-1 x on the rows of a chunk.
typedef void (*grid_smoother_fn)(const void *context, uint32_t chunk, const double *x, double *y);

/// An upper estimate of the largest eigenvalue of M^-1 A. Uses the grid's vectors.
double grid_spectral_bound(struct tasks *tasks, const struct grid *g, grid_smoother_fn smoother,
                           const void *context, uint32_t steps);

/// t = b - scale A x on the rows of a chunk.
void grid_residual(const struct grid *g, uint32_t chunk, double scale, const double *b,
                   const double *x, double *t);
/// y = D^-1 x on the rows of a chunk.
void grid_scale(const struct grid *g, uint32_t chunk, const double *x, double *y);
/// to = P^T from, for the aggregates of a chunk, from the chunk's own rows.
void grid_restrict(const struct grid *g, uint32_t chunk, const double *from, double *to);
/// to += P^T from, from all other rows.
void grid_restrict_outer(const struct grid *g, uint32_t chunk, const double *from, double *to);
/// to += scale P from, on the rows of a chunk.
void grid_prolong(const struct grid *g, uint32_t chunk, double scale, const double *from,
                  double *to);
/// Solves (D + L) x = b, the lower triangle of a chunk.
void grid_sweep_forward(const struct grid *g, uint32_t chunk, const double *b, double *x);
/// Solves (D + L)^T y = t, in place.
void grid_sweep_backward(const struct grid *g, uint32_t chunk, double *t);

/// grid 1's t = the solution that two cycles find for its b, which is lost.
void multigrid_correct(const struct multigrid *m, struct tasks *tasks);

#endif

// Data shared by the files of the supernodal factorisation. All indices refer to nodes of 3 rows
// each; a position is an index into the elimination order.
//
// The front of a supernode is the dense matrix of all rows that take part in its elimination: first
// its own columns, then `rows`, the rows below. Eliminating its columns stores them in `factor`.
// The remaining part of the front, the update matrix, is stored in `updates` and added to the
// parent's front (multifrontal: Liu, SIAM Review 34, 1992).
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_SUPERNODAL_SUPERNODAL_PARTS_H
#define PBS_LINEAR_SUPERNODAL_SUPERNODAL_PARTS_H

#include "base/config.h"
#include "linear/supernodal/elimination.h"
#include "linear/supernodal/supernodal.h"

enum {
    /// Columns of a panel of an update matrix; a multiple of whole nodes and of cache lines of both
    /// precisions.
    UPDATE_PANEL = 192,
    /// PRODUCT_DEPTH: depth of a block of a product. PACKED_WIDTH: result columns from which on the
    /// rows of A are packed first.
    PRODUCT_DEPTH = 96,
    PACKED_WIDTH = 48,
    /// Tile sizes of large fronts that are divided among threads: rows of a tile, and columns that
    /// are loaded together.
    TILE_ROWS = 384,
    LOAD_TILE = 48,
    /// Pieces per thread when solving with a large front. Fronts with fewer than SOLVE_ENTRIES
    /// entries are solved by one thread.
    SOLVE_ROWS = 768,
    SOLVE_COLUMNS = 24,
    SOLVE_ENTRIES = 300000,
    /// Maximum number of concurrent workers; each has its own buffer.
    WORKER_COUNT = 8,
};

struct supernodal {
    struct memory *memory;
    enum supernodal_precision precision;
    bool fuses; ///< the current factor uses fused multiply-adds

    uint32_t row_count;
    uint32_t *order;    ///< position -> row
    uint32_t *position; ///< row -> position

    // Supernodes in elimination order: children before their parents.
    uint32_t count;
    uint32_t *first;       ///< count + 1: position of the first column
    uint32_t *parent;      ///< or NO_INDEX
    uint32_t *child_start; ///< count + 1
    uint32_t *child;       ///< ascending
    size_t *row_start;     ///< count + 1
    uint32_t *rows;        ///< positions below the supernode's columns, ascending
    uint32_t *parent_row;  ///< per entry of `rows`: row index in the parent's front
    uint32_t *run; ///< per entry of `rows`: how many rows from this one on are consecutive in the
                   ///< parent's front
    size_t *factor_start; ///< count + 1: start in `factor`; columns are column_stride() entries
                          ///< apart
    double flops;
    size_t entries;

    // Pieces are sets of consecutive supernodes, whole subtrees, that one thread eliminates. The
    // supernodes above, the top, are eliminated one after the other by all threads. See
    // supernodal_schedule.c.
    uint32_t piece_count;
    uint32_t *piece_begin;
    uint32_t *piece_end;
    uint32_t top_count;
    uint32_t *top; ///< ascending
    uint32_t batch_count;
    uint32_t *batch_piece_end; ///< end of the batch's pieces, which run concurrently
    uint32_t *batch_top_end;   ///< end of the top supernodes that are eliminated after the batch

    // Location of the update matrices in `updates`. Matrices that a piece passes to the top, and
    // those of the top, are in the shared part. Matrices inside a piece are in the buffer of the
    // worker that eliminates it.
    uint32_t *is_shared;  ///< count: 0 or 1
    size_t *update_start; ///< count: offset in the shared part or in the worker's buffer
    size_t shared_size;
    size_t local_size; ///< per worker
    uint32_t worker_count;

    // The blocks of the matrix, grouped by the factor column that they are added to.
    uint32_t *source_start; ///< row_count + 1
    uint32_t *source;       ///< block of the matrix
    uint32_t *target;       ///< 2 * its row in the front, plus 1 if it is transposed

    void *factor;   ///< entries have the current precision
    void *updates;  ///< entries have the current precision
    void *solution; ///< entries have the current precision; solving: a vector per front, columns
                    ///< first; factoring: the diagonal of the matrix
    uint32_t *bad;  ///< per supernode: the first scalar column with a bad pivot, or NO_INDEX

    // The allocations behind the pointers above, and scratch of the analysis.
    uint32_t *words, *structure, *scratch;
    size_t *sizes;
    size_t word_capacity, structure_capacity, scratch_capacity, size_capacity;
    size_t factor_bytes, update_bytes, solution_bytes; ///< allocated sizes
};

ALWAYS_INLINE uint32_t front_columns(const struct supernodal *s, uint32_t i) {
    return s->first[i + 1] - s->first[i];
}

/// Number of rows below the front's columns.
ALWAYS_INLINE uint32_t front_rows(const struct supernodal *s, uint32_t i) {
    return (uint32_t)(s->row_start[i + 1] - s->row_start[i]);
}

/// Returns the distance of the columns of a front with `rows` nodes: whole cache lines, padded so
/// that a vector of either precision can be loaded at the last row. Multiples of 256 are avoided,
/// because then all entries of a row would compete for one set of the cache.
ALWAYS_INLINE size_t column_stride(size_t rows) {
    const size_t stride = (3 * rows + 15 + 15) / 16 * 16;
    return stride % 256 == 0 ? stride + 16 : stride;
}

/// Update matrices are stored as panels of columns, each panel from its diagonal down. Returns the
/// start of a panel, for a matrix of `rows` nodes.
ALWAYS_INLINE size_t update_panel_start(size_t rows, size_t panel) {
    const size_t stride = (3 * rows + 15) / 16 * 16;
    return UPDATE_PANEL * (panel * stride - UPDATE_PANEL * (panel * (panel - 1) / 2));
}

ALWAYS_INLINE size_t update_panel_stride(size_t rows, size_t panel) {
    return (3 * rows + 15) / 16 * 16 - UPDATE_PANEL * panel;
}

ALWAYS_INLINE size_t update_entries(size_t rows) {
    const size_t panels = (3 * rows + UPDATE_PANEL - 1) / UPDATE_PANEL;
    if (panels == 0) {
        return 0;
    }
    const size_t last = panels - 1;
    return update_panel_start(rows, last) +
           update_panel_stride(rows, last) * (3 * rows - UPDATE_PANEL * last);
}

/// Does the symbolic analysis: fills everything except `factor`, `updates` and `solution`. order:
/// as in supernodal_analyze, not null.
pbs_status supernodal_symbolic(struct supernodal *s, const struct bsr *pattern,
                               const uint32_t *order);

/// Decides the order of work and the memory layout. The rows of every supernode must have been
/// counted. work: count; scratch: 2 * count
void supernodal_schedule(struct supernodal *s, double *work, uint32_t *scratch);

/// Returns false at a bad pivot; see `bad`.
bool supernodal_factor_double(struct supernodal *s, struct tasks *tasks, const double *values,
                              double shift);
bool supernodal_factor_float(struct supernodal *s, struct tasks *tasks, const double *values,
                             double shift);
/// Returns the first bad pivot of a supernode divided by the size of its original diagonal entry.
double supernodal_pivot_double(const struct supernodal *s, uint32_t k);
double supernodal_pivot_float(const struct supernodal *s, uint32_t k);
void supernodal_solve_double(struct supernodal *s, struct tasks *tasks, const double *b, double *x);
void supernodal_solve_float(struct supernodal *s, struct tasks *tasks, const double *b, double *x);

#endif

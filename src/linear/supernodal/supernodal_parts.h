// What the files of the supernodal factorisation share. All indices are of nodes, 3 rows each; a
// position is a place in the order of elimination.
//
// The front of a supernode is the dense matrix of the rows that meet in it: its own columns first,
// then `rows`, those below. Eliminating its columns leaves them in `factor`, and in `update` the
// part of the front that is added to the front of its parent (multifrontal: Liu, SIAM Review 34,
// 1992).
#ifndef PBS_LINEAR_SUPERNODAL_SUPERNODAL_PARTS_H
#define PBS_LINEAR_SUPERNODAL_SUPERNODAL_PARTS_H

#include "base/config.h"
#include "linear/supernodal/elimination.h"
#include "linear/supernodal/supernodal.h"

// Like PBS_MULTIVERSION, with fused multiply-adds where the processor has them: kernels that do
// nothing else are twice as fast.
#if defined(PBS_HAS_CLONES)
#define FUSED_MULTIVERSION                                                                         \
    __attribute__((target_clones("avx512f", "fma", "default"), optimize("fp-contract=fast")))
#elif defined(__GNUC__) && !defined(__clang__)
#define FUSED_MULTIVERSION __attribute__((optimize("fp-contract=fast")))
#else
#define FUSED_MULTIVERSION
#endif

/// Whether a register holds a cache line.
static inline bool has_wide_vectors(void) {
#if defined(PBS_HAS_CLONES)
    return __builtin_cpu_supports("avx512f");
#else
    return false;
#endif
}

enum {
    /// Columns of a panel of an update matrix: whole nodes and whole cache lines of both
    /// precisions.
    UPDATE_PANEL = 192,
    /// Columns that a product takes at a time, and columns of the result from which on the rows are
    /// brought together before.
    PRODUCT_DEPTH = 96,
    PACKED_WIDTH = 48,
    /// Rows of the tiles that a large front is cut into for several threads, and columns of those
    /// that are loaded at a time.
    TILE_ROWS = 384,
    LOAD_TILE = 48,
    /// What one thread takes of a large front when solving; below that many entries of the factor
    /// there is one thread.
    SOLVE_ROWS = 768,
    SOLVE_COLUMNS = 24,
    SOLVE_ENTRIES = 300000,
    /// How many pieces can be worked on at the same time, each worker having a space of its own.
    WORKER_COUNT = 8,
};

struct supernodal {
    struct memory *memory;
    enum supernodal_precision precision;
    bool fuses; ///< in the factor that is being made

    uint32_t row_count;
    uint32_t *order;    ///< position -> row
    uint32_t *position; ///< row -> position

    // Supernodes, children before their parents, columns in the order of elimination.
    uint32_t count;
    uint32_t *first;       ///< count + 1: position of the first column
    uint32_t *parent;      ///< or NO_INDEX
    uint32_t *child_start; ///< count + 1
    uint32_t *child;       ///< ascending
    size_t *row_start;     ///< count + 1
    uint32_t *rows;        ///< positions below the supernode's columns, ascending
    uint32_t *parent_row;  ///< of such a row in the front of the parent
    uint32_t *run;         ///< how many rows from here on have rows next to each other
    size_t *factor_start;  ///< count + 1: entries of `factor`, columns of front_stride() entries
    double flops;
    size_t entries;

    // Pieces are consecutive supernodes, whole subtrees, that one thread eliminates. Those above,
    // the top, are eliminated one after the other by all threads. See supernodal_schedule.c.
    uint32_t piece_count;
    uint32_t *piece_begin;
    uint32_t *piece_end;
    uint32_t top_count;
    uint32_t *top; ///< ascending
    uint32_t batch_count;
    uint32_t *batch_piece_end; ///< pieces that run at the same time, and then
    uint32_t *batch_top_end;   ///< those of the top whose children are done

    // Update matrices in `updates`: what a piece leaves to the top and the top's own are shared;
    // those inside a piece lie in the space of the worker who eliminates it.
    uint32_t *is_shared;  ///< count: 0 or 1
    size_t *update_start; ///< count: from the beginning of the shared space or the worker's
    size_t shared_size;
    size_t local_size; ///< of a worker
    uint32_t worker_count;

    // The blocks of the matrix, by the position of the column of the factor that they go to.
    uint32_t *source_start; ///< row_count + 1
    uint32_t *source;       ///< block of the matrix
    uint32_t *target;       ///< twice its row in the front, plus 1 when it is to be transposed

    void *factor;   ///< of the precision
    void *updates;  ///< of the precision
    void *solution; ///< of the precision: the rows of every front, columns first; while factoring,
                    ///< the diagonal of the matrix
    uint32_t *bad;  ///< per supernode: its first scalar column whose pivot is bad, or NO_INDEX

    // What the pointers above point into, and scratch of the analysis.
    uint32_t *words, *structure, *scratch;
    size_t *sizes;
    size_t word_capacity, structure_capacity, scratch_capacity, size_capacity;
    size_t factor_bytes, update_bytes, solution_bytes; ///< of the room
};

ALWAYS_INLINE uint32_t front_columns(const struct supernodal *s, uint32_t i) {
    return s->first[i + 1] - s->first[i];
}

/// Below its columns.
ALWAYS_INLINE uint32_t front_rows(const struct supernodal *s, uint32_t i) {
    return (uint32_t)(s->row_start[i + 1] - s->row_start[i]);
}

/// Distance of columns of `rows` nodes: whole cache lines, with room to read a vector of either
/// precision from the last row on; but not a multiple of many, as then a row of the matrix would
/// have to fit in one set of the cache.
ALWAYS_INLINE size_t column_stride(size_t rows) {
    const size_t stride = (3 * rows + 15 + 15) / 16 * 16;
    return stride % 256 == 0 ? stride + 16 : stride;
}

/// Update matrices are stored in panels of columns, each from its diagonal down: where a panel of
/// the matrix of that many nodes begins.
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

/// Everything but `factor`, `updates` and `solution`; order as in supernodal_analyze, not null.
pbs_status supernodal_symbolic(struct supernodal *s, const struct bsr *pattern,
                               const uint32_t *order);

/// Order of work and memory: the rows of every supernode must be counted. work: count; scratch: 2 *
/// count
void supernodal_schedule(struct supernodal *s, double *work, uint32_t *scratch);

/// PBS_OK, or a bad pivot: see `bad`.
bool supernodal_factor_double(struct supernodal *s, struct tasks *tasks, const double *values,
                              double shift);
bool supernodal_factor_float(struct supernodal *s, struct tasks *tasks, const double *values,
                             double shift);
/// The first bad pivot of a supernode over the size of the diagonal entry that it came from.
double supernodal_pivot_double(const struct supernodal *s, uint32_t k);
double supernodal_pivot_float(const struct supernodal *s, uint32_t k);
void supernodal_solve_double(struct supernodal *s, struct tasks *tasks, const double *b, double *x);
void supernodal_solve_float(struct supernodal *s, struct tasks *tasks, const double *b, double *x);

#endif

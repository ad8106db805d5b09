// The numerical factorisation in one precision. Included by a source file per precision, which
// defines REAL and the function suffix NAME.
// SPDX-License-Identifier: MIT
#include "linear/supernodal/supernodal_parts.h"

#include <stdatomic.h>
#include <string.h>

#include "linear/supernodal/supernodal_kernels.h"

static void NAME(divide_work)(struct tasks *tasks, size_t count, pbs_work_fn work, void *context) {
    (REAL_FLUSHES ? tasks_for_flushing : tasks_for)(tasks, count, work, context);
}

/// State of a factorisation.
struct NAME(fronts) {
    struct supernodal *s;
    const double *values;
    double scale;       ///< factor of the diagonal entries, 1 + shift
    uint32_t piece_end; ///< of the batch
    atomic_uint piece;  ///< index of the next unassigned piece
    atomic_bool is_bad; ///< a pivot was bad
};

/// The front that is being eliminated. With tasks it is divided into tiles.
struct NAME(front) {
    const struct NAME(fronts) * all;
    struct supernodal *s;
    struct tasks *tasks;  ///< null inside a piece
    REAL *shared, *local; ///< parts of `updates`
    uint32_t k;
    size_t columns, rows; ///< in scalars; rows: below the columns
    size_t stride;
    REAL *entries;
    size_t begin, end; ///< columns of the current panel
    size_t divided;    ///< end of the rows that are eliminated together with its diagonal block
};

static REAL *NAME(update)(const struct NAME(front) * f, uint32_t k) {
    return (f->s->is_shared[k] ? f->shared : f->local) + f->s->update_start[k];
}

/// Stores a 3x3 row-major block in a column-major matrix.
static void NAME(put_block)(const double *block, bool transposed, REAL *to, size_t stride) {
    for (size_t j = 0; j < 3; j++) {
        for (size_t i = 0; i < 3; i++) {
            // A block (row, column) whose row is eliminated first is the transpose of the factor's
            // block.
            to[j * stride + i] = (REAL)(transposed ? block[3 * i + j] : block[3 * j + i]);
        }
    }
}

static size_t NAME(smaller)(size_t a, size_t b) {
    return a < b ? a : b;
}

/// Returns the first of a child's rows whose index in the parent's front is at least `row`.
static uint32_t NAME(first_row)(const struct supernodal *s, uint32_t child, size_t row) {
    const uint32_t *parent_row = s->parent_row + s->row_start[child];
    uint32_t low = 0;
    uint32_t high = front_rows(s, child);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (parent_row[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// A part of the front that begins at row `row` and column `column`; `at` points to that entry.
struct NAME(part) {
    REAL *at;
    size_t stride;
    size_t row, row_end, column, column_end; ///< in nodes
};

/// Adds `length` consecutive rows of the three columns of a node.
ALWAYS_INLINE void NAME(add_run)(size_t length, const REAL *restrict a, size_t a_stride,
                                 REAL *restrict b, size_t b_stride) {
    for (size_t j = 0; j < 3; j++) {
        for (size_t e = 0; e < length; e++) {
            b[j * b_stride + e] += a[j * a_stride + e];
        }
    }
}

/// Adds a child's update matrix to a part of the front.
PBS_MULTIVERSION
static void NAME(add_child)(const struct NAME(front) * f, uint32_t child,
                            const struct NAME(part) * part) {
    const struct supernodal *s = f->s;
    const uint32_t rows = front_rows(s, child);
    const uint32_t *parent_row = s->parent_row + s->row_start[child];
    const uint32_t *run = s->run + s->row_start[child];
    const uint32_t begin = NAME(first_row)(s, child, part->row);
    const uint32_t end = NAME(first_row)(s, child, part->row_end);
    const uint32_t column_end = NAME(first_row)(s, child, part->column_end);
    for (uint32_t j = NAME(first_row)(s, child, part->column); j < column_end; j++) {
        const size_t panel = 3 * (size_t)j / UPDATE_PANEL;
        const size_t top = panel * UPDATE_PANEL;
        const size_t from_stride = update_panel_stride(rows, panel);
        const REAL *from = NAME(update)(f, child) + update_panel_start(rows, panel) +
                           (3 * (size_t)j - top) * from_stride;
        REAL *to = part->at + 3 * (parent_row[j] - part->column) * part->stride;
        for (uint32_t i = begin > j ? begin : j; i < end; i += run[i]) {
            const size_t length = 3 * NAME(smaller)(run[i], end - i);
            const REAL *a = from + (3 * (size_t)i - top);
            REAL *b = to + 3 * (parent_row[i] - part->row);
            if (length == 3) {
                NAME(add_run)(3, a, from_stride, b, part->stride);
            } else {
                NAME(add_run)(length, a, from_stride, b, part->stride);
            }
        }
    }
}

static void NAME(add_children)(const struct NAME(front) * f, const struct NAME(part) * part) {
    const struct supernodal *s = f->s;
    for (uint32_t c = s->child_start[f->k]; c < s->child_start[f->k + 1]; c++) {
        NAME(add_child)(f, s->child[c], part);
    }
}

/// Loads the matrix's entries of a column of nodes.
static void NAME(load_column)(const struct NAME(front) * f, uint32_t j) {
    const struct supernodal *s = f->s;
    const uint32_t position = s->first[f->k] + j;
    REAL *column = f->entries + 3 * j * f->stride;
    REAL *diagonal = (REAL *)s->solution + 3 * (size_t)position;
    memset(column, 0, 3 * f->stride * sizeof *column);
    for (uint32_t b = s->source_start[position]; b < s->source_start[position + 1]; b++) {
        NAME(put_block)
        (f->all->values + 9 * (size_t)s->source[b], s->target[b] % 2 == 1,
         column + 3 * (size_t)(s->target[b] / 2), f->stride);
    }
    for (size_t c = 0; c < 3; c++) {
        REAL *entry = column + c * f->stride + 3 * j + c;
        *entry *= (REAL)f->all->scale;
        diagonal[c] = *entry;
    }
}

/// Assembles columns of the front: the matrix's entries and the children's update matrices.
static void NAME(load_tile)(void *context, size_t i) {
    const struct NAME(front) *f = context;
    const size_t begin = i * (LOAD_TILE / 3);
    const size_t end = NAME(smaller)(begin + LOAD_TILE / 3, f->columns / 3);
    for (size_t j = begin; j < end; j++) {
        NAME(load_column)(f, (uint32_t)j);
    }
    const struct NAME(part) part = {f->entries + 3 * begin * f->stride, f->stride, 0,
                                    (f->columns + f->rows) / 3,         begin,     end};
    NAME(add_children)(f, &part);
}

/// Factors the panel's diagonal block, and everything below it if that is a single tile.
static bool NAME(factor_diagonal)(const struct NAME(front) * f) {
    struct supernodal *s = f->s;
    const size_t width = f->end - f->begin;
    const REAL *diagonal = (const REAL *)s->solution + 3 * (size_t)s->first[f->k] + f->begin;
    const size_t done = NAME(factor_columns)(f->divided - f->begin, width,
                                             f->entries + f->begin * (f->stride + 1), f->stride,
                                             diagonal, s->fuses);
    if (done < width) {
        s->bad[f->k] = (uint32_t)(f->begin + done);
    }
    return done == width;
}

/// Eliminates rows below the panel's diagonal block.
static void NAME(divide_tile)(void *context, size_t i) {
    const struct NAME(front) *f = context;
    const size_t first = f->divided + i * TILE_ROWS;
    REAL *column = f->entries + f->begin * f->stride;
    NAME(divide_rows)
    (NAME(smaller)(TILE_ROWS, f->columns + f->rows - first), f->end - f->begin, column + f->begin,
     column + first, f->stride, f->s->fuses);
}

/// A tile of a lower triangle. The triangle is cut into panels of columns, and these into tiles of
/// rows, starting at the diagonal.
struct NAME(tile) {
    size_t column, width, row, height;
};

static size_t NAME(tile_count)(size_t columns, size_t rows) {
    size_t count = 0;
    for (size_t column = 0; column < columns; column += UPDATE_PANEL) {
        count += (rows - column + TILE_ROWS - 1) / TILE_ROWS;
    }
    return count;
}

static struct NAME(tile) NAME(tile_at)(size_t columns, size_t rows, size_t i) {
    size_t column = 0;
    for (size_t in_panel; i >= (in_panel = (rows - column + TILE_ROWS - 1) / TILE_ROWS);
         i -= in_panel) {
        column += UPDATE_PANEL;
    }
    const size_t row = column + i * TILE_ROWS;
    return (struct NAME(tile)){column, NAME(smaller)(UPDATE_PANEL, columns - column), row,
                               NAME(smaller)(TILE_ROWS, rows - row)};
}

/// Subtracts the panel's contribution from the remaining columns of the front.
static void NAME(advance_tile)(void *context, size_t i) {
    const struct NAME(front) *f = context;
    const struct NAME(tile)
        tile = NAME(tile_at)(f->columns - f->end, f->columns + f->rows - f->end, i);
    const REAL *panel = f->entries + f->begin * f->stride + f->end;
    REAL *behind = f->entries + f->end * (f->stride + 1);
    const struct NAME(product) product = {
        .rows = tile.height,
        .width = tile.width,
        .depth = f->end - f->begin,
        .a = panel + tile.row,
        .b = panel + tile.column,
        .stride = f->stride,
        .c = behind + tile.column * f->stride + tile.row,
        .c_stride = f->stride,
        .adds = true,
        .is_lower = tile.row == tile.column,
        .fuses = f->s->fuses,
    };
    NAME(subtract_product)(&product);
}

/// Computes a tile of the update matrix: the children's update matrices minus the contribution of
/// all columns of the front.
static void NAME(update_tile)(void *context, size_t i) {
    const struct NAME(front) *f = context;
    const struct NAME(tile) tile = NAME(tile_at)(f->rows, f->rows, i);
    const size_t panel = tile.column / UPDATE_PANEL;
    const size_t stride = update_panel_stride(f->rows / 3, panel);
    REAL *to = NAME(update)(f, f->k) + update_panel_start(f->rows / 3, panel) +
               (tile.row - tile.column);
    const REAL *below = f->entries + f->columns;
    const struct NAME(product) product = {
        .rows = tile.height,
        .width = tile.width,
        .depth = f->columns,
        .a = below + tile.row,
        .b = below + tile.column,
        .stride = f->stride,
        .c = to,
        .c_stride = stride,
        .is_lower = tile.row == tile.column,
        .fuses = f->s->fuses,
    };
    NAME(subtract_product)(&product);
    const size_t row = (f->columns + tile.row) / 3;
    const size_t column = (f->columns + tile.column) / 3;
    const struct NAME(part)
        part = {to, stride, row, row + tile.height / 3, column, column + tile.width / 3};
    NAME(add_children)(f, &part);
}

/// Eliminates a front. Returns false at a bad pivot.
static bool NAME(factor_front)(struct NAME(front) * f, uint32_t k) {
    const struct supernodal *s = f->s;
    f->k = k;
    f->columns = 3 * (size_t)front_columns(s, k);
    f->rows = 3 * (size_t)front_rows(s, k);
    f->stride = column_stride((f->columns + f->rows) / 3);
    f->entries = (REAL *)s->factor + s->factor_start[k];
    NAME(divide_work)(f->tasks, (f->columns + LOAD_TILE - 1) / LOAD_TILE, NAME(load_tile), f);
    for (f->begin = 0; f->begin < f->columns; f->begin = f->end) {
        f->end = NAME(smaller)(f->begin + UPDATE_PANEL, f->columns);
        const size_t left = f->columns + f->rows - f->end;
        f->divided = left <= TILE_ROWS ? f->end + left : f->end;
        if (!NAME(factor_diagonal)(f)) {
            return false;
        }
        NAME(divide_work)
        (f->tasks, (f->end + left - f->divided + TILE_ROWS - 1) / TILE_ROWS, NAME(divide_tile), f);
        NAME(divide_work)
        (f->tasks, NAME(tile_count)(f->columns - f->end, left), NAME(advance_tile), f);
    }
    NAME(divide_work)(f->tasks, NAME(tile_count)(f->rows, f->rows), NAME(update_tile), f);
    return true;
}

/// Each worker takes one piece after the other. The assignment of pieces to workers does not affect
/// the result.
static void NAME(factor_pieces)(void *context, size_t worker) {
    struct NAME(fronts) *all = context;
    struct supernodal *s = all->s;
    REAL *shared = s->updates;
    struct NAME(front) f = {.all = all,
                            .s = s,
                            .shared = shared,
                            .local = shared + s->shared_size + worker * s->local_size};
    for (;;) {
        const uint32_t piece = atomic_fetch_add_explicit(&all->piece, 1, memory_order_relaxed);
        if (piece >= all->piece_end) {
            return;
        }
        for (uint32_t k = s->piece_begin[piece]; k < s->piece_end[piece]; k++) {
            // Other workers continue, so that the first bad pivot in elimination order is always
            // found.
            if (!NAME(factor_front)(&f, k)) {
                atomic_store_explicit(&all->is_bad, true, memory_order_relaxed);
                break;
            }
        }
    }
}

double NAME(supernodal_pivot)(const struct supernodal *s, uint32_t k) {
    const size_t stride = column_stride(front_columns(s, k) + (size_t)front_rows(s, k));
    const REAL *entries = (const REAL *)s->factor + s->factor_start[k];
    const REAL *diagonal = (const REAL *)s->solution + 3 * (size_t)s->first[k];
    const double size = fabs((double)diagonal[s->bad[k]]);
    return (double)entries[s->bad[k] * (stride + 1)] / size;
}

bool NAME(supernodal_factor)(struct supernodal *s, struct tasks *tasks, const double *values,
                             double shift) {
    struct NAME(fronts) all = {.s = s, .values = values, .scale = 1.0 + shift};
    s->fuses = tasks_may_fuse(tasks);
    struct NAME(front) f = {.all = &all, .s = s, .tasks = tasks, .shared = s->updates};
    for (uint32_t k = 0; k < s->count; k++) {
        s->bad[k] = NO_INDEX;
    }
    uint32_t piece = 0;
    uint32_t top = 0;
    for (uint32_t batch = 0; batch < s->batch_count; batch++) {
        atomic_init(&all.piece, piece);
        all.piece_end = s->batch_piece_end[batch];
        NAME(divide_work)
        (tasks, NAME(smaller)(s->worker_count, all.piece_end - piece), NAME(factor_pieces), &all);
        if (all.is_bad) {
            return false;
        }
        piece = all.piece_end;
        for (; top < s->batch_top_end[batch]; top++) {
            if (!NAME(factor_front)(&f, s->top[top])) {
                return false;
            }
        }
    }
    return true;
}

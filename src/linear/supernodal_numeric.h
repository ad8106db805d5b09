// Factor and solve of one precision: included by the source of each, which defines REAL, what it
// calls things (NAME) and the BLAS of that precision.
#include "linear/supernodal_parts.h"

#include <math.h>
#include <string.h>

/// A multifrontal factorisation under way.
struct NAME(fronts) {
    struct supernodal *s;
    const double *values;
    double scale; ///< of the diagonal entries
};

static REAL *NAME(front)(const struct supernodal *s, uint32_t k) {
    return (REAL *)s->factor + s->factor_start[k];
}

static REAL *NAME(update)(const struct supernodal *s, uint32_t k) {
    return (REAL *)s->updates + s->update_start[k];
}

/// A 3x3 block, row-major, into a matrix of columns.
static void NAME(put_block)(const double *block, bool transposed, REAL *to, size_t stride) {
    for (size_t j = 0; j < 3; j++) {
        for (size_t i = 0; i < 3; i++) {
            // A block (row, column) with the earlier row is the transpose of what the factor holds.
            to[j * stride + i] = (REAL)(transposed ? block[3 * i + j] : block[3 * j + i]);
        }
    }
}

/// The matrix's own entries in columns of the front.
static void NAME(load_columns)(const struct NAME(fronts) * f, uint32_t k, REAL *front,
                               size_t stride) {
    const struct supernodal *s = f->s;
    REAL *diagonal = s->solution;
    memset(front, 0, 3 * (size_t)front_columns(s, k) * stride * sizeof *front);
    for (uint32_t j = 0; j < front_columns(s, k); j++) {
        REAL *column = front + 3 * j * stride;
        const uint32_t position = s->first[k] + j;
        for (uint32_t b = s->source_start[position]; b < s->source_start[position + 1]; b++) {
            const uint32_t row = s->target[b] / 2;
            NAME(put_block)
            (f->values + 9 * (size_t)s->source[b], s->target[b] % 2 == 1, column + 3 * (size_t)row,
             stride);
        }
        for (size_t c = 0; c < 3; c++) {
            REAL *entry = column + c * stride + 3 * j + c;
            *entry *= (REAL)f->scale;
            diagonal[3 * (size_t)position + c] = *entry;
        }
    }
}

/// Adds a child's columns begin .. end - 1, of nodes, to a part of its parent's front that begins
/// at `to` with the row and column of place `first_row` and `first_column`.
static void NAME(add_columns)(const struct supernodal *s, uint32_t child, uint32_t begin,
                              uint32_t end, REAL *to, size_t stride, uint32_t first_row,
                              uint32_t first_column) {
    const uint32_t rows = front_rows(s, child);
    const uint32_t *place = s->place + s->row_start[child];
    const uint32_t *run = s->run + s->row_start[child];
    for (uint32_t j = begin; j < end; j++) {
        const size_t panel = 3 * (size_t)j / UPDATE_PANEL;
        const size_t from_stride = update_panel_stride(rows, panel);
        const REAL *from = NAME(update)(s, child) + update_panel_start(rows, panel) +
                           (3 * j - panel * UPDATE_PANEL) * from_stride;
        const size_t top = panel * UPDATE_PANEL;
        REAL *column = to + 3 * (size_t)(place[j] - first_column) * stride;
        for (uint32_t i = j; i < rows; i += run[i]) {
            const size_t length = 3 * (size_t)run[i];
            const REAL *a = from + 3 * (size_t)i - top;
            REAL *b = column + 3 * (size_t)(place[i] - first_row);
            for (size_t e = 0; e < length; e++) {
                b[e] += a[e];
                b[stride + e] += a[from_stride + e];
                b[2 * stride + e] += a[2 * from_stride + e];
            }
        }
    }
}

/// How many of a child's columns are among the first `count` of its parent's front.
static uint32_t NAME(columns_before)(const struct supernodal *s, uint32_t child, uint32_t count) {
    const uint32_t *place = s->place + s->row_start[child];
    uint32_t low = 0;
    uint32_t high = front_rows(s, child);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (place[middle] < count) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// A pivot that is no larger than the rounding of the entry it came from has no digit right.
static bool NAME(pivots_are_good)(const struct NAME(fronts) * f, uint32_t k, const REAL *front,
                                  size_t stride) {
    struct supernodal *s = f->s;
    const REAL *diagonal = (const REAL *)s->solution + 3 * (size_t)s->first[k];
    for (size_t j = 0; j < 3 * (size_t)front_columns(s, k); j++) {
        const REAL root = front[j * stride + j];
        if (!(root * root > REAL_EPSILON * diagonal[j] && root <= REAL_MAX)) {
            s->bad[k] = (uint32_t)j / 3;
            return false;
        }
    }
    return true;
}

/// Panels of the update matrix below the columns of the front.
static void NAME(form_update)(const struct supernodal *s, uint32_t k, const REAL *front,
                              size_t stride) {
    const size_t columns = 3 * (size_t)front_columns(s, k);
    const size_t rows = 3 * (size_t)front_rows(s, k);
    for (size_t panel = 0; panel * UPDATE_PANEL < rows; panel++) {
        const size_t top = panel * UPDATE_PANEL;
        const size_t width = rows - top < UPDATE_PANEL ? rows - top : UPDATE_PANEL;
        const REAL *a = front + columns + top;
        REAL *to = NAME(update)(s, k) + update_panel_start(rows / 3, panel);
        const size_t to_stride = update_panel_stride(rows / 3, panel);
        SYRK(CblasColMajor, CblasLower, CblasNoTrans, (int)width, (int)columns, -1, a, (int)stride,
             0, to, (int)to_stride);
        if (rows > top + width) {
            GEMM(CblasColMajor, CblasNoTrans, CblasTrans, (int)(rows - top - width), (int)width,
                 (int)columns, -1, a + width, (int)stride, a, (int)stride, 0, to + width,
                 (int)to_stride);
        }
        const uint32_t begin = front_columns(s, k) + (uint32_t)(top / 3);
        const uint32_t end = begin + (uint32_t)(width / 3);
        for (uint32_t c = s->child_start[k]; c < s->child_start[k + 1]; c++) {
            const uint32_t child = s->child[c];
            NAME(add_columns)
            (s, child, NAME(columns_before)(s, child, begin), NAME(columns_before)(s, child, end),
             to, to_stride, begin, begin);
        }
    }
}

static bool NAME(factor_front)(const struct NAME(fronts) * f, uint32_t k) {
    struct supernodal *s = f->s;
    REAL *front = NAME(front)(s, k);
    const size_t columns = 3 * (size_t)front_columns(s, k);
    const size_t rows = 3 * (size_t)front_rows(s, k);
    const size_t stride = column_stride((columns + rows) / 3);
    NAME(load_columns)(f, k, front, stride);
    for (uint32_t c = s->child_start[k]; c < s->child_start[k + 1]; c++) {
        NAME(add_columns)
        (s, s->child[c], 0, NAME(columns_before)(s, s->child[c], front_columns(s, k)), front,
         stride, 0, 0);
    }
    const lapack_int bad = POTRF(LAPACK_COL_MAJOR, 'L', (int)columns, front, (int)stride);
    if (bad != 0) {
        s->bad[k] = (uint32_t)(bad - 1) / 3;
        return false;
    }
    if (!NAME(pivots_are_good)(f, k, front, stride)) {
        return false;
    }
    if (rows > 0) {
        TRSM(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)rows,
             (int)columns, 1, front, (int)stride, front + columns, (int)stride);
        NAME(form_update)(s, k, front, stride);
    }
    return true;
}

bool NAME(supernodal_factor)(struct supernodal *s, struct tasks *tasks, const double *values,
                             double shift) {
    (void)tasks;
    const struct NAME(fronts) f = {s, values, 1.0 + shift};
    for (uint32_t k = 0; k < s->count; k++) {
        s->bad[k] = NOBODY;
    }
    for (uint32_t k = 0; k < s->count; k++) {
        if (!NAME(factor_front)(&f, k)) {
            return false;
        }
    }
    return true;
}

/// Forward: the supernode's part of x, and what it takes from its rows, which the children add to
/// their parent's.
static void NAME(solve_front)(const struct supernodal *s, uint32_t k, REAL *x, REAL *below) {
    const size_t columns = 3 * (size_t)front_columns(s, k);
    const size_t rows = 3 * (size_t)front_rows(s, k);
    const size_t stride = column_stride((columns + rows) / 3);
    const REAL *front = NAME(front)(s, k);
    REAL *own = x + 3 * (size_t)s->first[k];
    REAL *rest = below + 3 * s->row_start[k];
    memset(rest, 0, rows * sizeof *rest);
    for (uint32_t c = s->child_start[k]; c < s->child_start[k + 1]; c++) {
        const uint32_t child = s->child[c];
        const REAL *from = below + 3 * s->row_start[child];
        const uint32_t *place = s->place + s->row_start[child];
        for (size_t i = 0; i < front_rows(s, child); i++) {
            REAL *to = place[i] < columns / 3 ? own + 3 * (size_t)place[i]
                                              : rest + (3 * (size_t)place[i] - columns);
            for (size_t e = 0; e < 3; e++) {
                to[e] += from[3 * i + e];
            }
        }
    }
    for (size_t j = 0; j < columns; j++) {
        const REAL *column = front + j * stride;
        const REAL value = own[j] / column[j];
        own[j] = value;
        for (size_t i = j + 1; i < columns; i++) {
            own[i] -= column[i] * value;
        }
        for (size_t i = 0; i < rows; i++) {
            rest[i] -= column[columns + i] * value;
        }
    }
}

static void NAME(solve_front_transposed)(const struct supernodal *s, uint32_t k, REAL *x,
                                         REAL *below) {
    const size_t columns = 3 * (size_t)front_columns(s, k);
    const size_t rows = 3 * (size_t)front_rows(s, k);
    const size_t stride = column_stride((columns + rows) / 3);
    const REAL *front = NAME(front)(s, k);
    REAL *own = x + 3 * (size_t)s->first[k];
    REAL *rest = below + 3 * s->row_start[k];
    for (size_t i = 0; i < rows / 3; i++) {
        memcpy(rest + 3 * i, x + 3 * (size_t)s->rows[s->row_start[k] + i], 3 * sizeof *rest);
    }
    for (size_t j = columns; j-- > 0;) {
        const REAL *column = front + j * stride;
        REAL sum = own[j];
        for (size_t i = j + 1; i < columns; i++) {
            sum -= column[i] * own[i];
        }
        for (size_t i = 0; i < rows; i++) {
            sum -= column[columns + i] * rest[i];
        }
        own[j] = sum / column[j];
    }
}

void NAME(supernodal_solve)(struct supernodal *s, struct tasks *tasks, const double *b, double *x) {
    (void)tasks;
    REAL *solution = s->solution;
    REAL *below = solution + 3 * (size_t)s->row_count;
    for (size_t i = 0; i < s->row_count; i++) {
        for (size_t e = 0; e < 3; e++) {
            solution[3 * i + e] = (REAL)b[3 * (size_t)s->order[i] + e];
        }
    }
    for (uint32_t k = 0; k < s->count; k++) {
        NAME(solve_front)(s, k, solution, below);
    }
    for (uint32_t k = s->count; k-- > 0;) {
        NAME(solve_front_transposed)(s, k, solution, below);
    }
    for (size_t i = 0; i < s->row_count; i++) {
        for (size_t e = 0; e < 3; e++) {
            x[3 * (size_t)s->order[i] + e] = (double)solution[3 * i + e];
        }
    }
}

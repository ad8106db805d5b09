// The triangular solves in one precision; see supernodal_numeric.h. Every front has its own vector,
// its columns first, so that pieces are independent. The forward solve adds the children's vectors
// to their parent's in a fixed order; the backward solve copies from the parent.
// SPDX-License-Identifier: MIT

/// The front that is being solved with; `begin` and `end` as in NAME(front).
struct NAME(solve) {
    const struct supernodal *s;
    struct tasks *tasks;
    size_t columns, rows;
    size_t stride;
    const REAL *entries;
    REAL *vector;
    size_t begin, end;
};

static REAL *NAME(vector)(const struct supernodal *s, uint32_t k) {
    return (REAL *)s->solution + 3 * (s->first[k] + s->row_start[k]);
}

static struct NAME(solve)
    NAME(solve_of)(const struct supernodal *s, struct tasks *tasks, uint32_t k) {
    const size_t columns = front_columns(s, k);
    const size_t rows = front_rows(s, k);
    return (struct NAME(solve)){.s = s,
                                .tasks = tasks,
                                .columns = 3 * columns,
                                .rows = 3 * rows,
                                .stride = column_stride(columns + rows),
                                .entries = (const REAL *)s->factor + s->factor_start[k],
                                .vector = NAME(vector)(s, k)};
}

/// y -= A x for a constant number of columns, `width`, so that each y is loaded and stored once.
ALWAYS_INLINE void NAME(subtract_columns)(const REAL *a, size_t stride, size_t width, size_t count,
                                          const REAL *x, REAL *restrict y) {
    for (size_t i = 0; i < count; i++) {
        REAL sum = 0;
        for (size_t j = 0; j < width; j++) {
            sum += a[j * stride + i] * x[j];
        }
        y[i] -= sum;
    }
}

/// y -= A x; the number of columns is a multiple of three.
PBS_MULTIVERSION
static void NAME(subtract)(const REAL *a, size_t stride, size_t columns, size_t count,
                           const REAL *x, REAL *y) {
    size_t j = 0;
    for (; j + 6 <= columns; j += 6) {
        NAME(subtract_columns)(a + j * stride, stride, 6, count, x + j, y);
    }
    if (j < columns) {
        NAME(subtract_columns)(a + j * stride, stride, 3, count, x + j, y);
    }
}

static void NAME(lower_tile)(void *context, size_t i) {
    const struct NAME(solve) *f = context;
    const size_t first = f->end + i * SOLVE_ROWS;
    const size_t left = f->columns + f->rows - first;
    NAME(subtract)
    (f->entries + f->begin * f->stride + first, f->stride, f->end - f->begin,
     left < SOLVE_ROWS ? left : SOLVE_ROWS, f->vector + f->begin, f->vector + first);
}

/// Forward solve of a front: for each node of a panel its columns, then the rest of the panel.
static void NAME(solve_front)(const struct supernodal *s, struct tasks *tasks, uint32_t k) {
    struct NAME(solve) f = NAME(solve_of)(s, tasks, k);
    REAL *x = f.vector;
    memset(x + f.columns, 0, f.rows * sizeof *x);
    for (uint32_t c = s->child_start[k]; c < s->child_start[k + 1]; c++) {
        const uint32_t child = s->child[c];
        const REAL *from = NAME(vector)(s, child) + 3 * (size_t)front_columns(s, child);
        const uint32_t *parent_row = s->parent_row + s->row_start[child];
        for (size_t i = 0; i < front_rows(s, child); i++) {
            for (size_t e = 0; e < 3; e++) {
                x[3 * (size_t)parent_row[i] + e] += from[3 * i + e];
            }
        }
    }
    for (f.begin = 0; f.begin < f.columns; f.begin = f.end) {
        f.end = f.begin + UPDATE_PANEL < f.columns ? f.begin + UPDATE_PANEL : f.columns;
        for (size_t j = f.begin; j < f.end; j += 3) {
            const REAL *l = f.entries + j * (f.stride + 1);
            x[j] /= l[0];
            x[j + 1] = (x[j + 1] - l[1] * x[j]) / l[f.stride + 1];
            x[j + 2] = (x[j + 2] - l[2] * x[j] - l[f.stride + 2] * x[j + 1]) / l[2 * f.stride + 2];
            NAME(subtract)(l + 3, f.stride, 3, f.end - j - 3, x + j, x + j + 3);
        }
        const size_t left = f.columns + f.rows - f.end;
        NAME(divide_work)(tasks, (left + SOLVE_ROWS - 1) / SOLVE_ROWS, NAME(lower_tile), &f);
    }
}

static void NAME(upper_tile)(void *context, size_t i) {
    const struct NAME(solve) *f = context;
    const size_t first = f->begin + i * SOLVE_COLUMNS;
    const size_t left = f->end - first;
    NAME(kernels)
    (f->s->fuses)
        ->subtract_transposed(f->entries + first * f->stride + f->end, f->stride,
                              left < SOLVE_COLUMNS ? left : SOLVE_COLUMNS,
                              f->columns + f->rows - f->end, f->vector + f->end, f->vector + first);
}

/// Backward solve of a front.
static void NAME(solve_front_transposed)(const struct supernodal *s, struct tasks *tasks,
                                         uint32_t k) {
    const struct NAME(kernels) *kernels = NAME(kernels)(s->fuses);
    struct NAME(solve) f = NAME(solve_of)(s, tasks, k);
    REAL *x = f.vector;
    const REAL *from = s->parent[k] == NO_INDEX ? x : NAME(vector)(s, s->parent[k]);
    const uint32_t *parent_row = s->parent_row + s->row_start[k];
    for (size_t i = 0; i < f.rows / 3; i++) {
        memcpy(x + f.columns + 3 * i, from + 3 * (size_t)parent_row[i], 3 * sizeof *x);
    }
    for (f.end = f.columns; f.end > 0; f.end = f.begin) {
        f.begin = (f.end - 1) / UPDATE_PANEL * UPDATE_PANEL;
        // Short fronts are not divided among threads.
        struct tasks *divided = f.columns + f.rows - f.end < SOLVE_ROWS ? NULL : tasks;
        NAME(divide_work)
        (divided, (f.end - f.begin + SOLVE_COLUMNS - 1) / SOLVE_COLUMNS, NAME(upper_tile), &f);
        for (size_t j = f.end; j > f.begin;) {
            j -= 3;
            const REAL *l = f.entries + j * (f.stride + 1);
            kernels->subtract_transposed(l + 3, f.stride, 3, f.end - j - 3, x + j + 3, x + j);
            x[j + 2] /= l[2 * f.stride + 2];
            x[j + 1] = (x[j + 1] - l[f.stride + 2] * x[j + 2]) / l[f.stride + 1];
            x[j] = (x[j] - l[1] * x[j + 1] - l[2] * x[j + 2]) / l[0];
        }
    }
}

static void NAME(solve_piece)(void *context, size_t piece) {
    const struct supernodal *s = context;
    for (uint32_t k = s->piece_begin[piece]; k < s->piece_end[piece]; k++) {
        NAME(solve_front)(s, NULL, k);
    }
}

static void NAME(solve_piece_transposed)(void *context, size_t piece) {
    const struct supernodal *s = context;
    for (uint32_t k = s->piece_end[piece]; k-- > s->piece_begin[piece];) {
        NAME(solve_front_transposed)(s, NULL, k);
    }
}

void NAME(supernodal_solve)(struct supernodal *s, struct tasks *tasks, const double *b, double *x) {
    struct tasks *divided = s->entries < SOLVE_ENTRIES ? NULL : tasks;
    for (uint32_t k = 0; k < s->count; k++) {
        REAL *own = NAME(vector)(s, k);
        for (size_t i = 0; i < front_columns(s, k); i++) {
            const double *from = b + 3 * (size_t)s->order[s->first[k] + i];
            for (size_t e = 0; e < 3; e++) {
                own[3 * i + e] = (REAL)from[e];
            }
        }
    }
    NAME(divide_work)(divided, s->piece_count, NAME(solve_piece), s);
    for (uint32_t t = 0; t < s->top_count; t++) {
        NAME(solve_front)(s, divided, s->top[t]);
    }
    for (uint32_t t = s->top_count; t-- > 0;) {
        NAME(solve_front_transposed)(s, divided, s->top[t]);
    }
    NAME(divide_work)(divided, s->piece_count, NAME(solve_piece_transposed), s);
    for (uint32_t k = 0; k < s->count; k++) {
        const REAL *own = NAME(vector)(s, k);
        for (size_t i = 0; i < front_columns(s, k); i++) {
            double *to = x + 3 * (size_t)s->order[s->first[k] + i];
            for (size_t e = 0; e < 3; e++) {
                to[e] = (double)own[3 * i + e];
            }
        }
    }
}

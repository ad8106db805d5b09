// V-cycles over the grids: kernels on the chunks of a grid, and the order of the passes. Matrices
// are in float, vectors in double. Below the finest grid the smoother is a block Gauss-Seidel sweep
// before the correction from the next grid, and its adjoint after it. Within a sweep chunks are
// independent. If dropping their coupling would spoil convergence, half the norms of the dropped
// blocks is added to the diagonal (Baker, Falgout, Kolev and Yang, "Multigrid smoothers for
// ultraparallel computing", SISC 33, 2011). The cycle C is then symmetric positive definite, and C
// A has no eigenvalue above 1, whether or not A is definite. The reason: no symmetrised smoother
// has such an eigenvalue, and with E the next grid's matrix or its substitute, C^-1 - A is a Schur
// complement of the excess of E and of the smoother over the Galerkin product. Two cycles, 2 C - C
// A C, are therefore positive definite too; they cost less than the iterations that they save.
// SPDX-License-Identifier: MIT
#include "linear/multigrid/multigrid_kernels.h"

// --- products ---

ALWAYS_INLINE void residual3(const struct grid *g, uint32_t i, double scale, const double *b,
                             const double *x, double *t) {
    quad sum0 = quad_set(0.0);
    quad sum1 = quad_set(0.0);
    quad sum2 = quad_set(0.0);
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
        const float *a = g->values + 9 * (size_t)k;
        const double *xj = x + 3 * (size_t)g->column[k];
        prefetch_ahead(a, 64 * 9 * sizeof *a);
        sum0 += quad_widen(quad_float_load(a)) * quad_repeat(xj);
        sum1 += quad_widen(quad_float_load(a + 3)) * quad_repeat(xj + 1);
        sum2 += quad_widen(quad_float_load(a + 6)) * quad_repeat(xj + 2);
    }
    const quad sum = (sum0 + sum1) + sum2;
    quad_store3(t + 3 * (size_t)i, quad_load3(b + 3 * (size_t)i) - quad_set(scale) * sum);
}

/// Returns A x over the blocks first .. end - 1.
ALWAYS_INLINE struct six multiply6(const struct grid *g, uint32_t first, uint32_t end,
                                   const double *x) {
    struct six even = six_zero();
    struct six odd = six_zero();
    for (uint32_t k = first; k < end; k++) {
        const float *a = g->values + 36 * (size_t)k;
        const double *xj = x + 6 * (size_t)g->column[k];
        for (int c = 0; c < 6; c += 2) {
            six_add_scaled(&even, a + 6 * c, xj + c);
            six_add_scaled(&odd, a + 6 * c + 6, xj + c + 1);
        }
    }
    return six_plus(even, odd);
}

PBS_MULTIVERSION
void grid_residual(const struct grid *g, uint32_t chunk, double scale, const double *b,
                   const double *x, double *t) {
    const uint32_t end = g->chunk_start[chunk + 1];
    for (uint32_t i = g->chunk_start[chunk]; i < end; i++) {
        if (g->size == 3) {
            residual3(g, i, scale, b, x, t);
        } else {
            const struct six sum = multiply6(g, g->start[i], g->start[i + 1], x);
            six_store(t + 6 * (size_t)i, six_minus(six_load(b + 6 * (size_t)i), scale, sum));
        }
    }
}

ALWAYS_INLINE void scale3(const float *d, const double *x, double *y) {
    quad_store3(y, quad_widen(quad_float_load(d)) * quad_set(x[0]) +
                       quad_widen(quad_float_load(d + 3)) * quad_set(x[1]) +
                       quad_widen(quad_float_load(d + 6)) * quad_set(x[2]));
}

ALWAYS_INLINE void scale6(const float *d, const double *x, double *y) {
    struct six even = six_zero();
    struct six odd = six_zero();
    for (int c = 0; c < 6; c += 2) {
        six_add_scaled(&even, d + 6 * c, x + c);
        six_add_scaled(&odd, d + 6 * c + 6, x + c + 1);
    }
    six_store(y, six_plus(even, odd));
}

PBS_MULTIVERSION
void grid_scale(const struct grid *g, uint32_t chunk, const double *x, double *y) {
    for (size_t i = g->chunk_start[chunk]; i < g->chunk_start[chunk + 1]; i++) {
        if (g->size == 3) {
            scale3(g->inverse + 9 * i, x + 3 * i, y + 3 * i);
        } else {
            scale6(g->inverse + 36 * i, x + 6 * i, y + 6 * i);
        }
    }
}

// --- from grid to grid ---

/// to += P^T from, for one block.
ALWAYS_INLINE void restrict_block(const struct grid *g, uint32_t block, const double *from,
                                  double *to, const size_t size) {
    const float *p = g->p + MODES * size * block;
    struct six sum = six_load(to);
    for (size_t r = 0; r < size; r++) {
        six_add_scaled(&sum, p + MODES * r, from + r);
    }
    six_store(to, sum);
}

PBS_MULTIVERSION
void grid_restrict(const struct grid *g, uint32_t chunk, const double *from, double *to) {
    const size_t size = g->size;
    const uint32_t first = g->aggregate_start[chunk];
    const uint32_t end = g->aggregate_start[chunk + 1];
    memset(to + MODES * (size_t)first, 0, MODES * (size_t)(end - first) * sizeof *to);
    for (uint32_t i = g->chunk_start[chunk]; i < g->chunk_start[chunk + 1]; i++) {
        for (uint32_t k = g->p_start[i]; k < g->p_start[i + 1]; k++) {
            const uint32_t a = g->p_column[k];
            if (a < first || a >= end) {
                continue;
            }
            if (size == 3) {
                restrict_block(g, k, from + 3 * (size_t)i, to + MODES * (size_t)a, 3);
            } else {
                restrict_block(g, k, from + 6 * (size_t)i, to + MODES * (size_t)a, 6);
            }
        }
    }
}

PBS_MULTIVERSION
void grid_restrict_outer(const struct grid *g, uint32_t chunk, const double *from, double *to) {
    for (uint32_t a = g->aggregate_start[chunk]; a < g->aggregate_start[chunk + 1]; a++) {
        for (uint32_t k = g->outer_start[a]; k < g->outer_start[a + 1]; k++) {
            restrict_block(g, g->outer_block[k], from + g->size * (size_t)g->outer_row[k],
                           to + MODES * (size_t)a, g->size);
        }
    }
}

ALWAYS_INLINE void prolong_row(const struct grid *g, uint32_t i, double scale, const double *from,
                               double *to, const size_t size) {
    struct six sum[6];
    for (size_t r = 0; r < size; r++) {
        sum[r] = six_zero();
    }
    for (uint32_t k = g->p_start[i]; k < g->p_start[i + 1]; k++) {
        const struct six x = six_load(from + MODES * (size_t)g->p_column[k]);
        const float *p = g->p + MODES * size * k;
        for (size_t r = 0; r < size; r++) {
            six_add_product(&sum[r], p + MODES * r, x);
        }
    }
    for (size_t r = 0; r < size; r++) {
        to[size * i + r] += scale * six_sum(sum[r]);
    }
}

PBS_MULTIVERSION
void grid_prolong(const struct grid *g, uint32_t chunk, double scale, const double *from,
                  double *to) {
    for (uint32_t i = g->chunk_start[chunk]; i < g->chunk_start[chunk + 1]; i++) {
        if (g->size == 3) {
            prolong_row(g, i, scale, from, to, 3);
        } else {
            prolong_row(g, i, scale, from, to, 6);
        }
    }
}

// --- sweeps, blocks of six ---

PBS_MULTIVERSION
void grid_sweep_forward(const struct grid *g, uint32_t chunk, const double *b, double *x) {
    const uint32_t first = g->chunk_start[chunk];
    for (uint32_t i = first; i < g->chunk_start[chunk + 1]; i++) {
        uint32_t k = g->diagonal[i];
        while (k > g->start[i] && g->column[k - 1] >= first) {
            k--;
        }
        const struct six sum = multiply6(g, k, g->diagonal[i], x);
        double rest[6];
        six_store(rest, six_minus(six_load(b + 6 * (size_t)i), 1.0, sum));
        scale6(g->inverse + 36 * (size_t)i, rest, x + 6 * (size_t)i);
    }
}

PBS_MULTIVERSION
void grid_sweep_backward(const struct grid *g, uint32_t chunk, double *t) {
    const uint32_t end = g->chunk_start[chunk + 1];
    for (uint32_t i = end; i-- > g->chunk_start[chunk];) {
        uint32_t k = g->start[i + 1];
        while (g->column[k - 1] >= end) {
            k--;
        }
        const struct six sum = multiply6(g, g->diagonal[i] + 1, k, t);
        double rest[6];
        six_store(rest, six_minus(six_load(t + 6 * (size_t)i), 1.0, sum));
        scale6(g->inverse + 36 * (size_t)i, rest, t + 6 * (size_t)i);
    }
}

// --- the cycle ---

struct step {
    const struct multigrid *m;
    const struct grid *g;
};

static void forward_piece(void *context, size_t chunk) {
    const struct step *s = context;
    grid_sweep_forward(s->g, (uint32_t)chunk, s->g->b, s->g->x);
}

static void residual_piece(void *context, size_t chunk) {
    const struct step *s = context;
    grid_residual(s->g, (uint32_t)chunk, 1.0, s->g->b, s->g->x, s->g->t);
    grid_restrict(s->g, (uint32_t)chunk, s->g->t, s->g[1].b);
}

static void outer_piece(void *context, size_t chunk) {
    const struct step *s = context;
    grid_restrict_outer(s->g, (uint32_t)chunk, s->g->t, s->g[1].b);
}

static void prolong_piece(void *context, size_t chunk) {
    const struct step *s = context;
    grid_prolong(s->g, (uint32_t)chunk, 1.0, s->g[1].t, s->g->x);
}

/// t = x + (D + L)^-T (b - A x). Each chunk writes its own rows of t only.
static void backward_piece(void *context, size_t index) {
    const struct step *s = context;
    const struct grid *g = s->g;
    const uint32_t chunk = (uint32_t)index;
    grid_residual(g, chunk, 1.0, g->b, g->x, g->t);
    grid_sweep_backward(g, chunk, g->t);
    for (size_t i = 6 * (size_t)g->chunk_start[chunk]; i < 6 * (size_t)g->chunk_start[chunk + 1];
         i++) {
        g->t[i] += g->x[i];
    }
}

#define DENSE_ROWS 64

/// Computes a piece of the rows of t = E^-1 b.
PBS_MULTIVERSION
static void dense_piece(void *context, size_t index) {
    const struct step *s = context;
    const size_t n = s->m->dense_size;
    const size_t end = DENSE_ROWS * (index + 1) < n ? DENSE_ROWS * (index + 1) : n;
    for (size_t i = DENSE_ROWS * index; i < end; i++) {
        const double *row = s->m->dense + n * i;
        lanes8 sum = lanes_set(0.0);
        size_t j = 0;
        for (; j + LANES <= n; j += LANES) {
            sum += lanes_load(row + j) * lanes_load(s->g->b + j);
        }
        double rest = 0.0;
        for (; j < n; j++) {
            rest += row[j] * s->g->b[j];
        }
        s->g->t[i] = lanes_sum(sum) + rest;
    }
}

static void cycle(const struct multigrid *m, struct tasks *tasks) {
    const uint32_t last = m->grid_count - 1;
    for (uint32_t l = 1; l <= last; l++) {
        struct step s = {m, m->grid + l};
        if (l == last && m->dense) {
            tasks_for(tasks, (m->dense_size + DENSE_ROWS - 1) / DENSE_ROWS, dense_piece, &s);
            break;
        }
        tasks_for(tasks, s.g->chunk_count, forward_piece, &s);
        if (l < last) {
            tasks_for(tasks, s.g->chunk_count, residual_piece, &s);
            tasks_for(tasks, s.g->chunk_count, outer_piece, &s);
        }
    }
    for (uint32_t l = m->dense ? last - 1 : last; l >= 1; l--) {
        struct step s = {m, m->grid + l};
        if (l < last) {
            tasks_for(tasks, s.g->chunk_count, prolong_piece, &s);
        }
        tasks_for(tasks, s.g->chunk_count, backward_piece, &s);
    }
}

/// b = b - A t, the right-hand side of the second cycle; y = t of the first one.
static void again_piece(void *context, size_t index) {
    const struct step *s = context;
    const struct grid *g = s->g;
    const uint32_t chunk = (uint32_t)index;
    const size_t first = 6 * (size_t)g->chunk_start[chunk];
    const size_t end = 6 * (size_t)g->chunk_start[chunk + 1];
    memcpy(g->y + first, g->t + first, (end - first) * sizeof *g->y);
    grid_residual(g, chunk, 1.0, g->b, g->t, g->b);
}

static void add_piece(void *context, size_t chunk) {
    const struct step *s = context;
    const struct grid *g = s->g;
    for (size_t i = 6 * (size_t)g->chunk_start[chunk]; i < 6 * (size_t)g->chunk_start[chunk + 1];
         i++) {
        g->t[i] += g->y[i];
    }
}

void multigrid_correct(const struct multigrid *m, struct tasks *tasks) {
    struct step s = {m, m->grid + 1};
    cycle(m, tasks);
    // A single coarse grid with a dense inverse is already solved exactly.
    if (m->grid_count > 2 || !m->dense) {
        tasks_for(tasks, s.g->chunk_count, again_piece, &s);
        cycle(m, tasks);
        tasks_for(tasks, s.g->chunk_count, add_piece, &s);
    }
}

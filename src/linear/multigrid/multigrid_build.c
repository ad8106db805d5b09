// Values of the grids. Orthonormal rigid motions of each aggregate form the tentative interpolation
// (Vanek, Mandel and Brezina 1996; Adams, "Evaluation of three unstructured multigrid methods on 3D
// finite element problems in solid mechanics", Int. J. Numer. Meth. Engng. 55, 2002, for
// elasticity). One step of damped block Jacobi smooths it, P = (I - w D^-1 A) P_tentative, and the
// matrix of the next grid is P^T A P. Everything is in float: each grid's matrix is exact for the
// next grid, and rounding errors are far below its smallest eigenvalue.
// SPDX-License-Identifier: MIT
#include <lapacke.h>

#include "linear/dense/blas_threads.h"
#include "linear/jacobi/diagonal_block.h"
#include "linear/multigrid/multigrid_kernels.h"

// A motion of an aggregate whose independent part is below this fraction of its squared length is
// dropped.
#define DEPENDENT 1e-8
// Steps of the eigenvalue estimate for w, and w times the estimate (Vanek, Mandel and Brezina).
#define JACOBI_STEPS 3
#define SMOOTHING    (4.0 / 3.0)
// Diagonal shifts of the coarsest matrix, relative: rounding to float may have made it indefinite.
#define FIRST_SHIFT  1e-7
#define LAST_SHIFT   1e-3
#define SHIFT_GROWTH 10.0
// Smallest valid pivot of a diagonal block, relative to its diagonal.
#define LEAST_PIVOT 1e-9

struct build {
    const struct multigrid *m;
    const struct linear_problem *problem;
    struct grid *g;
    float weight; ///< w
    bool *definite;
};

// --- rigid motions ---

/// Returns whether a node has a position. All nodes below the finest grid have one.
static bool has_position(const struct build *s, uint32_t node) {
    return s->g->modes || layout_is_position(s->m->layout, node);
}

/// out = the projection onto the free directions of a row of the finest grid.
static void free_part(const struct build *s, uint32_t row, double out[9]) {
    const uint32_t index = s->m->restriction[row];
    for (size_t e = 0; e < 9; e++) {
        out[e] = index == UINT32_MAX ? (e % 4 == 0 ? 1.0 : 0.0)
                                     : s->problem->restrictions[index].tangent[e];
    }
}

/// The motions of a row that is not a position: rotations only.
static void rotational_modes(const struct build *s, uint32_t row, double out[6][6]) {
    double q[9];
    free_part(s, row, q);
    for (size_t r = 0; r < 3; r++) {
        for (size_t c = 0; c < 3; c++) {
            out[r][c] = 0.0;
            out[r][3 + c] = 0.0;
            for (size_t k = 0; k < 3 && s->problem->rotation_modes; k++) {
                out[r][3 + c] += q[3 * r + k] *
                                 s->problem->rotation_modes[9 * (size_t)row + 3 * k + c];
            }
        }
    }
}

/// B x 6: the rigid motions about a point, in the unknowns of a node.
static void node_modes(const struct build *s, uint32_t node, const double about[3],
                       double out[6][6]) {
    const struct grid *g = s->g;
    const double *at = g->center + 3 * (size_t)node;
    const double d[3] = {at[0] - about[0], at[1] - about[1], at[2] - about[2]};
    if (!has_position(s, node)) {
        rotational_modes(s, node, out);
        return;
    }
    double q[9] = {0.0};
    if (!g->modes) {
        free_part(s, node, q);
    }
    for (size_t r = 0; r < g->size; r++) {
        double *row = out[r];
        for (size_t c = 0; c < 6; c++) {
            row[c] = g->modes ? g->modes[36 * (size_t)node + 6 * r + c]
                     : c < 3  ? q[3 * r + c]
                              : 0.0;
        }
        // A rotation w about the point rotates the node and translates it by w x d.
        row[3] += row[2] * d[1] - row[1] * d[2];
        row[4] += row[0] * d[2] - row[2] * d[0];
        row[5] += row[1] * d[0] - row[0] * d[1];
    }
}

/// Factors gram = R^T R with upper triangular R. A row of R is zero if its motion depends on those
/// before.
static void factor_modes(double gram[6][6], double r[6][6]) {
    memset(r, 0, 36 * sizeof(double));
    for (int k = 0; k < 6; k++) {
        double pivot = gram[k][k];
        for (int j = 0; j < k; j++) {
            pivot -= r[j][k] * r[j][k];
        }
        if (!(pivot > DEPENDENT * gram[k][k])) {
            continue;
        }
        r[k][k] = sqrt(pivot);
        for (int l = k + 1; l < 6; l++) {
            double entry = gram[k][l];
            for (int j = 0; j < k; j++) {
                entry -= r[j][k] * r[j][l];
            }
            r[k][l] = entry / r[k][k];
        }
    }
}

static void mean_center(const struct build *s, uint32_t aggregate, double out[3]) {
    const struct grid *g = s->g;
    double count = 0.0;
    double sum[3] = {0.0};
    for (uint32_t m = g->member_start[aggregate]; m < g->member_start[aggregate + 1]; m++) {
        const bool counts = has_position(s, g->member[m]);
        count += counts;
        for (size_t c = 0; c < 3 && counts; c++) {
            sum[c] += g->center[3 * (size_t)g->member[m] + c];
        }
    }
    for (size_t c = 0; c < 3; c++) {
        out[c] = sum[c] / count;
    }
}

/// Computes the orthonormal motions Q of an aggregate, and R of M = Q R for the next grid.
static void orthonormalise(const struct build *s, uint32_t aggregate) {
    struct grid *g = s->g;
    double *center = g[1].center + 3 * (size_t)aggregate;
    double gram[6][6] = {{0.0}};
    double modes[6][6];
    double r[6][6];
    mean_center(s, aggregate, center);
    for (uint32_t m = g->member_start[aggregate]; m < g->member_start[aggregate + 1]; m++) {
        node_modes(s, g->member[m], center, modes);
        for (size_t row = 0; row < g->size; row++) {
            for (int k = 0; k < 6; k++) {
                for (int l = k; l < 6; l++) {
                    gram[k][l] += modes[row][k] * modes[row][l];
                }
            }
        }
    }
    factor_modes(gram, r);
    memcpy(g[1].modes + 36 * (size_t)aggregate, r, sizeof r);
    for (uint32_t m = g->member_start[aggregate]; m < g->member_start[aggregate + 1]; m++) {
        node_modes(s, g->member[m], center, modes);
        float *out = g->tentative + MODES * (size_t)g->size * g->member[m];
        for (size_t row = 0; row < g->size; row++) {
            double q[6];
            for (int k = 0; k < 6; k++) {
                q[k] = modes[row][k];
                for (int j = 0; j < k; j++) {
                    q[k] -= q[j] * r[j][k];
                }
                q[k] = r[k][k] > 0.0 ? q[k] / r[k][k] : 0.0;
                out[MODES * row + (size_t)k] = (float)q[k];
            }
        }
    }
}

static void tentative_piece(void *context, size_t chunk) {
    const struct build *s = context;
    for (uint32_t a = s->g->aggregate_start[chunk]; a < s->g->aggregate_start[chunk + 1]; a++) {
        orthonormalise(s, a);
    }
}

// --- smoothed interpolation ---

/// to[r] += sum_c A[r][c] rows[c]; rows: B x 6; to: B rows padded to eight.
ALWAYS_INLINE void add_product(const float *a, const float *rows, float *to, const size_t size) {
    float8 x[6];
    for (size_t c = 0; c < size; c++) {
        x[c] = float8_load(rows + MODES * c);
    }
    for (size_t r = 0; r < size; r++) {
        float8 sum = x[0] * float8_repeat(a + r);
        for (size_t c = 1; c < size; c++) {
            sum += x[c] * float8_repeat(a + size * c + r);
        }
        float8_store(to + 8 * r, float8_load(to + 8 * r) + sum);
    }
}

ALWAYS_INLINE void smooth_row(const struct build *s, uint32_t i, float *work, const size_t size) {
    const struct grid *g = s->g;
    const uint32_t first = g->p_start[i];
    const uint32_t count = g->p_start[i + 1] - first;
    memset(work, 0, 8 * size * count * sizeof *work);
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
        if (g->p_slot[k] != UINT32_MAX) {
            add_product(g->values + size * size * k, g->tentative + MODES * size * g->column[k],
                        work + 8 * size * g->p_slot[k], size);
        }
    }
    const float *d = g->inverse + size * size * i;
    for (uint32_t q = 0; q < count; q++) {
        const bool own = g->p_column[first + q] == g->aggregate[i];
        for (size_t r = 0; r < size; r++) {
            float8 sum = {0.0f};
            for (size_t c = 0; c < size; c++) {
                sum += float8_load(work + 8 * (size * q + c)) * float8_repeat(d + size * c + r);
            }
            float8 row = -s->weight * sum;
            if (own) {
                row += float8_load(g->tentative + MODES * (size * i + r));
            }
            memcpy(g->p + MODES * (size * (first + q) + r), &row, MODES * sizeof(float));
        }
    }
}

static float *work_of(const struct grid *g, size_t chunk) {
    const size_t width = g->p_width > g->ap_width ? g->p_width : g->ap_width;
    return g->work + 8 * g->size * width * chunk;
}

PBS_MULTIVERSION
static void smooth_piece(void *context, size_t chunk) {
    const struct build *s = context;
    const struct grid *g = s->g;
    float *work = work_of(g, chunk);
    for (uint32_t i = g->chunk_start[chunk]; i < g->chunk_start[chunk + 1]; i++) {
        if (g->size == 3) {
            smooth_row(s, i, work, 3);
        } else {
            smooth_row(s, i, work, 6);
        }
    }
}

// --- the Galerkin product ---

/// Computes a row of A P. Rows of its blocks are padded to eight with undefined entries.
ALWAYS_INLINE const uint32_t *product_row(const struct grid *g, uint32_t i, const uint32_t *slot,
                                          float *work, const size_t size) {
    memset(work, 0, 8 * size * g->ap_count[i] * sizeof *work);
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
        const uint32_t j = g->column[k];
        for (uint32_t q = g->p_start[j]; q < g->p_start[j + 1]; q++) {
            add_product(g->values + size * size * k, g->p + MODES * size * q,
                        work + 8 * size * *slot++, size);
        }
    }
    return slot;
}

/// sum += P_iI^T (A P)_iJ
ALWAYS_INLINE void add_pair(const float *p, const float *ap, float *sum, const size_t size) {
    float8 x[6];
    for (size_t c = 0; c < size; c++) {
        x[c] = float8_load(ap + 8 * c);
    }
    for (size_t r = 0; r < MODES; r++) {
        float8 product = x[0] * float8_repeat(p + r);
        for (size_t c = 1; c < size; c++) {
            product += x[c] * float8_repeat(p + MODES * c + r);
        }
        float8_store(sum + 8 * r, float8_load(sum + 8 * r) + product);
    }
}

ALWAYS_INLINE void product_chunk(const struct build *s, size_t chunk, const size_t size) {
    const struct grid *g = s->g;
    float *work = work_of(g, chunk);
    const uint32_t *slot = g->ap_slot + g->ap_start[chunk];
    const uint32_t *target = g->pair + g->pair_start[chunk];
    for (uint32_t i = g->chunk_start[chunk]; i < g->chunk_start[chunk + 1]; i++) {
        // The slots from the diagonal block on are those of the row's own columns.
        const uint32_t *own = slot;
        for (uint32_t k = g->start[i]; k < g->diagonal[i]; k++) {
            own += g->p_start[g->column[k] + 1] - g->p_start[g->column[k]];
        }
        slot = product_row(g, i, slot, work, size);
        for (uint32_t q = g->p_start[i]; q < g->p_start[i + 1]; q++, own++) {
            for (uint32_t b = *own; b < g->ap_count[i]; b++) {
                add_pair(g->p + MODES * size * q, work + 8 * size * b,
                         s->m->sums + 48 * (size_t)*target++, size);
            }
        }
    }
}

PBS_MULTIVERSION
static void product_piece(void *context, size_t chunk) {
    const struct build *s = context;
    const struct grid *g = s->g;
    memset(s->m->sums + 48 * (size_t)g->sum_start[chunk], 0,
           48 * (size_t)(g->sum_start[chunk + 1] - g->sum_start[chunk]) * sizeof *s->m->sums);
    if (g->size == 3) {
        product_chunk(s, chunk, 3);
    } else {
        product_chunk(s, chunk, 6);
    }
}

/// Adds up the sums of a block of the next grid.
ALWAYS_INLINE void join_block(const struct build *s, uint32_t source, float *out) {
    const struct grid *g = s->g;
    float8 rows[MODES] = {{0.0f}};
    for (uint32_t k = g->part_start[source / 2]; k < g->part_start[source / 2 + 1]; k++) {
        const float *sum = s->m->sums + 48 * (size_t)g->part[k];
        for (size_t r = 0; r < MODES; r++) {
            rows[r] += float8_load(sum + 8 * r);
        }
    }
    for (size_t r = 0; r < MODES; r++) {
        for (size_t c = 0; c < MODES; c++) {
            // Stored column-major, so a row of the sum is a column of the transposed block.
            out[source % 2 ? MODES * r + c : MODES * c + r] = rows[r][c];
        }
    }
}

/// Makes the diagonal block exactly symmetric, and the identity in dropped motions.
static void mend_diagonal(float *block) {
    for (size_t r = 0; r < MODES; r++) {
        for (size_t c = 0; c < r; c++) {
            block[MODES * c + r] = block[MODES * r + c];
        }
        if (block[7 * r] == 0.0f) {
            block[7 * r] = 1.0f;
        }
    }
}

PBS_MULTIVERSION
static void join_piece(void *context, size_t chunk) {
    const struct build *s = context;
    const struct grid *next = s->g + 1;
    for (uint32_t i = next->chunk_start[chunk]; i < next->chunk_start[chunk + 1]; i++) {
        for (uint32_t k = next->start[i]; k < next->start[i + 1]; k++) {
            join_block(s, next->source[k], next->values + 36 * (size_t)k);
        }
        mend_diagonal(next->values + 36 * (size_t)next->diagonal[i]);
    }
}

// --- diagonal blocks ---

/// Inverts a symmetric 6x6 matrix in place. Returns false if it is not safely positive definite.
static bool invert_definite6(double m[6][6]) {
    double l[6][6] = {{0.0}}; // inverse of the Cholesky factor
    double factor[6][6] = {{0.0}};
    for (int k = 0; k < 6; k++) {
        double pivot = m[k][k];
        for (int j = 0; j < k; j++) {
            pivot -= factor[k][j] * factor[k][j];
        }
        if (!(pivot > LEAST_PIVOT * m[k][k])) {
            return false;
        }
        factor[k][k] = sqrt(pivot);
        for (int i = k + 1; i < 6; i++) {
            double entry = m[i][k];
            for (int j = 0; j < k; j++) {
                entry -= factor[i][j] * factor[k][j];
            }
            factor[i][k] = entry / factor[k][k];
        }
        for (int c = 0; c <= k; c++) {
            double entry = c == k ? 1.0 : 0.0;
            for (int j = c; j < k; j++) {
                entry -= factor[k][j] * l[j][c];
            }
            l[k][c] = entry / factor[k][k];
        }
    }
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c < 6; c++) {
            m[r][c] = 0.0;
            for (int k = r > c ? r : c; k < 6; k++) {
                m[r][c] += l[k][r] * l[k][c];
            }
        }
    }
    return true;
}

/// Returns half the sum of the norms of a row's blocks in other chunks.
static double unseen(const struct grid *g, uint32_t i, uint32_t first, uint32_t end) {
    double sum = 0.0;
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
        if (g->column[k] < first || g->column[k] >= end) {
            double square = 0.0;
            for (size_t e = 0; e < 36; e++) {
                const double entry = (double)g->values[36 * (size_t)k + e];
                square += entry * entry;
            }
            sum += sqrt(square);
        }
    }
    return 0.5 * sum;
}

static void invert_piece(void *context, size_t chunk) {
    const struct build *s = context;
    const struct grid *g = s->g;
    const uint32_t first = g->chunk_start[chunk];
    const uint32_t end = g->chunk_start[chunk + 1];
    for (uint32_t i = first; i < end; i++) {
        double block[6][6];
        const double more = unseen(g, i, first, end);
        for (size_t r = 0; r < 6; r++) {
            for (size_t c = 0; c < 6; c++) {
                block[r][c] = (double)g->values[36 * (size_t)g->diagonal[i] + 6 * c + r] +
                              (r == c ? more : 0.0);
            }
        }
        if (!invert_definite6(block)) {
            s->definite[chunk] = false;
            return;
        }
        for (size_t e = 0; e < 36; e++) {
            g->inverse[36 * (size_t)i + e] = (float)block[e / 6][e % 6];
        }
    }
}

bool grid_invert_diagonal(struct tasks *tasks, struct grid *g) {
    bool definite[LAYOUT_DOMAIN_LIMIT];
    struct build s = {.g = g, .definite = definite};
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        definite[c] = true;
    }
    tasks_for(tasks, g->chunk_count, invert_piece, &s);
    bool all = true;
    for (uint32_t c = 0; c < g->chunk_count; c++) {
        all = all && definite[c];
    }
    return all;
}

// --- the coarsest grid ---

static void fill_dense(const struct multigrid *m, double shift) {
    const struct grid *g = m->grid + m->grid_count - 1;
    const size_t n = m->dense_size;
    memset(m->dense, 0, n * n * sizeof *m->dense);
    for (uint32_t i = 0; i < g->node_count; i++) {
        for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
            for (size_t e = 0; e < 36; e++) {
                m->dense[n * (6 * (size_t)i + e % 6) + 6 * (size_t)g->column[k] +
                         e / 6] = (double)g->values[36 * (size_t)k + e];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        m->dense[(n + 1) * i] *= 1.0 + shift;
    }
}

/// Returns whether every pivot is larger than rounding errors.
static bool pivots_are_safe(const struct multigrid *m, double least) {
    const size_t n = m->dense_size;
    for (size_t i = 0; i < n; i++) {
        // The squares of row i of the factor add up to the diagonal entry.
        double square = 0.0;
        for (size_t j = 0; j <= i; j++) {
            square += m->dense[n * i + j] * m->dense[n * i + j];
        }
        const double pivot = m->dense[(n + 1) * i] * m->dense[(n + 1) * i];
        if (!(pivot > least * square)) {
            return false;
        }
    }
    return true;
}

// Cholesky and inverse without LAPACK, whose results depend on the processor: on the lower
// triangle, row by row, in place.

/// Computes the Cholesky factor. Returns false at a pivot that is not positive.
static bool factor_plainly(size_t n, double *a) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = a[n * i + j];
            for (size_t k = 0; k < j; k++) {
                sum -= a[n * i + k] * a[n * j + k];
            }
            if (j < i) {
                a[n * i + j] = sum / a[n * j + j];
            } else if (sum > 0.0 && sum < INFINITY) {
                a[n * i + i] = sqrt(sum);
            } else {
                return false;
            }
        }
    }
    return true;
}

/// Computes the inverse from the factor: inverts the factor, then forms the product.
static void invert_plainly(size_t n, double *a) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double sum = 0.0;
            for (size_t k = j; k < i; k++) {
                sum -= a[n * i + k] * a[n * k + j];
            }
            a[n * i + j] = sum / a[n * i + i];
        }
        a[n * i + i] = 1.0 / a[n * i + i];
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = i; k < n; k++) {
                sum += a[n * k + i] * a[n * k + j];
            }
            a[n * i + j] = sum;
        }
    }
}

/// LAPACK's upper triangle in column-major order is our lower one in row-major order.
static bool factor_dense(const struct multigrid *m, bool may_fuse) {
    const int n = (int)m->dense_size;
    return may_fuse ? LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, m->dense, n) == 0
                    : factor_plainly(m->dense_size, m->dense);
}

static bool invert_dense(const struct multigrid *m, bool may_fuse) {
    const int n = (int)m->dense_size;
    if (may_fuse) {
        return LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', n, m->dense, n) == 0;
    }
    invert_plainly(m->dense_size, m->dense);
    return true;
}

/// Computes the dense inverse of the coarsest matrix.
static bool invert_coarsest(const struct multigrid *m, bool may_fuse) {
    bool good = false;
    blas_threads_limit();
    for (double shift = 0.0; !good && shift <= LAST_SHIFT;
         shift = shift > 0.0 ? shift * SHIFT_GROWTH : FIRST_SHIFT) {
        fill_dense(m, shift);
        good = factor_dense(m, may_fuse) && pivots_are_safe(m, FIRST_SHIFT);
    }
    good = good && invert_dense(m, may_fuse);
    blas_threads_restore();
    for (size_t i = 0; i < m->dense_size; i++) {
        for (size_t j = 0; j < i; j++) {
            m->dense[m->dense_size * j + i] = m->dense[m->dense_size * i + j];
        }
    }
    return good;
}

// --- all grids ---

static void scale_piece(const void *context, uint32_t chunk, const double *x, double *y) {
    grid_scale(context, chunk, x, y);
}

bool multigrid_build_grids(struct multigrid *m, struct tasks *tasks,
                           const struct linear_problem *problem) {
    for (uint32_t l = 0; l + 1 < m->grid_count; l++) {
        struct grid *g = m->grid + l;
        struct build s = {.m = m, .problem = problem, .g = g};
        const double bound = grid_spectral_bound(tasks, g, scale_piece, g, JACOBI_STEPS);
        if (!(bound > 0.0 && bound < INFINITY)) {
            return false;
        }
        s.weight = (float)(SMOOTHING / bound);
        tasks_for(tasks, g->chunk_count, tentative_piece, &s);
        tasks_for(tasks, g->chunk_count, smooth_piece, &s);
        tasks_for(tasks, g->chunk_count, product_piece, &s);
        tasks_for(tasks, g[1].chunk_count, join_piece, &s);
        if (!grid_invert_diagonal(tasks, g + 1)) {
            return false;
        }
    }
    return !m->dense || invert_coarsest(m, tasks_may_fuse(tasks));
}

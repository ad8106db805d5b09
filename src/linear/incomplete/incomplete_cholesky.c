// Block incomplete Cholesky without fill, IC(0), in the form M = (I + V)^T D (I + V). A single copy
// of V serves the forward sweep, which scatters, and the backward sweep, which gathers. It is
// computed row by row (left-looking) in double and stored in float:
//     D_i = A_ii - sum_k V_ki^T D_k V_ki,   D_i V_ij = A_ij - sum_k V_ki^T D_k V_kj   for (i, j) in
//     the pattern.
// If a pivot of a domain is not positive, the domain is factored again with a multiple of the
// diagonal added (Manteuffel, "An incomplete factorization technique for positive definite linear
// systems", Math. Comp. 34, 1980): 1e-3, then four times more each time. If the shift becomes too
// large, as in a body crumpled all over, every domain uses block Jacobi instead. Optionally, fill
// outside of the pattern is compensated on the diagonal, fully or in part. The dropped block
// -V_ki^T D_k V_kj together with c V_ki^T D_k V_ki on the diagonal of i and V_kj^T D_k V_kj / c on
// that of j is positive semidefinite. With full compensation M is therefore not below A, and no
// pivot of a definite matrix breaks down (Ajiz and Jennings, "A robust incomplete
// Choleski-conjugate gradient algorithm", Int. J. Numer. Meth. Engng. 20, 1984). Here c makes the
// two additions equal relative to their diagonals. Theory: docs/theory/linear_solvers.md section 7.
// SPDX-License-Identifier: MIT
#include "linear/incomplete/incomplete_cholesky.h"

#include <float.h>
#include <math.h>

#include "linear/jacobi/definite3.h"
#include "linear/jacobi/diagonal_block.h"
#include "pbs/world.h"
#include "sparse/matrices/block3.h"

#define FIRST_SHIFT  1e-3
#define SHIFT_GROWTH 4.0
// Largest shift that is tried. The Hessian of a cube of 33^3 random points needs a shift of 4 to
// 16, and 300 Newton iterations with such factors leave |g| 2e4 times larger than with block
// Jacobi. One domain with such a factor spoils the direction for all, so all domains fall back
// together.
#define LAST_SHIFT 0.3
// In the scale of the shift a row's diagonal counts as at least this fraction of its largest entry.
#define LEAST_DIAGONAL 1e-3
// A pivot below this fraction of its diagonal is a rounding error.
#define LEAST_PIVOT 1e-13
// Prefetch distance of the forward sweep, in blocks.
#define AHEAD 96

struct factorisation {
    struct ichol *state;
    const struct bsr *a;
    double shift; ///< the first one to try
};

/// Returns the binary exponent of the largest entry, limited so that 2^exponent has an inverse.
static int exponent_of(double largest) {
    int exponent = 0;
    if (largest > 0.0 && largest <= DBL_MAX) {
        frexp(largest, &exponent);
    }
    return exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
}

static int diagonal_exponent(const struct ichol *s, const struct bsr *a, uint32_t domain) {
    double largest = 0.0;
    for (uint32_t i = s->layout->domain_start[domain]; i < s->layout->domain_start[domain + 1];
         i++) {
        const double *block = a->values + 9 * (size_t)a->row_start[i];
        largest = fmax(largest, fmax(fabs(block[0]), fmax(fabs(block[4]), fabs(block[8]))));
    }
    return exponent_of(largest);
}

ALWAYS_INLINE void load_block(const double *block, bool transposed, double *sum) {
    for (int r = 0; r < 3; r++) {
        const quad column = {block[r], block[r + 3], block[r + 6], 0.0};
        quad_store(sum + 4 * r, transposed ? column : quad_load(block + 3 * r));
    }
}

/// Loads the row at position p. sums[0]: the diagonal block; sums[1 ..]: the others; a row of a
/// block is a quad.
ALWAYS_INLINE void load_row(const struct ichol *s, const struct bsr *a, uint32_t p, double *sums) {
    load_block(a->values + 9 * (size_t)s->diagonal[p], false, sums);
    for (uint32_t k = s->start[p]; k < s->start[p + 1]; k++) {
        sums += 12;
        load_block(a->values + 9 * (size_t)(s->source[k] / 2), s->source[k] % 2 != 0, sums);
    }
}

static double largest_diagonal(const double *sums) {
    return fmax(fabs(sums[0]), fmax(fabs(sums[5]), fabs(sums[10])));
}

/// Returns the diagonal scale that the shift of a row is relative to. blocks: number of blocks in
/// sums.
static double shift_scale(const double *sums, size_t blocks) {
    // By column and without fmax, which is a function call: this runs for every entry.
    double column[3] = {0.0, 0.0, 0.0};
    for (size_t row = 0; row < 3 * blocks; row++) {
        for (size_t k = 0; k < 3; k++) {
            const double size = fabs(sums[4 * row + k]);
            column[k] = size > column[k] ? size : column[k];
        }
    }
    const double largest = fmax(column[0], fmax(column[1], column[2]));
    const double scale = fmax(largest_diagonal(sums), LEAST_DIAGONAL * largest);
    return scale > 0.0 ? scale : 1.0;
}

/// sum -= w block
ALWAYS_INLINE void subtract_product(double *sum, const double w[9], const float *block) {
    const quad b0 = quad_widen(quad_float_load(block));
    const quad b1 = quad_widen(quad_float_load(block + 3));
    const quad b2 = quad_load_last_float(block + 6);
    for (int r = 0; r < 3; r++) {
        const quad product = b0 * quad_set(w[3 * r]) + b1 * quad_set(w[3 * r + 1]) +
                             b2 * quad_set(w[3 * r + 2]);
        quad_store(sum + 4 * r, quad_load(sum + 4 * r) - product);
    }
}

/// Computes W = V^T D and V^T D V of a block; returns the trace of the latter.
ALWAYS_INLINE double square_block(const float *v, const double *d, double w[9], double square[9]) {
    for (int i = 0; i < 9; i++) {
        const int r = i / 3;
        const int c = i % 3;
        w[i] = (double)v[r] * d[c] + (double)v[3 + r] * d[3 + c] + (double)v[6 + r] * d[6 + c];
    }
    for (int i = 0; i < 9; i++) {
        const double *row = w + 3 * (i / 3);
        const int c = i % 3;
        square[i] = row[0] * (double)v[c] + row[1] * (double)v[3 + c] + row[2] * (double)v[6 + c];
    }
    return square[0] + square[4] + square[8];
}

/// Returns the sum of magnitudes of the diagonal entries of a row.
ALWAYS_INLINE double block_trace(const struct bsr *a, uint32_t row) {
    const double *block = a->values + 9 * (size_t)a->row_start[row];
    return fabs(block[0]) + fabs(block[4]) + fabs(block[8]);
}

/// Adds the compensation for the dropped fill at (i, j) that the elimination of a row with pivot d
/// causes. vi, vj: the row's blocks at i and j.
static void compensate(const struct ichol *s, const struct bsr *a, const double *d, uint32_t row,
                       const float *vi, uint32_t column, const float *vj) {
    double w[9];
    double own[9];
    double other[9];
    const double own_part = square_block(vi, d, w, own) / block_trace(a, row);
    const double other_part = square_block(vj, d, w, other) / block_trace(a, column);
    if (!(own_part > 0.0 && other_part > 0.0)) {
        return;
    }
    const double balance = sqrt(other_part / own_part);
    double *to = s->dropped + 9 * (size_t)row;
    double *across = s->dropped + 9 * (size_t)column;
    for (size_t i = 0; i < 9; i++) {
        to[i] += s->compensation * balance * own[i];
        across[i] += s->compensation / balance * other[i];
    }
}

/// Subtracts the contributions of the rows eliminated before from the row at position p.
ALWAYS_INLINE void eliminate(const struct ichol *s, const struct bsr *a, uint32_t p, double *sums) {
    const uint32_t first = s->start[p];
    const uint32_t end = s->start[p + 1];
    for (uint32_t k = first; k < end; k++) {
        s->slot[s->column[k]] = k;
    }
    for (uint32_t at = s->above_start[p]; at < s->above_start[p + 1]; at++) {
        const uint32_t q = s->above_position[at];
        const uint32_t block = s->above_block[at];
        const float *v = s->factor + 9 * (size_t)block;
        const double *d = s->pivot + 9 * (size_t)q;
        double w[9];
        for (int i = 0; i < 9; i++) {
            const int r = i / 3;
            const int c = i % 3;
            w[i] = (double)v[r] * d[c] + (double)v[3 + r] * d[3 + c] + (double)v[6 + r] * d[6 + c];
        }
        subtract_product(sums, w, v);
        for (uint32_t k = block + 1; k < s->start[q + 1]; k++) {
            const uint32_t slot = s->slot[s->column[k]];
            if (slot >= first && slot < end) {
                subtract_product(sums + 12 * (size_t)(slot - first + 1), w,
                                 s->factor + 9 * (size_t)k);
            } else if (s->compensation > 0.0) {
                compensate(s, a, d, s->row[p], v, s->column[k], s->factor + 9 * (size_t)k);
            }
        }
    }
}

/// Adds the compensation of a row, which is complete when the row is eliminated, to its diagonal.
ALWAYS_INLINE void add_dropped(const double *dropped, double *sum) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            sum[4 * r + c] += dropped[3 * r + c];
        }
    }
}

/// Computes D and its inverse from the diagonal sum. Returns false if it is not safely positive
/// definite.
static bool invert_pivot(const double *sum, double least, double pivot[9], double inverse[9]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            pivot[3 * r + c] = r <= c ? sum[4 * r + c] : sum[4 * c + r];
        }
    }
    return invert_definite3(pivot, least, inverse);
}

/// Stores V = D^-1 sums and D^-1 in float. unit: 2^exponent of the domain.
ALWAYS_INLINE void store_row(const struct ichol *s, uint32_t p, double unit,
                             const double inverse[9], const double *sums) {
    for (int i = 0; i < 9; i++) {
        s->inverse[9 * (size_t)p + (size_t)i] = (float)(unit * inverse[i]);
    }
    for (uint32_t k = s->start[p]; k < s->start[p + 1]; k++) {
        sums += 12;
        for (int r = 0; r < 3; r++) {
            const quad row = quad_load(sums) * quad_set(inverse[3 * r]) +
                             quad_load(sums + 4) * quad_set(inverse[3 * r + 1]) +
                             quad_load(sums + 8) * quad_set(inverse[3 * r + 2]);
            const quad_float rounded = quad_narrow(row);
            memcpy(s->factor + 9 * (size_t)k + 3 * r, &rounded, 3 * sizeof *s->factor);
        }
    }
}

/// Factors a domain. Returns the first row at which that failed, or UINT32_MAX.
PBS_MULTIVERSION
static uint32_t factor_domain(const struct ichol *s, const struct bsr *a, uint32_t domain,
                              double shift) {
    double *sums = s->sums + 12 * (size_t)s->sums_start[domain];
    const double unit = ldexp(1.0, s->exponent[domain]);
    const uint32_t first = s->layout->domain_start[domain];
    const uint32_t end = s->layout->domain_start[domain + 1];
    if (s->compensation > 0.0) {
        memset(s->dropped + 9 * (size_t)first, 0, 9 * (size_t)(end - first) * sizeof *s->dropped);
    }
    for (uint32_t p = first; p < end; p++) {
        load_row(s, a, p, sums);
        if (shift > 0.0) {
            const double amount = shift * shift_scale(sums, s->start[p + 1] - s->start[p] + 1);
            sums[0] += amount;
            sums[5] += amount;
            sums[10] += amount;
        }
        const double least = LEAST_PIVOT * largest_diagonal(sums);
        eliminate(s, a, p, sums);
        if (s->compensation > 0.0) {
            add_dropped(s->dropped + 9 * (size_t)s->row[p], sums);
        }
        double inverse[9];
        if (!invert_pivot(sums, least, s->pivot + 9 * (size_t)p, inverse)) {
            return s->row[p];
        }
        store_row(s, p, unit, inverse, sums);
    }
    return UINT32_MAX;
}

/// Returns a row of the domain with an entry that is not finite, or UINT32_MAX.
static uint32_t find_not_finite(const struct ichol *s, const struct bsr *a, uint32_t domain) {
    for (uint32_t i = s->layout->domain_start[domain]; i < s->layout->domain_start[domain + 1];
         i++) {
        for (size_t k = 9 * (size_t)a->row_start[i]; k < 9 * (size_t)a->outer_start[i]; k++) {
            if (!isfinite(a->values[k])) {
                return i;
            }
        }
    }
    return UINT32_MAX;
}

/// Sets D to the diagonal blocks as in block Jacobi, V = 0 and an infinite shift.
static void store_diagonal(void *context, size_t index) {
    const struct factorisation *f = context;
    struct ichol *s = f->state;
    const struct bsr *a = f->a;
    const uint32_t domain = (uint32_t)index;
    const double unit = ldexp(1.0, s->exponent[domain]);
    const uint32_t first = s->layout->domain_start[domain];
    const uint32_t end = s->layout->domain_start[domain + 1];
    for (uint32_t p = first; p < end; p++) {
        double inverse[9];
        diagonal_block_invert(a->values + 9 * (size_t)s->diagonal[p], inverse);
        for (int i = 0; i < 9; i++) {
            s->inverse[9 * (size_t)p + (size_t)i] = (float)(unit * inverse[i]);
        }
    }
    memset(s->factor + 9 * (size_t)s->start[first], 0,
           9 * (size_t)(s->start[end] - s->start[first]) * sizeof *s->factor);
    s->shift[domain] = INFINITY;
}

/// Factors a domain with f->shift or a larger one as needed. A domain whose factor has that shift
/// is left unchanged.
static void factor_piece(void *context, size_t index) {
    const struct factorisation *f = context;
    struct ichol *s = f->state;
    const uint32_t domain = (uint32_t)index;
    if (s->shift[domain] == f->shift) {
        return;
    }
    s->exponent[domain] = diagonal_exponent(s, f->a, domain);
    s->shift[domain] = f->shift;
    s->bad_row[domain] = factor_domain(s, f->a, domain, f->shift);
    if (s->bad_row[domain] == UINT32_MAX) {
        return;
    }
    const uint32_t not_finite = find_not_finite(s, f->a, domain);
    if (not_finite != UINT32_MAX) {
        s->shift[domain] = NAN;
        s->bad_row[domain] = not_finite;
        return;
    }
    for (double shift = fmax(FIRST_SHIFT, SHIFT_GROWTH * f->shift); shift < LAST_SHIFT;
         shift *= SHIFT_GROWTH) {
        s->shift[domain] = shift;
        s->bad_row[domain] = factor_domain(s, f->a, domain, shift);
        if (s->bad_row[domain] == UINT32_MAX) {
            return;
        }
    }
    s->shift[domain] = INFINITY;
}

/// Returns the largest shift of all domains. If a row is not finite, returns NaN and sets the
/// message.
static double largest_shift(const struct ichol *s) {
    double largest = 0.0;
    for (uint32_t d = 0; d < s->layout->domain_count; d++) {
        if (isnan(s->shift[d])) {
            status_fail(PBS_ERROR_CONVERGENCE, "node %u: its row of the matrix is not finite",
                        s->layout->node[s->bad_row[d]]);
            return NAN;
        }
        largest = fmax(largest, s->shift[d]);
    }
    return largest;
}

/// All domains get the largest shift that one of them needs. At 105k unknowns with a Poisson ratio
/// of 0.49, where only some domains need a shift, conjugate gradients with a coarse space take 81
/// iterations with one common shift and 155 with separate ones.
static pbs_status ichol_factor(void *state, struct tasks *tasks,
                               const struct linear_problem *problem) {
    struct ichol *s = state;
    struct factorisation f = {s, problem->a, s->first_shift};
    for (uint32_t d = 0; d < s->layout->domain_count; d++) {
        s->shift[d] = -1.0;
    }
    tasks_for(tasks, s->layout->domain_count, factor_piece, &f);
    double largest = largest_shift(s);
    while (largest > f.shift && largest < INFINITY) {
        f.shift = largest;
        tasks_for(tasks, s->layout->domain_count, factor_piece, &f);
        largest = largest_shift(s);
    }
    if (largest == INFINITY) {
        tasks_for(tasks, s->layout->domain_count, store_diagonal, &f);
    }
    return isnan(largest) ? PBS_ERROR_CONVERGENCE : PBS_OK;
}

// The sweeps work in float on the rows of one domain, four floats per row: twice as fast as in
// double without additional iterations. Their buffer is the domain's part of z, of which they use
// 16 of 24 bytes per row.

ALWAYS_INLINE char *place_of(char *work, uint32_t index) {
    return work + (size_t)index * sizeof(quad_float);
}

/// Solves (I + V)^T y = r in place. A row is final when it is reached.
ALWAYS_INLINE void sweep_forward(const struct ichol *s, uint32_t first, uint32_t end, char *work) {
    for (uint32_t p = first; p < end; p++) {
        const quad_float y = quad_float_load(place_of(work, s->row[p] - first));
        const quad_float y0 = quad_float_set(y[0]);
        const quad_float y1 = quad_float_set(y[1]);
        const quad_float y2 = quad_float_set(y[2]);
        for (uint32_t k = s->start[p]; k < s->start[p + 1]; k++) {
            const float *v = s->factor + 9 * (size_t)k;
            char *to = place_of(work, s->column[k] - first);
            prefetch_ahead(v, AHEAD * 9 * sizeof *v);
            quad_float_store(to, quad_float_load(to) -
                                     (quad_float_load(v) * y0 + quad_float_load(v + 3) * y1 +
                                      quad_float_load(v + 6) * y2));
        }
    }
}

/// Solves (I + V) z = D^-1 y in place.
ALWAYS_INLINE void sweep_backward(const struct ichol *s, uint32_t first, uint32_t end, char *work) {
    for (uint32_t p = end; p-- > first;) {
        char *to = place_of(work, s->row[p] - first);
        const float *d = s->inverse + 9 * (size_t)p;
        quad_float sum0 = quad_float_set(0.0f);
        quad_float sum1 = quad_float_set(0.0f);
        quad_float sum2 = quad_float_set(0.0f);
        for (uint32_t k = s->start[p]; k < s->start[p + 1]; k++) {
            const float *v = s->factor + 9 * (size_t)k;
            const quad_float z = quad_float_load(place_of(work, s->column[k] - first));
            sum0 += quad_float_load(v) * z;
            sum1 += quad_float_load(v + 3) * z;
            sum2 += quad_float_load(v + 6) * z;
        }
        const quad_float y = quad_float_load(to);
        const quad_float scaled = quad_float_load(d) * quad_float_set(y[0]) +
                                  quad_float_load(d + 3) * quad_float_set(y[1]) +
                                  quad_float_load(d + 6) * quad_float_set(y[2]);
        const quad_float sum = {sum0[0] + sum0[1] + sum0[2], sum1[0] + sum1[1] + sum1[2],
                                sum2[0] + sum2[1] + sum2[2], 0.0f};
        quad_float_store(to, scaled - sum);
    }
}

ALWAYS_INLINE double largest_entry(const double *r, size_t first, size_t end) {
    double largest[4] = {0.0};
    for (size_t i = first; i < end; i++) {
        const double entry = fabs(r[i]);
        largest[i % 4] = entry > largest[i % 4] ? entry : largest[i % 4];
    }
    return fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3]));
}

/// r and the result are scaled by powers of two, which does not round, so that neither r nor the
/// matrix exceeds the range of float.
PBS_MULTIVERSION
static void ichol_apply_domain(const void *state, uint32_t domain, const double *r, double *z) {
    const struct ichol *s = state;
    const uint32_t first = s->layout->domain_start[domain];
    const uint32_t end = s->layout->domain_start[domain + 1];
    const int exponent = exponent_of(largest_entry(r, 3 * (size_t)first, 3 * (size_t)end));
    const quad down = quad_set(ldexp(1.0, -exponent));
    const quad up = quad_set(ldexp(1.0, exponent));
    const quad inverse_unit = quad_set(ldexp(1.0, -s->exponent[domain]));
    char *work = (char *)(z + 3 * (size_t)first);
    for (uint32_t i = first; i < end; i++) {
        const quad ri = quad_load3(r + 3 * (size_t)i);
        quad_float_store(place_of(work, i - first), quad_narrow(ri * down));
    }
    sweep_forward(s, first, end, work);
    sweep_backward(s, first, end, work);
    // Backwards, because row i of z starts behind the floats that are still to be read.
    for (uint32_t i = end; i-- > first;) {
        const quad zi = quad_widen(quad_float_load(place_of(work, i - first)));
        quad_store3(z + 3 * (size_t)i, zi * up * inverse_unit);
    }
}

static void ichol_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct ichol *s = state;
    preconditioner_apply_domains(&incomplete_cholesky, state, s->layout->domain_count, tasks, r, z);
}

static double ichol_shift(const void *state) {
    const struct ichol *s = state;
    // All domains have the same shift.
    return s->shift[0] > s->first_shift ? s->shift[0] : 0.0;
}

const struct preconditioner_table incomplete_cholesky = {
    .id = PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY,
    .name = "incomplete-cholesky",
    .state_size = sizeof(struct ichol),
    .analyze = ichol_analyze,
    .factor = ichol_factor,
    .apply = ichol_apply,
    .apply_domain = ichol_apply_domain,
    .release = ichol_release,
    .shift = ichol_shift,
};

// Block incomplete Cholesky without fill, IC(0), in the form M = (I + V)^T D (I + V): one copy of V
// serves the forward sweep, which scatters, and the backward one, which gathers. Computed row by
// row (left-looking) in double, stored in float:
//     D_i = A_ii - sum_k V_ki^T D_k V_ki,   D_i V_ij = A_ij - sum_k V_ki^T D_k V_kj   where (i, j)
//     is in the pattern.
// A domain in which a pivot is not positive starts again with a part of the diagonal added
// (Manteuffel, "An incomplete factorization technique for positive definite linear systems", Math.
// Comp. 34, 1980): 1e-3, then four times more each time.
#include "linear/incomplete_cholesky.h"

#include <math.h>

#include "linear/definite3.h"
#include "pbs/world.h"
#include "sparse/block3.h"

#define FIRST_SHIFT  1e-3
#define SHIFT_GROWTH 4.0
// The matrix plus this many times its diagonal, and that is no less than LEAST_DIAGONAL of the row,
// is dominated by it.
#define LAST_SHIFT 1e6
// A row's diagonal counts as no less than this part of its largest entry.
#define LEAST_DIAGONAL 1e-3
// A pivot this much smaller than its diagonal is what rounding left over.
#define LEAST_PIVOT 1e-13

struct factorisation {
    struct ichol *state;
    const struct bsr *a;
};

/// sums[0]: the diagonal block, sums[1 ..]: the others of the row at position p; rows of blocks are
/// quads.
static void load_row(const struct ichol *s, const struct bsr *a, uint32_t p, double *sums) {
    const double *diagonal = a->values + 9 * (size_t)s->diagonal[p];
    for (int r = 0; r < 3; r++) {
        memcpy(sums + 4 * r, diagonal + 3 * r, 3 * sizeof *sums);
    }
    for (uint32_t k = s->start[p]; k < s->start[p + 1]; k++) {
        const double *block = a->values + 9 * (size_t)(s->source[k] / 2);
        const bool transposed = s->source[k] % 2 != 0;
        sums += 12;
        for (int i = 0; i < 9; i++) {
            sums[4 * (i / 3) + i % 3] = transposed ? block[3 * (i % 3) + i / 3] : block[i];
        }
    }
}

/// What a shift of the row at position p is measured by.
static double row_scale(const struct ichol *s, const double *sums, uint32_t p) {
    double diagonal = fmax(fabs(sums[0]), fmax(fabs(sums[5]), fabs(sums[10])));
    double largest = 0.0;
    for (size_t i = 0; i < 12 * (size_t)(s->start[p + 1] - s->start[p] + 1); i++) {
        largest = i % 4 < 3 ? fmax(largest, fabs(sums[i])) : largest;
    }
    diagonal = fmax(diagonal, LEAST_DIAGONAL * largest);
    return diagonal > 0.0 ? diagonal : 1.0;
}

/// sum -= w block
ALWAYS_INLINE void subtract_product(double *sum, const double w[9], const float *block) {
    const quad b0 = quad_load_float(block);
    const quad b1 = quad_load_float(block + 3);
    const quad b2 = quad_load_float(block + 6);
    for (int r = 0; r < 3; r++) {
        const quad product = b0 * quad_set(w[3 * r]) + b1 * quad_set(w[3 * r + 1]) +
                             b2 * quad_set(w[3 * r + 2]);
        const quad rest = quad_load(sum + 4 * r) - product;
        memcpy(sum + 4 * r, &rest, sizeof rest);
    }
}

/// Takes the rows eliminated before from the row at position p.
ALWAYS_INLINE void eliminate(const struct ichol *s, uint32_t p, double *sums) {
    const uint32_t first = s->start[p];
    const uint32_t end = s->start[p + 1];
    for (uint32_t k = first; k < end; k++) {
        s->place[s->column[k]] = k;
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
            const uint32_t place = s->place[s->column[k]];
            if (place >= first && place < end) {
                subtract_product(sums + 12 * (size_t)(place - first + 1), w,
                                 s->factor + 9 * (size_t)k);
            }
        }
    }
}

/// From the diagonal sum to D and its inverse; false when it is not safely positive definite.
static bool invert_pivot(const double *sum, double least, double pivot[9], double inverse[9]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            pivot[3 * r + c] = r <= c ? sum[4 * r + c] : sum[4 * c + r];
        }
    }
    return invert_definite3(pivot, least, inverse);
}

/// V = D^-1 sums, in float.
static void store_row(const struct ichol *s, uint32_t p, const double inverse[9],
                      const double *sums) {
    for (int i = 0; i < 9; i++) {
        s->inverse[9 * (size_t)p + (size_t)i] = (float)inverse[i];
    }
    for (uint32_t k = s->start[p]; k < s->start[p + 1]; k++) {
        sums += 12;
        float *out = s->factor + 9 * (size_t)k;
        for (int i = 0; i < 9; i++) {
            const double *row = inverse + 3 * (i / 3);
            const double *column = sums + i % 3;
            out[i] = (float)(row[0] * column[0] + row[1] * column[4] + row[2] * column[8]);
        }
    }
}

/// UINT32_MAX, or the first row at which the factorisation broke down.
PBS_MULTIVERSION
static uint32_t factor_domain(const struct ichol *s, const struct bsr *a, uint32_t domain,
                              double shift) {
    double *sums = s->sums + 12 * (size_t)s->sums_start[domain];
    const uint32_t end = s->layout->domain_start[domain + 1];
    for (uint32_t p = s->layout->domain_start[domain]; p < end; p++) {
        load_row(s, a, p, sums);
        const double scale = row_scale(s, sums, p);
        for (int i = 0; i < 3; i++) {
            sums[5 * i] += shift * scale;
        }
        eliminate(s, p, sums);
        double inverse[9];
        if (!invert_pivot(sums, LEAST_PIVOT * scale, s->pivot + 9 * (size_t)p, inverse)) {
            return s->row[p];
        }
        store_row(s, p, inverse, sums);
    }
    return UINT32_MAX;
}

/// A row of the domain with an entry that is not finite, or UINT32_MAX.
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

static void factor_piece(void *context, size_t index) {
    const struct factorisation *f = context;
    struct ichol *s = f->state;
    const uint32_t domain = (uint32_t)index;
    s->shift[domain] = 0.0;
    s->bad_row[domain] = factor_domain(s, f->a, domain, 0.0);
    if (s->bad_row[domain] == UINT32_MAX) {
        return;
    }
    const uint32_t not_finite = find_not_finite(s, f->a, domain);
    if (not_finite != UINT32_MAX) {
        s->bad_row[domain] = not_finite;
        return;
    }
    for (double shift = FIRST_SHIFT; shift < LAST_SHIFT; shift *= SHIFT_GROWTH) {
        s->shift[domain] = shift;
        s->bad_row[domain] = factor_domain(s, f->a, domain, shift);
        if (s->bad_row[domain] == UINT32_MAX) {
            return;
        }
    }
}

static pbs_status ichol_factor(void *state, struct tasks *tasks, const struct bsr *a) {
    struct ichol *s = state;
    struct factorisation f = {s, a};
    tasks_for(tasks, s->layout->domain_count, factor_piece, &f);
    for (uint32_t d = 0; d < s->layout->domain_count; d++) {
        if (s->bad_row[d] != UINT32_MAX && s->shift[d] == 0.0) {
            return status_fail(PBS_ERROR_CONVERGENCE,
                               "node %u: its row of the matrix is not finite",
                               s->layout->node[s->bad_row[d]]);
        }
        if (s->bad_row[d] != UINT32_MAX) {
            return status_fail(PBS_ERROR_CONVERGENCE,
                               "node %u: no positive pivot even with %g of the diagonal added",
                               s->layout->node[s->bad_row[d]], s->shift[d]);
        }
    }
    return PBS_OK;
}

/// (I + V)^T y = r, in place: every row is final when its turn comes.
ALWAYS_INLINE void sweep_forward(const struct ichol *s, uint32_t first, uint32_t end, double *z) {
    for (uint32_t p = first; p < end; p++) {
        const double *y = z + 3 * (size_t)s->row[p];
        const quad y0 = quad_set(y[0]);
        const quad y1 = quad_set(y[1]);
        const quad y2 = quad_set(y[2]);
        for (uint32_t k = s->start[p]; k < s->start[p + 1]; k++) {
            const float *v = s->factor + 9 * (size_t)k;
            const quad sum = quad_load_float(v) * y0 + quad_load_float(v + 3) * y1 +
                             quad_load_float(v + 6) * y2;
            quad_add3(z + 3 * (size_t)s->column[k], -sum);
        }
    }
}

/// (I + V) z = D^-1 y, in place.
ALWAYS_INLINE void sweep_backward(const struct ichol *s, uint32_t first, uint32_t end, double *z) {
    for (uint32_t p = end; p-- > first;) {
        double *zi = z + 3 * (size_t)s->row[p];
        const float *d = s->inverse + 9 * (size_t)p;
        quad sum0 = quad_set(0.0);
        quad sum1 = quad_set(0.0);
        quad sum2 = quad_set(0.0);
        for (uint32_t k = s->start[p]; k < s->start[p + 1]; k++) {
            const float *v = s->factor + 9 * (size_t)k;
            const quad zj = quad_load3(z + 3 * (size_t)s->column[k]);
            sum0 += quad_load_float(v) * zj;
            sum1 += quad_load_float(v + 3) * zj;
            sum2 += quad_load_float(v + 6) * zj;
        }
        const quad scaled = quad_load_float(d) * quad_set(zi[0]) +
                            quad_load_float(d + 3) * quad_set(zi[1]) +
                            quad_load_float(d + 6) * quad_set(zi[2]);
        const quad sum = {quad_sum3(sum0), quad_sum3(sum1), quad_sum3(sum2), 0.0};
        quad_store3(zi, scaled - sum);
    }
}

PBS_MULTIVERSION
static void ichol_apply_domain(const void *state, uint32_t domain, const double *r, double *z) {
    const struct ichol *s = state;
    const uint32_t first = s->layout->domain_start[domain];
    const uint32_t end = s->layout->domain_start[domain + 1];
    memcpy(z + 3 * (size_t)first, r + 3 * (size_t)first, 3 * (size_t)(end - first) * sizeof *z);
    sweep_forward(s, first, end, z);
    sweep_backward(s, first, end, z);
}

static void ichol_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct ichol *s = state;
    preconditioner_apply_domains(&incomplete_cholesky, state, s->layout->domain_count, tasks, r, z);
}

static double ichol_shift(const void *state) {
    const struct ichol *s = state;
    double largest = 0.0;
    for (uint32_t d = 0; d < s->layout->domain_count; d++) {
        largest = fmax(largest, s->shift[d]);
    }
    return largest;
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

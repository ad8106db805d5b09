// Estimates the largest eigenvalue of M^-1 A by a few Lanczos steps in the M^-1 inner product, from
// a pseudo-random vector. The Ritz value is a lower bound. Adding the norm of its residual makes it
// an upper bound in practice (Zhou and Li, "Bounding the spectrum of large Hermitian matrices",
// Linear Algebra Appl. 435, 2011).
// SPDX-License-Identifier: MIT
#include <math.h>

#include "linear/multigrid/multigrid.h"

#define STEP_LIMIT 32

struct process {
    const struct grid *g;
    grid_smoother_fn smoother;
    const void *context;
    double *q, *before, *u, *w; ///< Lanczos vector, the previous one, M^-1 q, the next one
    double factor;
    double alpha, beta;
    double part[LAYOUT_DOMAIN_LIMIT];
};

static size_t entries_before(const struct process *p, size_t chunk) {
    return (size_t)p->g->size * p->g->chunk_start[chunk];
}

static double run(struct process *p, struct tasks *tasks, pbs_work_fn piece) {
    tasks_for(tasks, p->g->chunk_count, piece, p);
    double sum = 0.0;
    for (uint32_t c = 0; c < p->g->chunk_count; c++) {
        sum += p->part[c];
    }
    return sum;
}

static void dot_into(struct process *p, size_t chunk, const double *x, const double *y) {
    double sums[4] = {0.0};
    for (size_t i = entries_before(p, chunk); i < entries_before(p, chunk + 1); i++) {
        sums[i % 4] += x[i] * y[i];
    }
    p->part[chunk] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// w = pseudo-random in [-1, 1), by hashing the index; u = M^-1 w; computes w . u.
static void start_piece(void *context, size_t chunk) {
    struct process *p = context;
    for (size_t i = entries_before(p, chunk); i < entries_before(p, chunk + 1); i++) {
        uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        p->w[i] = (double)(z >> 11) * 0x1p-52 - 1.0;
        p->before[i] = 0.0;
        p->q[i] = 0.0;
    }
    p->smoother(p->context, (uint32_t)chunk, p->w, p->u);
    dot_into(p, chunk, p->w, p->u);
}

/// before = beta q, q = w / beta, u = u / beta
static void normalise_piece(void *context, size_t chunk) {
    struct process *p = context;
    for (size_t i = entries_before(p, chunk); i < entries_before(p, chunk + 1); i++) {
        p->before[i] = p->beta * p->q[i];
        p->q[i] = p->w[i] * p->factor;
        p->u[i] *= p->factor;
    }
}

/// w = A u - before; computes u . w
static void product_piece(void *context, size_t chunk) {
    struct process *p = context;
    grid_residual(p->g, (uint32_t)chunk, -1.0, p->before, p->u, p->w);
    for (size_t i = entries_before(p, chunk); i < entries_before(p, chunk + 1); i++) {
        p->w[i] -= 2.0 * p->before[i];
    }
    dot_into(p, chunk, p->u, p->w);
}

/// w -= alpha q, u = M^-1 w; computes w . u
static void subtract_piece(void *context, size_t chunk) {
    struct process *p = context;
    for (size_t i = entries_before(p, chunk); i < entries_before(p, chunk + 1); i++) {
        p->w[i] -= p->alpha * p->q[i];
    }
    p->smoother(p->context, (uint32_t)chunk, p->w, p->u);
    dot_into(p, chunk, p->w, p->u);
}

/// Returns whether an eigenvalue of the tridiagonal matrix exceeds x, by Sturm's sequence.
static bool exceeds(const double *alpha, const double *beta, uint32_t count, double x) {
    double pivot = 1.0;
    for (uint32_t k = 0; k < count; k++) {
        pivot = x - alpha[k] - (k > 0 ? beta[k] * beta[k] / pivot : 0.0);
        if (!(pivot > 0.0)) {
            return true;
        }
    }
    return false;
}

/// beta[k] couples k - 1 and k. beta[count] couples to the next vector: the residual of the Ritz
/// vector is that times its last entry.
static double largest_eigenvalue(const double *alpha, const double *beta, uint32_t count) {
    double high = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        high = fmax(high,
                    fabs(alpha[k]) + (k > 0 ? beta[k] : 0.0) + (k + 1 < count ? beta[k + 1] : 0.0));
    }
    double low = 0.0;
    for (int i = 0; i < 40; i++) {
        const double middle = 0.5 * (low + high);
        if (exceeds(alpha, beta, count, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double last = 0.0;
    double entry = 1.0;
    double square = 1.0;
    for (uint32_t k = 0; k + 1 < count && beta[k + 1] > 0.0; k++) {
        const double next = ((high - alpha[k]) * entry - (k > 0 ? beta[k] * last : 0.0)) /
                            beta[k + 1];
        last = entry;
        entry = next;
        square += entry * entry;
    }
    return high + beta[count] * fabs(entry) / sqrt(square);
}

double grid_spectral_bound(struct tasks *tasks, const struct grid *g, grid_smoother_fn smoother,
                           const void *context, uint32_t steps) {
    double alpha[STEP_LIMIT];
    double beta[STEP_LIMIT + 1];
    struct process p = {.g = g,
                        .smoother = smoother,
                        .context = context,
                        .q = g->b,
                        .before = g->x,
                        .u = g->t,
                        .w = g->y};
    double square = run(&p, tasks, start_piece);
    double largest = 0.0;
    uint32_t count = 0;
    while (count < steps && count < STEP_LIMIT) {
        beta[count] = sqrt(square);
        // The Krylov space is exhausted.
        if (!(beta[count] > 1e-6 * largest)) {
            break;
        }
        p.beta = count > 0 ? beta[count] : 0.0;
        p.factor = 1.0 / beta[count];
        run(&p, tasks, normalise_piece);
        p.alpha = alpha[count] = run(&p, tasks, product_piece);
        square = run(&p, tasks, subtract_piece);
        largest = fmax(largest, fabs(p.alpha));
        count++;
    }
    beta[count] = square > 0.0 ? sqrt(square) : 0.0;
    return square >= 0.0 ? largest_eigenvalue(alpha, beta, count) : NAN;
}

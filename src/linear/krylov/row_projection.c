// See row_projection.h.
// SPDX-License-Identifier: MIT
#include "linear/krylov/row_projection.h"

#include "base/matrix3/math3.h"

// Rounding ends the iteration; chains of n joints take about n of them.
static const double REDUCTION = 1e-28;
enum { ITERATIONS_PER_ROW = 4 };

void node_rows_multiply(const struct node_row *rows, size_t count, const double *v, double *out) {
    for (size_t r = 0; r < count; r++) {
        out[r] = 0.0;
        for (size_t k = 0; k < rows[r].count; k++) {
            out[r] += dot3(rows[r].entries + 3 * k, v + 3 * (size_t)rows[r].node[k]);
        }
    }
}

/// v += factor M^-1 J^T y.
static void add_impulses(const struct row_projection *p, double factor, const double *y,
                         double *v) {
    for (size_t r = 0; r < p->count; r++) {
        const struct node_row *const row = &p->rows[r];
        for (size_t k = 0; k < row->count; k++) {
            double *const to = v + 3 * (size_t)row->node[k];
            add_scaled3(to, factor * y[r] / p->mass[row->node[k]], row->entries + 3 * k, to);
        }
    }
}

static void zero_nodes(const struct row_projection *p, double *v) {
    for (size_t r = 0; r < p->count; r++) {
        for (size_t k = 0; k < p->rows[r].count; k++) {
            double *const to = v + 3 * (size_t)p->rows[r].node[k];
            to[0] = to[1] = to[2] = 0.0;
        }
    }
}

static double dot(size_t count, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

void row_projection_apply(struct row_projection *p, double *a) {
    for (size_t i = 0; i < p->count; i++) {
        p->impulse[i] = 0.0;
        p->direction[i] = p->residual[i];
    }
    double square = dot(p->count, p->residual, p->residual);
    const double end = REDUCTION * square;
    for (size_t i = 0; i < ITERATIONS_PER_ROW * p->active_count && square > end; i++) {
        zero_nodes(p, p->node_product);
        add_impulses(p, 1.0, p->direction, p->node_product);
        node_rows_multiply(p->rows, p->count, p->node_product, p->product);
        const double curvature = dot(p->count, p->direction, p->product);
        if (!(curvature > 0.0)) {
            break;
        }
        const double step = square / curvature;
        for (size_t k = 0; k < p->count; k++) {
            p->impulse[k] += step * p->direction[k];
            p->residual[k] -= step * p->product[k];
        }
        const double next = dot(p->count, p->residual, p->residual);
        for (size_t k = 0; k < p->count; k++) {
            p->direction[k] = p->residual[k] + next / square * p->direction[k];
        }
        square = next;
    }
    add_impulses(p, -1.0, p->impulse, a);
}

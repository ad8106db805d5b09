// See step_measure.h.
// SPDX-License-Identifier: MIT
#include "integrate/step_control/step_measure.h"

#include <math.h>

#include "base/matrix3/math3.h"

/// Returns the larger value; NaN if one is NaN.
static double larger(double worst, double value) {
    return value <= worst ? worst : value;
}

static double distance(const double *a, const double *b) {
    double between[3];
    subtract3(a, b, between);
    return norm3(between);
}

double measure_longest(size_t node_count, const double *v) {
    double worst = 0.0;
    for (size_t i = 0; i < node_count && !isnan(worst); i++) {
        worst = larger(worst, norm3(v + 3 * i));
    }
    return worst;
}

double measure_distance(size_t node_count, const double *x, const double *y) {
    double worst = 0.0;
    for (size_t i = 0; i < node_count && !isnan(worst); i++) {
        worst = larger(worst, distance(x + 3 * i, y + 3 * i));
    }
    return worst;
}

/// Returns the largest change over the blocks right of the diagonal in a row.
static double row_stretch(const struct bsr *a, const uint8_t *kind, uint32_t row, const double *x,
                          const double *y) {
    const uint32_t *const node = a->layout->node;
    const size_t i = 3 * (size_t)node[row];
    double worst = 0.0;
    for (uint32_t k = a->row_start[row] + 1; k < a->row_start[row + 1]; k++) {
        if (kind[node[row]] == NODE_ROTATION || kind[node[a->column[k]]] == NODE_ROTATION) {
            continue;
        }
        const size_t j = 3 * (size_t)node[a->column[k]];
        worst = larger(worst, fabs(distance(y + i, y + j) - distance(x + i, x + j)));
    }
    return worst;
}

double measure_stretch(const struct assembly *assembly, const uint8_t *kind, const double *x,
                       const double *y) {
    const struct bsr *const a = &assembly->pattern;
    if (a->block_count == a->row_count) {
        return measure_distance(a->row_count, x, y);
    }
    double worst = 0.0;
    for (uint32_t row = 0; row < a->row_count && !isnan(worst); row++) {
        worst = larger(worst, row_stretch(a, kind, row, x, y));
    }
    return worst;
}

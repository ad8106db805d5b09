// For a rotation node x = r phi, M = r K(phi)^T; its inverse dexp(phi) / r maps chart velocities to
// angular velocities. For a handle h, M w = w x h.
// SPDX-License-Identifier: MIT
#include "linear/rotation_modes.h"

#include "base/matrix3/rotation_chart.h"

struct measurement {
    const struct layout *layout;
    const double *radius, *x;
    double *modes;
};

/// Computes M of up to eight rotation nodes.
static void measure_rotations(const struct measurement *m, const uint32_t *rows, int count) {
    lanes8 phi[3];
    lanes8 k[9];
    struct chart_lanes chart;
    for (int l = 0; l < LANES; l++) {
        const size_t row = rows[l < count ? l : 0];
        double square = 0.0;
        for (size_t i = 0; i < 3; i++) {
            phi[i][l] = m->x[3 * row + i] / m->radius[row];
            square += phi[i][l] * phi[i][l];
        }
        // Beyond the chart's limit the energy is infinite or the node has no rotational stiffness:
        // any M will do.
        for (int i = 0; i < 3; i++) {
            phi[i][l] = square < CHART_LIMIT * CHART_LIMIT ? phi[i][l] : 0.0;
        }
    }
    chart_init(phi, &chart);
    chart_torque(&chart, k);
    for (int l = 0; l < count; l++) {
        double *out = m->modes + 9 * (size_t)rows[l];
        for (int i = 0; i < 9; i++) {
            out[i] = m->radius[rows[l]] * k[3 * (i % 3) + i / 3][l];
        }
    }
}

static void measure_handle(const double h[3], double out[9]) {
    const double turn[9] = {0.0, h[2], -h[1], -h[2], 0.0, h[0], h[1], -h[0], 0.0};
    for (int i = 0; i < 9; i++) {
        out[i] = turn[i];
    }
}

static void measure_domain(void *context, size_t domain) {
    const struct measurement *m = context;
    const struct layout *layout = m->layout;
    uint32_t rows[LANES];
    int count = 0;
    for (uint32_t i = layout->domain_start[domain]; i < layout->domain_start[domain + 1]; i++) {
        if (layout->kind[i] == NODE_HANDLE) {
            measure_handle(m->x + 3 * (size_t)i, m->modes + 9 * (size_t)i);
        } else if (layout->kind[i] == NODE_ROTATION) {
            rows[count++] = i;
            if (count == LANES) {
                measure_rotations(m, rows, count);
                count = 0;
            }
        }
    }
    if (count > 0) {
        measure_rotations(m, rows, count);
    }
}

void rotation_modes_build(struct tasks *tasks, const struct layout *layout, const double *radius,
                          const double *x, double *modes) {
    struct measurement m = {layout, radius, x, modes};
    tasks_for(tasks, layout->domain_count, measure_domain, &m);
}

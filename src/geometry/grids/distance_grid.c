// The interpolation is a tensor product of one-dimensional weights, so the sums are computed along
// one axis after the other.
// SPDX-License-Identifier: MIT
#include "geometry/grids/distance_grid.h"

#include <math.h>

#include "base/config.h"
#include "base/matrix3/math3.h"

enum { WIDTH = 4 }; ///< samples along an axis on which a value depends, at most

// --- checks ---

static uint32_t border_depth(const struct distance_grid *grid) {
    return grid->is_linear ? 2 : 3;
}

static size_t sample_index(const struct distance_grid *grid, const uint32_t at[3]) {
    return at[0] + grid->counts[0] * (at[1] + (size_t)grid->counts[1] * at[2]);
}

static bool is_border(const struct distance_grid *grid, const uint32_t at[3]) {
    const uint32_t depth = border_depth(grid);
    for (int k = 0; k < 3; k++) {
        if (at[k] < depth || grid->counts[k] - 1 - at[k] < depth) {
            return true;
        }
    }
    return false;
}

static pbs_status check_samples(const struct distance_grid *grid, bool inside) {
    for (uint32_t at[3] = {0, 0, 0}; at[2] < grid->counts[2]; at[2]++) {
        for (at[1] = 0; at[1] < grid->counts[1]; at[1]++) {
            for (at[0] = 0; at[0] < grid->counts[0]; at[0]++) {
                const double sample = (double)grid->samples[sample_index(grid, at)];
                if (!isfinite(sample)) {
                    return status_fail(PBS_ERROR_ARGUMENT,
                                       "sample (%u, %u, %u) is %g, must be "
                                       "finite",
                                       (unsigned)at[0], (unsigned)at[1], (unsigned)at[2], sample);
                }
                if (is_border(grid, at) && (sample < 0.0) != inside) {
                    return status_fail(
                        PBS_ERROR_MESH,
                        "the surface is too close to the border of the grid: sample (%u, %u, %u) "
                        "is %g m, but others in the %u outermost layers have the other sign",
                        (unsigned)at[0], (unsigned)at[1], (unsigned)at[2], sample,
                        (unsigned)border_depth(grid));
                }
            }
        }
    }
    return PBS_OK;
}

pbs_status distance_grid_check(struct distance_grid *grid) {
    if (!(grid->cell > 0.0) || !isfinite(grid->cell)) {
        return status_fail(PBS_ERROR_ARGUMENT, "cell is %g m, must be positive and finite",
                           grid->cell);
    }
    for (int k = 0; k < 3; k++) {
        const double end = grid->origin[k] + grid->cell * grid->counts[k];
        if (grid->counts[k] < WIDTH) {
            return status_fail(PBS_ERROR_ARGUMENT, "counts[%d] is %u, must be %u at least", k,
                               (unsigned)grid->counts[k], (unsigned)WIDTH);
        }
        if (!(fabs(grid->origin[k]) <= COORDINATE_LIMIT && end <= COORDINATE_LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "the grid reaches from %g to %g m, must lie within %g",
                               grid->origin[k], end, COORDINATE_LIMIT);
        }
    }
    grid->is_hollow = grid->samples[0] < 0.0F;
    return check_samples(grid, grid->is_hollow);
}

// --- interpolation ---

/// Interpolation along one axis: the first sample, the number of samples, and the weights of each
/// in the value and its first and second derivative.
struct axis_weights {
    uint32_t first;
    int count;
    double parts[3][WIDTH];
};

static void set_linear_weights(double u, double cell, struct axis_weights *w) {
    w->count = 2;
    w->parts[0][0] = 1.0 - u;
    w->parts[0][1] = u;
    w->parts[1][0] = -1.0 / cell;
    w->parts[1][1] = 1.0 / cell;
    w->parts[2][0] = w->parts[2][1] = 0.0;
}

static void set_cubic_weights(double u, double cell, struct axis_weights *w) {
    w->count = WIDTH;
    for (int i = 0; i < WIDTH; i++) {
        const double z = u + 1.0 - i;
        const double a = fabs(z);
        const double side = z < 0.0 ? -1.0 : 1.0;
        // Chosen by i, not by a: on a sample both pieces are at their ends, where their second
        // derivatives differ, and all weights must be those of the same cell.
        const bool near = i == 1 || i == 2;
        w->parts[0][i] = near ? (1.5 * a - 2.5) * a * a + 1.0
                              : ((2.5 - 0.5 * a) * a - 4.0) * a + 2.0;
        w->parts[1][i] = side * (near ? (4.5 * a - 5.0) * a : (5.0 - 1.5 * a) * a - 4.0) / cell;
        w->parts[2][i] = (near ? 9.0 * a - 5.0 : 5.0 - 3.0 * a) / (cell * cell);
    }
}

/// Computes the weights at a coordinate, in cells from sample 0, within the range of the
/// interpolation.
static void set_weights(const struct distance_grid *grid, int axis, double coordinate,
                        struct axis_weights *w) {
    const uint32_t margin = grid->is_linear ? 0 : 1;
    const double last = (double)(grid->counts[axis] - 2 - margin);
    const double base = fmin(fmax(floor(coordinate), (double)margin), last);
    w->first = (uint32_t)base - margin;
    if (grid->is_linear) {
        set_linear_weights(coordinate - base, grid->cell, w);
    } else {
        set_cubic_weights(coordinate - base, grid->cell, w);
    }
}

static double row_sum(const struct distance_grid *grid, const struct axis_weights w[3],
                      const double *parts, uint32_t j, uint32_t k) {
    const uint32_t at[3] = {w[0].first, w[1].first + j, w[2].first + k};
    const float *samples = grid->samples + sample_index(grid, at);
    double sum = 0.0;
    for (int i = 0; i < w[0].count; i++) {
        sum += parts[i] * (double)samples[i];
    }
    return sum;
}

/// Computes the interpolated derivatives sums[a][b][c] of orders a, b and c along the axes, for a +
/// b + c <= most.
static void interpolate(const struct distance_grid *grid, const struct axis_weights w[3], int most,
                        double sums[3][3][3]) {
    for (int a = 0; a <= most; a++) {
        for (uint32_t k = 0; k < (uint32_t)w[2].count; k++) {
            double columns[3] = {0.0, 0.0, 0.0};
            for (uint32_t j = 0; j < (uint32_t)w[1].count; j++) {
                const double row = row_sum(grid, w, w[0].parts[a], j, k);
                for (int b = 0; b <= most - a; b++) {
                    columns[b] += w[1].parts[b][j] * row;
                }
            }
            for (int b = 0; b <= most - a; b++) {
                for (int c = 0; c <= most - a - b; c++) {
                    sums[a][b][c] += w[2].parts[c][k] * columns[b];
                }
            }
        }
    }
}

/// The vector from the nearest point of the interpolation's range to the query point, m, and its
/// length. Zero along axes on which the point is within the range.
struct outside {
    double offset[3];
    double length;
};

static double clamp_coordinate(const struct distance_grid *grid, int axis, double coordinate,
                               struct outside *outside) {
    const double margin = grid->is_linear ? 0.0 : 1.0;
    const double end = (double)(grid->counts[axis] - 1) - margin;
    const double within = fmin(fmax(coordinate, margin), end);
    outside->offset[axis] = (coordinate - within) * grid->cell;
    return within;
}

static void add_outside_gradient(const struct outside *outside, double side, double gradient[3]) {
    for (int k = 0; k < 3; k++) {
        if (outside->offset[k] != 0.0) {
            gradient[k] = side * outside->offset[k] / outside->length;
        }
    }
}

static void add_outside_hessian(const struct outside *outside, double side, double hessian[9]) {
    for (int k = 0; k < 9; k++) {
        const double a = outside->offset[k / 3];
        const double b = outside->offset[k % 3];
        if (a != 0.0 || b != 0.0) {
            const double one = k / 3 == k % 3 ? 1.0 : 0.0;
            const double unit = a * b / (outside->length * outside->length);
            hessian[k] = side * (one - unit) / outside->length;
        }
    }
}

double distance_grid_value(const struct distance_grid *grid, const double point[3],
                           double gradient[3], double hessian[9]) {
    struct axis_weights w[3];
    struct outside outside;
    double sums[3][3][3] = {{{0.0}}};
    for (int k = 0; k < 3; k++) {
        const double at = (point[k] - grid->origin[k]) / grid->cell;
        set_weights(grid, k, clamp_coordinate(grid, k, at, &outside), &w[k]);
    }
    interpolate(grid, w, hessian != NULL ? 2 : gradient != NULL ? 1 : 0, sums);
    outside.length = norm3(outside.offset);
    const double side = grid->is_hollow ? -1.0 : 1.0;
    if (gradient != NULL) {
        gradient[0] = sums[1][0][0];
        gradient[1] = sums[0][1][0];
        gradient[2] = sums[0][0][1];
        add_outside_gradient(&outside, side, gradient);
    }
    if (hessian != NULL) {
        const double values[9] = {sums[2][0][0], sums[1][1][0], sums[1][0][1],
                                  sums[1][1][0], sums[0][2][0], sums[0][1][1],
                                  sums[1][0][1], sums[0][1][1], sums[0][0][2]};
        for (int k = 0; k < 9; k++) {
            hessian[k] = values[k];
        }
        add_outside_hessian(&outside, side, hessian);
    }
    return sums[0][0][0] + side * outside.length;
}

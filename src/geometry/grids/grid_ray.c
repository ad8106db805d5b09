// Cell by cell search for the first zero along a ray.
// SPDX-License-Identifier: MIT
#include "geometry/grids/grid_ray.h"

#include <math.h>

#include "base/matrix3/math3.h"

enum { WIDTH = 4 }; ///< samples along an axis on which a value depends, at most

// Cubic interpolation can overshoot the samples' range by this fraction of it, (1.25^3 - 1) / 2:
// the absolute weights along an axis sum to at most 1.25.
static const double OVERSHOOT = 0.4766;
// Bound of a second derivative relative to the second differences along its axis: their weights sum
// to |2 - 3u| + |3u - 1| <= 3 along the axis and to 1.25 along each other axis.
static const double PURE_BOUND = 3.0 * 1.25 * 1.25;
// Bound of a mixed second derivative: weights sum to 1.5 along each of its axes and to 1.25 along
// the third.
static const double MIXED_BOUND = 1.5 * 1.5 * 1.25;
// In cells: shorter intervals are not bisected.
static const double SHORTEST_INTERVAL = 1e-6;

struct grid_ray {
    const struct distance_grid *grid;
    const double *origin, *direction;
    uint32_t cell[3];
    double end; ///< m: end of the ray within the range of the interpolation
};

/// The samples on which values in a cell depend, `width` along each axis.
struct block {
    size_t width;
    double values[WIDTH * WIDTH * WIDTH]; ///< (i, j, k) at i + WIDTH (j + WIDTH k)
};

static uint32_t margin_of(const struct distance_grid *grid) {
    return grid->is_linear ? 0 : 1;
}

static double value_at(const struct grid_ray *ray, double t) {
    double at[3];
    add_scaled3(ray->origin, t, ray->direction, at);
    return distance_grid_value(ray->grid, at, NULL, NULL);
}

// --- bounds in a cell ---

static void load_block(const struct grid_ray *ray, struct block *b) {
    const struct distance_grid *grid = ray->grid;
    const size_t margin = margin_of(grid);
    b->width = 2 + 2 * margin;
    for (size_t k = 0; k < b->width; k++) {
        for (size_t j = 0; j < b->width; j++) {
            const float *row = grid->samples + (ray->cell[0] - margin) +
                               grid->counts[0] *
                                   ((ray->cell[1] + j - margin) +
                                    (size_t)grid->counts[1] * (ray->cell[2] + k - margin));
            for (size_t i = 0; i < b->width; i++) {
                b->values[i + WIDTH * (j + WIDTH * k)] = (double)row[i];
            }
        }
    }
}

static bool excludes_zero(const struct block *b, bool is_linear) {
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t k = 0; k < b->width; k++) {
        for (size_t j = 0; j < b->width; j++) {
            for (size_t i = 0; i < b->width; i++) {
                const double value = b->values[i + WIDTH * (j + WIDTH * k)];
                low = fmin(low, value);
                high = fmax(high, value);
            }
        }
    }
    const double beyond = is_linear ? 0.0 : OVERSHOOT * (high - low);
    return low - beyond > 0.0 || high + beyond < 0.0;
}

/// Returns the second difference along axis a starting at `at`; for a != b, the difference along a
/// of differences along b.
static double difference_at(const struct block *block, const size_t at[3], int a, int b) {
    static const size_t strides[3] = {1, WIDTH, WIDTH * WIDTH};
    const double *v = block->values + at[0] + WIDTH * (at[1] + WIDTH * at[2]);
    const size_t step = strides[a];
    const size_t other = strides[b];
    return a == b ? v[0] - 2.0 * v[step] + v[2 * step]
                  : v[0] - v[step] - v[other] + v[step + other];
}

static double largest_difference(const struct block *block, int a, int b) {
    size_t counts[3] = {block->width, block->width, block->width};
    counts[a]--;
    counts[b]--;
    double largest = 0.0;
    size_t at[3];
    for (at[2] = 0; at[2] < counts[2]; at[2]++) {
        for (at[1] = 0; at[1] < counts[1]; at[1]++) {
            for (at[0] = 0; at[0] < counts[0]; at[0]++) {
                largest = fmax(largest, fabs(difference_at(block, at, a, b)));
            }
        }
    }
    return largest;
}

/// Returns an upper bound of the second derivative along the ray in the cell, 1/m.
static double bound_second_derivative(const struct grid_ray *ray, const struct block *block) {
    const bool is_linear = ray->grid->is_linear;
    const double *d = ray->direction;
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        if (!is_linear) {
            sum += PURE_BOUND * d[a] * d[a] * largest_difference(block, a, a);
        }
        for (int b = 0; b < a; b++) {
            sum += (is_linear ? 2.0 : 2.0 * MIXED_BOUND) * fabs(d[a] * d[b]) *
                   largest_difference(block, a, b);
        }
    }
    return sum / (ray->grid->cell * ray->grid->cell);
}

// --- zeros in a cell ---

/// Returns where the value changes sign, by bisection to the last bit.
static double bisect(const struct grid_ray *ray, double low, double high, bool is_inside) {
    for (;;) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high)) {
            return high;
        }
        if ((value_at(ray, middle) < 0.0) == is_inside) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Finds the first zero in an interval within the cell. value_from: value at `from`. Subintervals
/// without a zero are skipped. A subinterval in which the value is monotonic and changes sign is
/// bisected.
static bool search_cell(const struct grid_ray *ray, double from, double to, double value_from,
                        double *zero) {
    struct block block;
    load_block(ray, &block);
    if (excludes_zero(&block, ray->grid->is_linear)) {
        return false;
    }
    const double curvature = bound_second_derivative(ray, &block);
    const double shortest = SHORTEST_INTERVAL * ray->grid->cell;
    double length = to - from;
    while (from < to) {
        // Far from the origin of the ray neighbouring numbers are farther apart than the shortest
        // interval. No interval is shorter than from one to the next.
        const double neighbour = nextafter(from, INFINITY);
        const double end = fmin(fmax(from + length, neighbour), to);
        const double value_end = value_at(ray, end);
        const double width = end - from;
        const bool is_inside = value_from < 0.0;
        const bool is_short = width <= shortest || end <= neighbour;
        if (is_inside == (value_end < 0.0)) {
            const double least = fmin(fabs(value_from), fabs(value_end));
            if (is_short || least > 0.125 * curvature * width * width) {
                from = end;
                value_from = value_end;
                length = 2.0 * width;
                continue;
            }
        } else if (is_short || fabs(value_end - value_from) > curvature * width * width) {
            *zero = bisect(ray, from, end, is_inside);
            return true;
        }
        length = 0.5 * width;
    }
    return false;
}

// --- from cell to cell ---

/// Clips the ray to the range of the interpolation. Returns false if nothing is left.
static bool clip(struct grid_ray *ray, double *begin) {
    const struct distance_grid *grid = ray->grid;
    for (int k = 0; k < 3; k++) {
        const double margin = (double)margin_of(grid) * grid->cell;
        const double low = grid->origin[k] + margin;
        const double high = grid->origin[k] + grid->cell * (grid->counts[k] - 1.0) - margin;
        if (ray->direction[k] == 0.0) {
            if (ray->origin[k] < low || ray->origin[k] > high) {
                return false;
            }
            continue;
        }
        const double a = (low - ray->origin[k]) / ray->direction[k];
        const double b = (high - ray->origin[k]) / ray->direction[k];
        *begin = fmax(*begin, fmin(a, b));
        ray->end = fmin(ray->end, fmax(a, b));
    }
    return *begin <= ray->end;
}

static void enter_cell(struct grid_ray *ray, double t) {
    const struct distance_grid *grid = ray->grid;
    const double margin = (double)margin_of(grid);
    for (int k = 0; k < 3; k++) {
        const double at = (ray->origin[k] + t * ray->direction[k] - grid->origin[k]) / grid->cell;
        const double last = (double)grid->counts[k] - 2.0 - margin;
        ray->cell[k] = (uint32_t)fmin(fmax(floor(at), margin), last);
    }
}

/// Returns the axis along which the ray leaves its cell first, and the distance; -1: the ray ends
/// inside the cell.
static int leave_cell(const struct grid_ray *ray, double *leave) {
    int axis = -1;
    *leave = ray->end;
    for (int k = 0; k < 3; k++) {
        const double d = ray->direction[k];
        const double plane = ray->grid->origin[k] +
                             ray->grid->cell * ((double)ray->cell[k] + (d > 0.0 ? 1.0 : 0.0));
        const double t = d == 0.0 ? INFINITY : (plane - ray->origin[k]) / d;
        if (t < *leave) {
            *leave = t;
            axis = k;
        }
    }
    return axis;
}

static void write_gradient(const struct grid_ray *ray, double t, double gradient[3]) {
    double at[3];
    add_scaled3(ray->origin, t, ray->direction, at);
    distance_grid_value(ray->grid, at, gradient, NULL);
    if (!(norm3(gradient) > 0.0)) {
        scale3(-1.0, ray->direction, gradient);
    }
}

bool grid_ray_hits(const struct distance_grid *grid, const double origin[3],
                   const double direction[3], double limit, double *distance, double gradient[3]) {
    struct grid_ray ray = {.grid = grid, .origin = origin, .direction = direction, .end = limit};
    double t = 0.0;
    if (!clip(&ray, &t)) {
        return false;
    }
    enter_cell(&ray, t);
    double value = value_at(&ray, t);
    if (value == 0.0) {
        *distance = t;
        write_gradient(&ray, t, gradient);
        return true;
    }
    for (;;) {
        double next = 0.0;
        const int axis = leave_cell(&ray, &next);
        next = fmax(next, t);
        if (search_cell(&ray, t, next, value, distance)) {
            write_gradient(&ray, *distance, gradient);
            return true;
        }
        const uint32_t margin = margin_of(grid);
        const bool is_up = axis >= 0 && direction[axis] > 0.0;
        if (axis < 0 || ray.cell[axis] == (is_up ? grid->counts[axis] - 2 - margin : margin)) {
            return false;
        }
        ray.cell[axis] += is_up ? 1U : UINT32_MAX;
        t = next;
        value = value_at(&ray, t);
    }
}

// A cell is encoded as a key of 63 bits. Keys are sorted by a radix sort from the lowest digit on.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/grid_order.h"

#include <math.h>
#include <string.h>

enum { AXIS_BITS = 21, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 3 * AXIS_BITS };

struct grid {
    double low[3], cells_per_metre[3];
    int axes[3]; ///< from the longest to the shortest extent; z, y, x if equal
};

static struct grid make_grid(const double *positions, size_t count, double spacing) {
    struct grid grid = {.low = {INFINITY, INFINITY, INFINITY}, .axes = {2, 1, 0}};
    double extent[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * count; i++) {
        grid.low[i % 3] = fmin(grid.low[i % 3], positions[i]);
        extent[i % 3] = fmax(extent[i % 3], positions[i]);
    }
    for (int k = 0; k < 3; k++) {
        extent[k] -= grid.low[k];
        const double edge = fmax(spacing, extent[k] * 0x1p-20);
        grid.cells_per_metre[k] = 1.0 / edge;
        // Rounding to whole cells makes extents that differ by rounding errors equal.
        extent[k] = floor(extent[k] / spacing + 0.5);
    }
    for (int i = 1; i < 3; i++) {
        for (int k = i; k > 0 && extent[grid.axes[k]] > extent[grid.axes[k - 1]]; k--) {
            const int axis = grid.axes[k];
            grid.axes[k] = grid.axes[k - 1];
            grid.axes[k - 1] = axis;
        }
    }
    return grid;
}

static uint64_t key_of(const struct grid *grid, const double *x) {
    uint64_t key = 0;
    for (int i = 0; i < 3; i++) {
        const int axis = grid->axes[i];
        const double cell = (x[axis] - grid->low[axis]) * grid->cells_per_metre[axis] + 0.5;
        key = key << AXIS_BITS | (uint64_t)cell;
    }
    return key;
}

/// Sorts stably by one digit. start: DIGITS + 1, scratch.
static void sort_digit(const uint64_t *keys, size_t count, unsigned shift, const uint32_t *from,
                       uint32_t *to, size_t *start) {
    memset(start, 0, (DIGITS + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++) {
        start[(keys[i] >> shift & (DIGITS - 1)) + 1]++;
    }
    for (size_t d = 0; d < DIGITS; d++) {
        start[d + 1] += start[d];
    }
    for (size_t i = 0; i < count; i++) {
        to[start[keys[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
    }
}

pbs_status grid_order(struct memory *memory, const double *positions, size_t count, double spacing,
                      uint32_t *order) {
    uint64_t *keys = memory_allocate(memory, count, sizeof *keys);
    uint32_t *other = memory_allocate(memory, count, sizeof *other);
    size_t *start = memory_allocate(memory, DIGITS + 1, sizeof *start);
    if (keys == NULL || other == NULL || start == NULL) {
        memory_release(memory, keys);
        memory_release(memory, other);
        memory_release(memory, start);
        return PBS_ERROR_MEMORY;
    }
    const struct grid grid = make_grid(positions, count, spacing);
    for (size_t i = 0; i < count; i++) {
        keys[i] = key_of(&grid, positions + 3 * i);
        order[i] = (uint32_t)i;
    }
    // The number of digits is even, so the result ends up in `order`.
    for (unsigned shift = 0; shift < KEY_BITS; shift += 2 * DIGIT_BITS) {
        sort_digit(keys, count, shift, order, other, start);
        sort_digit(keys, count, shift + DIGIT_BITS, other, order, start);
    }
    memory_release(memory, keys);
    memory_release(memory, other);
    memory_release(memory, start);
    return PBS_OK;
}

// Cells are stored in the buckets of a hash table, so that empty cells need no memory. Points are
// visited in order; each one searches for earlier points and appends itself to their lists. This is
// done once to count and once to fill, so that the lists need neither sorting nor unused capacity.
// SPDX-License-Identifier: MIT
#include "broad_phase/point_pairs.h"

#include <math.h>

enum { KEY_BITS = 21, KEY_MASK = (1 << KEY_BITS) - 1, CELLS_AROUND = 27 };

struct cells {
    const double *positions;
    size_t count;
    double low[3], cells_per_metre, distance_squared;
    unsigned shift;   ///< right shift that maps a hash to a bucket
    uint32_t *first;  ///< bucket count + 1: first member of each bucket
    uint32_t *member; ///< count: points sorted by bucket, ascending within a bucket
    uint64_t *key;    ///< count, in the order of member: key of the cell
    double *position; ///< count x 3, in the order of member
};

// --- cells ---

static void free_cells(struct cells *c, struct memory *memory) {
    memory_release(memory, c->first);
    memory_release(memory, c->member);
    memory_release(memory, c->key);
    memory_release(memory, c->position);
}

/// Computes the integer coordinates of a point's cell.
static void find_cell(const struct cells *c, const double *x, int64_t cell[3]) {
    for (int i = 0; i < 3; i++) {
        // Coordinates are clamped to 2^62 cells. Beyond that two different points are never close.
        cell[i] = (int64_t)fmin((x[i] - c->low[i]) * c->cells_per_metre, 0x1p62);
    }
}

/// Returns a key that is unique among cells less than 2^21 apart along each axis. Points of other
/// cells with the same key are excluded by their distance.
static uint64_t make_key(int64_t x, int64_t y, int64_t z) {
    return (uint64_t)(x & KEY_MASK) | (uint64_t)(y & KEY_MASK) << KEY_BITS |
           (uint64_t)(z & KEY_MASK) << 2 * KEY_BITS;
}

static uint32_t find_bucket(const struct cells *c, uint64_t key) {
    return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> c->shift);
}

static uint64_t key_of_point(const struct cells *c, size_t point) {
    int64_t cell[3];
    find_cell(c, c->positions + 3 * point, cell);
    return make_key(cell[0], cell[1], cell[2]);
}

/// Sorts the points by bucket with a counting sort.
static void sort_into_buckets(struct cells *c, size_t bucket_count) {
    for (size_t i = 0; i < c->count; i++) {
        c->first[find_bucket(c, key_of_point(c, i)) + 1]++;
    }
    for (size_t b = 0; b < bucket_count; b++) {
        c->first[b + 1] += c->first[b];
    }
    for (size_t i = 0; i < c->count; i++) {
        const uint64_t key = key_of_point(c, i);
        const uint32_t m = c->first[find_bucket(c, key)]++;
        c->member[m] = (uint32_t)i;
        c->key[m] = key;
        for (size_t k = 0; k < 3; k++) {
            c->position[3 * (size_t)m + k] = c->positions[3 * i + k];
        }
    }
    // Every start has advanced to the start of the next bucket.
    for (size_t b = bucket_count; b > 0; b--) {
        c->first[b] = c->first[b - 1];
    }
    c->first[0] = 0;
}

static pbs_status make_cells(struct cells *c, struct memory *memory, double distance) {
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < 3; k++) {
            const double x = c->positions[3 * i + k];
            c->low[k] = i == 0 ? x : fmin(c->low[k], x);
        }
    }
    // Cells are wider than the distance by more than rounding can move a point.
    c->cells_per_metre = (1.0 - 1e-6) / distance;
    c->distance_squared = distance * distance;
    unsigned bits = 1;
    while (bits < 31 && (UINT64_C(1) << bits) < c->count) {
        bits++;
    }
    const size_t bucket_count = (size_t)1 << bits;
    c->shift = 64 - bits;
    c->first = memory_allocate(memory, bucket_count + 1, sizeof *c->first);
    c->member = memory_allocate(memory, c->count, sizeof *c->member);
    c->key = memory_allocate(memory, c->count, sizeof *c->key);
    c->position = memory_allocate(memory, c->count, 3 * sizeof(double));
    if (c->first == NULL || c->member == NULL || c->key == NULL || c->position == NULL) {
        free_cells(c, memory);
        return PBS_ERROR_MEMORY;
    }
    sort_into_buckets(c, bucket_count);
    return PBS_OK;
}

// --- pairs ---

/// Visits the points of one cell that come before `point` and are within the distance. Each of them
/// increments its next[m]; if pairs is not null, the pair is written at the index before the
/// increment.
static void visit_cell(const struct cells *c, uint64_t key, uint32_t point, uint32_t *next,
                       uint32_t *pairs) {
    const double *x = c->positions + 3 * (size_t)point;
    const uint32_t bucket = find_bucket(c, key);
    const uint32_t end = c->first[bucket + 1];
    for (uint32_t m = c->first[bucket]; m < end && c->member[m] < point; m++) {
        const double *y = c->position + 3 * (size_t)m;
        const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        if (c->key[m] != key || d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > c->distance_squared) {
            continue;
        }
        const size_t pair = next[c->member[m]]++;
        if (pairs != NULL) {
            pairs[2 * pair] = c->member[m];
            pairs[2 * pair + 1] = point;
        }
    }
}

static void visit_pairs(const struct cells *c, uint32_t *next, uint32_t *pairs) {
    for (size_t i = 0; i < c->count; i++) {
        int64_t cell[3];
        find_cell(c, c->positions + 3 * i, cell);
        for (int k = 0; k < CELLS_AROUND; k++) {
            const uint64_t key = make_key(cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1,
                                          cell[2] + k / 9 - 1);
            visit_cell(c, key, (uint32_t)i, next, pairs);
        }
    }
}

static pbs_status list_pairs(const struct cells *c, struct memory *memory, size_t max_count,
                             uint32_t *next, struct point_pairs *out) {
    visit_pairs(c, next, NULL);
    uint64_t total = 0;
    for (size_t i = 0; i < c->count; i++) {
        const uint32_t count = next[i];
        next[i] = (uint32_t)total;
        total += count;
        if (total > max_count) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "more than %zu pairs of points, counting those of the first %zu of "
                               "%zu points alone",
                               max_count, i + 1, c->count);
        }
    }
    out->pairs = memory_allocate(memory, (size_t)total, 2 * sizeof *out->pairs);
    if (out->pairs == NULL) {
        return PBS_ERROR_MEMORY;
    }
    out->count = (size_t)total;
    visit_pairs(c, next, out->pairs);
    return PBS_OK;
}

pbs_status point_pairs_find(struct memory *memory, const double *positions, size_t count,
                            double distance, size_t max_count, struct point_pairs *out) {
    *out = (struct point_pairs){0};
    struct cells cells = {.positions = positions, .count = count};
    RETURN_IF_FAILED(make_cells(&cells, memory, distance));
    uint32_t *next = memory_allocate(memory, count, sizeof *next);
    const pbs_status status = next == NULL ? PBS_ERROR_MEMORY
                                           : list_pairs(&cells, memory, max_count, next, out);
    memory_release(memory, next);
    free_cells(&cells, memory);
    return status;
}

void point_pairs_free(struct point_pairs *pairs, struct memory *memory) {
    memory_release(memory, pairs->pairs);
    *pairs = (struct point_pairs){0};
}

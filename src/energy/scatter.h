// Adds the results of eight elements, one per lane, to the assembly's arrays. Data is transposed
// first, so that each block is written as contiguous memory. Lanes are processed in order, because
// two lanes may add to the same entry.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SCATTER_H
#define PBS_ENERGY_SCATTER_H

#include "base/lanes/lanes.h"

#define INTERLEAVE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/// out[l][e] = in[e][l]: three rounds that swap groups of 1, 2 and 4 doubles.
ALWAYS_INLINE void transpose_lanes(const lanes8 in[8], lanes8 out[8]) {
    lanes8 a[8];
    lanes8 b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = INTERLEAVE(in[i], in[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1] = INTERLEAVE(in[i], in[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int j = i; j < i + 2; j++) {
            b[j] = INTERLEAVE(a[j], a[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[j + 2] = INTERLEAVE(a[j], a[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 4; i++) {
        out[i] = INTERLEAVE(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[i + 4] = INTERLEAVE(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/// blocks[slot[l]] += lane l of k.
ALWAYS_INLINE void scatter_block(const lanes8 k[9], const uint32_t slot[LANES], double *blocks) {
    lanes8 by_lane[8];
    transpose_lanes(k, by_lane);
    for (int l = 0; l < LANES; l++) {
        double *target = blocks + 9 * (size_t)slot[l];
        lanes_store(target, lanes_load(target) + by_lane[l]);
        target[8] += k[8][l];
    }
}

/// vector[slot[l]] += lane l of v. x and y are added as a pair.
ALWAYS_INLINE void scatter_vector(const lanes8 v[3], const uint32_t slot[LANES], double *vector) {
    typedef double two __attribute__((vector_size(16)));
    const lanes8 low = INTERLEAVE(v[0], v[1], 0, 8, 1, 9, 2, 10, 3, 11);
    const lanes8 high = INTERLEAVE(v[0], v[1], 4, 12, 5, 13, 6, 14, 7, 15);
    const two xy[LANES] = {INTERLEAVE(low, low, 0, 1),   INTERLEAVE(low, low, 2, 3),
                           INTERLEAVE(low, low, 4, 5),   INTERLEAVE(low, low, 6, 7),
                           INTERLEAVE(high, high, 0, 1), INTERLEAVE(high, high, 2, 3),
                           INTERLEAVE(high, high, 4, 5), INTERLEAVE(high, high, 6, 7)};
    for (int l = 0; l < LANES; l++) {
        double *target = vector + 3 * (size_t)slot[l];
        two sum;
        memcpy(&sum, target, sizeof sum);
        sum += xy[l];
        memcpy(target, &sum, sizeof sum);
        target[2] += v[2][l];
    }
}

#undef INTERLEAVE

/// Adds lane l at the first node of its element. Padding lanes add zero.
ALWAYS_INLINE void scatter_values(lanes8 values, const uint32_t *node, double *node_values) {
    for (int l = 0; l < LANES; l++) {
        node_values[node[l]] += values[l];
    }
}

#endif

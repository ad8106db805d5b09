// A generator of numbers of its own for random worlds, so that a seed is one and the same world on
// every machine: splitmix64 (Steele, Lea and Flood 2014).
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_LEAGUE_RANDOM_H
#define PBS_BENCH_LEAGUE_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct league_random {
    uint64_t state;
};

static inline uint64_t random_bits(struct league_random *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// Uniform in [0, 1).
static inline double random_unit(struct league_random *r) {
    return (double)(random_bits(r) >> 11) * 0x1p-53;
}

/// Uniform in [low, high).
static inline double random_range(struct league_random *r, double low, double high) {
    return low + (high - low) * random_unit(r);
}

/// Its logarithm is uniform; 0 < low <= high.
static inline double random_scale(struct league_random *r, double low, double high) {
    return low * pow(high / low, random_unit(r));
}

/// 0 to count - 1.
static inline size_t random_index(struct league_random *r, size_t count) {
    return (size_t)(random_unit(r) * (double)count);
}

static inline bool random_chance(struct league_random *r, double probability) {
    return random_unit(r) < probability;
}

/// A unit vector, by rejection from the cube.
static inline void random_direction(struct league_random *r, double out[3]) {
    double square = 0.0;
    while (!(square > 0.01 && square <= 1.0)) {
        square = 0.0;
        for (size_t k = 0; k < 3; k++) {
            out[k] = random_range(r, -1.0, 1.0);
            square += out[k] * out[k];
        }
    }
    for (size_t k = 0; k < 3; k++) {
        out[k] /= sqrt(square);
    }
}

#endif

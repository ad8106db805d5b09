// Reproducible noise for scenes.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_RANDOM_H
#define PBS_BENCH_RANDOM_H

#include <stdint.h>

/// Returns a pseudo-random number, uniform in [-1, 1), that depends only on the counter.
static inline double noise(uint64_t counter) {
    uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

#endif

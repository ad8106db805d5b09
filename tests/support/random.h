// Random numbers that are the same on every machine and in every run: xorshift64* (Vigna 2016).
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_RANDOM_H
#define PBS_SUPPORT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/// Any seed, also 0.
struct random random_seed(uint64_t seed);

uint64_t random_bits(struct random *random);

/// Below count, which must not be 0.
size_t random_index(struct random *random, size_t count);

/// Uniform in [low, high).
double random_uniform(struct random *random, double low, double high);

/// Mean 0, deviation 1.
double random_normal(struct random *random);

void random_fill(struct random *random, double low, double high, double *x, size_t count);

/// A vector of length 1, of any direction.
void random_unit(struct random *random, double a[3]);

/// A rotation matrix, row-major, uniformly distributed.
void random_rotation(struct random *random, double r[9]);

/// F = U diag(s) V^T with random rotations U and V, row-major.
void random_stretched(struct random *random, const double s[3], double f[9]);

/// A random order of 0 .. count - 1.
void random_permutation(struct random *random, size_t *order, size_t count);

#endif

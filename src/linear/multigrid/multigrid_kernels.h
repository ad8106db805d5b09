// Shared kernels of the multigrid: rows of six floats, padded to eight where that is faster, and
// rows of six doubles.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_MULTIGRID_MULTIGRID_KERNELS_H
#define PBS_LINEAR_MULTIGRID_MULTIGRID_KERNELS_H

#include "base/lanes/lanes.h"
#include "linear/multigrid/multigrid.h"
#include "sparse/matrices/block3.h"

typedef float float8 __attribute__((vector_size(32)));

ALWAYS_INLINE float8 float8_load(const float *p) {
    float8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE void float8_store(float *p, float8 v) {
    memcpy(p, &v, sizeof v);
}

// Broadcast one entry to all lanes. The volatile read prevents gcc from loading neighbouring
// entries as a vector and extracting them again. Eight lanes are built from two halves, because gcc
// would otherwise emit eight insertions.
ALWAYS_INLINE float8 float8_repeat(const float *p) {
    const quad_float half = quad_float_set(*(const volatile float *)p);
    return __builtin_shufflevector(half, half, 0, 1, 2, 3, 0, 1, 2, 3);
}

ALWAYS_INLINE quad quad_repeat(const double *p) {
    return quad_set(*(const volatile double *)p);
}

/// Six doubles: entries 0 to 3 and 2 to 5.
struct six {
    quad low, high;
};

ALWAYS_INLINE struct six six_zero(void) {
    return (struct six){quad_set(0.0), quad_set(0.0)};
}

/// six_load and six_store access exactly six doubles, because the memory behind may belong to
/// another thread. No part of a store straddles two parts of a load, which would stall.
ALWAYS_INLINE struct six six_load(const double *p) {
    const quad low = quad_load(p);
    pair last;
    memcpy(&last, p + 4, sizeof last);
    return (struct six){low, {low[2], low[3], last[0], last[1]}};
}

ALWAYS_INLINE void six_store(double *p, struct six v) {
    const pair last = __builtin_shufflevector(v.high, v.high, 2, 3);
    quad_store(p, v.low);
    memcpy(p + 4, &last, sizeof last);
}

/// sum += a b, a: six floats
ALWAYS_INLINE void six_add_product(struct six *sum, const float *a, struct six b) {
    sum->low += quad_widen(quad_float_load(a)) * b.low;
    sum->high += quad_widen(quad_float_load(a + 2)) * b.high;
}

/// The same with one factor for all entries.
ALWAYS_INLINE void six_add_scaled(struct six *sum, const float *a, const double *b) {
    const quad factor = quad_repeat(b);
    six_add_product(sum, a, (struct six){factor, factor});
}

ALWAYS_INLINE struct six six_plus(struct six a, struct six b) {
    return (struct six){a.low + b.low, a.high + b.high};
}

/// a - scale b
ALWAYS_INLINE struct six six_minus(struct six a, double scale, struct six b) {
    return (struct six){a.low - quad_set(scale) * b.low, a.high - quad_set(scale) * b.high};
}

ALWAYS_INLINE double six_sum(struct six v) {
    return ((v.low[0] + v.low[1]) + (v.low[2] + v.low[3])) + (v.high[2] + v.high[3]);
}

#endif

// What the multigrid's kernels share: rows of six floats or doubles, eight wide.
#ifndef PBS_LINEAR_MULTIGRID_KERNELS_H
#define PBS_LINEAR_MULTIGRID_KERNELS_H

#include "base/lanes.h"
#include "linear/multigrid.h"
#include "sparse/block3.h"

typedef float float8 __attribute__((vector_size(32)));

ALWAYS_INLINE float8 float8_load(const float *p) {
    float8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE void float8_store(float *p, float8 v) {
    memcpy(p, &v, sizeof v);
}

ALWAYS_INLINE float8 float8_set(float a) {
    return (float8){a, a, a, a, a, a, a, a};
}

ALWAYS_INLINE lanes8 float8_widen(float8 v) {
    return __builtin_convertvector(v, lanes8);
}

/// Six entries and two zeros: what lies behind may be another thread's.
ALWAYS_INLINE lanes8 load6(const double *p) {
    pair high;
    memcpy(&high, p + 4, sizeof high);
    const quad rest = {high[0], high[1], 0.0, 0.0};
    return __builtin_shufflevector(quad_load(p), rest, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// The first six entries.
ALWAYS_INLINE void store6(double *p, lanes8 v) {
    quad_store(p, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    const pair high = {v[4], v[5]};
    memcpy(p + 4, &high, sizeof high);
}

#endif

// Operations on 3-vectors and 3x3 blocks, with vectors of four doubles whose fourth entry is
// ignored. A row of a block is loaded together with the first entry of the next row, so that a
// block needs three loads and no shuffle. Stores write three entries.
// SPDX-License-Identifier: MIT
#ifndef PBS_SPARSE_MATRICES_BLOCK3_H
#define PBS_SPARSE_MATRICES_BLOCK3_H

#include <string.h>

#include "base/config.h"

typedef double quad __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));
typedef float quad_float __attribute__((vector_size(16)));

ALWAYS_INLINE quad quad_set(double a) {
    return (quad){a, a, a, a};
}

/// Loads four doubles.
ALWAYS_INLINE quad quad_load(const double *p) {
    quad v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE void quad_store(double *p, quad v) {
    memcpy(p, &v, sizeof v);
}

/// Loads four floats from any address.
ALWAYS_INLINE quad_float quad_float_load(const void *p) {
    quad_float v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE void quad_float_store(void *p, quad_float v) {
    memcpy(p, &v, sizeof v);
}

ALWAYS_INLINE quad_float quad_float_set(float a) {
    return (quad_float){a, a, a, a};
}

ALWAYS_INLINE quad quad_widen(quad_float v) {
    return __builtin_convertvector(v, quad);
}

ALWAYS_INLINE quad_float quad_narrow(quad v) {
    return __builtin_convertvector(v, quad_float);
}

/// Loads the last row of a block, p[0] to p[2], in one load that starts at p[-1]. Nothing after the
/// block is read, because another thread may be writing there.
ALWAYS_INLINE quad quad_load_last_float(const float *p) {
    quad_float v;
    memcpy(&v, p - 1, sizeof v);
    return __builtin_convertvector(__builtin_shufflevector(v, v, 1, 2, 3, 3), quad);
}

/// Loads three entries and appends a zero. The two loads have the sizes of the stores of quad_add3,
/// so that the processor can forward a stored value to a load that follows at once.
ALWAYS_INLINE quad quad_load3(const double *p) {
    pair low;
    memcpy(&low, p, sizeof low);
    return (quad){low[0], low[1], p[2], 0.0};
}

ALWAYS_INLINE void quad_store3(double *p, quad v) {
    const pair low = {v[0], v[1]};
    memcpy(p, &low, sizeof low);
    p[2] = v[2];
}

ALWAYS_INLINE void quad_add3(double *p, quad v) {
    pair low;
    memcpy(&low, p, sizeof low);
    low += (pair){v[0], v[1]};
    memcpy(p, &low, sizeof low);
    p[2] += v[2];
}

/// Returns the sum of the first three entries.
ALWAYS_INLINE double quad_sum3(quad v) {
    return v[0] + v[1] + v[2];
}

#endif

// Kernels' view of 3-vectors and 3x3 blocks: four doubles wide, of which the fourth is ignored. A
// row of a block is loaded together with the first entry of the next, so a block is three loads
// without a shuffle; what is stored is three wide.
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

/// Reads four entries.
ALWAYS_INLINE quad quad_load(const double *p) {
    quad v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE void quad_store(double *p, quad v) {
    memcpy(p, &v, sizeof v);
}

/// Four floats, from wherever they are kept.
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

/// Entries p[0], p[1], p[2] of a block's last row, from p[-1] on: nothing behind the block is read,
/// where another domain may be writing.
ALWAYS_INLINE quad quad_load_last_float(const float *p) {
    quad_float v;
    memcpy(&v, p - 1, sizeof v);
    return __builtin_convertvector(__builtin_shufflevector(v, v, 1, 2, 3, 3), quad);
}

/// Three entries and a zero, in two loads of the sizes that quad_add3 stores.
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

/// The first three entries.
ALWAYS_INLINE double quad_sum3(quad v) {
    return v[0] + v[1] + v[2];
}

#endif

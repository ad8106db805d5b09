// Kernels' view of 3-vectors and 3x3 blocks: four doubles wide, of which the fourth is ignored. A
// row of a block is loaded together with the first entry of the next, so a block is three loads
// without a shuffle; what is stored is three wide.
#ifndef PBS_SPARSE_BLOCK3_H
#define PBS_SPARSE_BLOCK3_H

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

/// Reads four entries.
ALWAYS_INLINE quad quad_load_float(const float *p) {
    quad_float v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, quad);
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

// Eight doubles at a time, with the compiler's portable vectors: one element of a mesh in each
// lane.
#ifndef PBS_BASE_LANES_LANES_H
#define PBS_BASE_LANES_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/config.h"

// Eight, unless a source that is compiled for narrower vectors says less before it includes this.
#if !defined(LANES)
#define LANES 8
#endif

typedef double lanes8 __attribute__((vector_size(8 * LANES)));
typedef int64_t mask8 __attribute__((vector_size(8 * LANES)));

ALWAYS_INLINE lanes8 lanes_set(double a) {
    return a - (lanes8){0.0};
}

ALWAYS_INLINE lanes8 lanes_load(const double *p) {
    lanes8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE void lanes_store(double *p, lanes8 v) {
    memcpy(p, &v, sizeof v);
}

/// a where the mask is set (all ones), b elsewhere.
ALWAYS_INLINE lanes8 lanes_select(mask8 mask, lanes8 a, lanes8 b) {
    return (lanes8)((mask & (mask8)a) | (~mask & (mask8)b));
}

/// Where both masks are set. In a PBS_MULTIVERSION kernel comparisons must be joined with this and
/// lanes_either: gcc settles the shape of a & b before it knows the target of the clone, and makes
/// scalar code of it.
ALWAYS_INLINE mask8 lanes_both(mask8 a, mask8 b) {
    mask8 r;
    for (int i = 0; i < LANES; i++) {
        r[i] = a[i] & b[i];
    }
    return r;
}

/// Where one of the masks is set.
ALWAYS_INLINE mask8 lanes_either(mask8 a, mask8 b) {
    mask8 r;
    for (int i = 0; i < LANES; i++) {
        r[i] = a[i] | b[i];
    }
    return r;
}

ALWAYS_INLINE lanes8 lanes_max(lanes8 a, lanes8 b) {
    return lanes_select(a > b, a, b);
}

ALWAYS_INLINE lanes8 lanes_min(lanes8 a, lanes8 b) {
    return lanes_select(a < b, a, b);
}

ALWAYS_INLINE lanes8 lanes_abs(lanes8 a) {
    return (lanes8)((mask8)a & INT64_MAX);
}

ALWAYS_INLINE lanes8 lanes_sqrt(lanes8 a) {
    lanes8 r;
    for (int i = 0; i < LANES; i++) {
        r[i] = sqrt(a[i]);
    }
    return r;
}

/// By halves, as taking eight lanes out of a vector one by one costs more than the rest.
ALWAYS_INLINE bool lanes_any(mask8 mask) {
    typedef int64_t mask2 __attribute__((vector_size(16)));
    mask2 any;
#if LANES == 8
    typedef int64_t mask4 __attribute__((vector_size(32)));
    const mask4 half = __builtin_shufflevector(mask, mask, 0, 1, 2, 3) |
                       __builtin_shufflevector(mask, mask, 4, 5, 6, 7);
    any = __builtin_shufflevector(half, half, 0, 1) | __builtin_shufflevector(half, half, 2, 3);
#elif LANES == 4
    any = __builtin_shufflevector(mask, mask, 0, 1) | __builtin_shufflevector(mask, mask, 2, 3);
#else
    any = mask;
#endif
    return (any[0] | any[1]) != 0;
}

#if LANES == 8
/// Lane 0 first: the order is part of the result.
ALWAYS_INLINE double lanes_sum(lanes8 a) {
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}
#endif

#endif

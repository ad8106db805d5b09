// Vectors of eight doubles, by the compiler's portable vector extension. Kernels put one element of
// a mesh into each lane.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_LANES_LANES_H
#define PBS_BASE_LANES_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/config.h"

// A source that is compiled for narrower vectors defines a smaller number before it includes this
// header.
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

/// Returns a where the mask is set (all ones), b elsewhere.
ALWAYS_INLINE lanes8 lanes_select(mask8 mask, lanes8 a, lanes8 b) {
    return (lanes8)((mask & (mask8)a) | (~mask & (mask8)b));
}

/// Returns the lanes where both masks are set. In a PBS_MULTIVERSION kernel, comparisons must be
/// joined with this function and lanes_either: gcc chooses the vector shape of a & b before it
/// knows the target of the clone, and generates scalar code.
ALWAYS_INLINE mask8 lanes_both(mask8 a, mask8 b) {
    mask8 r;
    for (int i = 0; i < LANES; i++) {
        r[i] = a[i] & b[i];
    }
    return r;
}

/// Returns the lanes where at least one mask is set.
ALWAYS_INLINE mask8 lanes_either(mask8 a, mask8 b) {
    mask8 r;
    for (int i = 0; i < LANES; i++) {
        r[i] = a[i] | b[i];
    }
    return r;
}

/// Returns the lanes where a < b, by halves: gcc compares vectors that are wider than the
/// processor's registers lane by lane.
ALWAYS_INLINE mask8 lanes_less(lanes8 a, lanes8 b) {
#if LANES == 8
    typedef int64_t mask4 __attribute__((vector_size(32)));
    const mask4 low = __builtin_shufflevector(a, a, 0, 1, 2, 3) <
                      __builtin_shufflevector(b, b, 0, 1, 2, 3);
    const mask4 high = __builtin_shufflevector(a, a, 4, 5, 6, 7) <
                       __builtin_shufflevector(b, b, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return a < b;
#endif
}

ALWAYS_INLINE lanes8 lanes_max(lanes8 a, lanes8 b) {
    return lanes_select(lanes_less(b, a), a, b);
}

ALWAYS_INLINE lanes8 lanes_min(lanes8 a, lanes8 b) {
    return lanes_select(lanes_less(a, b), a, b);
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

/// True if any lane is set. Reduces by halves: extracting eight lanes one by one is slower.
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
/// Returns the sum of the lanes. The order of the additions is fixed, because results must not
/// change by a bit.
ALWAYS_INLINE double lanes_sum(lanes8 a) {
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}
#endif

#endif

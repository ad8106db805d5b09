// The kernels for vectors of VECTOR_BYTES. WIDTH names them. Included once for each width by
// supernodal_kernels.h.
// SPDX-License-Identifier: MIT

typedef REAL WIDTH(lanes) __attribute__((vector_size(VECTOR_BYTES)));

#define LANE_COUNT (VECTOR_BYTES / sizeof(REAL))

ALWAYS_INLINE WIDTH(lanes) WIDTH(load)(const REAL *p) {
    WIDTH(lanes) v;
    memcpy(&v, p, sizeof v);
    return v;
}

/// Load the first `count` lanes. Copies have constant sizes, because a copy of variable size is a
/// function call.
ALWAYS_INLINE WIDTH(lanes) WIDTH(load_part)(const REAL *p, size_t count) {
    WIDTH(lanes) v = {0};
    char *to = (char *)&v;
    const char *from = (const char *)p;
    for (size_t part = LANE_COUNT / 2; part > 0; part /= 2) {
        if (count & part) {
            memcpy(to, from, part * sizeof *p);
            to += part * sizeof *p;
            from += part * sizeof *p;
        }
    }
    return v;
}

ALWAYS_INLINE void WIDTH(store_part)(REAL *p, WIDTH(lanes) v, size_t count) {
    const char *from = (const char *)&v;
    char *to = (char *)p;
    for (size_t part = LANE_COUNT / 2; part > 0; part /= 2) {
        if (count & part) {
            memcpy(to, from, part * sizeof *p);
            to += part * sizeof *p;
            from += part * sizeof *p;
        }
    }
}

/// Vectors of a cache line.
#define LINE_VECTORS ((size_t)(CACHE_LINE / VECTOR_BYTES))

/// Every entry of a cache line has its own sum, so the result is the same for all widths.
ALWAYS_INLINE void WIDTH(subtract_rows)(const REAL *a, size_t stride, size_t width, size_t count,
                                        const REAL *x, REAL *y) {
    WIDTH(lanes) sums[6][LINE_VECTORS];
    memset(sums, 0, sizeof sums);
    size_t i = 0;
    for (; i + LINE_VECTORS * LANE_COUNT <= count; i += LINE_VECTORS * LANE_COUNT) {
        for (size_t v = 0; v < LINE_VECTORS; v++) {
            const WIDTH(lanes) other = WIDTH(load)(x + i + v * LANE_COUNT);
            for (size_t j = 0; j < width; j++) {
                sums[j][v] += WIDTH(load)(a + j * stride + i + v * LANE_COUNT) * other;
            }
        }
    }
    for (size_t j = 0; j < width; j++) {
        REAL sum = 0;
        for (size_t v = 0; v < LINE_VECTORS; v++) {
            for (size_t l = 0; l < LANE_COUNT; l++) {
                sum += sums[j][v][l];
            }
        }
        for (size_t k = i; k < count; k++) {
            sum += a[j * stride + k] * x[k];
        }
        y[j] -= sum;
    }
}

/// y -= A^T x; the number of columns is a multiple of three.
static void WIDTH(subtract_transposed)(const REAL *a, size_t stride, size_t columns, size_t count,
                                       const REAL *x, REAL *y) {
    size_t j = 0;
    for (; j + 6 <= columns; j += 6) {
        WIDTH(subtract_rows)(a + j * stride, stride, 6, count, x, y + j);
    }
    if (j < columns) {
        WIDTH(subtract_rows)(a + j * stride, stride, 3, count, x, y + j);
    }
}

#define KERNEL(x) WIDTH(x##_plain)
#define KERNEL_CONTRACTS
#include "linear/supernodal/supernodal_products.h"
#undef KERNEL
#undef KERNEL_CONTRACTS

#define KERNEL(x) WIDTH(x##_fused)
#if defined(__clang__)
#define KERNEL_CONTRACTS _Pragma("clang fp contract(fast)")
#else
#define KERNEL_CONTRACTS
#pragma GCC push_options
#pragma GCC optimize("fp-contract=fast")
#endif
#include "linear/supernodal/supernodal_products.h"
#if !defined(__clang__)
#pragma GCC pop_options
#endif
#undef KERNEL
#undef KERNEL_CONTRACTS

#undef LANE_COUNT
#undef LINE_VECTORS
#undef VECTOR_BYTES
#undef WIDTH

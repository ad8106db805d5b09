// Dense kernels in one precision; see supernodal_numeric.h. C -= A B^T is computed in registers on
// columns in place: fronts are small or fit in the cache by tiles, so at most a strip of A is
// copied. Each entry is the same chain of multiply-adds for every tile and vector width. The chain
// is fused if the processor can and the world allows it, as in a BLAS, so the result depends on
// that alone.
//
// The number of columns is a multiple of three; the number of rows is arbitrary.
// SPDX-License-Identifier: MIT
#include "base/config.h"

/// Operands of one product.
struct NAME(product) {
    size_t rows, width, depth;
    const REAL *a; ///< rows x depth
    const REAL *b; ///< width x depth
    size_t stride; ///< of a and b
    REAL *c;
    size_t c_stride;
    bool adds;     ///< true: C -= A B^T; false: C = -A B^T
    bool is_lower; ///< entries of C above its diagonal may be overwritten with anything
    bool fuses;    ///< uses fused multiply-adds if the processor has them
};

/// The inner kernels for one width of vectors; see supernodal_width.h and supernodal_products.h.
struct NAME(kernels) {
    void (*subtract_transposed)(const REAL *a, size_t stride, size_t columns, size_t count,
                                const REAL *x, REAL *y);
    void (*multiply)(const struct NAME(product) *);
    void (*divide_six)(size_t rows, const REAL *l, REAL *x, size_t stride);
    void (*divide_three)(size_t rows, const REAL *l, REAL *x, size_t stride);
};

// Each width has a target of its own and not clones of one function: gcc keeps a vector that is
// wider than the processor's registers in memory, and copies it through general registers.
#if defined(PBS_HAS_CLONES)
#pragma GCC push_options
#pragma GCC target("avx512f")
#define VECTOR_BYTES 64
#define WIDTH(x)     NAME(x##_eight)
#include "linear/supernodal/supernodal_width.h"
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define VECTOR_BYTES 32
#define WIDTH(x)     NAME(x##_four)
#include "linear/supernodal/supernodal_width.h"
#pragma GCC pop_options
#endif

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define WIDTH(x) NAME(x##_least)
#include "linear/supernodal/supernodal_width.h"

static const struct NAME(kernels) * NAME(kernels)(bool fuses) {
#if defined(PBS_HAS_CLONES)
    if (__builtin_cpu_supports("avx512f")) {
        return fuses ? &NAME(kernels_fused_eight) : &NAME(kernels_plain_eight);
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return fuses ? &NAME(kernels_fused_four) : &NAME(kernels_plain_four);
    }
#endif
    return fuses ? &NAME(kernels_fused_least) : &NAME(kernels_plain_least);
}

/// C = C - A B^T or -A B^T, in blocks of depth such that a strip of A and B fit in the cache.
static void NAME(subtract_product)(const struct NAME(product) * p) {
    struct NAME(product) part = *p;
    for (size_t left = p->depth; left > 0; left -= part.depth) {
        part.depth = left < PRODUCT_DEPTH ? left : PRODUCT_DEPTH;
        NAME(kernels)(p->fuses)->multiply(&part);
        part.a += part.depth * part.stride;
        part.b += part.depth * part.stride;
        part.adds = true;
    }
}

static void NAME(divide)(size_t rows, size_t width, const REAL *l, REAL *x, size_t stride,
                         bool fuses) {
    const struct NAME(kernels) *kernels = NAME(kernels)(fuses);
    (width == 6 ? kernels->divide_six : kernels->divide_three)(rows, l, x, stride);
}

/// Computes rows of a panel of L: solves x L^T = x, with L the lower triangle of the panel's
/// diagonal block.
static void NAME(divide_rows)(size_t rows, size_t width, const REAL *l, REAL *x, size_t stride,
                              bool fuses) {
    for (size_t j = 0; j < width; j += 6) {
        const size_t columns = width - j < 6 ? 3 : 6;
        const struct NAME(product) p = {.rows = rows,
                                        .width = columns,
                                        .depth = j,
                                        .a = x,
                                        .b = l + j,
                                        .stride = stride,
                                        .c = x + j * stride,
                                        .c_stride = stride,
                                        .adds = true,
                                        .fuses = fuses};
        NAME(subtract_product)(&p);
        NAME(divide)(rows, columns, l + j * (stride + 1), x + j * stride, stride, fuses);
    }
}

/// Computes the Cholesky factor of a few columns. Stops at the first pivot that is not larger than
/// the rounding error of its original diagonal entry. Returns the number of columns done.
static size_t NAME(factor_few)(size_t width, REAL *a, size_t stride, const REAL *diagonal) {
    for (size_t j = 0; j < width; j++) {
        REAL *column = a + j * stride;
        for (size_t k = 0; k < j; k++) {
            for (size_t i = j; i < width; i++) {
                column[i] -= a[k * stride + i] * a[k * stride + j];
            }
        }
        const REAL pivot = column[j];
        if (!(pivot > REAL_EPSILON * diagonal[j] && pivot <= REAL_MAX)) {
            return j;
        }
        column[j] = SQUARE_ROOT(pivot);
        for (size_t i = j + 1; i < width; i++) {
            column[i] /= column[j];
        }
    }
    return width;
}

/// Computes the first `width` columns of the Cholesky factor of a matrix with `rows` rows. Returns
/// the number of columns done. diagonal: of the matrix before elimination.
static size_t NAME(factor_columns)(size_t rows, size_t width, REAL *a, size_t stride,
                                   const REAL *diagonal, bool fuses) {
    for (size_t j = 0; j < width; j += 6) {
        const size_t columns = width - j < 6 ? 3 : 6;
        REAL *block = a + j * (stride + 1);
        const struct NAME(product) p = {.rows = rows - j,
                                        .width = columns,
                                        .depth = j,
                                        .a = a + j,
                                        .b = a + j,
                                        .stride = stride,
                                        .c = block,
                                        .c_stride = stride,
                                        .adds = true,
                                        .fuses = fuses};
        NAME(subtract_product)(&p);
        const size_t done = NAME(factor_few)(columns, block, stride, diagonal + j);
        if (done < columns) {
            return j + done;
        }
        NAME(divide)(rows - j - columns, columns, block, block + columns, stride, fuses);
    }
    return width;
}

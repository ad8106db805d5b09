// Dense kernels in one precision; see supernodal_numeric.h. C -= A B^T is computed in registers on
// columns in place: fronts are small or fit in the cache by tiles, so at most a strip of A is
// copied. Each entry is the same chain of multiply-adds for every tile and vector width. The chain
// is fused if the processor can and the world allows it, as in a BLAS, so the result depends on
// that alone.
//
// The number of columns is a multiple of three; the number of rows is arbitrary.

/// A vector of one cache line.
typedef REAL NAME(lanes) __attribute__((vector_size(CACHE_LINE)));

#define LANE_COUNT (CACHE_LINE / sizeof(REAL))

ALWAYS_INLINE NAME(lanes) NAME(load)(const REAL *p) {
    NAME(lanes) v;
    memcpy(&v, p, sizeof v);
    return v;
}

/// Load the first `count` lanes. Copies have constant sizes, because a copy of variable size is a
/// function call.
ALWAYS_INLINE NAME(lanes) NAME(load_part)(const REAL *p, size_t count) {
    NAME(lanes) v = {0};
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

ALWAYS_INLINE void NAME(store_part)(REAL *p, NAME(lanes) v, size_t count) {
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

#define KERNEL(x)       NAME(x##_fused)
#define KERNEL_VERSIONS FUSED_MULTIVERSION
#if defined(__clang__)
#define KERNEL_CONTRACTS _Pragma("clang fp contract(fast)")
#else
#define KERNEL_CONTRACTS
#endif
#include "linear/supernodal/supernodal_products.h"
#undef KERNEL
#undef KERNEL_VERSIONS
#undef KERNEL_CONTRACTS

#define KERNEL(x)       NAME(x##_plain)
#define KERNEL_VERSIONS PBS_MULTIVERSION
#define KERNEL_CONTRACTS
#include "linear/supernodal/supernodal_products.h"
#undef KERNEL
#undef KERNEL_VERSIONS
#undef KERNEL_CONTRACTS

/// C = C - A B^T or -A B^T, in blocks of depth such that a strip of A and B fit in the cache.
static void NAME(subtract_product)(const struct NAME(product) * p) {
    struct NAME(product) part = *p;
    for (size_t left = p->depth; left > 0; left -= part.depth) {
        part.depth = left < PRODUCT_DEPTH ? left : PRODUCT_DEPTH;
        if (has_wide_vectors()) {
            (p->fuses ? NAME(multiply_wide_fused) : NAME(multiply_wide_plain))(&part);
        } else {
            (p->fuses ? NAME(multiply_narrow_fused) : NAME(multiply_narrow_plain))(&part);
        }
        part.a += part.depth * part.stride;
        part.b += part.depth * part.stride;
        part.adds = true;
    }
}

static void NAME(divide)(size_t rows, size_t width, const REAL *l, REAL *x, size_t stride,
                         bool fuses) {
    if (width == 6) {
        (fuses ? NAME(divide_six_fused) : NAME(divide_six_plain))(rows, l, x, stride);
    } else {
        (fuses ? NAME(divide_three_fused) : NAME(divide_three_plain))(rows, l, x, stride);
    }
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

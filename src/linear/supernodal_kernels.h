// Dense kernels of one precision; see supernodal_numeric.h. C -= A B^T in the registers, on columns
// where they lie: fronts are small, or fit in the cache tile by tile, so no more than a strip of A
// is copied. An entry is the same chain of multiply-adds for any tile and any width of vectors,
// fused where the processor can, as a BLAS's are; so its bits depend on that alone.
//
// Columns come in threes, rows in any number.

/// A vector of as many entries as a cache line holds.
typedef REAL NAME(lanes) __attribute__((vector_size(CACHE_LINE)));

#define LANE_COUNT (CACHE_LINE / sizeof(REAL))

ALWAYS_INLINE NAME(lanes) NAME(load)(const REAL *p) {
    NAME(lanes) v;
    memcpy(&v, p, sizeof v);
    return v;
}

/// The first `count` lanes; pieces of constant size, as copies of any other size are calls.
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

/// What one call multiplies.
struct NAME(product) {
    size_t rows, width, depth;
    const REAL *a; ///< rows x depth
    const REAL *b; ///< width x depth
    size_t stride; ///< of both
    REAL *c;
    size_t c_stride;
    bool adds;     ///< to what is in C, instead of to zero
    bool is_lower; ///< entries of C above its diagonal do not matter
};

/// vectors x width of C, both constants; the last vector has `count` rows. a: these rows of A
ALWAYS_INLINE void NAME(multiply_tile)(const struct NAME(product) * p, const REAL *a,
                                       size_t a_stride, size_t row, size_t column, size_t vectors,
                                       size_t width, size_t count) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
    NAME(lanes) sums[6][4] = {{{0}}};
    // Of A whole vectors: what lies behind the rows is not used.
    const REAL *b = p->b + column;
    for (size_t k = 0; k < p->depth; k++) {
        NAME(lanes) left[4];
        for (size_t v = 0; v < vectors; v++) {
            left[v] = NAME(load)(a + v * LANE_COUNT);
        }
        for (size_t j = 0; j < width; j++) {
            for (size_t v = 0; v < vectors; v++) {
                sums[j][v] += left[v] * b[j];
            }
        }
        a += a_stride;
        b += p->stride;
    }
    // The sum by itself first: shorter chains of additions round less.
    for (size_t j = 0; j < width; j++) {
        for (size_t v = 0; v < vectors; v++) {
            REAL *c = p->c + (column + j) * p->c_stride + row + v * LANE_COUNT;
            NAME(lanes) old = {0};
            if (p->adds) {
                old = count == LANE_COUNT ? NAME(load)(c) : NAME(load_part)(c, count);
            }
            old -= sums[j][v];
            if (count == LANE_COUNT) {
                memcpy(c, &old, sizeof old);
            } else {
                NAME(store_part)(c, old, count);
            }
        }
    }
}

/// All columns of some rows.
ALWAYS_INLINE void NAME(multiply_rows)(const struct NAME(product) * p, const REAL *a,
                                       size_t a_stride, size_t row, size_t vectors, size_t count) {
    const size_t end = row + vectors * LANE_COUNT;
    const size_t width = p->is_lower && end < p->width ? end : p->width;
    size_t column = 0;
    for (; column < width && column + 6 <= p->width; column += 6) {
        NAME(multiply_tile)(p, a, a_stride, row, column, vectors, 6, count);
    }
    if (column < width) {
        NAME(multiply_tile)(p, a, a_stride, row, column, vectors, 3, count);
    }
}

/// Rows of A whose columns are far apart are brought together first: every column is on a page of
/// its own, and there are more of them than the processor knows the addresses of.
ALWAYS_INLINE void NAME(multiply_packed)(const struct NAME(product) * p, size_t row) {
    NAME(lanes) packed[4 * PRODUCT_DEPTH];
    for (size_t k = 0; k < p->depth; k++) {
        memcpy(packed + 4 * k, p->a + k * p->stride + row, 4 * sizeof *packed);
    }
    NAME(multiply_rows)(p, (const REAL *)packed, 4 * LANE_COUNT, row, 4, LANE_COUNT);
}

ALWAYS_INLINE void NAME(multiply)(const struct NAME(product) * p, bool is_wide) {
    size_t row = 0;
    const bool packs = p->width >= PACKED_WIDTH;
    for (; is_wide && row + 4 * LANE_COUNT <= p->rows; row += 4 * LANE_COUNT) {
        if (packs) {
            NAME(multiply_packed)(p, row);
        } else {
            NAME(multiply_rows)(p, p->a + row, p->stride, row, 4, LANE_COUNT);
        }
    }
    for (; is_wide && row + 2 * LANE_COUNT <= p->rows; row += 2 * LANE_COUNT) {
        NAME(multiply_rows)(p, p->a + row, p->stride, row, 2, LANE_COUNT);
    }
    for (; row + LANE_COUNT <= p->rows; row += LANE_COUNT) {
        NAME(multiply_rows)(p, p->a + row, p->stride, row, 1, LANE_COUNT);
    }
    if (row < p->rows) {
        NAME(multiply_rows)(p, p->a + row, p->stride, row, 1, p->rows - row);
    }
}

/// For processors with 32 registers of a whole cache line, and for others.
FUSED_MULTIVERSION
static void NAME(multiply_wide)(const struct NAME(product) * p) {
    NAME(multiply)(p, true);
}

FUSED_MULTIVERSION
static void NAME(multiply_narrow)(const struct NAME(product) * p) {
    NAME(multiply)(p, false);
}

/// C (-)= A B^T: so many columns at a time that a strip of A and B stay in the cache.
static void NAME(subtract_product)(const struct NAME(product) * p) {
    struct NAME(product) part = *p;
    for (size_t left = p->depth; left > 0; left -= part.depth) {
        part.depth = left < PRODUCT_DEPTH ? left : PRODUCT_DEPTH;
        if (has_wide_vectors()) {
            NAME(multiply_wide)(&part);
        } else {
            NAME(multiply_narrow)(&part);
        }
        part.a += part.depth * part.stride;
        part.b += part.depth * part.stride;
        part.adds = true;
    }
}

/// x[j] of consecutive rows becomes the solution of x L^T = x for the lower triangle of `width`
/// columns; inverse: of its diagonal.
ALWAYS_INLINE void NAME(divide_lanes)(NAME(lanes) * x, size_t width, const REAL *l, size_t stride,
                                      const REAL *inverse) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
    for (size_t j = 0; j < width; j++) {
        for (size_t k = 0; k < j; k++) {
            x[j] -= x[k] * l[k * stride + j];
        }
        x[j] *= inverse[j];
    }
}

ALWAYS_INLINE void NAME(divide_columns)(size_t rows, size_t width, const REAL *l, REAL *x,
                                        size_t stride) {
    REAL inverse[6];
    for (size_t j = 0; j < width; j++) {
        inverse[j] = 1 / l[j * stride + j];
    }
    NAME(lanes) row[6];
    for (size_t i = 0; i < rows; i += LANE_COUNT) {
        const size_t count = rows - i;
        if (count >= LANE_COUNT) {
            for (size_t j = 0; j < width; j++) {
                row[j] = NAME(load)(x + j * stride + i);
            }
            NAME(divide_lanes)(row, width, l, stride, inverse);
            for (size_t j = 0; j < width; j++) {
                memcpy(x + j * stride + i, &row[j], sizeof row[j]);
            }
        } else {
            for (size_t j = 0; j < width; j++) {
                row[j] = NAME(load_part)(x + j * stride + i, count);
            }
            NAME(divide_lanes)(row, width, l, stride, inverse);
            for (size_t j = 0; j < width; j++) {
                NAME(store_part)(x + j * stride + i, row[j], count);
            }
        }
    }
}

FUSED_MULTIVERSION
static void NAME(divide_six)(size_t rows, const REAL *l, REAL *x, size_t stride) {
    NAME(divide_columns)(rows, 6, l, x, stride);
}

FUSED_MULTIVERSION
static void NAME(divide_three)(size_t rows, const REAL *l, REAL *x, size_t stride) {
    NAME(divide_columns)(rows, 3, l, x, stride);
}

static void NAME(divide)(size_t rows, size_t width, const REAL *l, REAL *x, size_t stride) {
    if (width == 6) {
        NAME(divide_six)(rows, l, x, stride);
    } else {
        NAME(divide_three)(rows, l, x, stride);
    }
}

/// Rows of a panel of L: x L^T = x, where L is the lower triangle of the panel's diagonal block.
static void NAME(divide_rows)(size_t rows, size_t width, const REAL *l, REAL *x, size_t stride) {
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
                                        .adds = true};
        NAME(subtract_product)(&p);
        NAME(divide)(rows, columns, l + j * (stride + 1), x + j * stride, stride);
    }
}

/// The Cholesky factor of a few columns, by columns. Stops before the first pivot that is no larger
/// than the rounding of the entry it came from, which has no digit right: the number of columns
/// done.
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

/// The Cholesky factor of the first `width` columns of a matrix of `rows` rows; the number of
/// columns done. diagonal: of the matrix before elimination.
static size_t NAME(factor_columns)(size_t rows, size_t width, REAL *a, size_t stride,
                                   const REAL *diagonal) {
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
                                        .adds = true};
        NAME(subtract_product)(&p);
        const size_t done = NAME(factor_few)(columns, block, stride, diagonal + j);
        if (done < columns) {
            return j + done;
        }
        NAME(divide)(rows - j - columns, columns, block, block + columns, stride);
    }
    return width;
}

// The inner kernels of one precision for vectors of VECTOR_BYTES, with or without fused
// multiply-adds. KERNEL names them, KERNEL_CONTRACTS allows clang to fuse. Included once for each
// variant by supernodal_kernels.h.
// SPDX-License-Identifier: MIT

// Vectors of rows in a tile of six columns: sums and operands fit into 32 registers where these
// hold a cache line, else into 16.
#define STRIP ((size_t)(VECTOR_BYTES == CACHE_LINE ? 4 : 2))

/// Computes a tile of C: `vectors` x `width`, both constants; the last vector has `count` rows. a:
/// these rows of A
ALWAYS_INLINE void KERNEL(multiply_tile)(const struct NAME(product) * p, const REAL *a,
                                         size_t a_stride, size_t row, size_t column, size_t vectors,
                                         size_t width, size_t count) {
    KERNEL_CONTRACTS
    WIDTH(lanes) sums[6][STRIP] = {{{0}}};
    // Whole vectors of A are loaded; lanes behind the last row are not used.
    const REAL *b = p->b + column;
    for (size_t k = 0; k < p->depth; k++) {
        WIDTH(lanes) left[STRIP];
        for (size_t v = 0; v < vectors; v++) {
            left[v] = WIDTH(load)(a + v * LANE_COUNT);
        }
        for (size_t j = 0; j < width; j++) {
            for (size_t v = 0; v < vectors; v++) {
                sums[j][v] += left[v] * b[j];
            }
        }
        a += a_stride;
        b += p->stride;
    }
    // The sum is formed first and then subtracted: shorter chains of additions have smaller
    // rounding errors.
    for (size_t j = 0; j < width; j++) {
        for (size_t v = 0; v < vectors; v++) {
            REAL *c = p->c + (column + j) * p->c_stride + row + v * LANE_COUNT;
            WIDTH(lanes) old = {0};
            if (p->adds) {
                old = count == LANE_COUNT ? WIDTH(load)(c) : WIDTH(load_part)(c, count);
            }
            old -= sums[j][v];
            if (count == LANE_COUNT) {
                memcpy(c, &old, sizeof old);
            } else {
                WIDTH(store_part)(c, old, count);
            }
        }
    }
}

/// Computes all columns of some rows of C.
ALWAYS_INLINE void KERNEL(multiply_rows)(const struct NAME(product) * p, const REAL *a,
                                         size_t a_stride, size_t row, size_t vectors,
                                         size_t count) {
    const size_t end = row + vectors * LANE_COUNT;
    const size_t width = p->is_lower && end < p->width ? end : p->width;
    size_t column = 0;
    for (; column < width && column + 6 <= p->width; column += 6) {
        KERNEL(multiply_tile)(p, a, a_stride, row, column, vectors, 6, count);
    }
    if (column < width) {
        KERNEL(multiply_tile)(p, a, a_stride, row, column, vectors, 3, count);
    }
}

/// Packs rows of A whose columns are far apart. Otherwise every column would be on its own page,
/// more than the TLB holds.
ALWAYS_INLINE void KERNEL(multiply_packed)(const struct NAME(product) * p, size_t row) {
    WIDTH(lanes) packed[STRIP * PRODUCT_DEPTH];
    for (size_t k = 0; k < p->depth; k++) {
        memcpy(packed + STRIP * k, p->a + k * p->stride + row, STRIP * sizeof *packed);
    }
    KERNEL(multiply_rows)(p, (const REAL *)packed, STRIP * LANE_COUNT, row, STRIP, LANE_COUNT);
}

static void KERNEL(multiply)(const struct NAME(product) * p) {
    size_t row = 0;
    const bool packs = p->width >= PACKED_WIDTH;
    for (; row + STRIP * LANE_COUNT <= p->rows; row += STRIP * LANE_COUNT) {
        if (packs) {
            KERNEL(multiply_packed)(p, row);
        } else {
            KERNEL(multiply_rows)(p, p->a + row, p->stride, row, STRIP, LANE_COUNT);
        }
    }
    for (; STRIP > 2 && row + 2 * LANE_COUNT <= p->rows; row += 2 * LANE_COUNT) {
        KERNEL(multiply_rows)(p, p->a + row, p->stride, row, 2, LANE_COUNT);
    }
    for (; row + LANE_COUNT <= p->rows; row += LANE_COUNT) {
        KERNEL(multiply_rows)(p, p->a + row, p->stride, row, 1, LANE_COUNT);
    }
    if (row < p->rows) {
        KERNEL(multiply_rows)(p, p->a + row, p->stride, row, 1, p->rows - row);
    }
}

/// Solves x L^T = x for consecutive rows: x[j] holds column j, L is the lower triangle of `width`
/// columns, inverse: 1 / its diagonal.
ALWAYS_INLINE void KERNEL(divide_lanes)(WIDTH(lanes) * x, size_t width, const REAL *l,
                                        size_t stride, const REAL *inverse) {
    KERNEL_CONTRACTS
    for (size_t j = 0; j < width; j++) {
        for (size_t k = 0; k < j; k++) {
            x[j] -= x[k] * l[k * stride + j];
        }
        x[j] *= inverse[j];
    }
}

ALWAYS_INLINE void KERNEL(divide_columns)(size_t rows, size_t width, const REAL *l, REAL *x,
                                          size_t stride) {
    REAL inverse[6];
    for (size_t j = 0; j < width; j++) {
        inverse[j] = 1 / l[j * stride + j];
    }
    WIDTH(lanes) row[6];
    for (size_t i = 0; i < rows; i += LANE_COUNT) {
        const size_t count = rows - i;
        if (count >= LANE_COUNT) {
            for (size_t j = 0; j < width; j++) {
                row[j] = WIDTH(load)(x + j * stride + i);
            }
            KERNEL(divide_lanes)(row, width, l, stride, inverse);
            for (size_t j = 0; j < width; j++) {
                memcpy(x + j * stride + i, &row[j], sizeof row[j]);
            }
        } else {
            for (size_t j = 0; j < width; j++) {
                row[j] = WIDTH(load_part)(x + j * stride + i, count);
            }
            KERNEL(divide_lanes)(row, width, l, stride, inverse);
            for (size_t j = 0; j < width; j++) {
                WIDTH(store_part)(x + j * stride + i, row[j], count);
            }
        }
    }
}

static void KERNEL(divide_six)(size_t rows, const REAL *l, REAL *x, size_t stride) {
    KERNEL(divide_columns)(rows, 6, l, x, stride);
}

static void KERNEL(divide_three)(size_t rows, const REAL *l, REAL *x, size_t stride) {
    KERNEL(divide_columns)(rows, 3, l, x, stride);
}

static const struct NAME(kernels) KERNEL(kernels) = {WIDTH(subtract_transposed), KERNEL(multiply),
                                                     KERNEL(divide_six), KERNEL(divide_three)};

#undef STRIP

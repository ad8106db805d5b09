// The inner kernels of one precision, with or without fused multiply-adds. KERNEL names them,
// KERNEL_VERSIONS lists the target processors, KERNEL_CONTRACTS allows clang to fuse. Included once
// for each variant by supernodal_kernels.h.

/// Computes a tile of C: `vectors` x `width`, both constants; the last vector has `count` rows. a:
/// these rows of A
ALWAYS_INLINE void KERNEL(multiply_tile)(const struct NAME(product) * p, const REAL *a,
                                         size_t a_stride, size_t row, size_t column, size_t vectors,
                                         size_t width, size_t count) {
    KERNEL_CONTRACTS
    NAME(lanes) sums[6][4] = {{{0}}};
    // Whole vectors of A are loaded; lanes behind the last row are not used.
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
    // The sum is formed first and then subtracted: shorter chains of additions have smaller
    // rounding errors.
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
    NAME(lanes) packed[4 * PRODUCT_DEPTH];
    for (size_t k = 0; k < p->depth; k++) {
        memcpy(packed + 4 * k, p->a + k * p->stride + row, 4 * sizeof *packed);
    }
    KERNEL(multiply_rows)(p, (const REAL *)packed, 4 * LANE_COUNT, row, 4, LANE_COUNT);
}

ALWAYS_INLINE void KERNEL(multiply)(const struct NAME(product) * p, bool is_wide) {
    size_t row = 0;
    const bool packs = p->width >= PACKED_WIDTH;
    for (; is_wide && row + 4 * LANE_COUNT <= p->rows; row += 4 * LANE_COUNT) {
        if (packs) {
            KERNEL(multiply_packed)(p, row);
        } else {
            KERNEL(multiply_rows)(p, p->a + row, p->stride, row, 4, LANE_COUNT);
        }
    }
    for (; is_wide && row + 2 * LANE_COUNT <= p->rows; row += 2 * LANE_COUNT) {
        KERNEL(multiply_rows)(p, p->a + row, p->stride, row, 2, LANE_COUNT);
    }
    for (; row + LANE_COUNT <= p->rows; row += LANE_COUNT) {
        KERNEL(multiply_rows)(p, p->a + row, p->stride, row, 1, LANE_COUNT);
    }
    if (row < p->rows) {
        KERNEL(multiply_rows)(p, p->a + row, p->stride, row, 1, p->rows - row);
    }
}

/// Variants for processors with 32 registers of a cache line each, and for others.
KERNEL_VERSIONS
static void KERNEL(multiply_wide)(const struct NAME(product) * p) {
    KERNEL(multiply)(p, true);
}

KERNEL_VERSIONS
static void KERNEL(multiply_narrow)(const struct NAME(product) * p) {
    KERNEL(multiply)(p, false);
}

/// Solves x L^T = x for consecutive rows: x[j] holds column j, L is the lower triangle of `width`
/// columns, inverse: 1 / its diagonal.
ALWAYS_INLINE void KERNEL(divide_lanes)(NAME(lanes) * x, size_t width, const REAL *l, size_t stride,
                                        const REAL *inverse) {
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
    NAME(lanes) row[6];
    for (size_t i = 0; i < rows; i += LANE_COUNT) {
        const size_t count = rows - i;
        if (count >= LANE_COUNT) {
            for (size_t j = 0; j < width; j++) {
                row[j] = NAME(load)(x + j * stride + i);
            }
            KERNEL(divide_lanes)(row, width, l, stride, inverse);
            for (size_t j = 0; j < width; j++) {
                memcpy(x + j * stride + i, &row[j], sizeof row[j]);
            }
        } else {
            for (size_t j = 0; j < width; j++) {
                row[j] = NAME(load_part)(x + j * stride + i, count);
            }
            KERNEL(divide_lanes)(row, width, l, stride, inverse);
            for (size_t j = 0; j < width; j++) {
                NAME(store_part)(x + j * stride + i, row[j], count);
            }
        }
    }
}

KERNEL_VERSIONS
static void KERNEL(divide_six)(size_t rows, const REAL *l, REAL *x, size_t stride) {
    KERNEL(divide_columns)(rows, 6, l, x, stride);
}

KERNEL_VERSIONS
static void KERNEL(divide_three)(size_t rows, const REAL *l, REAL *x, size_t stride) {
    KERNEL(divide_columns)(rows, 3, l, x, stride);
}

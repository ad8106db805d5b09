// The dense kernels of the supernodal factorisation: what a plain triple loop gives, the same bits
// whatever the width of the registers, and no entry touched beside those that are asked for.
// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define REAL         double
#define REAL_MAX     DBL_MAX
#define REAL_EPSILON DBL_EPSILON
#define SQUARE_ROOT  sqrt
#define NAME(x)      x##_double

#include "linear/supernodal/supernodal_parts.h"

#include <string.h>

#include "linear/supernodal/supernodal_kernels.h"

enum { STRIDE = 160, COLUMNS = 130, ENTRIES = STRIDE * (COLUMNS + 1) };

static void fill(double *x, size_t count, uint64_t seed) {
    uint64_t state = seed * 2654435761u + 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(state >> 11) * 0x1p-52 - 1.0;
    }
}

static double *numbers(uint64_t seed) {
    double *x = malloc(ENTRIES * sizeof *x);
    assert_non_null(x);
    fill(x, ENTRIES, seed);
    return x;
}

/// C of the rows and columns that matter is close to the plain product; all else is as it was.
static void assert_product(const struct NAME(product) * p, const double *before) {
    for (size_t j = 0; j < COLUMNS; j++) {
        for (size_t i = 0; i < STRIDE; i++) {
            const size_t at = j * STRIDE + i;
            if (i >= p->rows || j >= p->width) {
                assert_true(p->c[at] == before[at]);
            } else if (!p->is_lower || i >= j) {
                double sum = p->adds ? before[at] : 0.0;
                for (size_t k = 0; k < p->depth; k++) {
                    sum -= p->a[k * STRIDE + i] * p->b[k * STRIDE + j];
                }
                // Two sums of depth products below 1, each addition rounded.
                const double size = (double)p->depth + 1.0;
                assert_true(fabs(p->c[at] - sum) <= size * size * DBL_EPSILON);
            }
        }
    }
}

/// Every width of vectors that this processor has, the least first.
static size_t list_widths(bool fuses, const struct NAME(kernels) * widths[3]) {
    size_t count = 0;
    // Without a target of their own the least ones cannot fuse.
    if (!fuses) {
        widths[count++] = &NAME(kernels_plain_least);
    }
#if defined(PBS_HAS_CLONES)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        widths[count++] = fuses ? &NAME(kernels_fused_four) : &NAME(kernels_plain_four);
    }
    if (__builtin_cpu_supports("avx512f")) {
        widths[count++] = fuses ? &NAME(kernels_fused_eight) : &NAME(kernels_plain_eight);
    }
#endif
    return count;
}

/// p->c holds the result of the width that the library chooses.
static void assert_equal_widths(struct NAME(product) * p, const double *before, double *other) {
    const struct NAME(kernels) * widths[3];
    const size_t count = list_widths(p->fuses, widths);
    const double *const chosen = p->c;
    for (size_t w = 0; w < count; w++) {
        memcpy(other, before, ENTRIES * sizeof *other);
        p->c = other;
        widths[w]->multiply(p);
        for (size_t j = 0; j < p->width; j++) {
            const size_t top = p->is_lower ? j : 0;
            assert_memory_equal(chosen + j * STRIDE + top, other + j * STRIDE + top,
                                (p->rows < top ? 0 : p->rows - top) * sizeof *other);
        }
    }
}

/// The triangular solves too give the same bits for all widths.
static void widths_are_equal(void **state) {
    (void)state;
    double *a = numbers(4);
    double *x[3] = {numbers(5), numbers(5), numbers(5)};
    const struct NAME(kernels) * widths[3];
    const size_t count = list_widths(false, widths);
    for (size_t rows = 1; rows <= 66; rows++) {
        for (size_t w = 0; w < count; w++) {
            double dots[27] = {0.0};
            fill(x[w], ENTRIES, rows);
            widths[w]->divide_six(rows, a, x[w], STRIDE);
            widths[w]->divide_three(rows, a, x[w] + 8 * STRIDE, STRIDE);
            widths[w]->subtract_transposed(a, STRIDE, 27, rows, a + 7, dots);
            memcpy(x[w] + ENTRIES - 27, dots, sizeof dots);
            assert_memory_equal(x[w], x[0], ENTRIES * sizeof **x);
        }
    }
    free(a);
    for (int w = 0; w < 3; w++) {
        free(x[w]);
    }
}

static void multiplies(void **state) {
    (void)state;
    double *a = numbers(1);
    double *c = numbers(2);
    double *before = numbers(2);
    double *other = numbers(2);
    const size_t rows[] = {1, 3, 7, 8, 12, 15, 27, 33, 47, 63, 66, 150};
    const size_t widths[] = {3, 6, 9, 27, 48, 57};
    const size_t depths[] = {1, 3, 95, 96, 97, 130};
    for (size_t i = 0; i < 12 * 6 * 6 * 4 * 2; i++) {
        struct NAME(product) p = {
            .rows = rows[i % 12],
            .width = widths[i / 12 % 6],
            .depth = depths[i / 72 % 6],
            .a = a + 5,
            .b = a + 5,
            .stride = STRIDE,
            .c = c,
            .c_stride = STRIDE,
            .adds = i / 432 % 2 == 0,
            .is_lower = i / 864 % 2 == 0,
            .fuses = i / 1728 == 0,
        };
        // A lower triangle begins on its diagonal, and is as high as wide at least.
        if (p.is_lower && p.rows < p.width) {
            continue;
        }
        memcpy(c, before, ENTRIES * sizeof *c);
        NAME(subtract_product)(&p);
        assert_product(&p, before);
        if (p.depth <= PRODUCT_DEPTH) {
            assert_equal_widths(&p, before, other);
        }
    }
    free(a);
    free(c);
    free(before);
    free(other);
}

/// L L^T is the matrix again, for any number of columns and rows below.
static void factors(void **state) {
    (void)state;
    double *a = numbers(3);
    double *l = numbers(3);
    double diagonal[COLUMNS];
    for (size_t j = 0; j < COLUMNS; j++) {
        a[j * STRIDE + j] = COLUMNS + 10.0;
        diagonal[j] = a[j * STRIDE + j];
    }
    for (size_t width = 3; width <= 129; width += 9) {
        for (size_t rows = width; rows <= STRIDE; rows += 13) {
            // At once, and the rows below by themselves.
            const size_t first = rows % 2 == 0 ? rows : width;
            const bool fuses = rows % 4 < 2;
            memcpy(l, a, ENTRIES * sizeof *l);
            assert_int_equal(NAME(factor_columns)(first, width, l, STRIDE, diagonal, fuses), width);
            NAME(divide_rows)(rows - first, width, l, l + first, STRIDE, fuses);
            for (size_t j = 0; j < width; j++) {
                for (size_t i = j; i < rows; i++) {
                    double sum = 0.0;
                    for (size_t k = 0; k <= j; k++) {
                        sum += l[k * STRIDE + i] * l[k * STRIDE + j];
                    }
                    // Higham, theorem 10.3: (j + 2) u times the product of the rows' lengths, which
                    // are the roots of diagonal entries or, below, no more than 1.
                    assert_true(fabs(sum - a[j * STRIDE + i]) <=
                                ((double)j + 2.0) * DBL_EPSILON * diagonal[0]);
                }
                for (size_t i = rows; i < STRIDE; i++) {
                    assert_true(l[j * STRIDE + i] == a[j * STRIDE + i]);
                }
            }
        }
    }
    // It stops where a pivot is not good.
    const double bad[] = {-1.0, 0.0, DBL_EPSILON * DBL_EPSILON, (double)NAN, (double)INFINITY};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        memcpy(l, a, ENTRIES * sizeof *l);
        l[(10 * k + 7) * (STRIDE + 1)] = bad[k];
        assert_int_equal(NAME(factor_columns)(COLUMNS, 129, l, STRIDE, diagonal, true), 10 * k + 7);
    }
    free(a);
    free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiplies),
        cmocka_unit_test(widths_are_equal),
        cmocka_unit_test(factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

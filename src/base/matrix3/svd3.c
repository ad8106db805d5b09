// Calls the kernel of the widest vectors that the processor has, and decomposes single matrices
// with the narrowest one.
// SPDX-License-Identifier: MIT
#include "base/matrix3/svd3.h"

#include "base/config.h"
#include "base/matrix3/matrix3_widths.h"

static void decompose(const double *f, double *u, double *sigma, double *v) {
#if defined(PBS_HAS_CLONES)
    if (!has_avx512()) {
        const int width = has_avx2() ? 4 : 2;
        for (int i = 0; i < LANES; i += width) {
            (width == 4 ? svd3_four : svd3_two)(f + i, u + i, sigma + i, v + i);
        }
        return;
    }
#endif
    svd3_eight(f, u, sigma, v);
}

void svd3_lanes(const lanes8 f[9], lanes8 u[9], lanes8 sigma[3], lanes8 v[9]) {
    decompose((const double *)f, (double *)u, (double *)sigma, (double *)v);
}

// A single matrix is copied to two lanes: the result has the same bits as with eight, for the least
// work.

void svd3(const double f[9], double u[9], double sigma[3], double v[9]) {
    double f8[9 * LANES];
    double u8[9 * LANES];
    double sigma8[3 * LANES];
    double v8[9 * LANES];
    for (int i = 0; i < 9; i++) {
        f8[LANES * i] = f[i];
        f8[LANES * i + 1] = f[i];
    }
    svd3_two(f8, u8, sigma8, v8);
    for (int i = 0; i < 9; i++) {
        u[i] = u8[LANES * i];
        v[i] = v8[LANES * i];
    }
    for (int i = 0; i < 3; i++) {
        sigma[i] = sigma8[LANES * i];
    }
}

void polar3(const double f[9], double r[9]) {
    double u[9];
    double sigma[3];
    double v[9];
    svd3(f, u, sigma, v);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = u[3 * i] * v[3 * j] + u[3 * i + 1] * v[3 * j + 1] +
                           u[3 * i + 2] * v[3 * j + 2];
        }
    }
}

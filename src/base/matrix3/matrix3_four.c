// The kernels for vectors of four doubles (AVX2).
// SPDX-License-Identifier: MIT
#define LANES 4

#include "base/config.h"
#include "base/matrix3/matrix3_widths.h"

#if defined(PBS_HAS_CLONES)
#pragma GCC target("avx2")
#endif

#include "base/matrix3/eigen3_kernel.h"
#include "base/matrix3/svd3_kernel.h"

void svd3_four(const double *f, double *u, double *sigma, double *v) {
    svd3_kernel(f, u, sigma, v);
}

void eigen3_project_four(double *a) {
    eigen3_project_kernel(a);
}

// The kernels for vectors of eight doubles: AVX-512, or the only version on processors and
// compilers without multiversioning.
// SPDX-License-Identifier: MIT
#define LANES 8

#include "base/config.h"
#include "base/matrix3/matrix3_widths.h"

#if defined(PBS_HAS_CLONES)
#pragma GCC target("avx512f")
#endif

#include "base/matrix3/eigen3_kernel.h"
#include "base/matrix3/svd3_kernel.h"

void svd3_eight(const double *f, double *u, double *sigma, double *v) {
    svd3_kernel(f, u, sigma, v);
}

void eigen3_project_eight(double *a) {
    eigen3_project_kernel(a);
}

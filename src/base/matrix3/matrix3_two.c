// The kernels for vectors of two doubles, which every x86-64 has. They also process single
// matrices.
// SPDX-License-Identifier: MIT
#define LANES 2

#include "base/matrix3/matrix3_widths.h"

#include "base/matrix3/eigen3_kernel.h"
#include "base/matrix3/svd3_kernel.h"

void svd3_two(const double *f, double *u, double *sigma, double *v) {
    svd3_kernel(f, u, sigma, v);
}

void eigen3_project_two(double *a) {
    eigen3_project_kernel(a);
}

void eigen3_two(const double *a, double *lambda, double *q) {
    eigen3_kernel(a, lambda, q);
}

// The kernels of svd3_kernel.h and eigen3_kernel.h for vectors of eight, four and two doubles, each
// compiled in a source of its own. Function clones cannot replace them: gcc takes the vector shape
// of comparisons from the target of the source file, and generates slow code for vectors wider than
// the processor's. All widths give the same bits.
//
// Every kernel works on arrays of eight matrices: entry i of matrix k is a[8 * i + k]. The pointers
// are to the first matrix to process.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_MATRIX3_WIDTHS_H
#define PBS_BASE_MATRIX3_MATRIX3_WIDTHS_H

#include <stdbool.h>

#include "base/config.h"

#if defined(PBS_HAS_CLONES)
/// True if svd3_eight and eigen3_project_eight may be called. The kernels for four doubles need
/// has_avx2.
static inline bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f");
}

static inline bool has_avx2(void) {
    return __builtin_cpu_supports("avx2");
}
#endif

void svd3_eight(const double *f, double *u, double *sigma, double *v);
void svd3_four(const double *f, double *u, double *sigma, double *v);
void svd3_two(const double *f, double *u, double *sigma, double *v);

/// Upper triangles 00 01 02 11 12 22.
void eigen3_project_eight(double *a);
void eigen3_project_four(double *a);
void eigen3_project_two(double *a);

/// lambda: eigenvalues, unsorted; q: eigenvectors in the columns.
void eigen3_two(const double *a, double *lambda, double *q);

#endif

// The kernels of svd3_kernel.h and eigen3_kernel.h, compiled for vectors of eight, four and two
// doubles, each in a source of its own. Function clones would not do: gcc takes the shape of
// comparisons from the target of the source, and makes poor code of vectors that are wider than the
// processor's. All give the same bits.
//
// All work on arrays of eight matrices: entry i of matrix k is a[8 * i + k]; the pointers are to
// the first matrix to work on.
#ifndef PBS_BASE_MATRIX3_MATRIX3_WIDTHS_H
#define PBS_BASE_MATRIX3_MATRIX3_WIDTHS_H

#include <stdbool.h>

#include "base/config.h"

#if defined(PBS_HAS_CLONES)
/// Whether svd3_eight and eigen3_project_eight may be called; those for four may where AVX2 is.
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

/// Eigenvalues in no order, eigenvectors in the columns of q.
void eigen3_two(const double *a, double *lambda, double *q);

#endif

// Exact sums and products of doubles. An expansion is a list of doubles of ascending size whose
// bits do not overlap; their sum is the number. After Shewchuk, Adaptive Precision Floating-Point
// Arithmetic and Fast Robust Geometric Predicates (1997). Requires round to nearest, and products
// that neither overflow nor lose their rounding error to underflow.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_EXACT_EXPANSION_H
#define PBS_GEOMETRY_EXACT_EXPANSION_H

#include <stddef.h>

/// Every function writes the nonzero terms of an expansion and returns their number; zero has no
/// terms. Outputs must not alias inputs.

/// a - b; out: 2
size_t expansion_difference(double a, double b, double *out);

/// a + b; out: a_count + b_count
size_t expansion_add(const double *a, size_t a_count, const double *b, size_t b_count, double *out);

/// a - b; out: a_count + b_count; b is negated in place
size_t expansion_subtract(const double *a, size_t a_count, double *b, size_t b_count, double *out);

/// a s; out: 2 a_count
size_t expansion_scale(const double *a, size_t a_count, double s, double *out);

/// a (b[0] + b[1]), b_count up to 2; out: 4 a_count; scratch: 4 a_count
size_t expansion_multiply(const double *a, size_t a_count, const double *b, size_t b_count,
                          double *scratch, double *out);

/// -1, 0 or 1
int expansion_sign(const double *a, size_t a_count);

#endif

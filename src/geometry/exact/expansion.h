// Exact sums and products of doubles, as expansions: lists of doubles whose sum is the number,
// ascending in size, none overlapping the next in its bits. After Shewchuk, Adaptive Precision
// Floating-Point Arithmetic and Fast Robust Geometric Predicates (1997). Needs rounding to nearest,
// and no product of terms so small that its rounding error is lost to underflow, nor so great that
// it overflows.
#ifndef PBS_GEOMETRY_EXACT_EXPANSION_H
#define PBS_GEOMETRY_EXACT_EXPANSION_H

#include <stddef.h>

/// Every function writes terms that are not zero and returns how many. Zero has none. Outputs must
/// not be inputs.

/// a - b; out: 2
size_t expansion_difference(double a, double b, double *out);

/// a + b; out: a_count + b_count
size_t expansion_add(const double *a, size_t a_count, const double *b, size_t b_count, double *out);

/// a - b; out: a_count + b_count; b is negated on the way
size_t expansion_subtract(const double *a, size_t a_count, double *b, size_t b_count, double *out);

/// a s; out: 2 a_count
size_t expansion_scale(const double *a, size_t a_count, double s, double *out);

/// a (b[0] + b[1]), b_count up to 2; out: 4 a_count; scratch: 4 a_count
size_t expansion_multiply(const double *a, size_t a_count, const double *b, size_t b_count,
                          double *scratch, double *out);

/// -1, 0 or 1
int expansion_sign(const double *a, size_t a_count);

#endif

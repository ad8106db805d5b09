// How often closed polygons are linked: Gauss's integral, which no motion changes that keeps them
// apart.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_LINKING_H
#define PBS_SUPPORT_LINKING_H

#include <stddef.h>

/// Gauss's linking integral of two closed polygons that do not meet: an integer but for rounding.
/// Each pair of edges contributes the signed area on the unit sphere of all directions from one to
/// the other, over 4 pi: Klenin and Langowski 2000, method 1a; triangles after Van Oosterom and
/// Strackee 1983.
/// @param a, b  3 for each corner
double linking_integral(size_t a_count, const double *a, size_t b_count, const double *b);

#endif

// Exact orientation predicates: on which side of a plane or a line a point lies, the sign of a
// determinant. Computed in doubles if their error bound allows, otherwise with expansions. After
// Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates
// (1997). Exact for coordinates that are zero or of size 1e-90 to 1e100, and round to nearest. For
// other coordinates, also infinite ones and NaN, the result is the determinant's sign or 0.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_EXACT_ORIENTATION_H
#define PBS_GEOMETRY_EXACT_ORIENTATION_H

/// Returns the sign (-1, 0 or 1) of det(b - a, c - a, d - a): positive if (a, b, c, d) is a
/// tetrahedron of positive volume.
int orientation_of_four(const double a[3], const double b[3], const double c[3], const double d[3]);

/// Returns the sign of det(b - a, c - a) in the plane of the two axes after `dropped` (0, 1 or 2).
int orientation_of_three(const double a[3], const double b[3], const double c[3], int dropped);

#endif

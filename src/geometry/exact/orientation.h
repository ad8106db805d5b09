// On which side of a plane or a line a point lies, exactly: the sign of a determinant, in doubles
// where their error bound allows, else by expansions. After Shewchuk, Adaptive Precision
// Floating-Point Arithmetic and Fast Robust Geometric Predicates (1997). For coordinates that are
// zero or between 1e-90 and 1e100 in size, and rounding to nearest. Beyond, and for what is not
// finite, the answer is the determinant's sign or 0, and never worse.
#ifndef PBS_GEOMETRY_EXACT_ORIENTATION_H
#define PBS_GEOMETRY_EXACT_ORIENTATION_H

/// Sign of det(b - a, c - a, d - a), -1, 0 or 1: positive where (a, b, c, d) is the order of a
/// tetrahedron's corners.
int orientation_of_four(const double a[3], const double b[3], const double c[3], const double d[3]);

/// Sign of det(b - a, c - a) in the plane of the two axes after `dropped`, which is 0, 1 or 2.
int orientation_of_three(const double a[3], const double b[3], const double c[3], int dropped);

#endif

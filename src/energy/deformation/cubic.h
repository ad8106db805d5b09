// Roots of cubic polynomials in the step length, used to bound steps that would collapse an
// element.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_DEFORMATION_CUBIC_H
#define PBS_ENERGY_DEFORMATION_CUBIC_H

/// Returns c0 + c1 t + c2 t^2 + c3 t^3.
double cubic_value(const double c[4], double t);

/// Computes the real roots of the derivative c1 + 2 c2 t + 3 c3 t^2 in ascending order, and returns
/// their number. The cubic is monotone between them.
int cubic_turning_points(const double c[4], double out[2]);

/// Finds a root between low, where the cubic is positive, and high, where it is not. Returns the
/// largest number found at which the cubic is positive.
double cubic_bisect(const double c[4], double low, double high);

#endif

// Where a cubic in the length of a step changes sign: what bounds steps that would collapse an
// element.
#ifndef PBS_ENERGY_DEFORMATION_CUBIC_H
#define PBS_ENERGY_DEFORMATION_CUBIC_H

/// c0 + c1 t + c2 t^2 + c3 t^3.
double cubic_value(const double c[4], double t);

/// The real roots of the derivative c1 + 2 c2 t + 3 c3 t^2, ascending; returns how many. Between
/// them the cubic is monotone.
int cubic_turning_points(const double c[4], double out[2]);

/// The sign change between low, where the cubic is positive, and high, where it is not: the last
/// number found positive.
double cubic_bisect(const double c[4], double low, double high);

#endif

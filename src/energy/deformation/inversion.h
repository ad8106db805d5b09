// Bounds the step along which an element does not invert: det(F + t D), a cubic in t, must stay
// positive. Theory: docs/theory/materials.md section 4.1.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_DEFORMATION_INVERSION_H
#define PBS_ENERGY_DEFORMATION_INVERSION_H

#include "energy/deformation/strain.h"

/// Returns the first t in (0, limit] at which the cubic, positive at 0, is zero up to rounding;
/// limit if there is none.
double inversion_first_root(const double c[4], double limit);

/// Caps an infinite limit, because bisection needs a finite interval.
ALWAYS_INLINE double inversion_far(double limit) {
    return fmin(limit, 1e12);
}

/// Returns the bound if it is below the capped limit, else the original limit.
ALWAYS_INLINE double inversion_within(double limit, double bound) {
    return bound < inversion_far(limit) ? bound : limit;
}

/// a : b.
ALWAYS_INLINE lanes8 inversion_contract(const lanes8 a[9], const lanes8 b[9]) {
    lanes8 sum = a[0] * b[0];
    for (int i = 1; i < 9; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Returns the lanes in which J could reach zero within the limit, by a lower bound of the cubic
/// from its negative coefficients. Lanes with J(0) <= 0 are left out: they are inverted already.
ALWAYS_INLINE mask8 inversion_is_possible(const lanes8 c[4], double limit) {
    const lanes8 zero = lanes_set(0.0);
    const lanes8 lowest = c[0] +
                          limit * (lanes_min(c[1], zero) +
                                   limit * (lanes_min(c[2], zero) + limit * lanes_min(c[3], zero)));
    return (c[0] > 0.0) & ~(lowest > 0.0);
}

/// Returns the minimum of limit and the bounds of eight F along eight D.
ALWAYS_INLINE double inversion_bound_lanes(const lanes8 f[9], const lanes8 d[9], double limit) {
    lanes8 cofactor_f[9];
    lanes8 cofactor_d[9];
    lanes8 c[4];
    cofactor_lanes(f, cofactor_f);
    cofactor_lanes(d, cofactor_d);
    c[0] = determinant_lanes(f, cofactor_f);
    c[1] = inversion_contract(cofactor_f, d);
    c[2] = inversion_contract(f, cofactor_d);
    c[3] = determinant_lanes(d, cofactor_d);
    const mask8 suspects = inversion_is_possible(c, limit);
    for (int l = 0; lanes_any(suspects) && l < LANES; l++) {
        if (suspects[l]) {
            const double coefficients[4] = {c[0][l], c[1][l], c[2][l], c[3][l]};
            limit = inversion_first_root(coefficients, limit);
        }
    }
    return limit;
}

#endif

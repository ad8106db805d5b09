// Functions of a hinge's angle, for eight hinges, that make energies go on where the hinge is
// closed and the angle jumps (docs/theory/shells.md section 3.2).
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_HINGE_FUNCTIONS_H
#define PBS_ENERGY_SHELLS_HINGE_FUNCTIONS_H

#include "energy/shells/hinge_lanes.h"

/// A function with its first and second derivatives by the angle.
struct hinge_function {
    lanes8 value, slope, bend;
};

// tan of the angle to the closed hinge below which `excess` of hinge_close is not zero.
#define CLOSING_TANGENT 0.0301

/// Returns the lanes in which the rest angle is bent, as the sine says. If the sine is zero the
/// angle jumps opposite the rest angle, by as much on both sides.
ALWAYS_INLINE mask8 hinge_is_bent(lanes8 sine) {
    return lanes_less(lanes_set(0.0), lanes_abs(sine));
}

/// Returns whether f of hinge_couple may differ from the angle.
ALWAYS_INLINE mask8 hinge_is_folded(const struct hinge_lanes *h, lanes8 cosine, lanes8 sine) {
    return lanes_less(lanes_select(hinge_is_bent(sine), h->along, h->along * cosine),
                      lanes_set(0.0));
}

/// Returns whether the excess of hinge_close may differ from zero.
ALWAYS_INLINE mask8 hinge_is_closing(const struct hinge_lanes *h, lanes8 sine) {
    const mask8 is_shut = lanes_less(lanes_abs(h->across), -CLOSING_TANGENT * h->along);
    return lanes_both(hinge_is_bent(sine), is_shut);
}

/// f of eight angles relative to the rest angles of these cosines and sines: what enters products
/// with other angles. With v the part of the last right angle, or of half the way from rest, that
/// is left to the jump,
///     f = c + (angle - c) v^3 (10 - 15 v + 6 v^2).
/// Of a hinge that is folded by more than a right angle at rest, c is where the angle ends on the
/// side to which it closes, where f is the angle. Otherwise c = 0.
void hinge_couple(const lanes8 *angle, const double *cosine, const double *sine,
                  struct hinge_function *f);

/// What is added to the squares of angles: on the side on which a hinge that is bent at rest goes
/// farther until it is closed, the square falls within the last 0.03 rad to what it is on the
/// other.
void hinge_close(const lanes8 *angle, const double *cosine, const double *sine,
                 struct hinge_function *excess);

#endif

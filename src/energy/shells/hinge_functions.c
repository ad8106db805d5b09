// See hinge_functions.h. Out of line, because few hinges are folded.
// SPDX-License-Identifier: MIT
#include "energy/shells/hinge_functions.h"

#define RIGHT_ANGLE (0.5 * ARCTANGENT_PI)
// Less than CLOSING_TANGENT. Narrow, so that hinges that contact keeps open resist until there.
#define CLOSING_WIDTH 0.03

/// Where the angle ends on its side, and the rest angle.
struct hinge_range {
    lanes8 sign, end, rest;
};

/// The angle ends at pi less the rest angle on one side, and at pi more on the other.
ALWAYS_INLINE struct hinge_range range_of(lanes8 angle, const double *cosine, const double *sine) {
    const lanes8 none = lanes_set(0.0);
    const lanes8 one = lanes_set(1.0);
    const lanes8 given = lanes_load(sine);
    const lanes8 sign = lanes_select(lanes_less(angle, none), -one, one);
    const lanes8 rest = lanes_select(hinge_is_bent(given), atan2_lanes(given, lanes_load(cosine)),
                                     none);
    return (struct hinge_range){sign, ARCTANGENT_PI - sign * rest, rest};
}

/// Returns v^3 (10 - 15 v + 6 v^2) and its derivatives by the angle, where v falls from 1 to 0 over
/// the last `width` before the end.
ALWAYS_INLINE struct hinge_function fade(lanes8 angle, const struct hinge_range *range,
                                         lanes8 width) {
    const lanes8 part = (range->end - range->sign * angle) / width;
    const lanes8 v = lanes_max(lanes_min(part, lanes_set(1.0)), lanes_set(0.0));
    const lanes8 left = 1.0 - v;
    return (struct hinge_function){v * v * v * (10.0 - v * (15.0 - 6.0 * v)),
                                   -range->sign * 30.0 * v * v * left * left / width,
                                   60.0 * v * left * (1.0 - 2.0 * v) / (width * width)};
}

void hinge_couple(const lanes8 *angle, const double *cosine, const double *sine,
                  struct hinge_function *f) {
    const lanes8 none = lanes_set(0.0);
    const lanes8 one = lanes_set(1.0);
    const struct hinge_range range = range_of(*angle, cosine, sine);
    const lanes8 left = ARCTANGENT_PI - lanes_abs(range.rest);
    const mask8 is_folded = lanes_less(left, lanes_set(RIGHT_ANGLE));
    const mask8 closes = lanes_both(is_folded, lanes_less(none, range.sign * range.rest));
    const lanes8 closed = lanes_select(lanes_less(range.rest, none), -left, left);
    const lanes8 c = lanes_select(is_folded, closed, none);
    const lanes8 width = lanes_min(0.5 * range.end, lanes_set(RIGHT_ANGLE));
    const struct hinge_function share = fade(*angle, &range, lanes_select(closes, one, width));
    const lanes8 beyond = *angle - c;
    f->value = lanes_select(closes, *angle, *angle - beyond * (1.0 - share.value));
    f->slope = lanes_select(closes, one, share.value + beyond * share.slope);
    f->bend = lanes_select(closes, none, 2.0 * share.slope + beyond * share.bend);
}

void hinge_close(const lanes8 *angle, const double *cosine, const double *sine,
                 struct hinge_function *excess) {
    const lanes8 none = lanes_set(0.0);
    const struct hinge_range range = range_of(*angle, cosine, sine);
    const struct hinge_function share = fade(*angle, &range, lanes_set(CLOSING_WIDTH));
    const lanes8 other = 2.0 * ARCTANGENT_PI - range.end;
    const lanes8 fall = other * other - *angle * *angle;
    const lanes8 lost = 1.0 - share.value;
    const mask8 is_longer = lanes_less(other, range.end);
    excess->value = lanes_select(is_longer, lost * fall, none);
    excess->slope = lanes_select(is_longer, -share.slope * fall - 2.0 * *angle * lost, none);
    excess->bend = lanes_select(is_longer,
                                4.0 * *angle * share.slope - share.bend * fall - 2.0 * lost, none);
}

// Softening laws (softening_law.h) and history variables of springs, in lanes of eight. The history
// variable `remaining` changes only when a state is accepted, so the force has a potential during a
// step. Let k be the extension at which the secant meets the softening lines. Up to k the potential
// is that of a spring with the remaining stiffness; beyond k the area under the lines is added:
//
//     P(e) = 1/2 remaining min(e, k)^2 + integral from k to max(e, k) of max(first, second, 0) (1)
//
// divided by the stiffness. When a state is accepted, `remaining` is updated, and the decrease of
// (1) is dissipated energy.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SPRINGS_SPRING_SOFTENING_H
#define PBS_ENERGY_SPRINGS_SPRING_SOFTENING_H

#include "base/lanes/lanes.h"
#include "base/runtime/memory.h"
#include "energy/springs/softening_law.h"

/// Values of each lane, stored as one array per value.
enum softening_value {
    SOFTENING_FIRST,
    SOFTENING_FIRST_SLOPE,
    SOFTENING_SECOND,
    SOFTENING_SECOND_SLOPE,
    SOFTENING_REMAINING,
    SOFTENING_SAVED, ///< copy of SOFTENING_REMAINING made by spring_softening_save
    SOFTENING_VALUES
};

struct spring_softening {
    struct softening_law *laws; ///< by spring
    double *remaining;          ///< by spring: initial values for spring_softening_fill
    double *lanes;
    double *dissipated; ///< by group, J: energy dissipated by the last update
    size_t lanes_capacity, dissipated_capacity, lane_count;
};

/// Copies laws and remaining. Returns null if memory is short.
struct spring_softening *spring_softening_create(struct memory *memory, size_t count,
                                                 const struct softening_law *laws,
                                                 const double *remaining);
void spring_softening_free(struct spring_softening *softening, struct memory *memory);

/// Reserves memory for the lanes.
pbs_status spring_softening_reserve(struct spring_softening *softening, struct memory *memory,
                                    size_t lane_count);
/// Writes the law and the initial history of a spring to a lane. spring = SIZE_MAX: padding.
void spring_softening_fill(struct spring_softening *softening, size_t lane, size_t spring);

/// Saves a copy of the history; restore returns to it.
void spring_softening_save(struct spring_softening *softening);
void spring_softening_restore(struct spring_softening *softening);

ALWAYS_INLINE double *softening_lanes(const struct spring_softening *softening,
                                      enum softening_value value) {
    return softening->lanes + (size_t)value * softening->lane_count;
}

/// The laws and history of eight springs.
struct softening_group {
    lanes8 first, first_slope, second, second_slope, remaining;
};

ALWAYS_INLINE struct softening_group softening_load(const struct spring_softening *softening,
                                                    size_t g) {
    return (struct softening_group){
        lanes_load(softening_lanes(softening, SOFTENING_FIRST) + g * LANES),
        lanes_load(softening_lanes(softening, SOFTENING_FIRST_SLOPE) + g * LANES),
        lanes_load(softening_lanes(softening, SOFTENING_SECOND) + g * LANES),
        lanes_load(softening_lanes(softening, SOFTENING_SECOND_SLOPE) + g * LANES),
        lanes_load(softening_lanes(softening, SOFTENING_REMAINING) + g * LANES)};
}

/// max(first(e), second(e), 0).
ALWAYS_INLINE lanes8 softening_envelope(const struct softening_group *s, lanes8 e) {
    const lanes8 first = s->first - s->first_slope * e;
    const lanes8 second = s->second - s->second_slope * e;
    return lanes_max(lanes_max(first, second), lanes_set(0.0));
}

/// Returns force over stiffness, m.
ALWAYS_INLINE lanes8 softening_force_lanes(const struct softening_group *s, lanes8 e) {
    return lanes_select(e < 0.0, e, lanes_min(s->remaining * e, softening_envelope(s, e)));
}

/// Returns the derivative of softening_force_lanes.
ALWAYS_INLINE lanes8 softening_tangent(const struct softening_group *s, lanes8 e) {
    const lanes8 none = lanes_set(0.0);
    const lanes8 first = s->first - s->first_slope * e;
    const lanes8 second = s->second - s->second_slope * e;
    const lanes8 slope = lanes_select(first > second, s->first_slope, s->second_slope);
    const lanes8 falls = lanes_select(lanes_max(first, second) > 0.0, none - slope, none);
    const lanes8 pulled = lanes_select(s->remaining * e <= softening_envelope(s, e), s->remaining,
                                       falls);
    return lanes_select(e < 0.0, lanes_set(1.0), pulled);
}

/// Returns the area under one line from e0 to e1, or 0 if e1 < e0.
ALWAYS_INLINE lanes8 softening_area(lanes8 line, lanes8 slope, lanes8 e0, lanes8 e1) {
    const lanes8 width = lanes_max(e1 - e0, lanes_set(0.0));
    return width * (line - slope * (e0 + 0.5 * width));
}

/// Evaluates (1), in m^2.
ALWAYS_INLINE lanes8 softening_potential(const struct softening_group *s, lanes8 e) {
    const lanes8 meets = lanes_max(s->first / (s->remaining + s->first_slope),
                                   s->second / (s->remaining + s->second_slope));
    const lanes8 knee = (s->first - s->second) / (s->first_slope - s->second_slope);
    const lanes8 end = s->second / s->second_slope;
    // If the two lines are identical, any switching point is correct.
    const lanes8 change = lanes_min(lanes_select(s->first_slope > s->second_slope, knee, meets),
                                    end);
    const lanes8 elastic = lanes_min(e, meets);
    const lanes8 stiffness = lanes_select(e < 0.0, lanes_set(1.0), s->remaining);
    return 0.5 * stiffness * elastic * elastic +
           softening_area(s->first, s->first_slope, meets, lanes_min(e, change)) +
           softening_area(s->second, s->second_slope, lanes_max(meets, change), lanes_min(e, end));
}

/// Returns the value of `remaining` after a state with extension e has been accepted.
ALWAYS_INLINE lanes8 softening_update_remaining(const struct softening_group *s, lanes8 e) {
    const lanes8 secant = softening_envelope(s, e) / lanes_select(e > 0.0, e, lanes_set(1.0));
    return lanes_select(e > 0.0, lanes_min(s->remaining, secant), s->remaining);
}

#endif

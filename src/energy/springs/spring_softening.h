// What springs that soften have besides: their laws (softening_law.h) and what each remembers, in
// lanes, and eight of them at a time. Between accepted states the force has a potential, as what is
// remembered stays: up to the extension k where the remembered secant meets the lines it is that of
// a spring of the remaining stiffness, beyond it what the lines take is added,
//
//     P(e) = 1/2 remaining min(e, k)^2 + integral from k to max(e, k) of max(first, second, 0) (1)
//
// per stiffness. A state that is accepted is remembered: what (1) then falls by is dissipated.
#ifndef PBS_ENERGY_SPRINGS_SPRING_SOFTENING_H
#define PBS_ENERGY_SPRINGS_SPRING_SOFTENING_H

#include "base/lanes/lanes.h"
#include "base/runtime/memory.h"
#include "energy/springs/softening_law.h"

/// Of a lane, one array after the other.
enum softening_value {
    SOFTENING_FIRST,
    SOFTENING_FIRST_SLOPE,
    SOFTENING_SECOND,
    SOFTENING_SECOND_SLOPE,
    SOFTENING_REMAINING,
    SOFTENING_SAVED, ///< what remained in a state that may be gone back to
    SOFTENING_VALUES
};

struct spring_softening {
    struct softening_law *laws; ///< by spring
    double *remaining;          ///< by spring, until lanes are filled
    double *lanes;
    double *dissipated; ///< by group, J: of the state that was remembered last
    size_t lanes_capacity, dissipated_capacity, lane_count;
};

/// Copies; null where memory was refused.
struct spring_softening *spring_softening_create(struct memory *memory, size_t count,
                                                 const struct softening_law *laws,
                                                 const double *remaining);
void spring_softening_free(struct spring_softening *softening, struct memory *memory);

/// Room for the lanes; laws and what remains of a lane's spring, SIZE_MAX: padding.
pbs_status spring_softening_reserve(struct spring_softening *softening, struct memory *memory,
                                    size_t lane_count);
void spring_softening_fill(struct spring_softening *softening, size_t lane, size_t spring);

void spring_softening_save(struct spring_softening *softening);
void spring_softening_restore(struct spring_softening *softening);

ALWAYS_INLINE double *softening_lanes(const struct spring_softening *softening,
                                      enum softening_value value) {
    return softening->lanes + (size_t)value * softening->lane_count;
}

/// Eight springs.
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

/// What the lines bear.
ALWAYS_INLINE lanes8 softening_envelope(const struct softening_group *s, lanes8 e) {
    const lanes8 first = s->first - s->first_slope * e;
    const lanes8 second = s->second - s->second_slope * e;
    return lanes_max(lanes_max(first, second), lanes_set(0.0));
}

/// Force over stiffness, m.
ALWAYS_INLINE lanes8 softening_force_lanes(const struct softening_group *s, lanes8 e) {
    return lanes_select(e < 0.0, e, lanes_min(s->remaining * e, softening_envelope(s, e)));
}

/// Its derivative, 1.
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

/// The area under one line from e0 to e1, 0 where that is not the greater.
ALWAYS_INLINE lanes8 softening_area(lanes8 line, lanes8 slope, lanes8 e0, lanes8 e1) {
    const lanes8 width = lanes_max(e1 - e0, lanes_set(0.0));
    return width * (line - slope * (e0 + 0.5 * width));
}

/// (1), m^2.
ALWAYS_INLINE lanes8 softening_potential(const struct softening_group *s, lanes8 e) {
    const lanes8 meets = lanes_max(s->first / (s->remaining + s->first_slope),
                                   s->second / (s->remaining + s->second_slope));
    const lanes8 knee = (s->first - s->second) / (s->first_slope - s->second_slope);
    const lanes8 end = s->second / s->second_slope;
    // Two lines that are one meet anywhere.
    const lanes8 change = lanes_min(lanes_select(s->first_slope > s->second_slope, knee, meets),
                                    end);
    const lanes8 elastic = lanes_min(e, meets);
    const lanes8 stiffness = lanes_select(e < 0.0, lanes_set(1.0), s->remaining);
    return 0.5 * stiffness * elastic * elastic +
           softening_area(s->first, s->first_slope, meets, lanes_min(e, change)) +
           softening_area(s->second, s->second_slope, lanes_max(meets, change), lanes_min(e, end));
}

/// What remains of the stiffness once e was accepted.
ALWAYS_INLINE lanes8 softening_update_remaining(const struct softening_group *s, lanes8 e) {
    const lanes8 secant = softening_envelope(s, e) / lanes_select(e > 0.0, e, lanes_set(1.0));
    return lanes_select(e > 0.0, lanes_min(s->remaining, secant), s->remaining);
}

#endif

// What fuzz targets that call the API read from their input: bytes, numbers good and bad, and
// integrators with them, bounded where the work would be without end.
// SPDX-License-Identifier: MIT
#ifndef PBS_FUZZ_CHOICES_H
#define PBS_FUZZ_CHOICES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "pbs/pbs.h"
#include "world/world.h"

/// The input, and how far it has been read.
struct choices {
    const uint8_t *data;
    size_t size, position;
};

/// No advance with step control takes shorter steps, or more of them than LONGEST_ADVANCE holds.
static const double SHORTEST_STEP = 0.0625;
static const double LONGEST_ADVANCE = 0.25;

static inline uint8_t take(struct choices *in) {
    return in->position < in->size ? in->data[in->position++] : 0;
}

/// Mostly small numbers, sometimes the ends of what doubles are.
static inline double take_number(struct choices *in) {
    static const double odd[] = {0.0,    -0.0, NAN,    INFINITY, -INFINITY, 1e308,
                                 1e-308, -1.0, 1e-320, 1e16,     -1e30,     1e-12};
    const uint8_t byte = take(in);
    return byte >= 244 ? odd[byte - 244] : (byte - 100) / 64.0;
}

static inline void take_numbers(struct choices *in, double *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[i] = take_number(in);
    }
}

/// Without a longest step there is one step; a shortest one of 0 is 1e-6 of the longest.
static inline void bound_steps(double *step_min, double *step_max) {
    if (*step_max > 0.0) {
        *step_max = *step_max < SHORTEST_STEP ? SHORTEST_STEP : *step_max;
        *step_min = *step_min >= 0.0 && *step_min < SHORTEST_STEP ? SHORTEST_STEP : *step_min;
    }
}

/// A duration for an integrator that controls steps; what is refused anyway stays.
static inline double bound_duration(double duration) {
    return duration > LONGEST_ADVANCE ? LONGEST_ADVANCE : duration;
}

/// At most that many explicit steps in one call.
static const double MOST_EXPLICIT = 256.0;

static inline bool is_explicit(const pbs_world *world) {
    return world != NULL && world->scene.integrator.scheme->kicks;
}

/// What a world of explicit steps is to be moved by where `h` would be too many of them. How long
/// they are is known after one, which hardly takes any time; 0 where it fails.
static inline double bound_explicit(pbs_world *world, double h) {
    pbs_stats stats = {.struct_size = sizeof stats};
    if (pbs_world_step(world, 1e-300) < 0) {
        return 0.0;
    }
    pbs_world_stats(world, &stats);
    // The share of it that the scheme takes is 0.01 at least.
    const double most = MOST_EXPLICIT * 0.01 * stats.step.stable_step;
    return most < h ? most : h;
}

/// Defaults of a scheme, sometimes of one that there is not, and what the next byte's bits change.
static inline void take_integrator(struct choices *in, pbs_integrator_desc *d) {
    memset(d, 0, sizeof *d);
    pbs_integrator_desc_init(d, sizeof *d, take(in) % (PBS_SCHEME_QUASI_STATIC + 2));
    const uint8_t change = take(in);
    if (change & 1) {
        take_numbers(in, d->parameters, PBS_INTEGRATOR_PARAMETERS);
    }
    if (change & 2) {
        d->start = take(in) % 4;
        d->energy_control.alpha_choice = take(in) % 4;
        d->energy_control.by_island = take(in) % 3;
        d->linearized = take(in) % 3;
    }
    if (change & 4) {
        double *const numbers[] = {&d->energy_control.alpha,     &d->energy_control.alpha_min,
                                   &d->energy_control.alpha_max, &d->energy_control.fraction,
                                   &d->energy_control.ground,    &d->energy_control.decay_time};
        for (int i = 0; i < 6; i++) {
            *numbers[i] = take_number(in);
        }
    }
    if (change & 8) {
        d->step_control.kind = take(in) % 7;
        d->step_control.rule = take(in) % 4;
        d->step_control.tolerance = take_number(in);
        d->step_control.max = take_number(in);
    }
    if (change & 16) {
        double *const numbers[] = {&d->step_control.initial,  &d->step_control.min,
                                   &d->step_control.exponent, &d->step_control.safety,
                                   &d->step_control.growth,   &d->step_control.fracture_step};
        for (int i = 0; i < 6; i++) {
            *numbers[i] = take_number(in);
        }
        d->step_control.fracture_quiet_steps = take(in);
    }
    bound_steps(&d->step_control.min, &d->step_control.max);
}

#endif

// The reference strains from which strain rates are computed. Damping of the strain rate is a
// potential of the stage (docs/architecture.md eq. (1)),
//
//     D(x) = b / 2 |(e(x) - e_p) / b|_C^2,
//
// where e are the strains of the elements, b is the stage's length, and e_p the history of the
// strains. A scheme treats strains like coordinates: if its recipe has p_x = a sum of coefficients
// times known x, v and a, then e_p is the sum of the same coefficients times e and its first and
// second time derivative. A motion without strain rate therefore has e(x) = e_p after a step of any
// length and with any rotation. A rate computed from the chord x - p_x would not have this
// property.
//
//     strains_begin_stage   before terms are evaluated in a stage
//     strains_end_stage     if the recipe of a later stage uses the velocity of this one
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_DAMPING_STRAIN_HISTORY_H
#define PBS_ENERGY_DAMPING_STRAIN_HISTORY_H

#include "base/runtime/memory.h"
#include "base/runtime/tasks.h"
#include "energy/term.h"

enum { STRAIN_RATE_COUNT = 2, STRAIN_PART_LIMIT = 5 };

/// The strain history of one term, in the order of its lanes.
struct strain_history {
    size_t count;                     ///< number of strains, including padding lanes
    double *origin;                   ///< e_p
    double *rates[STRAIN_RATE_COUNT]; ///< strain rates of solved stages, 1/s times the strain's
                                      ///< unit
    size_t capacity;
};

/// The contribution of one known state to e_p.
struct strain_part {
    const double *x, *v, *a; ///< node order; v and a are null if their coefficients are zero
    double strain;           ///< coefficient of e(x)
    double rate;             ///< coefficient of the derivative of e along v
    double acceleration;     ///< coefficient of the derivative of e along a
    double curvature;        ///< coefficient of the second derivative of e along v
};

/// e_p = sum of parts + sum of by_rate[i] * rates[i].
struct strain_stage {
    size_t part_count;
    struct strain_part parts[STRAIN_PART_LIMIT];
    double by_rate[STRAIN_RATE_COUNT];
};

/// Sets the number of strains, and clears them all.
pbs_status strain_history_reserve(struct memory *memory, struct strain_history *history,
                                  size_t count);
void strain_history_release(struct memory *memory, struct strain_history *history);

/// Returns whether any of the terms has a strain history.
bool strains_are_measured(const struct term *terms, size_t term_count);

/// Computes e_p of all terms.
void strains_begin_stage(struct tasks *tasks, const struct assembly *assembly,
                         const struct term *terms, size_t term_count,
                         const struct strain_stage *stage);

/// Stores the strain rates of a solved stage: rates[index] = (e(x) - e_p) / length.
void strains_end_stage(struct tasks *tasks, const struct assembly *assembly,
                       const struct term *terms, size_t term_count, size_t index, const double *x,
                       double length);

#endif

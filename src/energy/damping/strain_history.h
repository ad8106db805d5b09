// What a rate of strain is measured from. Damping by the rate of strain is a potential of the stage
// (docs/architecture.md eq. (1)),
//
//     D(x) = b / 2 |(e(x) - e_p) / b|_C^2,
//
// e the strains of the elements, b the stage's length and e_p their history. Strains go through a
// scheme's recipes as coordinates do: where the recipe has p_x = sum of coefficients times known x,
// v and a, e_p has the same coefficients times e, its first and its second derivative in time. So a
// motion without strain rate has e(x) = e_p after a step of any length, however far it turns, which
// a rate formed from the chord x - p_x does not have.
//
//     strains_set_reference         once a step, at x_n
//     strains_begin_stage   before terms are evaluated in a stage
//     strains_end_stage     where a later stage's recipe takes up this one's velocity
#ifndef PBS_ENERGY_DAMPING_STRAIN_HISTORY_H
#define PBS_ENERGY_DAMPING_STRAIN_HISTORY_H

#include "base/runtime/memory.h"
#include "base/runtime/tasks.h"
#include "energy/term.h"

enum { STRAIN_RATE_COUNT = 2, STRAIN_PART_LIMIT = 5 };

/// Of one term, in the order of its lanes.
struct strain_history {
    size_t count;                     ///< strains of the term, padding included
    double *origin;                   ///< e_p
    double *rates[STRAIN_RATE_COUNT]; ///< of stages that are solved, 1/s times the strain's unit
    size_t capacity;
};

/// One known state in a history.
struct strain_part {
    const double *x, *v, *a; ///< node order; null where nothing below asks for it
    double strain;           ///< times e(x)
    double rate;             ///< times the derivative of e along v
    double acceleration;     ///< times the derivative of e along a
    double curvature;        ///< times the second derivative of e along v, twice
};

/// e_p = sum of parts + sum of by_rate[i] * rates[i].
struct strain_stage {
    size_t part_count;
    struct strain_part parts[STRAIN_PART_LIMIT];
    double by_rate[STRAIN_RATE_COUNT];
};

/// Room for count strains; what was there is lost.
pbs_status strain_history_reserve(struct memory *memory, struct strain_history *history,
                                  size_t count);
void strain_history_release(struct memory *memory, struct strain_history *history);

/// Whether any of the terms measures strains.
bool strains_are_measured(const struct term *terms, size_t term_count);

/// Strains that are known up to a period, as angles are, are measured from those at x.
void strains_set_reference(struct tasks *tasks, const struct assembly *assembly,
                           const struct term *terms, size_t term_count, const double *x);

void strains_begin_stage(struct tasks *tasks, const struct assembly *assembly,
                         const struct term *terms, size_t term_count,
                         const struct strain_stage *stage);

/// rates[index] = (e(x) - e_p) / length.
void strains_end_stage(struct tasks *tasks, const struct assembly *assembly,
                       const struct term *terms, size_t term_count, size_t index, const double *x,
                       double length);

#endif

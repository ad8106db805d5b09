// What energy control adds up in one step, by body and by island. Shared by energy_account.c, which
// keeps targets, and energy_control.c, which chooses alpha.
#ifndef PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_CONTROL_SUMS_H
#define PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_CONTROL_SUMS_H

#include "base/matrix3/math3.h"
#include "integrate/energy_control/energy_control.h"

struct energy_body {
    bool falls;      ///< no axis of it is held, so that its shift counts
    bool in_contact; ///< something, in this step
    bool is_kicked;
    double kinetic_now, potential_now, shift_now;
    double kinetic, potential, shift; ///< of the state looked at last
    double kick;   ///< J, taken off the target where the length of the step changed
    double square; ///< A of the body alone
};

/// Loss and work are those of a body until islands are known, then of an island.
struct energy_sums {
    uint32_t body_count;
    double target, ground;            ///< T_{n+1}; where decay ends
    double kinetic, potential, shift; ///< of the candidate, then of the end of the step
    double loss, work;
    double square;   ///< A = |dv|_M^2 / 2
    double product;  ///< B = -<w, dv>_M, less the shift of dv and what the correction's reaction
                     ///< does
    double reaction; ///< J of work for each unit of alpha: what holds nodes takes their correction
    double alpha;
    int32_t errors;        ///< as in struct energy_account
    double kinetic_before; ///< friction
    double shift_before;
    // Blending: the bracket of alpha with the energy's error at both ends.
    double low, high, low_error, high_error;
    bool is_open;
};

static inline size_t energy_node_count(const struct energy_step *step) {
    return step->objective->assembly->layout.node_count;
}

static inline struct energy_sums *energy_sums_of(const struct energy_control *control,
                                                 size_t node) {
    return &control->sums[control->island[control->body[node]]];
}

static inline bool energy_is_island(const struct energy_control *control, uint32_t body) {
    return control->island[body] == body;
}

static inline double energy_kinetic_at(const struct energy_step *step, size_t node,
                                       const double *v) {
    return 0.5 * step->objective->mass[node] * dot3(v + 3 * node, v + 3 * node);
}

/// The shift sigma h f.v of one node, J.
static inline double energy_shift_at(const struct energy_control *control,
                                     const struct energy_step *step, size_t node, const double *v) {
    return control->force == NULL
               ? 0.0
               : step->free_fall_defect * step->h * dot3(control->force + 3 * node, v + 3 * node);
}

/// Two bodies exchange energy in this step: their islands become one.
void energy_join(struct energy_control *control, uint32_t a, uint32_t b);

/// Bodies' losses and works so far become those of their islands, which stay as they are.
void energy_gather(struct energy_control *control);

/// sums: potentials of the islands, from those of the bodies.
void energy_sum_potentials(struct energy_control *control);

/// T_{n+1} of all islands but for the reaction's work (ECI section 4.4).
void energy_set_targets(struct energy_control *control, const struct energy_step *step);

#endif

// Sums of energy control in one step, by body, by group and by island. Shared by energy_account.c,
// which computes targets, energy_rotation.c, which keeps the rotation of groups out of the
// correction, and energy_control.c, which chooses alpha.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_CONTROL_SUMS_H
#define PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_CONTROL_SUMS_H

#include "base/matrix3/math3.h"
#include "integrate/energy_control/energy_control.h"

struct energy_body {
    bool falls;      ///< the body has no constrained axis; only then its shift counts
    bool in_contact; ///< the body is in contact in this step
    bool is_kicked;
    double kinetic_now, potential_now, shift_now;
    double kinetic, potential, shift; ///< of the last evaluated state
    double kick;                      ///< J, subtracted from the target by energy_correct_free_fall
    double square;                    ///< A of the body alone
};

/// Sums of an island. Before the islands are final, loss and work are those of a single body.
struct energy_sums {
    uint32_t body_count;
    double target, ground;            ///< T_{n+1}; the energy at which decay ends
    double kinetic, potential, shift; ///< of the candidate, later of the end of the step
    double loss, work;
    double square;   ///< A = |dv|_M^2 / 2
    double product;  ///< B = -<w, dv>_M, minus the shift of dv and the effect of the correction's
                     ///< reaction
    double reaction; ///< J, external work per unit of alpha: constraints absorb the correction of
                     ///< constrained nodes
    // For the kinetic energies in the island's frame of reference: those at x_n in space, masses,
    // the momenta of v_n, w and dv, and those of scripted axes.
    double kinetic_now, mass;
    double momentum_now[3], momentum[3], correction[3], scripted_mass[3], scripted[3];
    double alpha;
    int32_t errors;        ///< as in struct energy_account
    double kinetic_before; ///< before the friction pass
    double shift_before;
    // Blending: the bracket of alpha, and the energy errors at its ends.
    double low, high, low_error, high_error;
    bool is_open;
};

/// A body, or bodies that joints hold together, as one rigid body at x'.
struct energy_group {
    bool turns; ///< nothing constrains the group, so that its rotation is its own
    double mass;
    double center[3];   ///< m
    double torque[3];   ///< N m s: of the correction by all but contact, about the center
    double missing[3];  ///< N m s: what the step's torques would have left, less what w has
    double inertia[9];  ///< kg m^2, about the center
    double spin[3];     ///< rad/s: of the correction
    double restored[3]; ///< rad/s: of what is missing
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

/// Returns by `removed` the normal part of a change dv of a node's velocity, which projection's
/// active slot does not allow. Returns the work of that impulse with the obstacle's velocity, J.
double energy_normal_part(const struct energy_step *step, size_t active, const double *x,
                          const double *dv, double removed[3]);

/// Joins the islands of two bodies that exchange energy in this step.
void energy_join(struct energy_control *control, uint32_t a, uint32_t b);

/// Makes the islands of this step final, and sums losses and work of the bodies to them.
void energy_gather(struct energy_control *control);

/// Sums the potentials of the bodies to their islands.
void energy_sum_potentials(struct energy_control *control);

/// Computes T_{n+1} of all islands, without the reaction's work (ECI section 4.4).
void energy_set_targets(struct energy_control *control, const struct energy_step *step);

/// Takes the rotation of each free group out of the correction, so that no alpha changes it, and
/// gives v the angular momentum that the stages' torques lead to; with a fixed alpha of 1 that of
/// alpha = 1. The correction is complete and constrained. own_next: per node, 3, the gradient at x'
/// of what own_gradient has at x_n (energy_rotation.c).
void energy_separate_rotation(struct energy_control *control, const struct energy_step *step,
                              const struct energy_candidate *c, const double *own_next);

#endif

// Lagged Rayleigh damping (OPT section 4.2): the force -D v written as the potential R = 1/(2b) |x
// - origin|_D^2 of a stage. D is the sum of the elements' positive semidefinite Hessians at the
// start of the step, each multiplied by its damping time, and v = (x - origin) / b
// (docs/theory/schemes.md section 1). D is stored as a second set of values on the assembly's
// pattern. R needs a matrix product across domains; therefore it is not a term, but is added to the
// result of terms_evaluate:
//
//     rayleigh_reserve     when the topology has changed
//     rayleigh_begin       once a step, at x_n (schemes of first order) or at the predictor
//     rayleigh_add         after every terms_evaluate; its kind is ENERGY_DISSIPATED
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_DAMPING_RAYLEIGH_DAMPING_H
#define PBS_ENERGY_DAMPING_RAYLEIGH_DAMPING_H

#include "energy/evaluate.h"

/// A zero-initialised struct is valid: without rayleigh_begin there is no damping.
struct rayleigh {
    bool is_active;        ///< D is not zero
    double *blocks;        ///< block_slot_count x 9: D, followed by scratch slots for its assembly
    double *moved, *force; ///< x - origin and D (x - origin) / b, row order
    size_t block_capacity, moved_capacity, force_capacity;
};

/// No other function of this header allocates memory.
pbs_status rayleigh_reserve(struct memory *memory, const struct assembly *assembly,
                            struct rayleigh *rayleigh);
void rayleigh_release(struct memory *memory, struct rayleigh *rayleigh);

/// Assembles D at x. is_needed: whether any element has a positive damping time; if not, D is not
/// assembled and rayleigh_add does nothing.
/// @return EVALUATE_*
int rayleigh_begin(struct rayleigh *rayleigh, struct tasks *tasks, const struct assembly *assembly,
                   const struct term *terms, size_t term_count, const double *x, bool is_needed,
                   struct terms_scratch *scratch);

/// Adds the value, gradient and Hessian that evaluation->what requests to the *result of
/// terms_evaluate.
void rayleigh_add(const struct rayleigh *rayleigh, struct tasks *tasks,
                  const struct assembly *assembly, const struct evaluation *evaluation,
                  struct terms_result *result);

#endif

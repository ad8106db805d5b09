// Lagged Rayleigh damping (OPT section 4.2): the force -D v as a potential of the stage, R = 1/(2b)
// |x - origin|_D^2, where D is the sum of the elements' positive semidefinite Hessians at the start
// of the step, each times its damping time, and v = (x - origin) / b (docs/theory/schemes.md
// section 1). D is kept as a second set of values on the assembly's pattern, so R needs a product
// with a matrix that crosses domains: it is no term, but is added to an evaluation of the terms:
//
//     rayleigh_reserve     when the topology changed
//     rayleigh_begin       once a step, at x_n (schemes of first order) or at the predictor
//     rayleigh_add         after every terms_evaluate; its share is ENERGY_DISSIPATED
#ifndef PBS_ENERGY_DAMPING_RAYLEIGH_DAMPING_H
#define PBS_ENERGY_DAMPING_RAYLEIGH_DAMPING_H

#include "energy/evaluate.h"

/// Zero at first; then does nothing until rayleigh_begin.
struct rayleigh {
    bool is_active;        ///< some term has damping: D is not zero
    double *blocks;        ///< block_slot_count x 9: D, then the slots that assembling it needs
    double *moved, *force; ///< x - origin and D (x - origin) / b, row order
    size_t block_capacity, moved_capacity, force_capacity;
};

/// The only function here that allocates.
pbs_status rayleigh_reserve(struct memory *memory, const struct assembly *assembly,
                            struct rayleigh *rayleigh);
void rayleigh_release(struct memory *memory, struct rayleigh *rayleigh);

/// Assembles D at x. is_needed: whether any element has a damping time above zero; if not, the rest
/// costs nothing. @return EVALUATE_*
int rayleigh_begin(struct rayleigh *rayleigh, struct tasks *tasks, const struct assembly *assembly,
                   const struct term *terms, size_t term_count, const double *x, bool is_needed,
                   struct terms_scratch *scratch);

/// Adds value, gradient and Hessian, as evaluation->what asks, to what terms_evaluate left in
/// *result.
void rayleigh_add(const struct rayleigh *rayleigh, struct tasks *tasks,
                  const struct assembly *assembly, const struct evaluation *evaluation,
                  struct terms_result *result);

#endif

// The energy that keeps affine bodies nearly rigid (Lan et al. 2022, "Affine Body Dynamics"): k V
// |A^T A - 1|_F^2, A = (a1 a2 a3) the deformation of the body's frame, and infinite if det A <= 0.
// Bodies that a load has set rest with A^T A - 1 = S in place of 0 (section 4).
// The nodes hold the handles R a1, R a2, R a3 with a fixed length R, so that gradients are newtons
// and Hessians newtons per metre, as for all other nodes. Theory: docs/theory/affine_bodies.md
// section 3.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_AFFINE_AFFINE_H
#define PBS_ENERGY_AFFINE_AFFINE_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// Input of affine_create, which copies it.
struct affine_input {
    size_t count;
    const uint32_t *nodes;     ///< count x 3: the handles
    const double *stiffness;   ///< count, J: k V
    const double *radius;      ///< count, metres: R
    const double *damping;     ///< count, s
    const double *rest_strain; ///< count x 9, symmetric: A^T A - 1 at rest; null: 0
};

struct affine; ///< self of the term

pbs_status affine_create(struct memory *memory, const struct affine_input *input,
                         struct affine **out);
struct term affine_term(struct affine *affine);

/// Sets the stiffness of an element, J, and the A^T A - 1 at which it rests. groups: those that the
/// term is bound to.
void affine_set_stiffness(struct affine *affine, const struct stencil_groups *groups,
                          size_t element, double stiffness, const double rest_strain[9]);

#endif

// Damping of the rate of Green's strain (Kelvin-Voigt) for tetrahedra, triangles and affine bodies.
// The energy of an element is
//
//     (mu |E - E_p|_F^2 + lambda/2 (tr (E - E_p))^2) / b,   E = (F^T F - 1) / 2,
//
// where E_p is the history of its strain (strain_history.h) and b the stage's length. The stress is
// symmetric, so damping exerts no net torque, and is zero if the strain does not change. Theory:
// docs/theory/materials.md section 6.1.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_DAMPING_STRAIN_DAMPING_H
#define PBS_ENERGY_DAMPING_STRAIN_DAMPING_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// How F depends on an element's nodes.
enum strain_shape {
    STRAIN_TETRAHEDRON, ///< 4 nodes, of which the last 3 have gradients of 3 components: F is 3x3
    STRAIN_TRIANGLE,    ///< 3 nodes, of which the last 2 have gradients of 2 components: F is 3x2
    STRAIN_HANDLES ///< 3 nodes, all with gradients of 3 components: the columns of F times a length
};

/// Input of strain_damping_create, which copies it.
struct strain_damping_input {
    enum strain_shape shape;
    size_t count;
    const uint32_t *nodes;   ///< count x (3 or 4)
    const double *gradients; ///< count x (9 or 4), 1/m: F = sum of x_a (x) gradient_a over all
                             ///< nodes; a first node without a stored gradient has minus the sum of
                             ///< the others
    const double *mu;        ///< count, J s: shear modulus times volume times damping time
    const double *lambda;    ///< count, J s
};

struct strain_damping; ///< self of the term

pbs_status strain_damping_create(struct memory *memory, const struct strain_damping_input *input,
                                 struct strain_damping **out);
struct term strain_damping_term(struct strain_damping *damping);

/// Sets the moduli of an element, times volume and damping time. groups: those that the term is
/// bound to.
void strain_damping_set_moduli(struct strain_damping *damping, const struct stencil_groups *groups,
                               size_t element, double mu, double lambda);

#endif

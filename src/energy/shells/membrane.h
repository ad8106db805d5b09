// The energy of thin sheets against stretching in their own plane: sum over triangles of h A
// psi(F), F = Ds Dm^-1 the 3x2 deformation gradient from the triangle's own rest plane, C = F^T F,
// J = sqrt(det C), h the thickness, A the rest area, and psi the Neo-Hookean density of plane
// stress
//
//     psi = mu/2 (tr C - 2 - 2 ln J) + lambda/2 (ln J)^2,
//     mu = E / (2 (1 + nu)),  lambda = E nu / (1 - nu^2),
//
// infinite where a triangle has no area. Hessians are made positive
// semidefinite by clamping the six eigenvalues of d2psi/dF2, in the manner of Smith, de Goes, Kim
// 2019, "Analytic eigensystems for isotropic distortion energies".
// Theory: docs/theory/shells.md section 7.
#ifndef PBS_ENERGY_SHELLS_MEMBRANE_H
#define PBS_ENERGY_SHELLS_MEMBRANE_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// What membrane_create copies and arranges in lanes.
struct membrane_input {
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3 node indices
    const double *rest;        ///< rest positions by node, 3 each
    const double *thickness;   ///< triangle_count, m
    const double *young;       ///< triangle_count, Pa
    const double *poisson;     ///< triangle_count
    const double *damping;     ///< triangle_count, s
};

struct membrane; ///< self of the term

/// The term of these triangles; its element arrays are made by membrane_bind once the assembly
/// (built from term.stencils) is there.
pbs_status membrane_create(struct memory *memory, const struct membrane_input *input,
                           struct membrane **out);
pbs_status membrane_bind(struct membrane *membrane, struct memory *memory,
                         const struct stencil_groups *groups);
struct term membrane_term(struct membrane *membrane);
void membrane_destroy(struct membrane *membrane, struct memory *memory);

/// The shape gradients of a triangle's nodes 1, 2 in its rest plane as rows, of axes along the
/// first edge and across it (1/m), and its rest area (m^2); where that is not positive, nothing
/// else.
double membrane_rest_gradients(const double *rest, const uint32_t node[3], double rows[4]);

/// The moduli of plane stress.
void membrane_moduli(double young, double poisson, double *mu, double *lambda);

#endif

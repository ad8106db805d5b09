// The membrane energy of thin sheets: the sum of h A psi(F) over the triangles, where F = Ds Dm^-1
// is the 3x2 deformation gradient relative to the triangle's rest plane, h the thickness, and A the
// rest area. With C = F^T F and J = sqrt(det C), psi is the Neo-Hookean density for plane stress
//
//     psi = mu/2 (tr C - 2 - 2 ln J) + lambda/2 (ln J)^2,
//     mu = E / (2 (1 + nu)),  lambda = E nu / (1 - nu^2),
//
// which is infinite if a triangle has no area. Hessians are made positive semidefinite by clamping
// the six eigenvalues of d2psi/dF2, in the manner of Smith, de Goes, Kim 2019, "Analytic
// eigensystems for isotropic distortion energies". Theory: docs/theory/shells.md section 7.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_MEMBRANE_H
#define PBS_ENERGY_SHELLS_MEMBRANE_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// Input of membrane_create, which copies it.
struct membrane_input {
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3 node indices
    const double *rest;        ///< rest positions, 3 per node
    const double *thickness;   ///< triangle_count, m
    const double *young;       ///< triangle_count, Pa
    const double *poisson;     ///< triangle_count
    const double *damping;     ///< triangle_count, s
};

struct membrane; ///< self of the term

/// Creates the term of these triangles. Its element arrays are built by membrane_bind, after the
/// assembly has been built from term.stencils.
/// @return PBS_ERROR_MESH (index in the message) if a rest area is not positive; PBS_ERROR_MEMORY
pbs_status membrane_create(struct memory *memory, const struct membrane_input *input,
                           struct membrane **out);
pbs_status membrane_bind(struct membrane *membrane, struct memory *memory,
                         const struct stencil_groups *groups);
struct term membrane_term(struct membrane *membrane);
/// Sets thickness times rest area (m^3) and the moduli of a triangle. groups: those that the term
/// is bound to.
void membrane_set_values(struct membrane *membrane, const struct stencil_groups *groups,
                         size_t triangle, double volume, double young, double poisson);
/// The self of a membrane's term; null of other terms.
struct membrane *membrane_of(const struct term *term);
void membrane_destroy(struct membrane *membrane, struct memory *memory);

/// Computes the shape gradients of a triangle's nodes 1, 2 as rows (1/m), in the axes along the
/// first edge and perpendicular to it in the rest plane. Returns the rest area (m^2); if it is not
/// positive, rows is not written.
double membrane_rest_gradients(const double *rest, const uint32_t node[3], double rows[4]);

/// Writes the shape gradients of nodes 1, 2 in the assembly's order into a lane of [g][4][8], given
/// those in the triangle's own order; zero in padding lanes.
void membrane_put_gradients(const double rows[4], const struct stencil_groups *groups, size_t lane,
                            double *gradients);

/// Computes mu and lambda of plane stress.
void membrane_moduli(double young, double poisson, double *mu, double *lambda);

#endif

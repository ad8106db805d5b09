// The limit of the stretch of thin sheets: a barrier on the singular values s_i of the 3x2
// deformation gradient F of each triangle, after C-IPC (Li, Kaufman, Jiang 2021). With
// the limit L, the width w of the barrier and u_i = (s_i - L + w) / w, it is the sum over both i of
//
//     -K w u_i^2 ln(1 - u_i) h A  for u_i > 0, else 0;  K = 100 E / (1 - nu^2),  w = (L - 1) / 2,
//
// which is infinite where a singular value reaches L. It is a convex function of F, so its Hessian
// is positive semidefinite as it is. Theory: docs/theory/shells.md section 8.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_STRETCH_LIMIT_H
#define PBS_ENERGY_SHELLS_STRETCH_LIMIT_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// Input of stretch_limit_create, which copies it.
struct stretch_limit_input {
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3 node indices
    const double *rest;        ///< rest positions, 3 per node
    const double *thickness;   ///< triangle_count, m
    const double *modulus;     ///< triangle_count, Pa: K
    const double *limit;       ///< triangle_count, > 1
};

struct stretch_limit; ///< self of the term

/// Creates the term of these triangles. Its element arrays are built by stretch_limit_bind, after
/// the assembly has been built from term.stencils.
/// @return PBS_ERROR_MESH (index in the message) if a rest area is not positive; PBS_ERROR_MEMORY
pbs_status stretch_limit_create(struct memory *memory, const struct stretch_limit_input *input,
                                struct stretch_limit **out);
pbs_status stretch_limit_bind(struct stretch_limit *limits, struct memory *memory,
                              const struct stencil_groups *groups);
struct term stretch_limit_term(struct stretch_limit *limits);
/// Sets thickness times rest area (m^3), K (Pa) and the limit of a triangle. groups: those that the
/// term is bound to.
void stretch_limit_set_values(struct stretch_limit *limits, const struct stencil_groups *groups,
                              size_t triangle, double volume, double modulus, double limit);
/// The self of a term of stretch limits; null of other terms.
struct stretch_limit *stretch_limit_of(const struct term *term);
void stretch_limit_destroy(struct stretch_limit *limits, struct memory *memory);

/// Returns K.
double stretch_limit_modulus(double young, double poisson);

/// Computes the singular values of F, the larger one first, and the first column (v0, v1) of V; the
/// second one is (-v1, v0). f: the columns of F, one after the other.
void stretch_limit_measure(const double f[6], double stretches[2], double axis[2]);

/// Returns the derivative of the barrier per volume by a singular value, Pa. Below the limit.
double stretch_limit_stress(double modulus, double limit, double stretch);

#endif

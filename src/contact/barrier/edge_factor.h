// What the barrier b(d) between two edges is multiplied by, so that it goes smoothly to zero where
// the closest points jump: IPC's mollifier m(s^2) (Li et al. 2020, section 4.4), which vanishes as
// s = |u x v| of the edges u and v goes to zero; and for edges of triangles, towards their ends,
// where points and triangles touch, phi(q / reach) for each of the four ends. q is how far the end
// is from the line of the other edge, across that and in the plane of both.
// Theory: docs/theory/contact.md sections 2.3 and 2.7.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_BARRIER_EDGE_FACTOR_H
#define PBS_CONTACT_BARRIER_EDGE_FACTOR_H

#include "contact/barrier/contact_state.h"

/// Sets factor, threshold and taper_width of a contact of two edges whose other members are set.
/// width: of the taper where there is one, m, the reach of the barrier; 0: there is none.
void edge_factor_set(const struct collision_mesh *mesh, double width,
                     const double *const x[PAIR_NODES], struct active_contact *contact);

/// Whether edges that are tapered have a mollifier or a taper below 1e-20, so that they are no
/// contact. Found without their distance. Numbers that are not finite are no reason.
bool edge_factor_is_negligible(const struct collision_mesh *mesh, uint32_t first, uint32_t second,
                               double reach, const double *const x[PAIR_NODES]);

/// Adds b times the gradient of the factor.
void edge_factor_add_gradient(const struct active_contact *contact,
                              const double *const x[PAIR_NODES], double gradient[PAIR_NODES][3]);

/// Adds, with the energy E as a function of d, s and the q, and the matrix G of their gradients,
///     [G (hess E) G^T]^+ + E_s (hess s)^+,
/// where ^+ is the positive semidefinite part. The term of hess d is not included; those of the
/// second derivatives of u x v and q are omitted, since they may have either sign. Adds at most
/// eight vectors.
void edge_factor_hessian(const struct active_contact *contact, const double *const x[PAIR_NODES],
                         struct contact_hessian *hessian);

#endif

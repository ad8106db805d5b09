// The penalty energy of a point inside a solid: k r^3, where r is its distance from the closest
// primitive of the solid's surface (OPT section 5.3; docs/theory/contact.md section 8). Each call
// evaluates one contact; solid_inclusion.h finds the contacts. Stateless.
//
// OPT gives k d sqrt(d + epsilon) with d = r^2. Written with r and its derivatives nothing is
// singular, so epsilon is not needed: all terms vanish with r.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_PENETRATION_INCLUSION_PENALTY_H
#define PBS_CONTACT_PENETRATION_INCLUSION_PENALTY_H

#include "contact/contact_blocks.h"
#include "geometry/distances/distance.h"

/// Returns k of two bodies, Pa: the harmonic mean of theirs; 0 if one of them is 0.
double inclusion_penalty_stiffness(double first, double second);

/// Returns k r^3, J.
double inclusion_penalty_energy(double stiffness, const struct closest *closest);

/// Returns 3 k r^2, N: the magnitude of the force on the point. The force on node i of the pair is
/// -weight_i gradient.
double inclusion_penalty_force(double stiffness, const struct closest *closest);

/// gradient = 3 k r times closest->r, N. The derivative with respect to the position of node i is
/// weight_i times this.
void inclusion_penalty_gradient(double stiffness, const struct closest *closest,
                                double gradient[3]);

/// Writes the Hessian, for a closest point that stays on its primitive:
///     6 k r G G^T + 3 k r^2 hess r,    G = w x n, n = r / |r|.
/// It is indefinite. semidefinite: uses the positive semidefinite part of hess r.
void inclusion_penalty_hessian(double stiffness, enum pair_kind kind,
                               const double *const x[PAIR_NODES], const struct closest *closest,
                               bool semidefinite, struct contact_hessian *hessian);

#endif

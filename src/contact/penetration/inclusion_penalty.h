// The penalty of a point that is inside a solid: k r^3 of its distance r from the closest primitive
// of the solid's surface (OPT section 5.3; docs/theory/contact.md section 8). One contact at a
// time; solid_inclusion.h finds them. Keeps nothing.
//
// OPT prints k d sqrt(d + epsilon), d = r^2. Written with r and its derivatives nothing is
// singular, and epsilon is not needed: all goes to 0 with r.
#ifndef PBS_CONTACT_PENETRATION_INCLUSION_PENALTY_H
#define PBS_CONTACT_PENETRATION_INCLUSION_PENALTY_H

#include "contact/contact_blocks.h"
#include "geometry/distances/distance.h"

/// Pa: k of two bodies, the harmonic mean of theirs; 0 where one has none.
double inclusion_penalty_stiffness(double first, double second);

/// J: k r^3.
double inclusion_penalty_energy(double stiffness, const struct closest *closest);

/// N: 3 k r^2, the size of the force on the point. That on node i of the pair is -weight_i
/// gradient.
double inclusion_penalty_force(double stiffness, const struct closest *closest);

/// N: the derivative by where node i is, is weight_i times this, 3 k r times closest->r.
void inclusion_penalty_gradient(double stiffness, const struct closest *closest,
                                double gradient[3]);

/// The Hessian where the closest point stays on its primitive,
///     6 k r G G^T + 3 k r^2 hess r,    G = w x n, n = r / |r|,
/// which is indefinite; semidefinite: with the positive part of hess r in its place.
void inclusion_penalty_hessian(double stiffness, enum pair_kind kind,
                               const double *const x[PAIR_NODES], const struct closest *closest,
                               bool semidefinite, struct contact_hessian *hessian);

#endif

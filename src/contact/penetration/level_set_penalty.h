// Obstacles as penalties (OPT section 5.2): a point at signed distance phi < 0 has the energy P =
// -k phi^3, which pushes it out; outside the energy is zero. The cubic has a continuous second
// derivative at the surface, so Newton's method sees no jump when contact begins. (The paper omits
// the sign: k phi^3 has no lower bound and pulls points in.) Each call evaluates one point and one
// obstacle. Stateless.
//
// Compared with constraint projection (projection.h): any distance field will do. Its gradient need
// not have unit length or point to the surface, as is the case for grids. Points penetrate, by
// sqrt(F / (3 k)) under a force F, and by cbrt(m v^2 / (2 k)) after an impact.
//
// The trilinearly interpolated distance of a hollow is concave only across cells. P then has
// valleys at faces between cells, where the gradient along the valley vanishes (OPT section 7:
// "valley shaped kinks"). Cubic interpolation avoids them. See bench/particle_in_bowl.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_PENETRATION_LEVEL_SET_PENALTY_H
#define PBS_CONTACT_PENETRATION_LEVEL_SET_PENALTY_H

#include "contact/surfaces/obstacle.h"

/// Returns the energy at x, J. gradient (3, N): -3 k phi^2 n, where n is the gradient of phi, not
/// normalised. hessian (9, row-major, symmetric, N/m): -6 k phi n n^T - 3 k phi^2 Hess(phi). Both
/// may be null; all are 0 outside. If the nearest point of the surface is not unique, as at the
/// centre of a ball, the derivatives are one-sided.
/// @param stiffness  k, Pa (= J/m^3)
/// @param is_definite  replaces the Hessian by the nearest positive semidefinite matrix. For a
/// trilinear grid the Hessian is -6 k phi n n^T in either case: Hess(phi) has no diagonal there, so
/// it is indefinite unless it is zero, and does not describe the curvature of the surface.
double level_set_penalty(const struct obstacle *obstacle, double stiffness, bool is_definite,
                         const double x[3], double gradient[3], double hessian[9]);

/// Returns the magnitude of the force on a point at x, N; 0 outside. normal: unit, the direction of
/// the force, away from the solid side; not written outside.
double level_set_penalty_force(const struct obstacle *obstacle, double stiffness, const double x[3],
                               double normal[3]);

#endif

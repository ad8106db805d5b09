// Obstacles as penalties (OPT section 5.2): a point at signed distance phi < 0 has the energy
// P = -k phi^3 and is pushed out; outside there is none. The third power has a continuous second
// derivative at the surface, so Newton's method does not see when a contact begins. (In the paper
// the sign is missing: k phi^3 has no lower bound and pulls in.) One point and one obstacle;
// nothing is kept.
//
// Against constraint projection (projection.h): any distance will do, whose gradient need not be
// unit nor point at the surface, as of grids; points go in by sqrt(F / (3 k)) under a force F, and
// by cbrt(m v^2 / (2 k)) after an impact.
//
// Interpolated by straight lines, the distance of a hollow is concave only from cell to cell: at
// the faces between cells P has valleys, and at their bottom no gradient to find the way by (OPT
// section 7: "valley shaped kinks"). Cubics have none. See bench/particle_in_bowl.c.
#ifndef PBS_CONTACT_PENETRATION_LEVEL_SET_PENALTY_H
#define PBS_CONTACT_PENETRATION_LEVEL_SET_PENALTY_H

#include "contact/surfaces/obstacle.h"

/// Joules at x. gradient (3), newtons: -3 k phi^2 n, n the gradient of phi, which is not made unit;
/// hessian (9, row-major, symmetric), N/m: -6 k phi n n^T - 3 k phi^2 Hess(phi). Both may be null;
/// all are 0 outside. Where the nearest point of the surface is not unique, as at the centre of a
/// ball, the derivatives are those on one side of it.
/// stiffness: k, Pa, which is J/m^3
/// is_definite: the nearest positive semidefinite matrix in place of the Hessian. A grid of
/// straight lines has the first of its two parts alone in either case: the second has no diagonal,
/// so it is indefinite wherever it is not zero, and knows nothing of how the surface is curved.
double level_set_penalty(const struct obstacle *obstacle, double stiffness, bool is_definite,
                         const double x[3], double gradient[3], double hessian[9]);

/// The size of the force on a point at x, N, and where it points: unit, away from what is solid.
/// Outside 0, and normal is not written.
double level_set_penalty_force(const struct obstacle *obstacle, double stiffness, const double x[3],
                               double normal[3]);

#endif

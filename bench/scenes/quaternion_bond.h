// One bond with its particles' rotations as quaternions of four unknowns each, which may have any
// length: the energy of docs/theory/bonds.md section 1.2, shear by the chord, and its derivatives
// along all 14 coordinates. What the library does along rotation vectors is compared with it.
#ifndef PBS_BENCH_QUATERNION_BOND_H
#define PBS_BENCH_QUATERNION_BOND_H

#include <stdbool.h>

#include "energy/bonds/bonds.h"

/// p_i, q_i, p_j, q_j; quaternions vector first.
enum { BOND_COORDINATES = 14, BOND_TURNS = 12 };

struct quaternion_bond {
    double direction[3], length; ///< at rest
    struct bond_stiffness stiffness;
};

/// Any of value, gradient (14) and hessian (14 x 14) may be null. False, and nothing written, where
/// the energy is infinite: docs/theory/bonds.md section 1.4.
bool quaternion_bond_evaluate(const struct quaternion_bond *bond, const double *x, double *value,
                              double *gradient, double *hessian);

/// 3 x 4: what half rotation vectors of the world are to a unit quaternion, q' = G^T y, and its
/// transpose what moments are to the derivatives along q.
void quaternion_world_basis(const double q[4], double g[12]);

/// Along positions and rotation vectors eta of the world, q <- exp(eta) q, where quaternions have
/// length 1: gradient (12) and hessian (12 x 12) of those along 14 coordinates (BDEM's equations 46
/// to 53, with the indices of 48 and 50 mended).
void quaternion_bond_reduce(const double *x, const double *gradient, const double *hessian,
                            double *reduced_gradient, double *reduced_hessian);

#endif

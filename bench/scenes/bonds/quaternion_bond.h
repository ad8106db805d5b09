// One bond whose particles' rotations are quaternions of any length with four unknowns each: the
// energy of docs/theory/bonds.md section 1.2, with shear by the chord, and its derivatives with
// respect to all 14 coordinates. A reference for the library's derivatives with respect to rotation
// vectors.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_QUATERNION_BOND_H
#define PBS_BENCH_QUATERNION_BOND_H

#include <stdbool.h>

#include "energy/bonds/bonds.h"

/// Coordinates are p_i, q_i, p_j, q_j; quaternions have the vector part first.
enum { BOND_COORDINATES = 14, BOND_TURNS = 12 };

struct quaternion_bond {
    double direction[3], length; ///< rest state
    struct bond_stiffness stiffness;
};

/// Evaluates the bond. Any of value, gradient (14) and hessian (14 x 14) may be null. Returns false
/// and writes nothing if the energy is infinite (docs/theory/bonds.md section 1.4).
bool quaternion_bond_evaluate(const struct quaternion_bond *bond, const double *x, double *value,
                              double *gradient, double *hessian);

/// Computes G, 3 x 4: q' = G^T y for y half of a rotation vector in the world frame; G maps the
/// derivative with respect to q to a moment.
void quaternion_world_basis(const double q[4], double g[12]);

/// Transforms gradient and Hessian from the 14 coordinates to positions and rotation vectors eta in
/// the world frame, q <- exp(eta) q, at unit quaternions: gradient (12) and hessian (12 x 12) (BDEM
/// eqs. 46 to 53, with corrected indices in 48 and 50).
void quaternion_bond_reduce(const double *x, const double *gradient, const double *hessian,
                            double *reduced_gradient, double *reduced_hessian);

#endif

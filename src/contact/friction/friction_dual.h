// Friction's force as an unknown of Newton's method beside the slip (docs/theory/contact.md section
// 4.2). The smoothed potential f0(|u|) of a slip u has the gradient w = u / eta(|u|). Its Hessian
// is zero along a slip beyond the width, so that a Newton direction leads through the reversal of
// the force without seeing it. Newton's method for eta w = u, in u and w, sees it; this is the
// primal-dual method of Chan, Golub and Mulet (1999) for total variation. Energies and gradients
// are those of the slip alone.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_FRICTION_FRICTION_DUAL_H
#define PBS_CONTACT_FRICTION_FRICTION_DUAL_H

#include <stdbool.h>

/// Zero-initialised: not known, and taken as that of the slip.
struct friction_dual {
    double force[2]; ///< w, along the two tangents: friction over its limit, at most 1 long
    bool is_known;
};

/// The Hessian of f0 in the tangent plane, sum coefficient direction direction^T.
struct friction_hessian {
    double direction[2][2]; ///< of unit length, at right angles
    double coefficient[2];  ///< 1/m, never negative
};

/// Computes the Hessian at a slip, m. width: m, > 0, of the smoothing. It is that of f0 where the
/// dual is that of the slip.
void friction_dual_hessian(const struct friction_dual *dual, const double slip[2], double width,
                           struct friction_hessian *out);

/// Returns how far the dual is from that of the slip.
double friction_dual_error(const struct friction_dual *dual, const double slip[2], double width);

/// Moves the dual along with a Newton direction that was found with the Hessian at this slip.
/// motion: m, the change of the slip by the whole direction.
void friction_dual_follow(struct friction_dual *dual, const double slip[2], const double motion[2],
                          double width);

#endif

// The scalar functions of contact: the barrier that keeps a distance positive, the mollifier for
// nearly parallel edges, the taper towards their ends, and smoothed Coulomb friction. All are pure
// functions. Sources: IPC (Li et al. 2020, equations 6, 14 and 18 to 20; supplement on parallel
// edges); offsets as in Codim-IPC (Li et al. 2021, section 3); the plain distance with a stiffness
// in newtons per metre as in ECI, appendix A. Theory: docs/theory/contact.md sections 2 and 4.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_BARRIER_BARRIER_H
#define PBS_CONTACT_BARRIER_BARRIER_H

enum barrier_form {
    /// -k (g - r)^2 ln(g / r) of the gap g = d - offset, with the reach r; k in N/m.
    BARRIER_DISTANCE,
    /// -k (s - S)^2 ln(s / S) of s = d^2 - offset^2, with S = r^2 + 2 r offset; k in J/m^4.
    BARRIER_SQUARED,
    BARRIER_FORMS
};

/// The value of a function and its first two derivatives.
struct barrier_value {
    double value, first, second;
};

struct barrier {
    enum barrier_form form;
    double stiffness; ///< k
    double reach;     ///< m: the largest gap with a force (d-hat in IPC)
};

/// Returns the k of a form that gives the force of BARRIER_DISTANCE with `stiffness` N/m: near half
/// the reach if there is no offset, and at all gaps if the offset is much larger than the reach.
double barrier_form_stiffness(const struct barrier *barrier, double stiffness, double offset);

/// Returns J, N and N/m at a distance. The barrier is zero at gaps of `reach` and more, where it is
/// twice continuously differentiable, and infinite at gaps <= 0. Its first derivative is never
/// positive, its second never negative. Results have full relative accuracy, also near the reach.
struct barrier_value barrier_evaluate(const struct barrier *barrier, double distance,
                                      double offset);

// --- nearly parallel edges ---

/// Returns c = |(a1 - a0) x (b1 - b0)|^2. gradient: with respect to a0, a1, b0, b1; may be null.
double edges_cross_squared(const double *const x[4], double (*gradient)[3]);

/// The mollifier: y (2 - y) with y = c / threshold below the threshold, and 1 above it. It
/// multiplies the barrier between two edges, because the gradient of their distance jumps where
/// they are parallel. IPC's threshold is 1e-3 |a1 - a0|^2 |b1 - b0|^2 of the rest edges.
struct barrier_value mollifier_evaluate(double cross_squared, double threshold);

// --- ends of edges ---

/// The taper of a barrier between edges towards their ends: y^2 (3 - 2 y) with y = distance / width
/// between 0 and 1, 0 below and 1 above. Continuously differentiable.
struct barrier_value taper_evaluate(double distance, double width);

// --- friction ---

/// Smoothed friction f0(y) of a slip y >= 0, with f1 / y and f2, where f1 and f2 are its first and
/// second derivatives. f0 is y, smoothed below the slip `width` > 0, over which the force grows
/// from zero to its full value. f1 / y and f2 are the eigenvalues of the Hessian of f0(|u|), and
/// never negative.
struct friction_value {
    double value, first_over_slip, second;
};

struct friction_value friction_evaluate(double slip, double width);

#endif

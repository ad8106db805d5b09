// The scalar functions of contact: the barrier that keeps a distance positive, what smooths it
// where edges are parallel, and the smoothed Coulomb friction. Nothing is kept.
// Sources: IPC (Li et al. 2020, equations 6, 14 and 18 to 20; supplement on parallel edges);
// offsets as in Codim-IPC (Li et al. 2021, section 3); the plain distance with a stiffness in
// newtons per metre as in ECI, appendix A.
// Theory: docs/theory/contact.md sections 2 and 4.
#ifndef PBS_CONTACT_BARRIER_BARRIER_H
#define PBS_CONTACT_BARRIER_BARRIER_H

enum barrier_form {
    /// -k (g - r)^2 ln(g / r) of the gap g = d - offset and the reach r: k in N/m.
    BARRIER_DISTANCE,
    /// -k (s - S)^2 ln(s / S) of s = d^2 - offset^2 and S = r^2 + 2 r offset: k in J/m^4.
    BARRIER_SQUARED,
    BARRIER_FORMS
};

/// A function of the distance and its first two derivatives.
struct barrier_value {
    double value, first, second;
};

struct barrier {
    enum barrier_form form;
    double stiffness; ///< k
    double reach;     ///< metres: no force at gaps from here on
};

/// The k of a form for which its force is that of BARRIER_DISTANCE at `stiffness` N/m, near half
/// the reach without an offset and wherever an offset is much larger than the reach.
double barrier_form_stiffness(const struct barrier *barrier, double stiffness, double offset);

/// Joules, newtons and N/m at distance d. Zero at gaps of `reach` and more, twice continuously
/// differentiable there; infinite at gaps that are not positive. First derivatives are never
/// positive, second ones never negative. To full relative accuracy, also near the reach.
struct barrier_value barrier_evaluate(const struct barrier *barrier, double distance,
                                      double offset);

// --- parallel edges ---

/// c = |(a1 - a0) x (b1 - b0)|^2 with its gradient for the nodes a0, a1, b0, b1 (may be null).
double edges_cross_squared(const double *const x[4], double (*gradient)[3]);

/// y (2 - y) of y = c / threshold below the threshold, 1 above: what the barrier between two edges
/// is multiplied by, as the gradient of their distance jumps where they are parallel. IPC's
/// threshold is 1e-3 |a1 - a0|^2 |b1 - b0|^2 of the rest edges.
struct barrier_value mollifier_evaluate(double cross_squared, double threshold);

// --- friction ---

/// f0, f1 / y and f2 of a slip y >= 0 and a width > 0: y smoothed below `width`, where friction
/// grows from nothing to its full force, and its first derivative over y and second derivative. f1
/// / y and f2 are never negative and are the eigenvalues of the second derivatives of f0(|u|).
struct friction_value {
    double value, first_over_slip, second;
};

struct friction_value friction_evaluate(double slip, double width);

#endif

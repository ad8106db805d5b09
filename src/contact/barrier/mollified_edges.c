#include "contact/barrier/mollified_edges.h"

#include <math.h>

#include "base/matrix3/math3.h"

typedef double per_point[CONTACT_POINTS][3];

// Below this the sine of the angle has no significant digits, and every direction normal to the
// edges may be used.
static const double LEAST_SINE = 1e-12;

/// gradient = the derivative of t . (u x v) for the edges u from x0 to x1 and v from x2 to x3.
static void cross_gradient(const double u[3], const double v[3], const double t[3], per_point out) {
    cross3(v, t, out[1]);
    scale3(-1.0, out[1], out[0]);
    cross3(t, u, out[3]);
    scale3(-1.0, out[3], out[2]);
}

/// Finds three axes: normal to both edges, along the longer one, and normal to these two. Returns
/// false if both edges have length zero.
static bool find_axes(const double u[3], const double v[3], const double r[3], double axes[3][3]) {
    const double *const longer = dot3(u, u) >= dot3(v, v) ? u : v;
    const double length = norm3(longer);
    if (!(length > 0.0)) {
        return false;
    }
    scale3(1.0 / length, longer, axes[1]);
    if (norm3(r) > LEAST_SINE * norm3(u) * norm3(v)) {
        scale3(1.0 / norm3(r), r, axes[0]);
    } else {
        int least = fabs(axes[1][1]) < fabs(axes[1][0]) ? 1 : 0;
        least = fabs(axes[1][2]) < fabs(axes[1][least]) ? 2 : least;
        double e[3] = {0.0};
        e[least] = 1.0;
        cross3(axes[1], e, axes[0]);
        scale3(1.0 / norm3(axes[0]), axes[0], axes[0]);
    }
    cross3(axes[0], axes[1], axes[2]);
    return true;
}

static double norm_of(per_point a) {
    double sum = 0.0;
    for (int k = 0; k < CONTACT_POINTS; k++) {
        sum += dot3(a[k], a[k]);
    }
    return sqrt(sum);
}

/// Adds the positive part of aa A A^T + aq (A Q^T + Q A^T) + qq Q Q^T of unit vectors A and Q.
static void add_positive(double aa, double aq, double qq, per_point a, per_point q,
                         struct contact_hessian *hessian) {
    const double mean = 0.5 * (aa + qq);
    const double half = 0.5 * (aa - qq);
    const double root = sqrt(half * half + aq * aq);
    const double cosine_twice = root > 0.0 ? half / root : 1.0;
    const double cosine = sqrt(0.5 * (1.0 + cosine_twice));
    const double sine = copysign(sqrt(0.5 * (1.0 - cosine_twice)), aq);
    const double lambda[2] = {mean + root, mean - root};
    const double weight[2][2] = {{cosine, sine}, {-sine, cosine}};
    for (int i = 0; i < 2; i++) {
        if (!(lambda[i] > 0.0)) {
            continue;
        }
        for (int k = 0; k < CONTACT_POINTS; k++) {
            double *const out = hessian->vector[hessian->count][k];
            scale3(weight[i][0], a[k], out);
            add_scaled3(out, weight[i][1], q[k], out);
        }
        contact_hessian_add(hessian, lambda[i]);
    }
}

void mollified_edges_hessian(const struct active_contact *contact,
                             const double *const x[PAIR_NODES], struct contact_hessian *hessian) {
    double u[3];
    double v[3];
    double r[3];
    double axes[3][3];
    subtract3(x[1], x[0], u);
    subtract3(x[3], x[2], v);
    cross3(u, v, r);
    if (!find_axes(u, v, r, axes)) {
        return;
    }
    const double square = dot3(r, r);
    const struct barrier_value *const b = &contact->barrier;
    const struct barrier_value m = mollifier_evaluate(square, contact->threshold);
    // Derivatives with respect to s: m_s = 2 s m', m_ss = 2 m' + 4 s^2 m''.
    const double slope = 2.0 * sqrt(square) * m.first;
    const double curvature = 2.0 * m.first + 4.0 * square * m.second;
    for (int k = 1; k < 3; k++) {
        // m_s hess s is m_s / s times the sum over the two directions normal to r.
        cross_gradient(u, v, axes[k], hessian->vector[hessian->count]);
        contact_hessian_add(hessian, 2.0 * m.first * b->value);
    }
    per_point a;
    per_point q;
    cross_gradient(u, v, axes[0], q);
    for (int k = 0; k < CONTACT_POINTS; k++) {
        scale3(contact->weight[k], contact->normal, a[k]);
    }
    const double of_a = norm_of(a);
    const double of_q = norm_of(q);
    for (int k = 0; k < CONTACT_POINTS; k++) {
        scale3(1.0 / of_a, a[k], a[k]);
        scale3(1.0 / of_q, q[k], q[k]);
    }
    add_positive(m.value * b->second * of_a * of_a, slope * b->first * of_a * of_q,
                 curvature * b->value * of_q * of_q, a, q, hessian);
}

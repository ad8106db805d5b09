// Stable Neo-Hookean solid (Smith, de Goes, Kim 2018, "Stable Neo-Hookean flesh simulation",
// eq. 14), with an energy that is finite for every F. A constant is added to
//     psi = mu/2 (Ic - 3) + lambda/2 (J - alpha)^2 - mu/2 ln(Ic + 1),  alpha = 1 + 3/4 mu/lambda
// so that psi = 0 at F = 1. Theory: docs/theory/materials.md sections 2 to 4.
// SPDX-License-Identifier: MIT
#include "base/lanes/logarithm.h"
#include "energy/material.h"
#include "energy/deformation/tangent.h"

struct measures {
    lanes8 f[9], cofactor[9], e[6];
    lanes8 dilation; ///< J - 1
};

ALWAYS_INLINE void measure(const lanes8 f[9], struct measures *m) {
    for (int i = 0; i < 9; i++) {
        m->f[i] = f[i];
    }
    cofactor_lanes(f, m->cofactor);
    green_strain_lanes(f, m->e);
    m->dilation = determinant_lanes(f, m->cofactor) - 1.0;
}

/// With t = (Ic - 3)/4: psi = lambda/2 (J-1)^2 + mu/2 (t - ln(1+t)) + 3/4 mu (tr E - (J-1)). Each
/// of the three terms is of second order in the strain, so that nothing cancels at small strain.
ALWAYS_INLINE lanes8 density(lanes8 mu, lanes8 lambda, const struct measures *m) {
    const lanes8 trace = m->e[0] + m->e[3] + m->e[5];
    return 0.5 * lambda * m->dilation * m->dilation + 0.5 * mu * log_excess_lanes(0.5 * trace) +
           0.75 * mu * trace_excess_lanes(m->e, m->dilation);
}

ALWAYS_INLINE void stress(lanes8 mu, lanes8 lambda, const struct measures *m, lanes8 p[9]) {
    const lanes8 pressure = lambda * m->dilation - 0.75 * mu;
    const lanes8 stretch = mu - mu / (squared_norm_lanes(m->f) + 1.0);
    for (int i = 0; i < 9; i++) {
        p[i] = stretch * m->f[i] + pressure * m->cofactor[i];
    }
}

ALWAYS_INLINE void principal(lanes8 mu, lanes8 lambda, const lanes8 s[3], struct principal *out) {
    const lanes8 inverse = 1.0 / (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 1.0);
    const lanes8 stretch = mu - mu * inverse;
    const lanes8 curvature = 2.0 * mu * inverse * inverse;
    const lanes8 pressure = lambda * (s[0] * s[1] * s[2] - 1.0) - 0.75 * mu;
    const lanes8 c[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++) {
            out->hessian[k] = curvature * s[i] * s[j] + lambda * c[i] * c[j];
            out->hessian[k] += i == j ? stretch : pressure * s[3 - i - j];
        }
    }
    for (int pair = 0; pair < 3; pair++) {
        out->symmetric[pair] = stretch - pressure * s[2 - pair];
        out->antisymmetric[pair] = stretch + pressure * s[2 - pair];
    }
}

#define tangent       invariant_tangent
#define tangent_side  invariant_side
#define tangent_block invariant_block

ALWAYS_INLINE void tangent_set(lanes8 mu, lanes8 lambda, lanes8 weight, const lanes8 f[9],
                               struct tangent *t) {
    for (int i = 0; i < 9; i++) {
        t->f[i] = f[i];
    }
    cofactor_lanes(f, t->cofactor);
    const lanes8 inverse = 1.0 / (squared_norm_lanes(f) + 1.0);
    t->identity = weight * (mu - mu * inverse);
    t->stretch = weight * (2.0 * mu * inverse * inverse);
    t->volume = weight * lambda;
    t->pressure = weight * (lambda * (determinant_lanes(f, t->cofactor) - 1.0) - 0.75 * mu);
}

#include "energy/materials/solid_kernel.h"

/// mu' = 4/3 mu and lambda' = lambda + 5/6 mu give the material the requested Young's modulus and
/// Poisson's ratio at small strain (section 3.4 of the paper).
static void parameters(double young, double poisson, double *mu, double *lambda) {
    double small_mu;
    double small_lambda;
    material_lame(young, poisson, &small_mu, &small_lambda);
    *mu = 4.0 / 3.0 * small_mu;
    *lambda = small_lambda + 5.0 / 6.0 * small_mu;
}

const struct material_table material_stable_neo_hookean = {
    .id = PBS_MATERIAL_STABLE_NEO_HOOKEAN,
    .name = "stable-neo-hookean",
    .inversion_is_infinite = false,
    // `unbounded` is null: lambda' = lambda + 5/6 mu is positive for all Poisson ratios above -1,
    // so that the energy has a lower bound.
    .parameters = parameters,
    .evaluate = solid_evaluate,
    .point = solid_point,
};

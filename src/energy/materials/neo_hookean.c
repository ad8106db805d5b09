// Neo-Hookean solid with logarithm (Bonet and Wood 1997, section 5.4.3), infinite for J <= 0:
//     psi = mu/2 (Ic - 3) - mu ln J + lambda/2 (ln J)^2.
// Theory: docs/theory/materials.md sections 2 to 4.
// SPDX-License-Identifier: MIT
#include "base/lanes/logarithm.h"
#include "energy/material.h"
#include "energy/deformation/tangent.h"

// J below the smallest normal number counts as zero, because 1 / J would overflow.
#define SMALLEST_J 2.2250738585072014e-308

/// Returns J, or 1 in lanes where J is not admissible: their energy is infinite, and the other
/// results must only be finite numbers.
ALWAYS_INLINE lanes8 admissible(lanes8 j) {
    return lanes_select(j >= SMALLEST_J, j, lanes_set(1.0));
}

struct measures {
    lanes8 f[9], cofactor[9], e[6];
    lanes8 determinant;
    lanes8 j;         ///< J, or 1 if not admissible
    lanes8 logarithm; ///< ln J
    lanes8 excess;    ///< (J - 1) - ln J
};

ALWAYS_INLINE void measure(const lanes8 f[9], struct measures *m) {
    for (int i = 0; i < 9; i++) {
        m->f[i] = f[i];
    }
    cofactor_lanes(f, m->cofactor);
    green_strain_lanes(f, m->e);
    m->determinant = determinant_lanes(f, m->cofactor);
    m->j = admissible(m->determinant);
    log_with_excess_lanes(m->j, &m->logarithm, &m->excess);
}

/// psi = mu (tr E - (J-1)) + mu ((J-1) - ln J) + lambda/2 (ln J)^2, each part of second order.
ALWAYS_INLINE lanes8 density(lanes8 mu, lanes8 lambda, const struct measures *m) {
    const lanes8 psi = mu * (trace_excess_lanes(m->e, m->j - 1.0) + m->excess) +
                       0.5 * lambda * m->logarithm * m->logarithm;
    return lanes_select(m->determinant < SMALLEST_J, lanes_set(INFINITY), psi);
}

ALWAYS_INLINE void stress(lanes8 mu, lanes8 lambda, const struct measures *m, lanes8 p[9]) {
    const lanes8 pressure = (lambda * m->logarithm - mu) / m->j;
    for (int i = 0; i < 9; i++) {
        p[i] = mu * m->f[i] + pressure * m->cofactor[i];
    }
}

ALWAYS_INLINE void principal(lanes8 mu, lanes8 lambda, const lanes8 sigma[3],
                             struct principal *out) {
    const mask8 valid = sigma[2] > 0.0;
    lanes8 inverse[3];
    for (int i = 0; i < 3; i++) {
        inverse[i] = 1.0 / lanes_select(valid, sigma[i], lanes_set(1.0));
    }
    const lanes8 j = admissible(sigma[0] * sigma[1] * sigma[2]);
    const lanes8 pressure = lambda * log_lanes(j) - mu;
    for (int i = 0, k = 0; i < 3; i++) {
        for (int l = i; l < 3; l++, k++) {
            const lanes8 product = inverse[i] * inverse[l];
            out->hessian[k] = i == l ? mu + (lambda - pressure) * product : lambda * product;
        }
    }
    for (int i = 0, pair = 0; i < 3; i++) {
        for (int l = i + 1; l < 3; l++, pair++) {
            const lanes8 term = pressure * inverse[i] * inverse[l];
            out->symmetric[pair] = mu - term;
            out->antisymmetric[pair] = mu + term;
        }
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
    const lanes8 j = admissible(determinant_lanes(f, t->cofactor));
    const lanes8 inverse = 1.0 / j;
    const lanes8 pressure = (lambda * log_lanes(j) - mu) * inverse;
    t->identity = weight * mu;
    t->stretch = lanes_set(0.0);
    t->volume = weight * ((lambda * inverse - pressure) * inverse);
    t->pressure = weight * pressure;
}

#include "energy/materials/solid_kernel.h"

const struct material_table material_neo_hookean = {
    .id = PBS_MATERIAL_NEO_HOOKEAN,
    .name = "neo-hookean",
    .inversion_is_infinite = true,
    // lambda/2 (ln J)^2 outgrows -mu ln J where J tends to 0.
    .unbounded = "in compression",
    .parameters = material_lame,
    .evaluate = solid_evaluate,
    .point = solid_point,
};

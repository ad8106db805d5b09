// St. Venant-Kirchhoff solid, quadratic in the Green strain E: psi = lambda/2 (tr E)^2 + mu E : E.
// Suited to small strains: under strong compression the stiffness vanishes, and the energy of a
// reflection is as low as at rest. Theory: docs/theory/materials.md sections 2 to 4.
// SPDX-License-Identifier: MIT
#include "energy/material.h"
#include "energy/deformation/tangent.h"

struct measures {
    lanes8 f[9], e[6];
};

ALWAYS_INLINE void measure(const lanes8 f[9], struct measures *m) {
    for (int i = 0; i < 9; i++) {
        m->f[i] = f[i];
    }
    green_strain_lanes(f, m->e);
}

ALWAYS_INLINE lanes8 density(lanes8 mu, lanes8 lambda, const struct measures *m) {
    const lanes8 *e = m->e;
    const lanes8 trace = e[0] + e[3] + e[5];
    const lanes8 square = e[0] * e[0] + e[3] * e[3] + e[5] * e[5] +
                          2.0 * (e[1] * e[1] + e[2] * e[2] + e[4] * e[4]);
    return 0.5 * lambda * trace * trace + mu * square;
}

/// Second Piola stress S = lambda tr(E) + 2 mu E, full matrix.
ALWAYS_INLINE void second_stress(lanes8 mu, lanes8 lambda, const lanes8 e[6], lanes8 s[9]) {
    const lanes8 pressure = lambda * (e[0] + e[3] + e[5]);
    s[0] = pressure + 2.0 * mu * e[0];
    s[4] = pressure + 2.0 * mu * e[3];
    s[8] = pressure + 2.0 * mu * e[5];
    s[1] = 2.0 * mu * e[1];
    s[2] = 2.0 * mu * e[2];
    s[5] = 2.0 * mu * e[4];
    mirror_lanes(s);
}

/// P = F S.
ALWAYS_INLINE void stress(lanes8 mu, lanes8 lambda, const struct measures *m, lanes8 p[9]) {
    lanes8 s[9];
    second_stress(mu, lambda, m->e, s);
    for (int i = 0; i < 3; i++) {
        multiply_lanes(s, m->f + 3 * i, p + 3 * i);
    }
}

ALWAYS_INLINE void principal(lanes8 mu, lanes8 lambda, const lanes8 s[3], struct principal *out) {
    const lanes8 trace = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3.0;
    const lanes8 pressure = 0.5 * lambda * trace;
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++) {
            out->hessian[k] = lambda * s[i] * s[j];
            out->hessian[k] += i == j ? pressure + mu * (3.0 * s[i] * s[i] - 1.0) : lanes_set(0.0);
        }
    }
    for (int i = 0, pair = 0; i < 3; i++) {
        for (int j = i + 1; j < 3; j++, pair++) {
            const lanes8 squares = s[i] * s[i] + s[j] * s[j] - 1.0;
            out->symmetric[pair] = pressure + mu * (squares + s[i] * s[j]);
            out->antisymmetric[pair] = pressure + mu * (squares - s[i] * s[j]);
        }
    }
}

/// Data of the Hessian: stress S and left = mu F F^T, lambda and mu, all multiplied by the weight.
struct tangent {
    lanes8 f[9], stress[9], left[9];
    lanes8 mu, lambda;
};

struct tangent_side {
    lanes8 b[3], f[3], stress[3];
};

ALWAYS_INLINE void tangent_set(lanes8 mu, lanes8 lambda, lanes8 weight, const lanes8 f[9],
                               struct tangent *t) {
    lanes8 e[6];
    green_strain_lanes(f, e);
    t->mu = weight * mu;
    t->lambda = weight * lambda;
    second_stress(t->mu, t->lambda, e, t->stress);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            t->left[3 * i + j] = t->mu * dot_lanes(f + 3 * i, f + 3 * j);
        }
    }
    mirror_lanes(t->left);
    for (int i = 0; i < 9; i++) {
        t->f[i] = f[i];
    }
}

ALWAYS_INLINE void tangent_side(const struct tangent *t, const lanes8 b[3],
                                struct tangent_side *side) {
    for (int i = 0; i < 3; i++) {
        side->b[i] = b[i];
    }
    multiply_lanes(t->f, b, side->f);
    multiply_lanes(t->stress, b, side->stress);
}

/// From dP = dF S + F (lambda tr(dE) + 2 mu dE) with dE = (dF^T F + F^T dF) / 2, the block between
/// p and q is (p . S q) 1 + lambda Fp Fq^T + mu (Fq Fp^T + (p . q) F F^T).
ALWAYS_INLINE void tangent_block(const struct tangent *t, const struct tangent_side *p,
                                 const struct tangent_side *q, bool same, lanes8 k[9]) {
    const lanes8 diagonal = dot_lanes(p->stress, q->b);
    const lanes8 product = dot_lanes(p->b, q->b);
    for (int i = 0; i < 3; i++) {
        for (int j = same ? i : 0; j < 3; j++) {
            k[3 * i + j] = t->lambda * p->f[i] * q->f[j] + t->mu * q->f[i] * p->f[j] +
                           product * t->left[3 * i + j];
        }
        k[4 * i] += diagonal;
    }
    if (same) {
        mirror_lanes(k);
    }
}

#include "energy/materials/solid_kernel.h"

const struct material_table material_st_venant_kirchhoff = {
    .id = PBS_MATERIAL_ST_VENANT_KIRCHHOFF,
    .name = "st-venant-kirchhoff",
    .inversion_is_infinite = false,
    // Bounded: psi >= (lambda/2 + mu/3) (tr E)^2, and the bulk modulus is positive.
    .parameters = material_lame,
    .evaluate = solid_evaluate,
    .point = solid_point,
};

// Fixed corotated solid (Stomakhin, Howes, Schroeder, Teran 2012, "Energetically consistent
// invertible elasticity", eq. 8):
//     psi = mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2
// in the signed singular values s, finite for every F. The first part is mu |F - R|^2 with the
// rotation R of the polar decomposition, so energy and stress need no singular values. Theory:
// docs/theory/materials.md sections 2 to 4.
// SPDX-License-Identifier: MIT
#include "base/matrix3/polar3.h"
#include "energy/material.h"
#include "energy/deformation/tangent.h"

// The energy has a kink at s_i + s_j = 0 (an inverted element with two opposite stretches); the
// curvature there is -4 mu / (s_i + s_j). Lower bound of s_i + s_j in the Hessian, which keeps it
// finite. Above the bound the Hessian is exact.
#define SMALLEST_SUM 1e-6

struct measures {
    lanes8 deviation[9]; ///< F - R
    lanes8 cofactor[9];
    lanes8 dilation; ///< J - 1
};

ALWAYS_INLINE void measure(const lanes8 f[9], struct measures *m) {
    lanes8 rotation[9];
    cofactor_lanes(f, m->cofactor);
    const lanes8 determinant = determinant_lanes(f, m->cofactor);
    polar3_lanes(f, m->cofactor, determinant, rotation);
    for (int i = 0; i < 9; i++) {
        m->deviation[i] = f[i] - rotation[i];
    }
    m->dilation = determinant - 1.0;
}

ALWAYS_INLINE lanes8 density(lanes8 mu, lanes8 lambda, const struct measures *m) {
    return mu * squared_norm_lanes(m->deviation) + 0.5 * lambda * m->dilation * m->dilation;
}

/// P = 2 mu (F - R) + lambda (J - 1) cof F.
ALWAYS_INLINE void stress(lanes8 mu, lanes8 lambda, const struct measures *m, lanes8 p[9]) {
    const lanes8 pressure = lambda * m->dilation;
    for (int i = 0; i < 9; i++) {
        p[i] = 2.0 * mu * m->deviation[i] + pressure * m->cofactor[i];
    }
}

ALWAYS_INLINE void principal(lanes8 mu, lanes8 lambda, const lanes8 s[3], struct principal *out) {
    const lanes8 pressure = lambda * (s[0] * s[1] * s[2] - 1.0);
    const lanes8 c[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++) {
            out->hessian[k] = lambda * c[i] * c[j];
            out->hessian[k] += i == j ? 2.0 * mu : pressure * s[3 - i - j];
        }
    }
    for (int i = 0, pair = 0; i < 3; i++) {
        for (int j = i + 1; j < 3; j++, pair++) {
            const lanes8 sum = lanes_max(s[i] + s[j], lanes_set(SMALLEST_SUM));
            out->symmetric[pair] = 2.0 * mu - pressure * s[2 - pair];
            out->antisymmetric[pair] = 2.0 * mu * (1.0 - 2.0 / sum) + pressure * s[2 - pair];
        }
    }
}

/// dP/dF = identity (dF - dR) + volume cof F (x) cof F + pressure d(cof F)/dF.
struct tangent {
    lanes8 identity, volume, pressure;
    lanes8 f[9], cofactor[9], rotation[9];
    lanes8 rate[9]; ///< identity times the matrix of the rate of R
};

/// Products with one shape gradient b that its blocks share.
struct tangent_side {
    lanes8 b[3], cofactor[3];
    lanes8 rotated[3]; ///< R b
    lanes8 rate[9];    ///< rate [R b]x
};

ALWAYS_INLINE void tangent_set(lanes8 mu, lanes8 lambda, lanes8 weight, const lanes8 f[9],
                               struct tangent *t) {
    lanes8 rate[6];
    for (int i = 0; i < 9; i++) {
        t->f[i] = f[i];
    }
    cofactor_lanes(f, t->cofactor);
    const lanes8 determinant = determinant_lanes(f, t->cofactor);
    polar3_with_rate_lanes(f, t->cofactor, determinant, SMALLEST_SUM, t->rotation, rate);
    t->identity = 2.0 * weight * mu;
    t->volume = weight * lambda;
    t->pressure = t->volume * (determinant - 1.0);
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++) {
            t->rate[3 * i + j] = t->identity * rate[k];
            t->rate[3 * j + i] = t->rate[3 * i + j];
        }
    }
}

ALWAYS_INLINE void tangent_side(const struct tangent *t, const lanes8 b[3],
                                struct tangent_side *side) {
    for (int i = 0; i < 3; i++) {
        side->b[i] = b[i];
    }
    multiply_lanes(t->cofactor, b, side->cofactor);
    multiply_lanes(t->rotation, b, side->rotated);
    for (int i = 0; i < 9; i += 3) {
        cross_lanes(t->rate + i, side->rotated, side->rate + i);
    }
}

/// Computes the block between the sides p and q. A displacement e of q's node changes F by e (x) q
/// and R by [rate (R q x e)]x R. The rotational part of P = 2 mu (F - R) + ... then contributes R p
/// x (rate (R q x e)) at p's node.
ALWAYS_INLINE void tangent_block(const struct tangent *t, const struct tangent_side *p,
                                 const struct tangent_side *q, bool same, lanes8 k[9]) {
    lanes8 pressed[3];
    for (int i = 0; i < 3; i++) {
        pressed[i] = t->volume * p->cofactor[i];
    }
    for (int j = 0; j < 3; j++) {
        const lanes8 column[3] = {q->rate[j], q->rate[3 + j], q->rate[6 + j]};
        lanes8 rotational[3];
        cross_lanes(p->rotated, column, rotational);
        for (int i = 0; i <= (same ? j : 2); i++) {
            k[3 * i + j] = pressed[i] * q->cofactor[j] + rotational[i];
        }
    }
    finish_block_lanes(t->identity, t->f, t->pressure, p->b, q->b, same, k);
}

#include "energy/materials/solid_kernel.h"

const struct material_table material_fixed_corotated = {
    .id = PBS_MATERIAL_FIXED_COROTATED,
    .name = "fixed-corotated",
    .inversion_is_infinite = false,
    // lambda/2 (J - 1)^2 grows as the sixth power of a stretch, mu sum (s_i - 1)^2 as the second.
    .unbounded = "in expansion",
    .parameters = material_lame,
    .evaluate = solid_evaluate,
    .point = solid_point,
};

// Fixed corotated solid (Stomakhin, Howes, Schroeder, Teran 2012, "Energetically consistent
// invertible elasticity", eq. 8):
//     psi = mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2
// in the signed singular values s, finite for every F.
#include "energy/material.h"
#include "energy/tangent.h"

#define MATERIAL_TANGENT_ROTATED

// The energy has a kink where s_i + s_j = 0 (inverted, two stretches equal and opposite), with a
// curvature of -4 mu / (s_i + s_j) across it. The denominator is kept above this, so that the exact
// Hessian stays finite; it is exact everywhere else.
#define SMALLEST_SUM 1e-6

struct measures {
    lanes8 f[9], u[9], v[9], s[3];
};

ALWAYS_INLINE void measure(const lanes8 f[9], struct measures *m) {
    for (int i = 0; i < 9; i++) {
        m->f[i] = f[i];
    }
    svd3_lanes(f, m->u, m->s, m->v);
}

ALWAYS_INLINE lanes8 density(lanes8 mu, lanes8 lambda, const struct measures *m) {
    const lanes8 j = m->s[0] * m->s[1] * m->s[2] - 1.0;
    lanes8 sum = lanes_set(0.0);
    for (int i = 0; i < 3; i++) {
        sum += (m->s[i] - 1.0) * (m->s[i] - 1.0);
    }
    return mu * sum + 0.5 * lambda * j * j;
}

/// P = 2 mu (F - R) + lambda (J - 1) cof F, R = U V^T.
ALWAYS_INLINE void stress(lanes8 mu, lanes8 lambda, const struct measures *m, lanes8 p[9]) {
    lanes8 cofactor[9];
    cofactor_lanes(m->f, cofactor);
    const lanes8 pressure = lambda * (determinant_lanes(m->f, cofactor) - 1.0);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const lanes8 rotation = dot_lanes(m->u + 3 * i, m->v + 3 * j);
            const int ij = 3 * i + j;
            p[ij] = 2.0 * mu * (m->f[ij] - rotation) + pressure * cofactor[ij];
        }
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

#include "energy/solid_kernel.h"

const struct material_table material_fixed_corotated = {
    .id = PBS_MATERIAL_FIXED_COROTATED,
    .name = "fixed-corotated",
    .inversion_is_infinite = false,
    .parameters = material_lame,
    .evaluate = solid_evaluate,
    .point = solid_point,
};

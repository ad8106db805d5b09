// Hessian blocks b_a^T (dP/dF) b_b between two shape gradients, for eight elements, in the two
// forms that the materials use: in closed form for psi(Ic, J), and in the frame of the singular
// value decomposition of F, where the Hessian can be made positive semidefinite (Smith, de Goes,
// Kim 2019, "Analytic eigensystems for isotropic distortion energies"). Theory:
// docs/theory/materials.md section 3.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_DEFORMATION_TANGENT_H
#define PBS_ENERGY_DEFORMATION_TANGENT_H

#include "base/matrix3/eigen3.h"
#include "base/matrix3/svd3.h"
#include "energy/deformation/strain.h"

/// out = m a, m row-major.
ALWAYS_INLINE void multiply_lanes(const lanes8 m[9], const lanes8 a[3], lanes8 out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = m[3 * i] * a[0] + m[3 * i + 1] * a[1] + m[3 * i + 2] * a[2];
    }
}

/// out = m^T a.
ALWAYS_INLINE void multiply_transposed_lanes(const lanes8 m[9], const lanes8 a[3], lanes8 out[3]) {
    for (int j = 0; j < 3; j++) {
        out[j] = m[j] * a[0] + m[3 + j] * a[1] + m[6 + j] * a[2];
    }
}

ALWAYS_INLINE void scale_lanes(lanes8 s, const lanes8 a[3], lanes8 out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = s * a[i];
    }
}

ALWAYS_INLINE lanes8 dot_lanes(const lanes8 a[3], const lanes8 b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ALWAYS_INLINE void cross_lanes(const lanes8 a[3], const lanes8 b[3], lanes8 out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/// Fills the lower triangle from the upper one.
ALWAYS_INLINE void mirror_lanes(lanes8 k[9]) {
    k[3] = k[1];
    k[6] = k[2];
    k[7] = k[5];
}

/// Adds pressure times the block of d(cof F)/dF between the shape gradients p and q: d2J / dF_ij
/// dF_kl = eps_ikm eps_jln F_mn makes it the cross product matrix of F (p x q).
ALWAYS_INLINE void add_pressure_lanes(const lanes8 f[9], lanes8 pressure, const lanes8 p[3],
                                      const lanes8 q[3], lanes8 k[9]) {
    lanes8 normal[3];
    lanes8 w[3];
    cross_lanes(p, q, normal);
    multiply_lanes(f, normal, w);
    for (int i = 0; i < 3; i++) {
        w[i] *= pressure;
    }
    k[1] += w[2];
    k[2] -= w[1];
    k[3] -= w[2];
    k[5] += w[0];
    k[6] += w[1];
    k[7] -= w[0];
}

/// Completes a block that already holds its other terms: adds identity (p . q) to the diagonal, and
/// the pressure term. If both sides are the same, the pressure term is zero and only the upper
/// triangle of k is read.
ALWAYS_INLINE void finish_block_lanes(lanes8 identity, const lanes8 f[9], lanes8 pressure,
                                      const lanes8 p[3], const lanes8 q[3], bool same,
                                      lanes8 k[9]) {
    const lanes8 diagonal = identity * dot_lanes(p, q);
    k[0] += diagonal;
    k[4] += diagonal;
    k[8] += diagonal;
    if (same) {
        mirror_lanes(k);
        return;
    }
    add_pressure_lanes(f, pressure, p, q, k);
}

/// dP/dF = identity * 1 + stretch * F (x) F + volume * cof F (x) cof F + pressure * d(cof F)/dF,
/// the form for every psi(Ic, J) without a mixed derivative: identity = 2 psi_I, stretch = 4
/// psi_II, volume = psi_JJ, pressure = psi_J.
struct invariant_tangent {
    lanes8 identity, stretch, volume, pressure;
    lanes8 f[9], cofactor[9];
};

/// Products with one shape gradient b that its blocks share.
struct invariant_side {
    lanes8 b[3], f[3], cofactor[3];
};

ALWAYS_INLINE void invariant_side(const struct invariant_tangent *t, const lanes8 b[3],
                                  struct invariant_side *side) {
    for (int i = 0; i < 3; i++) {
        side->b[i] = b[i];
    }
    multiply_lanes(t->f, b, side->f);
    multiply_lanes(t->cofactor, b, side->cofactor);
}

/// Computes the block between the sides p and q.
ALWAYS_INLINE void invariant_block(const struct invariant_tangent *t,
                                   const struct invariant_side *p, const struct invariant_side *q,
                                   bool same, lanes8 k[9]) {
    lanes8 stretched[3];
    lanes8 pressed[3];
    for (int i = 0; i < 3; i++) {
        stretched[i] = t->stretch * p->f[i];
        pressed[i] = t->volume * p->cofactor[i];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = same ? i : 0; j < 3; j++) {
            k[3 * i + j] = stretched[i] * q->f[j] + pressed[i] * q->cofactor[j];
        }
    }
    finish_block_lanes(t->identity, t->f, t->pressure, p->b, q->b, same, k);
}

/// The derivatives of psi(s0, s1, s2) from which dP/dF is built in the principal frame. The pairs
/// of axes are 01 02 12.
struct principal {
    lanes8 hessian[6];       ///< d2psi / ds_i ds_j: 00 01 02 11 12 22
    lanes8 symmetric[3];     ///< (psi_i - psi_j) / (s_i - s_j): eigenvalue of dF_ij = dF_ji
    lanes8 antisymmetric[3]; ///< (psi_i + psi_j) / (s_i + s_j): eigenvalue of dF_ij = -dF_ji
};

/// dP/dF in the frame of F = U diag(s) V^T. Its entries (ii, jj) are in hessian, (ij, ij) in
/// straight, (ij, ji) in crossed; all others are zero.
struct rotated_tangent {
    lanes8 u[9], v[9];
    lanes8 hessian[6];
    lanes8 straight[3], crossed[3];
};

/// Returns true if all eight matrices are positive definite, by their leading minors.
ALWAYS_INLINE bool principal_is_definite(const lanes8 a[6]) {
    const lanes8 minor = a[0] * a[3] - a[1] * a[1];
    const lanes8 determinant = a[5] * minor - a[0] * a[4] * a[4] + 2.0 * a[1] * a[2] * a[4] -
                               a[3] * a[2] * a[2];
    // The margin ensures that rounding in the determinant does not hide a negative eigenvalue.
    const lanes8 scale = lanes_abs(a[0]) + lanes_abs(a[3]) + lanes_abs(a[5]);
    const mask8 inside = (a[0] > 1e-8 * scale) & (minor > 1e-8 * scale * scale) &
                         (determinant > 1e-8 * scale * scale * scale);
    return !lanes_any(~inside);
}

/// Fills *t, except u and v, from the principal derivatives; these are first made positive
/// semidefinite if `project` is set.
ALWAYS_INLINE void rotated_set(struct principal *principal, bool project,
                               struct rotated_tangent *t) {
    if (project) {
        for (int i = 0; i < 3; i++) {
            principal->symmetric[i] = lanes_max(principal->symmetric[i], lanes_set(0.0));
            principal->antisymmetric[i] = lanes_max(principal->antisymmetric[i], lanes_set(0.0));
        }
        if (!principal_is_definite(principal->hessian)) {
            eigen3_project_lanes(principal->hessian);
        }
    }
    for (int i = 0; i < 6; i++) {
        t->hessian[i] = principal->hessian[i];
    }
    for (int i = 0; i < 3; i++) {
        t->straight[i] = 0.5 * (principal->symmetric[i] + principal->antisymmetric[i]);
        t->crossed[i] = 0.5 * (principal->symmetric[i] - principal->antisymmetric[i]);
    }
}

/// Computes the block between two shape gradients p and q given in the frame of V (p = V^T b).
ALWAYS_INLINE void rotated_block(const struct rotated_tangent *t, const lanes8 p[3],
                                 const lanes8 q[3], bool same, lanes8 k[9]) {
    const lanes8 d0 = p[0] * q[0];
    const lanes8 d1 = p[1] * q[1];
    const lanes8 d2 = p[2] * q[2];
    lanes8 inner[9];
    inner[0] = t->hessian[0] * d0 + t->straight[0] * d1 + t->straight[1] * d2;
    inner[4] = t->hessian[3] * d1 + t->straight[0] * d0 + t->straight[2] * d2;
    inner[8] = t->hessian[5] * d2 + t->straight[1] * d0 + t->straight[2] * d1;
    inner[1] = t->hessian[1] * p[0] * q[1] + t->crossed[0] * p[1] * q[0];
    inner[2] = t->hessian[2] * p[0] * q[2] + t->crossed[1] * p[2] * q[0];
    inner[5] = t->hessian[4] * p[1] * q[2] + t->crossed[2] * p[2] * q[1];
    inner[3] = t->hessian[1] * p[1] * q[0] + t->crossed[0] * p[0] * q[1];
    inner[6] = t->hessian[2] * p[2] * q[0] + t->crossed[1] * p[0] * q[2];
    inner[7] = t->hessian[4] * p[2] * q[1] + t->crossed[2] * p[1] * q[2];
    for (int i = 0; i < 3; i++) {
        lanes8 row[3];
        multiply_transposed_lanes(inner, t->u + 3 * i, row);
        for (int j = same ? i : 0; j < 3; j++) {
            k[3 * i + j] = dot_lanes(row, t->u + 3 * j);
        }
    }
    if (same) {
        mirror_lanes(k);
    }
}

#endif

// Hessian blocks of eight triangles: from dP/dF in the frame of the singular values of the 3x2
// deformation gradient F, and those of node 0 from the others. Theory: docs/theory/shells.md
// section 7.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_MEMBRANE_TANGENT_H
#define PBS_ENERGY_SHELLS_MEMBRANE_TANGENT_H

#include "energy/deformation/tangent.h"

// Pairs of a triangle's nodes in the assembly's order.
enum { PAIR_00, PAIR_01, PAIR_02, PAIR_11, PAIR_12, PAIR_22, PAIR_COUNT };

/// Computes the blocks with node 0 from the others: the energy is invariant under translations.
ALWAYS_INLINE void complete_blocks(lanes8 k[PAIR_COUNT][9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int ij = 3 * i + j;
            const int ji = 3 * j + i;
            k[PAIR_01][ij] = -(k[PAIR_11][ij] + k[PAIR_12][ji]);
            k[PAIR_02][ij] = -(k[PAIR_12][ij] + k[PAIR_22][ij]);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            k[PAIR_00][3 * i + j] = -(k[PAIR_01][3 * i + j] + k[PAIR_02][3 * i + j]);
        }
    }
    mirror_lanes(k[PAIR_00]);
}

/// dP/dF in the frame of F = U diag(s) V^T. For the axes 0 and 1 of the plane, the entries (ii, jj)
/// are in stretch, (ij, ij) in straight, and (ij, ji) in crossed; outward[i] belongs to the
/// direction n (x) v_i.
struct framed_tangent {
    lanes8 frame[3][3]; ///< the columns u0, u1 of U and the normal
    lanes8 v[2];        ///< (v0, v1), the first column of V; the second is (-v1, v0)
    lanes8 stretch[3];  ///< entries 00 01 11
    lanes8 straight, crossed, outward[2];
};

/// Computes the first column of V, the eigenvector of C = F^T F for its larger eigenvalue.
ALWAYS_INLINE void first_stretch_axis(const lanes8 f[2][3], lanes8 v[2]) {
    const lanes8 half = 0.5 * (dot_lanes(f[0], f[0]) - dot_lanes(f[1], f[1]));
    const lanes8 off = dot_lanes(f[0], f[1]);
    const lanes8 radius = lanes_sqrt(half * half + off * off);
    // Choose the one of two equivalent forms that does not suffer cancellation.
    const mask8 upper = half >= 0.0;
    const lanes8 a = lanes_select(upper, half + radius, off);
    const lanes8 b = lanes_select(upper, off, radius - half);
    const lanes8 square = a * a + b * b;
    const mask8 known = square > 0.0;
    const lanes8 scale = 1.0 / lanes_sqrt(lanes_select(known, square, lanes_set(1.0)));
    v[0] = lanes_select(known, a * scale, lanes_set(1.0));
    v[1] = lanes_select(known, b * scale, lanes_set(0.0));
}

/// Computes the block between two shape gradients p and q given in the frame of V.
ALWAYS_INLINE void framed_block(const struct framed_tangent *t, const lanes8 p[2],
                                const lanes8 q[2], lanes8 k[9]) {
    const lanes8 d0 = p[0] * q[0];
    const lanes8 d1 = p[1] * q[1];
    const lanes8 d01 = p[0] * q[1];
    const lanes8 d10 = p[1] * q[0];
    const lanes8 i00 = t->stretch[0] * d0 + t->straight * d1;
    const lanes8 i01 = t->stretch[1] * d01 + t->crossed * d10;
    const lanes8 i10 = t->stretch[1] * d10 + t->crossed * d01;
    const lanes8 i11 = t->stretch[2] * d1 + t->straight * d0;
    const lanes8 i22 = t->outward[0] * d0 + t->outward[1] * d1;
    for (int i = 0; i < 3; i++) {
        const lanes8 r0 = i00 * t->frame[0][i] + i10 * t->frame[1][i];
        const lanes8 r1 = i01 * t->frame[0][i] + i11 * t->frame[1][i];
        const lanes8 r2 = i22 * t->frame[2][i];
        for (int j = 0; j < 3; j++) {
            k[3 * i + j] = r0 * t->frame[0][j] + r1 * t->frame[1][j] + r2 * t->frame[2][j];
        }
    }
}

/// Computes all blocks. b: shape gradients of nodes 1 and 2 in the rest plane.
ALWAYS_INLINE void framed_blocks(const struct framed_tangent *t, const lanes8 b[4],
                                 lanes8 k[PAIR_COUNT][9]) {
    lanes8 c[4];
    for (int a = 0; a < 4; a += 2) {
        c[a] = t->v[0] * b[a] + t->v[1] * b[a + 1];
        c[a + 1] = t->v[0] * b[a + 1] - t->v[1] * b[a];
    }
    framed_block(t, c, c, k[PAIR_11]);
    framed_block(t, c, c + 2, k[PAIR_12]);
    framed_block(t, c + 2, c + 2, k[PAIR_22]);
    complete_blocks(k);
}

#endif

// The kernel of svd3.h, one matrix in each of LANES lanes. The result of a matrix depends neither
// on the matrices in other lanes nor on the number of lanes. One source per vector width includes
// this header.
//
// V starts as the eigenvectors of F^T F in closed form. One-sided Jacobi rotations of the columns
// of B = F V (Hestenes 1958) then make it accurate, and restore the digits that squaring in F^T F
// lost. U is B with normalised columns.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_SVD3_KERNEL_H
#define PBS_BASE_MATRIX3_SVD3_KERNEL_H

#include "base/matrix3/eigen3_closed.h"

enum { MAX_PASSES = 20 };

// Columns whose cosine is below this count as orthogonal. It is a few rounding errors of the dot
// product.
#define ORTHOGONAL 8.0e-16

// A later column that is longer by less than this factor is not exchanged.
#define ORDER_SLACK (1.0 + 4.0 * ORTHOGONAL)

// Below this tangent the first terms of its series give a rotation to rounding.
#define SMALL_TANGENT 1.0e-3

/// B^T B: squared lengths and dot products of the columns.
struct gram {
    lanes8 a00, a11, a22, a01, a02, a12;
};

ALWAYS_INLINE lanes8 dot_columns(const lanes8 a[9], int p, int q) {
    return AT(a, 0, p) * AT(a, 0, q) + AT(a, 1, p) * AT(a, 1, q) + AT(a, 2, p) * AT(a, 2, q);
}

ALWAYS_INLINE void compute_gram(const lanes8 b[9], struct gram *g) {
    g->a00 = dot_columns(b, 0, 0);
    g->a11 = dot_columns(b, 1, 1);
    g->a22 = dot_columns(b, 2, 2);
    g->a01 = dot_columns(b, 0, 1);
    g->a02 = dot_columns(b, 0, 2);
    g->a12 = dot_columns(b, 1, 2);
}

/// Returns the lanes in which two columns are not orthogonal.
ALWAYS_INLINE mask8 is_oblique(lanes8 app, lanes8 aqq, lanes8 apq) {
    return apq * apq > (ORTHOGONAL * ORTHOGONAL) * (app * aqq);
}

/// Returns the lanes in which the second column is longer than the first.
ALWAYS_INLINE mask8 is_unsorted(lanes8 app, lanes8 aqq) {
    return aqq > app * ORDER_SLACK;
}

ALWAYS_INLINE void rotate_columns(lanes8 m[9], int p, int q, lanes8 c, lanes8 s) {
    for (int i = 0; i < 3; i++) {
        const lanes8 mp = AT(m, i, p);
        const lanes8 mq = AT(m, i, q);
        AT(m, i, p) = c * mp + s * mq;
        AT(m, i, q) = c * mq - s * mp;
    }
}

/// Sets V to the eigenvectors in closed form and B to F V, in the active lanes. Lanes whose columns
/// are already orthogonal and sorted are not active.
ALWAYS_INLINE void start(const struct gram *g, mask8 active, lanes8 b[9], lanes8 v[9]) {
    const lanes8 a[6] = {g->a00, g->a01, g->a02, g->a11, g->a12, g->a22};
    lanes8 q[9];
    closed_eigenvectors(a, q);
    for (int i = 0; i < 9; i++) {
        v[i] = lanes_select(active, q[i], v[i]);
    }
    for (int i = 0; i < 9; i += 3) {
        const lanes8 row[3] = {b[i], b[i + 1], b[i + 2]};
        for (int j = 0; j < 3; j++) {
            const lanes8 rotated = row[0] * v[j] + row[1] * v[3 + j] + row[2] * v[6 + j];
            b[i + j] = lanes_select(active, rotated, row[j]);
        }
    }
}

// --- Jacobi rotations ---

/// Returns the lanes whose columns are not yet orthogonal and sorted.
ALWAYS_INLINE mask8 needs_pass(const struct gram *g) {
    return is_oblique(g->a00, g->a11, g->a01) | is_oblique(g->a00, g->a22, g->a02) |
           is_oblique(g->a11, g->a22, g->a12) | is_unsorted(g->a00, g->a11) |
           is_unsorted(g->a11, g->a22);
}

/// Returns the tangent of the rotation of one pair to first order. Clears *is_small in lanes where
/// it is too large for the series.
ALWAYS_INLINE lanes8 tangent(lanes8 app, lanes8 aqq, lanes8 apq, mask8 *is_small) {
    const mask8 oblique = is_oblique(app, aqq, apq);
    const lanes8 d = app - aqq;
    const lanes8 t = apq / d;
    const mask8 small = (d > lanes_set(0.0)) & (lanes_abs(t) < lanes_set(SMALL_TANGENT));
    *is_small &= small | ~oblique;
    return (lanes8)((mask8)t & oblique);
}

/// Rotates columns p and q by theta with tan(2 theta) = 2 x, by the series for small x. c and s
/// satisfy c^2 + s^2 = 1 to rounding.
ALWAYS_INLINE void rotate_slightly(lanes8 b[9], lanes8 v[9], int p, int q, lanes8 x) {
    const lanes8 t = x * (1.0 - x * x);
    const lanes8 tt = t * t;
    const lanes8 c = 1.0 - tt * (0.5 - 0.375 * tt);
    const lanes8 s = t * c;
    rotate_columns(b, p, q, c, s);
    rotate_columns(v, p, q, c, s);
}

/// Makes columns p and q of B orthogonal, with the longer one first.
ALWAYS_INLINE void rotate_pair(lanes8 b[9], lanes8 v[9], int p, int q, mask8 apply) {
    const lanes8 app = dot_columns(b, p, p);
    const lanes8 aqq = dot_columns(b, q, q);
    const lanes8 apq = dot_columns(b, p, q);
    lanes8 c;
    lanes8 s;
    choose_rotation(app - aqq, apq, &c, &s);
    apply &= is_oblique(app, aqq, apq) | is_unsorted(app, aqq);
    c = lanes_select(apply, c, lanes_set(1.0));
    s = (lanes8)(apply & (mask8)s);
    rotate_columns(b, p, q, c, s);
    rotate_columns(v, p, q, c, s);
}

/// Makes one pass over the three pairs of columns. After the closed form the angles are nearly
/// always small, and the three rotations are computed together without square roots. Other lanes
/// get a sweep of full Jacobi rotations.
ALWAYS_INLINE void pass(const struct gram *g, mask8 active, lanes8 b[9], lanes8 v[9]) {
    mask8 small = active & ~is_unsorted(g->a00, g->a11) & ~is_unsorted(g->a11, g->a22);
    const lanes8 x01 = tangent(g->a00, g->a11, g->a01, &small);
    const lanes8 x02 = tangent(g->a00, g->a22, g->a02, &small);
    const lanes8 x12 = tangent(g->a11, g->a22, g->a12, &small);
    if (lanes_any(small)) {
        rotate_slightly(b, v, 0, 1, (lanes8)(small & (mask8)x01));
        rotate_slightly(b, v, 0, 2, (lanes8)(small & (mask8)x02));
        rotate_slightly(b, v, 1, 2, (lanes8)(small & (mask8)x12));
    }
    const mask8 sweep = active & ~small;
    if (lanes_any(sweep)) {
        rotate_pair(b, v, 0, 1, sweep);
        rotate_pair(b, v, 0, 2, sweep);
        rotate_pair(b, v, 1, 2, sweep);
    }
}

// --- singular vectors and values ---

/// Computes a unit vector perpendicular to the unit vector a. For a = e_x it is e_y.
ALWAYS_INLINE void perpendicular(const lanes8 a[3], lanes8 out[3]) {
    lanes8 other[3];
    const lanes8 reversed[3] = {a[2], a[1], a[0]};
    complete_basis(reversed, other, out);
    const lanes8 x = out[0];
    out[0] = out[2];
    out[2] = x;
}

/// Computes U and sigma from B, whose columns are orthogonal and sorted. Columns of zero length get
/// arbitrary directions that complete a rotation.
ALWAYS_INLINE void finish(const lanes8 b[9], const struct gram *g, lanes8 u[9], lanes8 sigma[3]) {
    const lanes8 length0 = lanes_sqrt(g->a00);
    const lanes8 length1 = lanes_sqrt(g->a11);
    const mask8 zero = g->a00 < lanes_set(VANISHING);
    const mask8 flat = g->a11 < lanes_set(VANISHING);
    const lanes8 scale0 = 1.0 / length0;
    const lanes8 scale1 = 1.0 / length1;
    lanes8 u0[3];
    lanes8 u1[3];
    lanes8 u2[3];
    for (int i = 0; i < 3; i++) {
        u0[i] = lanes_select(zero, lanes_set(i == 0 ? 1.0 : 0.0), scale0 * AT(b, i, 0));
        u1[i] = scale1 * AT(b, i, 1);
    }
    if (lanes_any(flat)) {
        lanes8 other[3];
        perpendicular(u0, other);
        for (int i = 0; i < 3; i++) {
            u1[i] = lanes_select(flat, other[i], u1[i]);
        }
    }
    // The remaining dot product is of the order of rounding, so removing it changes no length.
    const lanes8 along = dot(u0, u1);
    for (int i = 0; i < 3; i++) {
        u1[i] -= along * u0[i];
    }
    cross(u0, u1, u2);

    const lanes8 b2[3] = {AT(b, 0, 2), AT(b, 1, 2), AT(b, 2, 2)};
    sigma[0] = (lanes8)(~zero & (mask8)length0);
    sigma[1] = lanes_min((lanes8)(~flat & (mask8)length1), sigma[0]);
    sigma[2] = lanes_max(lanes_min(dot(u2, b2), sigma[1]), -sigma[1]);
    for (int i = 0; i < 3; i++) {
        AT(u, i, 0) = u0[i];
        AT(u, i, 1) = u1[i];
        AT(u, i, 2) = u2[i];
    }
}

/// Decomposes LANES of eight matrices: entry i of the first one is f[8 * i]. The results have the
/// same layout.
ALWAYS_INLINE void svd3_kernel(const double *f, double *u, double *sigma, double *v) {
    lanes8 scale;
    lanes8 inverse;
    lanes8 b[9];
    lanes8 left[9];
    lanes8 values[3];
    lanes8 right[9];
    struct gram g;
    for (int i = 0; i < 9; i++) {
        b[i] = lanes_load(f + 8 * i);
        right[i] = lanes_set(i % 4 == 0 ? 1.0 : 0.0);
    }
    choose_scale(b, 9, &scale, &inverse);
    for (int i = 0; i < 9; i++) {
        b[i] *= scale;
    }
    compute_gram(b, &g);
    mask8 active = needs_pass(&g);
    if (lanes_any(active)) {
        start(&g, active, b, right);
        compute_gram(b, &g);
        active = needs_pass(&g);
    }
    for (int i = 0; i < MAX_PASSES && lanes_any(active); i++) {
        pass(&g, active, b, right);
        compute_gram(b, &g);
        active = needs_pass(&g);
    }
    finish(b, &g, left, values);
    for (int i = 0; i < 3; i++) {
        lanes_store(sigma + 8 * i, inverse * values[i]);
    }
    for (int i = 0; i < 9; i++) {
        lanes_store(u + 8 * i, left[i]);
        lanes_store(v + 8 * i, right[i]);
    }
}

#endif

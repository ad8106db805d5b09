// The kernels of eigen3.h, one matrix in each of LANES lanes. Lanes do not influence each other.
// eigen3_kernel uses cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations,
// section 8.5); the projection starts from the closed form of eigen3_closed.h.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_EIGEN3_KERNEL_H
#define PBS_BASE_MATRIX3_EIGEN3_KERNEL_H

#include "base/matrix3/eigen3_closed.h"

enum { MAX_SWEEPS = 12 };

// Indices of the upper triangle.
enum { A00, A01, A02, A11, A12, A22 };

/// Applies the rotation that makes apq zero. arp and arq are the entries (r, p) and (r, q), r being
/// the third row.
ALWAYS_INLINE void rotate(lanes8 *app, lanes8 *aqq, lanes8 *apq, lanes8 *arp, lanes8 *arq,
                          lanes8 q[9], int column_p, int column_q, lanes8 bound) {
    const lanes8 one = lanes_set(1.0);
    const mask8 apply = lanes_abs(*apq) > bound;
    const lanes8 d = *aqq - *app;
    const lanes8 twice = 2.0 * *apq;
    const lanes8 h = lanes_abs(d) + lanes_sqrt(d * d + twice * twice);
    const mask8 sign = (mask8)d & INT64_MIN;
    lanes8 t = (lanes8)((mask8)(twice / h) ^ sign);
    t = lanes_select(apply, t, lanes_set(0.0));
    const lanes8 c = one / lanes_sqrt(one + t * t);
    const lanes8 s = t * c;
    *app -= t * *apq;
    *aqq += t * *apq;
    *apq = lanes_select(apply, lanes_set(0.0), *apq);
    const lanes8 rp = *arp;
    const lanes8 rq = *arq;
    *arp = c * rp - s * rq;
    *arq = s * rp + c * rq;
    for (int i = 0; i < 3; i++) {
        const lanes8 qp = q[3 * i + column_p];
        const lanes8 qq = q[3 * i + column_q];
        q[3 * i + column_p] = c * qp - s * qq;
        q[3 * i + column_q] = s * qp + c * qq;
    }
}

/// Rotates until no off-diagonal entry of a is above bound, and applies the rotations to q.
ALWAYS_INLINE void diagonalise(lanes8 a[6], lanes8 q[9], lanes8 bound) {
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        const lanes8 largest = lanes_max(lanes_max(lanes_abs(a[A01]), lanes_abs(a[A02])),
                                         lanes_abs(a[A12]));
        if (!lanes_any(largest > bound)) {
            return;
        }
        rotate(&a[A00], &a[A11], &a[A01], &a[A02], &a[A12], q, 0, 1, bound);
        rotate(&a[A00], &a[A22], &a[A02], &a[A01], &a[A12], q, 0, 2, bound);
        rotate(&a[A11], &a[A22], &a[A12], &a[A01], &a[A02], q, 1, 2, bound);
    }
}

/// Multiplies by the power of two that scales the largest entry into [1, 2). Returns the inverse
/// power.
ALWAYS_INLINE lanes8 rescale(lanes8 a[6]) {
    lanes8 scale;
    lanes8 inverse;
    choose_scale(a, 6, &scale, &inverse);
    for (int i = 0; i < 6; i++) {
        a[i] *= scale;
    }
    return inverse;
}

ALWAYS_INLINE void set_identity(lanes8 q[9]) {
    for (int i = 0; i < 9; i++) {
        q[i] = lanes_set(i % 4 == 0 ? 1.0 : 0.0);
    }
}

/// Diagonalises LANES of eight matrices. lambda: eigenvalues, unsorted; q: eigenvectors in the
/// columns.
ALWAYS_INLINE void eigen3_kernel(const double *a, double *lambda, double *q) {
    static const int diagonal[3] = {A00, A11, A22};
    lanes8 b[6];
    lanes8 r[9];
    for (int i = 0; i < 6; i++) {
        b[i] = lanes_load(a + 8 * i);
    }
    set_identity(r);
    const lanes8 inverse = rescale(b);
    diagonalise(b, r, lanes_set(1.0e-17)); // absolute, as the largest entry is at least 1
    for (int i = 0; i < 3; i++) {
        lanes_store(lambda + 8 * i, inverse * b[diagonal[i]]);
    }
    for (int i = 0; i < 9; i++) {
        lanes_store(q + 8 * i, r[i]);
    }
}

// --- projection ---

/// Computes Q^T A Q, upper triangle.
ALWAYS_INLINE void transform(const lanes8 a[6], const lanes8 q[9], lanes8 out[6]) {
    for (int i = 0, k = 0; i < 3; i++) {
        const lanes8 column[3] = {AT(q, 0, i), AT(q, 1, i), AT(q, 2, i)};
        lanes8 product[3];
        multiply_symmetric(a, column, product);
        for (int j = i; j < 3; j++, k++) {
            out[k] = AT(q, 0, j) * product[0] + AT(q, 1, j) * product[1] + AT(q, 2, j) * product[2];
        }
    }
}

/// Returns the lanes whose matrix is certainly positive definite: the leading minors are positive
/// by more than their rounding errors.
ALWAYS_INLINE mask8 is_definite(const lanes8 a[6]) {
    const lanes8 margin = lanes_set(1.0e-14);
    const lanes8 second = a[A00] * a[A11] - a[A01] * a[A01];
    const lanes8 third = a[A00] * (a[A11] * a[A22] - a[A12] * a[A12]) -
                         a[A01] * (a[A01] * a[A22] - a[A12] * a[A02]) +
                         a[A02] * (a[A01] * a[A12] - a[A11] * a[A02]);
    return (a[A00] > margin) & (second > margin) & (third > margin);
}

/// Computes the eigenvectors in closed form, then applies Jacobi rotations in the lanes where more
/// than a few epsilon are left off the diagonal.
ALWAYS_INLINE void diagonalise_quickly(const lanes8 a[6], lanes8 d[6], lanes8 q[9]) {
    const lanes8 bound = lanes_set(8.0e-16);
    const lanes8 off = lanes_max(lanes_max(lanes_abs(a[A01]), lanes_abs(a[A02])),
                                 lanes_abs(a[A12]));
    lanes8 closed[9];
    closed_eigenvectors(a, closed);
    // Diagonal matrices keep q = identity, also multiples of the identity, for which the closed
    // form is NaN.
    set_identity(q);
    for (int i = 0; i < 9; i++) {
        q[i] = lanes_select(off > bound, closed[i], q[i]);
    }
    transform(a, q, d);
    diagonalise(d, q, bound);
}

/// Replaces LANES of eight matrices by the nearest positive semidefinite ones.
ALWAYS_INLINE void eigen3_project_kernel(double *a) {
    const lanes8 zero = lanes_set(0.0);
    lanes8 before[6];
    lanes8 b[6];
    lanes8 d[6];
    lanes8 q[9];
    for (int i = 0; i < 6; i++) {
        before[i] = lanes_load(a + 8 * i);
        b[i] = before[i];
    }
    const lanes8 inverse = rescale(b);
    const mask8 definite = is_definite(b);
    if (!lanes_any(~definite)) {
        return;
    }
    diagonalise_quickly(b, d, q);
    const lanes8 lambda[3] = {lanes_max(d[A00], zero), lanes_max(d[A11], zero),
                              lanes_max(d[A22], zero)};
    const mask8 keep = definite | ((d[A00] >= zero) & (d[A11] >= zero) & (d[A22] >= zero));
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++) {
            const lanes8 projected = AT(q, i, 0) * lambda[0] * AT(q, j, 0) +
                                     AT(q, i, 1) * lambda[1] * AT(q, j, 1) +
                                     AT(q, i, 2) * lambda[2] * AT(q, j, 2);
            lanes_store(a + 8 * k, lanes_select(keep, before[k], inverse * projected));
        }
    }
}

#endif

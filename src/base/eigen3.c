// Cyclic Jacobi for symmetric 3x3 matrices (Golub and Van Loan, Matrix Computations, section 8.5), eight at a time.
// One matrix takes the same path in all lanes, so that both give the same bits.
#include "base/eigen3.h"

enum { MAX_SWEEPS = 12 };

// Off-diagonal entries below this fraction of the matrix are rounding errors.
#define NEGLIGIBLE 1.0e-17

// Upper triangle: 00 01 02 11 12 22.
enum { A00, A01, A02, A11, A12, A22 };

/// One rotation that makes apq zero; arp and arq are the entries that row r has in columns p and q.
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

/// a becomes diagonal, the columns of q its eigenvectors. a is of moderate size (see choose_scale).
ALWAYS_INLINE void diagonalise(lanes8 a[6], lanes8 q[9]) {
    lanes8 bound = lanes_set(0.0);
    for (int i = 0; i < 6; i++) {
        bound = lanes_max(bound, lanes_abs(a[i]));
    }
    bound = bound * lanes_set(NEGLIGIBLE);
    for (int i = 0; i < 9; i++) {
        q[i] = lanes_set(i % 4 == 0 ? 1.0 : 0.0);
    }
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        const mask8 wants = (lanes_abs(a[A01]) > bound) | (lanes_abs(a[A02]) > bound) |
                            (lanes_abs(a[A12]) > bound);
        if (!lanes_any(wants)) {
            return;
        }
        rotate(&a[A00], &a[A11], &a[A01], &a[A02], &a[A12], q, 0, 1, bound);
        rotate(&a[A00], &a[A22], &a[A02], &a[A01], &a[A12], q, 0, 2, bound);
        rotate(&a[A11], &a[A22], &a[A12], &a[A01], &a[A02], q, 1, 2, bound);
    }
}

/// Multiplies by the power of two that brings the largest entry into [1, 2); returns the inverse power.
ALWAYS_INLINE lanes8 rescale(lanes8 a[6]) {
    lanes8 largest = lanes_set(0.0);
    for (int i = 0; i < 6; i++) {
        largest = lanes_max(largest, lanes_abs(a[i]));
    }
    const mask8 one = {1, 1, 1, 1, 1, 1, 1, 1};
    mask8 exponent = (mask8)largest >> 52;
    const mask8 too_small = exponent < one;
    exponent = (too_small & one) | (~too_small & exponent);
    const mask8 too_large = exponent > one * 2045;
    exponent = (too_large & (one * 2045)) | (~too_large & exponent);
    const lanes8 scale = (lanes8)((one * 2046 - exponent) << 52);
    for (int i = 0; i < 6; i++) {
        a[i] *= scale;
    }
    return (lanes8)(exponent << 52);
}

/// Ascending, by exchanging columns; one changes its sign so that Q stays a rotation.
static void sort(double lambda[3], double q[9], int first, int second) {
    if (!(lambda[second] < lambda[first])) {
        return;
    }
    const double kept = lambda[first];
    lambda[first] = lambda[second];
    lambda[second] = kept;
    for (int i = 0; i < 9; i += 3) {
        const double column = q[i + first];
        q[i + first] = q[i + second];
        q[i + second] = -column;
    }
}

PBS_MULTIVERSION
void eigen3(const double a[9], double lambda[3], double q[9]) {
    static const int upper[6] = {0, 1, 2, 4, 5, 8};
    lanes8 a8[6];
    lanes8 q8[9];
    for (int i = 0; i < 6; i++) {
        a8[i] = lanes_set(a[upper[i]]);
    }
    const lanes8 inverse = rescale(a8);
    diagonalise(a8, q8);
    lambda[0] = a8[A00][0] * inverse[0];
    lambda[1] = a8[A11][0] * inverse[0];
    lambda[2] = a8[A22][0] * inverse[0];
    for (int i = 0; i < 9; i++) {
        q[i] = q8[i][0];
    }
    sort(lambda, q, 0, 1);
    sort(lambda, q, 0, 2);
    sort(lambda, q, 1, 2);
}

/// Where the matrix is safely positive definite (leading minors, with a margin for their rounding errors).
ALWAYS_INLINE mask8 is_definite(const lanes8 a[6]) {
    const lanes8 margin = lanes_set(1.0e-14);
    const lanes8 second = a[A00] * a[A11] - a[A01] * a[A01];
    const lanes8 third = a[A00] * (a[A11] * a[A22] - a[A12] * a[A12]) -
                         a[A01] * (a[A01] * a[A22] - a[A12] * a[A02]) +
                         a[A02] * (a[A01] * a[A12] - a[A11] * a[A02]);
    return (a[A00] > margin) & (second > margin) & (third > margin);
}

PBS_MULTIVERSION
void eigen3_project_lanes(lanes8 a[6]) {
    lanes8 b[6];
    lanes8 q[9];
    for (int i = 0; i < 6; i++) {
        b[i] = a[i];
    }
    const lanes8 inverse = rescale(b);
    const mask8 definite = is_definite(b);
    if (!lanes_any(~definite)) {
        return;
    }
    diagonalise(b, q);
    const lanes8 zero = lanes_set(0.0);
    const lanes8 lambda[3] = {lanes_max(b[A00], zero), lanes_max(b[A11], zero),
                              lanes_max(b[A22], zero)};
    const mask8 keep = definite | ((b[A00] >= zero) & (b[A11] >= zero) & (b[A22] >= zero));
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++) {
            const lanes8 projected = q[3 * i] * lambda[0] * q[3 * j] +
                                     q[3 * i + 1] * lambda[1] * q[3 * j + 1] +
                                     q[3 * i + 2] * lambda[2] * q[3 * j + 2];
            a[k] = lanes_select(keep, a[k], projected * inverse);
        }
    }
}

void eigen3_project(double a[9]) {
    static const int upper[6] = {0, 1, 2, 4, 5, 8};
    lanes8 a8[6];
    for (int i = 0; i < 6; i++) {
        a8[i] = lanes_set(a[upper[i]]);
    }
    eigen3_project_lanes(a8);
    for (int i = 0; i < 6; i++) {
        a[upper[i]] = a8[i][0];
    }
    a[3] = a[1];
    a[6] = a[2];
    a[7] = a[5];
}

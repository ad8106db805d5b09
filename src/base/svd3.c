// Rotation variant of the singular value decomposition, eight matrices at a time and without a branch on the data of
// one: one-sided Jacobi (Hestenes 1958; ordering of de Rijk 1989) makes the columns of B = F V orthogonal by
// rotating V; then U is B with its columns normalised.
#include "base/svd3.h"

enum { MAX_SWEEPS = 20 };

// Columns whose cosine is below this count as orthogonal: a few rounding errors of the dot product itself.
#define ORTHOGONAL 8.0e-16

// A squared column length below this, relative to a longest entry of 1, is zero: squares would underflow.
#define VANISHING 1.0e-280

/// Entry (i, c) of a matrix.
#define AT(m, i, c) ((m)[3 * (i) + (c)])

ALWAYS_INLINE lanes8 dot_columns(const lanes8 a[9], int p, const lanes8 b[9], int q) {
    return AT(a, 0, p) * AT(b, 0, q) + AT(a, 1, p) * AT(b, 1, q) + AT(a, 2, p) * AT(b, 2, q);
}

ALWAYS_INLINE void rotate_columns(lanes8 m[9], int p, int q, lanes8 c, lanes8 s) {
    for (int i = 0; i < 3; i++) {
        const lanes8 mp = AT(m, i, p);
        const lanes8 mq = AT(m, i, q);
        AT(m, i, p) = c * mp + s * mq;
        AT(m, i, q) = c * mq - s * mp;
    }
}

/// Where columns p and q are not orthogonal, or p is shorter than q.
ALWAYS_INLINE mask8 wants_rotation(lanes8 app, lanes8 aqq, lanes8 apq) {
    const lanes8 bound = lanes_set(ORTHOGONAL * ORTHOGONAL) * (app * aqq);
    return (apq * apq > bound) | (aqq > app * lanes_set(1.0 + 4.0 * ORTHOGONAL));
}

/// Makes columns p and q of B orthogonal, the longer one first: tan(2 theta) = 2 apq / (app - aqq).
ALWAYS_INLINE void rotate_pair(lanes8 b[9], lanes8 v[9], int p, int q) {
    const lanes8 app = dot_columns(b, p, b, p);
    const lanes8 aqq = dot_columns(b, q, b, q);
    const lanes8 apq = dot_columns(b, p, b, q);
    const lanes8 d = app - aqq;
    const lanes8 h = lanes_sqrt(d * d + 4.0 * (apq * apq));
    // (c, s) is the direction of (|d| + h, 2 apq) when p is the longer, the other way round when q is.
    const lanes8 large = lanes_abs(d) + h;
    const lanes8 small = 2.0 * lanes_abs(apq);
    const lanes8 scale = 1.0 / lanes_sqrt(large * large + small * small);
    const mask8 in_order = d >= lanes_set(0.0);
    const mask8 apply = wants_rotation(app, aqq, apq) & (large > lanes_set(VANISHING));
    const mask8 sign = (mask8)apq & INT64_MIN;
    const lanes8 c = scale * lanes_select(in_order, large, small);
    const lanes8 s = (lanes8)((mask8)(scale * lanes_select(in_order, small, large)) ^ sign);
    const lanes8 cc = lanes_select(apply, c, lanes_set(1.0));
    const lanes8 ss = lanes_select(apply, s, lanes_set(0.0));
    rotate_columns(b, p, q, cc, ss);
    rotate_columns(v, p, q, cc, ss);
}

ALWAYS_INLINE bool is_orthogonal(const lanes8 b[9]) {
    const lanes8 a00 = dot_columns(b, 0, b, 0);
    const lanes8 a11 = dot_columns(b, 1, b, 1);
    const lanes8 a22 = dot_columns(b, 2, b, 2);
    const mask8 wants = wants_rotation(a00, a11, dot_columns(b, 0, b, 1)) |
                        wants_rotation(a00, a22, dot_columns(b, 0, b, 2)) |
                        wants_rotation(a11, a22, dot_columns(b, 1, b, 2));
    return !lanes_any(wants);
}

/// The power of two that brings the largest entry into [1, 2), and its inverse.
ALWAYS_INLINE void choose_scale(const lanes8 f[9], lanes8 *scale, lanes8 *inverse) {
    lanes8 largest = lanes_abs(f[0]);
    for (int i = 1; i < 9; i++) {
        largest = lanes_max(largest, lanes_abs(f[i]));
    }
    const mask8 one = {1, 1, 1, 1, 1, 1, 1, 1};
    mask8 exponent = (mask8)largest >> 52;
    const mask8 too_small = exponent < one;
    exponent = (too_small & one) | (~too_small & exponent);
    const mask8 too_large = exponent > one * 2045;
    exponent = (too_large & (one * 2045)) | (~too_large & exponent);
    *scale = (lanes8)((one * 2046 - exponent) << 52);
    *inverse = (lanes8)(exponent << 52);
}

/// Divides column c of b by its length; where that vanishes, takes (x, y, z) instead.
ALWAYS_INLINE void normalise(const lanes8 b[3], const lanes8 fallback[3], mask8 vanishes, lanes8 u[3]) {
    lanes8 w[3];
    for (int i = 0; i < 3; i++) {
        w[i] = lanes_select(vanishes, fallback[i], b[i]);
    }
    const lanes8 scale = 1.0 / lanes_sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int i = 0; i < 3; i++) {
        u[i] = scale * w[i];
    }
}

/// Some direction perpendicular to the unit vector a: a x e_k for the smallest |a_k|.
ALWAYS_INLINE void perpendicular(const lanes8 a[3], lanes8 out[3]) {
    const lanes8 zero = lanes_set(0.0);
    const lanes8 x = lanes_abs(a[0]);
    const lanes8 y = lanes_abs(a[1]);
    const lanes8 z = lanes_abs(a[2]);
    const mask8 take_z = (z <= x) & (z <= y);
    const mask8 take_y = (y <= x) & ~take_z;
    out[0] = lanes_select(take_z, a[1], lanes_select(take_y, -a[2], zero));
    out[1] = lanes_select(take_z, -a[0], lanes_select(take_y, zero, a[2]));
    out[2] = lanes_select(take_z, zero, lanes_select(take_y, a[0], -a[1]));
}

/// U and sigma from B, whose columns are orthogonal and in order.
ALWAYS_INLINE void finish(const lanes8 b[9], lanes8 u[9], lanes8 sigma[3]) {
    const lanes8 b0[3] = {b[0], b[3], b[6]};
    const lanes8 b1[3] = {b[1], b[4], b[7]};
    const lanes8 b2[3] = {b[2], b[5], b[8]};
    const lanes8 tiny = lanes_set(VANISHING);
    const lanes8 a00 = dot_columns(b, 0, b, 0);
    const lanes8 a11 = dot_columns(b, 1, b, 1);

    lanes8 u0[3];
    lanes8 u1[3];
    lanes8 w[3];
    lanes8 other[3];
    const lanes8 axis[3] = {lanes_set(1.0), lanes_set(0.0), lanes_set(0.0)};
    normalise(b0, axis, a00 < tiny, u0);
    const lanes8 along = u0[0] * b1[0] + u0[1] * b1[1] + u0[2] * b1[2];
    for (int i = 0; i < 3; i++) {
        w[i] = b1[i] - along * u0[i];
    }
    perpendicular(u0, other);
    const mask8 flat = a11 < tiny;
    normalise(w, other, flat, u1);
    const lanes8 u2[3] = {u0[1] * u1[2] - u0[2] * u1[1], u0[2] * u1[0] - u0[0] * u1[2],
                          u0[0] * u1[1] - u0[1] * u1[0]};

    const lanes8 zero = lanes_set(0.0);
    const lanes8 third = u2[0] * b2[0] + u2[1] * b2[1] + u2[2] * b2[2];
    sigma[0] = lanes_select(a00 < tiny, zero, lanes_sqrt(a00));
    sigma[1] = lanes_min(lanes_select(flat, zero, lanes_sqrt(a11)), sigma[0]);
    sigma[2] = lanes_max(lanes_min(third, sigma[1]), -sigma[1]);
    for (int i = 0; i < 3; i++) {
        AT(u, i, 0) = u0[i];
        AT(u, i, 1) = u1[i];
        AT(u, i, 2) = u2[i];
    }
}

PBS_MULTIVERSION
void svd3_lanes(const lanes8 f[9], lanes8 u[9], lanes8 sigma[3], lanes8 v[9]) {
    lanes8 scale;
    lanes8 inverse;
    lanes8 b[9];
    lanes8 r[9];
    choose_scale(f, &scale, &inverse);
    for (int i = 0; i < 9; i++) {
        b[i] = scale * f[i];
        r[i] = lanes_set(i % 4 == 0 ? 1.0 : 0.0);
    }
    for (int sweep = 0; sweep < MAX_SWEEPS && !is_orthogonal(b); sweep++) {
        rotate_pair(b, r, 0, 1);
        rotate_pair(b, r, 0, 2);
        rotate_pair(b, r, 1, 2);
    }
    finish(b, u, sigma);
    for (int i = 0; i < 3; i++) {
        sigma[i] *= inverse;
    }
    for (int i = 0; i < 9; i++) {
        v[i] = r[i];
    }
}

void svd3(const double f[9], double u[9], double sigma[3], double v[9]) {
    lanes8 f8[9];
    lanes8 u8[9];
    lanes8 sigma8[3];
    lanes8 v8[9];
    for (int i = 0; i < 9; i++) {
        f8[i] = lanes_set(f[i]);
    }
    svd3_lanes(f8, u8, sigma8, v8);
    for (int i = 0; i < 9; i++) {
        u[i] = u8[i][0];
        v[i] = v8[i][0];
    }
    for (int i = 0; i < 3; i++) {
        sigma[i] = sigma8[i][0];
    }
}

void polar3(const double f[9], double r[9]) {
    double u[9];
    double sigma[3];
    double v[9];
    svd3(f, u, sigma, v);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] =
                u[3 * i] * v[3 * j] + u[3 * i + 1] * v[3 * j + 1] + u[3 * i + 2] * v[3 * j + 2];
        }
    }
}

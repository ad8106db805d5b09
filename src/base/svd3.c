// Rotation variant of the singular value decomposition, eight matrices at a time, each lane for itself.
// V starts as the eigenvectors of F^T F in closed form (Smith 1961, with the well separated eigenvalue first) and is
// made exact by one-sided Jacobi on the columns of B = F V (Hestenes 1958), which restores what F^T F lost by squaring.
// U is B with its columns normalised. What a lane gets never depends on its neighbours.
#include "base/svd3.h"

enum { MAX_PASSES = 20 };

// Columns whose cosine is below this count as orthogonal: a few rounding errors of the dot product itself.
#define ORTHOGONAL 8.0e-16

// How much longer a later column may be before they are exchanged.
#define ORDER_SLACK (1.0 + 4.0 * ORTHOGONAL)

// A squared column length below this, where the longest entry is 1, counts as zero: its square would underflow.
#define VANISHING 1.0e-140

// Up to this tangent a rotation is given to rounding by the first terms of its series.
#define SMALL_TANGENT 1.0e-3

/// Entry (i, c) of a matrix.
#define AT(m, i, c) ((m)[3 * (i) + (c)])

/// F^T F for F = B: squared lengths and products of columns.
struct gram {
    lanes8 a00, a11, a22, a01, a02, a12;
};

ALWAYS_INLINE lanes8 dot_columns(const lanes8 a[9], int p, int q) {
    return AT(a, 0, p) * AT(a, 0, q) + AT(a, 1, p) * AT(a, 1, q) + AT(a, 2, p) * AT(a, 2, q);
}

ALWAYS_INLINE void measure(const lanes8 b[9], struct gram *g) {
    g->a00 = dot_columns(b, 0, 0);
    g->a11 = dot_columns(b, 1, 1);
    g->a22 = dot_columns(b, 2, 2);
    g->a01 = dot_columns(b, 0, 1);
    g->a02 = dot_columns(b, 0, 2);
    g->a12 = dot_columns(b, 1, 2);
}

/// Where two columns are not orthogonal.
ALWAYS_INLINE mask8 is_oblique(lanes8 app, lanes8 aqq, lanes8 apq) {
    return apq * apq > (ORTHOGONAL * ORTHOGONAL) * (app * aqq);
}

/// Where the second column is longer than the first.
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

/// Cosine and sine of the rotation that diagonalises [[app, apq], [apq, aqq]], the larger value first:
/// tan(2 theta) = 2 apq / d with d = app - aqq. No rotation where there is nothing to choose from.
ALWAYS_INLINE void choose_rotation(lanes8 d, lanes8 apq, lanes8 *c, lanes8 *s) {
    const lanes8 h = lanes_sqrt(d * d + 4.0 * (apq * apq));
    // Half the angle of (|d|, 2 apq); where d < 0 its complement, which exchanges the columns.
    const lanes8 large = lanes_abs(d) + h;
    const lanes8 small = 2.0 * lanes_abs(apq);
    const lanes8 scale = 1.0 / lanes_sqrt(large * large + small * small);
    const mask8 exchange = d < lanes_set(0.0);
    const mask8 nothing = large < lanes_set(VANISHING);
    const mask8 sign = (mask8)apq & INT64_MIN;
    *c = lanes_select(nothing, lanes_set(1.0), scale * lanes_select(exchange, small, large));
    *s = (lanes8)(~nothing & ((mask8)(scale * lanes_select(exchange, large, small)) ^ sign));
}

// --- closed form ---

/// The root of x^3 - 3 x - 2 r in [sqrt(3), 2] for 0 <= r <= 1: 2 cos(acos(r) / 3), by a polynomial (1.6e-7) and one
/// step of Newton with the polynomial's own derivative.
ALWAYS_INLINE lanes8 separated_root(lanes8 r) {
    const lanes8 r2 = r * r;
    const lanes8 low = 1.73205096479 + 0.333317135462 * r;
    const lanes8 middle = -0.095947340068 + 0.0475399478564 * r;
    const lanes8 high = -0.0250210704218 + 0.0101084589894 * r - 0.00204821526411 * r2;
    const lanes8 x = low + r2 * (middle + r2 * high);
    // x'(r) = 2 / (3 x^2 - 3)
    const lanes8 slope = (0.333317135462 - 0.191894680136 * r) +
                         r2 * ((0.142619843569 - 0.100084281687 * r) +
                               r2 * (0.050542294947 - 0.0122892915847 * r));
    return x - 0.5 * slope * (x * (x * x - 3.0) - 2.0 * r);
}

ALWAYS_INLINE void cross(const lanes8 a[3], const lanes8 b[3], lanes8 out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

ALWAYS_INLINE lanes8 dot(const lanes8 a[3], const lanes8 b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ALWAYS_INLINE void multiply_symmetric(const lanes8 k[6], const lanes8 a[3], lanes8 out[3]) {
    out[0] = k[0] * a[0] + k[1] * a[1] + k[2] * a[2];
    out[1] = k[1] * a[0] + k[3] * a[1] + k[4] * a[2];
    out[2] = k[2] * a[0] + k[4] * a[1] + k[5] * a[2];
}

/// The unit vector that K - x I maps to zero: the longest cross product of two of its rows.
ALWAYS_INLINE void null_vector(const lanes8 k[6], lanes8 x, lanes8 e[3]) {
    const lanes8 row0[3] = {k[0] - x, k[1], k[2]};
    const lanes8 row1[3] = {k[1], k[3] - x, k[4]};
    const lanes8 row2[3] = {k[2], k[4], k[5] - x};
    lanes8 a[3];
    lanes8 b[3];
    lanes8 c[3];
    cross(row0, row1, a);
    cross(row2, row0, b);
    cross(row1, row2, c);
    const lanes8 aa = dot(a, a);
    const lanes8 bb = dot(b, b);
    const lanes8 cc = dot(c, c);
    const mask8 take_b = bb > aa;
    const lanes8 ab = lanes_select(take_b, bb, aa);
    const mask8 take_c = cc > ab;
    const lanes8 scale = 1.0 / lanes_sqrt(lanes_select(take_c, cc, ab));
    for (int i = 0; i < 3; i++) {
        e[i] = scale * lanes_select(take_c, c[i], lanes_select(take_b, b[i], a[i]));
    }
}

/// Two unit vectors with u x w = e (Duff et al. 2017).
ALWAYS_INLINE void complete_basis(const lanes8 e[3], lanes8 u[3], lanes8 w[3]) {
    const lanes8 sign = (lanes8)(((mask8)e[2] & INT64_MIN) | (mask8)lanes_set(1.0));
    const lanes8 a = -1.0 / (sign + e[2]);
    const lanes8 b = e[0] * e[1] * a;
    u[0] = 1.0 + sign * e[0] * e[0] * a;
    u[1] = sign * b;
    u[2] = -sign * e[0];
    w[0] = b;
    w[1] = sign + e[1] * e[1] * a;
    w[2] = -e[1];
}

/// Columns of v: eigenvectors of the matrix of products, largest value first, to about 1e-13 of their gaps.
ALWAYS_INLINE void closed_form(const struct gram *g, lanes8 v[9]) {
    // K = (F^T F - mean) / p has the eigenvalues 2 cos(phi + 2 pi k / 3) with cos(3 phi) = det K / 2.
    const lanes8 mean = (g->a00 + g->a11 + g->a22) * (1.0 / 3.0);
    const lanes8 d0 = g->a00 - mean;
    const lanes8 d1 = g->a11 - mean;
    const lanes8 d2 = g->a22 - mean;
    const lanes8 off = g->a01 * g->a01 + g->a02 * g->a02 + g->a12 * g->a12;
    const lanes8 pp = (d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * off) * (1.0 / 6.0);
    const lanes8 s = 1.0 / lanes_sqrt(pp);
    const lanes8 k[6] = {s * d0, s * g->a01, s * g->a02, s * d1, s * g->a12, s * d2};
    const lanes8 determinant = k[0] * (k[3] * k[5] - k[4] * k[4]) -
                               k[1] * (k[1] * k[5] - k[4] * k[2]) +
                               k[2] * (k[1] * k[4] - k[3] * k[2]);

    // Of the outer two eigenvalues one is at least sqrt(3) away from the others: the last if det K < 0.
    const mask8 last = determinant < lanes_set(0.0);
    const mask8 sign = (mask8)determinant & INT64_MIN;
    const lanes8 r = lanes_min(0.5 * lanes_abs(determinant), lanes_set(1.0));
    lanes8 e[3];
    null_vector(k, (lanes8)((mask8)separated_root(r) ^ sign), e);

    // The other two in the plane perpendicular to its eigenvector.
    lanes8 u[3];
    lanes8 w[3];
    lanes8 ku[3];
    lanes8 kw[3];
    lanes8 cosine;
    lanes8 sine;
    complete_basis(e, u, w);
    multiply_symmetric(k, u, ku);
    multiply_symmetric(k, w, kw);
    choose_rotation(dot(u, ku) - dot(w, kw), dot(u, kw), &cosine, &sine);
    for (int i = 0; i < 3; i++) {
        const lanes8 larger = cosine * u[i] + sine * w[i];
        const lanes8 smaller = cosine * w[i] - sine * u[i];
        AT(v, i, 0) = lanes_select(last, larger, e[i]);
        AT(v, i, 1) = lanes_select(last, smaller, larger);
        AT(v, i, 2) = lanes_select(last, e[i], smaller);
    }
}

/// B = F V from the closed form, in the lanes that are not orthogonal and sorted as they are.
ALWAYS_INLINE void start(const struct gram *g, mask8 wants, lanes8 b[9], lanes8 v[9]) {
    lanes8 q[9];
    closed_form(g, q);
    for (int i = 0; i < 9; i++) {
        v[i] = lanes_select(wants, q[i], v[i]);
    }
    for (int i = 0; i < 9; i += 3) {
        const lanes8 row[3] = {b[i], b[i + 1], b[i + 2]};
        for (int j = 0; j < 3; j++) {
            const lanes8 rotated = row[0] * v[j] + row[1] * v[3 + j] + row[2] * v[6 + j];
            b[i + j] = lanes_select(wants, rotated, row[j]);
        }
    }
}

// --- Jacobi ---

/// Where the lane is not done yet.
ALWAYS_INLINE mask8 wants_pass(const struct gram *g) {
    return is_oblique(g->a00, g->a11, g->a01) | is_oblique(g->a00, g->a22, g->a02) |
           is_oblique(g->a11, g->a22, g->a12) | is_unsorted(g->a00, g->a11) |
           is_unsorted(g->a11, g->a22);
}

/// The tangent of the rotation of one pair to first order, and whether it is small enough for the series.
ALWAYS_INLINE lanes8 tangent(lanes8 app, lanes8 aqq, lanes8 apq, mask8 *is_small) {
    const mask8 oblique = is_oblique(app, aqq, apq);
    const lanes8 d = app - aqq;
    const lanes8 t = apq / d;
    const mask8 small = (d > lanes_set(0.0)) & (lanes_abs(t) < lanes_set(SMALL_TANGENT));
    *is_small &= small | ~oblique;
    return (lanes8)((mask8)t & oblique);
}

/// tan(2 theta) = 2 x by series; cos and sin follow with c^2 + s^2 = 1 to rounding.
ALWAYS_INLINE void rotate_slightly(lanes8 b[9], lanes8 v[9], int p, int q, lanes8 x) {
    const lanes8 t = x * (1.0 - x * x);
    const lanes8 tt = t * t;
    const lanes8 c = 1.0 - tt * (0.5 - 0.375 * tt);
    const lanes8 s = t * c;
    rotate_columns(b, p, q, c, s);
    rotate_columns(v, p, q, c, s);
}

/// Makes columns p and q of B orthogonal, the longer one first.
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

/// One pass over the three pairs. The closed form nearly always leaves small angles, whose rotations can be had all at
/// once and without roots; lanes where it does not get a sweep of proper rotations.
ALWAYS_INLINE void pass(const struct gram *g, mask8 wants, lanes8 b[9], lanes8 v[9]) {
    mask8 small = wants & ~is_unsorted(g->a00, g->a11) & ~is_unsorted(g->a11, g->a22);
    const lanes8 x01 = tangent(g->a00, g->a11, g->a01, &small);
    const lanes8 x02 = tangent(g->a00, g->a22, g->a02, &small);
    const lanes8 x12 = tangent(g->a11, g->a22, g->a12, &small);
    if (lanes_any(small)) {
        rotate_slightly(b, v, 0, 1, (lanes8)(small & (mask8)x01));
        rotate_slightly(b, v, 0, 2, (lanes8)(small & (mask8)x02));
        rotate_slightly(b, v, 1, 2, (lanes8)(small & (mask8)x12));
    }
    const mask8 sweep = wants & ~small;
    if (lanes_any(sweep)) {
        rotate_pair(b, v, 0, 1, sweep);
        rotate_pair(b, v, 0, 2, sweep);
        rotate_pair(b, v, 1, 2, sweep);
    }
}

// --- scale and result ---

/// The power of two that brings the largest entry into [1, 2), and its inverse; both within the normal numbers.
ALWAYS_INLINE void choose_scale(const lanes8 f[9], lanes8 *scale, lanes8 *inverse) {
    lanes8 largest = lanes_abs(f[0]);
    for (int i = 1; i < 9; i++) {
        largest = lanes_max(largest, lanes_abs(f[i]));
    }
    largest = lanes_max(largest, lanes_set(0x1p-1022));
    largest = lanes_min(largest, lanes_set(0x1p1022));
    const mask8 power = (mask8)largest & (mask8)lanes_set(INFINITY);
    *inverse = (lanes8)power;
    *scale = (lanes8)((mask8)lanes_set(0x1p1023) - power);
}

/// Some unit vector perpendicular to the unit vector a, e_y where a is e_x.
ALWAYS_INLINE void perpendicular(const lanes8 a[3], lanes8 out[3]) {
    lanes8 other[3];
    const lanes8 turned[3] = {a[2], a[1], a[0]};
    complete_basis(turned, other, out);
    const lanes8 x = out[0];
    out[0] = out[2];
    out[2] = x;
}

/// U and sigma from B, whose columns are orthogonal and sorted. Columns that vanish get any direction that fits.
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
    // What is left of their product is of the order of rounding, so no length has to be corrected.
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

PBS_MULTIVERSION
void svd3_lanes(const lanes8 f[9], lanes8 u[9], lanes8 sigma[3], lanes8 v[9]) {
    lanes8 scale;
    lanes8 inverse;
    lanes8 b[9];
    lanes8 q[9];
    struct gram g;
    choose_scale(f, &scale, &inverse);
    for (int i = 0; i < 9; i++) {
        b[i] = scale * f[i];
        q[i] = lanes_set(i % 4 == 0 ? 1.0 : 0.0);
    }
    measure(b, &g);
    mask8 wants = wants_pass(&g);
    if (lanes_any(wants)) {
        start(&g, wants, b, q);
        measure(b, &g);
        wants = wants_pass(&g);
    }
    for (int i = 0; i < MAX_PASSES && lanes_any(wants); i++) {
        pass(&g, wants, b, q);
        measure(b, &g);
        wants = wants_pass(&g);
    }
    finish(b, &g, u, sigma);
    for (int i = 0; i < 3; i++) {
        sigma[i] *= inverse;
    }
    memcpy(v, q, sizeof q);
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

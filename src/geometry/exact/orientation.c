// SPDX-License-Identifier: MIT
#include "geometry/exact/orientation.h"

#include <stdbool.h>

#include "base/matrix3/math3.h"
#include "geometry/exact/expansion.h"

/// Half an ulp of one.
#define ROUNDING 0x1p-53

/// Shewchuk's error bounds A, relative to the sum of the absolute values of all products.
#define FOUR_BOUND  ((7.0 + 56.0 * ROUNDING) * ROUNDING)
#define THREE_BOUND ((3.0 + 16.0 * ROUNDING) * ROUNDING)

/// Limit of the sum of the absolute values of a determinant's products. Beyond it expansions could
/// overflow, since partial sums may be four times as large. NaN also fails the test.
#define SIZE_LIMIT 1e307

static int sign_of(double a) {
    return (a > 0.0) - (a < 0.0);
}

/// The exact difference of two coordinates.
struct exact {
    size_t count;
    double term[2];
};

static struct exact exact_difference(double a, double b) {
    struct exact e;
    e.count = expansion_difference(a, b, e.term);
    return e;
}

/// a d - b c; out: 16
static size_t exact_minor(const struct exact *a, const struct exact *b, const struct exact *c,
                          const struct exact *d, double *out) {
    double scratch[8];
    double ad[8];
    double bc[8];
    const size_t ad_count = expansion_multiply(a->term, a->count, d->term, d->count, scratch, ad);
    const size_t bc_count = expansion_multiply(b->term, b->count, c->term, c->count, scratch, bc);
    return expansion_subtract(ad, ad_count, bc, bc_count, out);
}

/// Returns the exact sign, by expansion along the first column: the sum over k of b_k times the
/// minor of the other rows.
static int exact_of_four(const double a[3], const double b[3], const double c[3],
                         const double d[3]) {
    struct exact rows[3][3];
    for (int k = 0; k < 3; k++) {
        rows[0][k] = exact_difference(b[k], a[k]);
        rows[1][k] = exact_difference(c[k], a[k]);
        rows[2][k] = exact_difference(d[k], a[k]);
    }
    double sums[2][192];
    size_t count = 0;
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        const int last = (k + 2) % 3;
        double minor[16];
        double scratch[64];
        double product[64];
        const size_t minor_count = exact_minor(&rows[1][next], &rows[1][last], &rows[2][next],
                                               &rows[2][last], minor);
        const size_t product_count = expansion_multiply(minor, minor_count, rows[0][k].term,
                                                        rows[0][k].count, scratch, product);
        count = expansion_add(sums[k % 2], count, product, product_count, sums[(k + 1) % 2]);
    }
    return expansion_sign(sums[1], count);
}

/// Whether three points have a coordinate in common with a fourth, from which these are the
/// differences: zero only where coordinates are equal. The faces of boxes are such planes.
static bool have_same_coordinate(const double u[3], const double v[3], const double w[3]) {
    bool any = false;
    for (int k = 0; k < 3; k++) {
        any = any || (u[k] == 0.0 && v[k] == 0.0 && w[k] == 0.0);
    }
    return any;
}

int orientation_of_four(const double a[3], const double b[3], const double c[3],
                        const double d[3]) {
    double u[3];
    double v[3];
    double w[3];
    subtract3(b, a, u);
    subtract3(c, a, v);
    subtract3(d, a, w);
    double determinant = 0.0;
    double size = 0.0;
    for (int k = 0; k < 3; k++) {
        const double plus = v[(k + 1) % 3] * w[(k + 2) % 3];
        const double minus = v[(k + 2) % 3] * w[(k + 1) % 3];
        determinant += u[k] * (plus - minus);
        size += fabs(u[k]) * (fabs(plus) + fabs(minus));
    }
    if (!(size <= SIZE_LIMIT) || have_same_coordinate(u, v, w)) {
        return 0;
    }
    return fabs(determinant) > FOUR_BOUND * size ? sign_of(determinant) : exact_of_four(a, b, c, d);
}

int orientation_of_three(const double a[3], const double b[3], const double c[3], int dropped) {
    const int i = (dropped + 1) % 3;
    const int j = (dropped + 2) % 3;
    const double u[2] = {b[i] - a[i], b[j] - a[j]};
    const double v[2] = {c[i] - a[i], c[j] - a[j]};
    const double plus = u[0] * v[1];
    const double minus = u[1] * v[0];
    const double determinant = plus - minus;
    const double size = fabs(plus) + fabs(minus);
    const bool is_on_line = (u[0] == 0.0 && v[0] == 0.0) || (u[1] == 0.0 && v[1] == 0.0);
    if (!(size <= SIZE_LIMIT) || is_on_line) {
        return 0;
    }
    if (fabs(determinant) > THREE_BOUND * size) {
        return sign_of(determinant);
    }
    const struct exact bi = exact_difference(b[i], a[i]);
    const struct exact bj = exact_difference(b[j], a[j]);
    const struct exact ci = exact_difference(c[i], a[i]);
    const struct exact cj = exact_difference(c[j], a[j]);
    double minor[16];
    return expansion_sign(minor, exact_minor(&bi, &bj, &ci, &cj, minor));
}

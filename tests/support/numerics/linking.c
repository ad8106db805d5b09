// See linking.h.
// SPDX-License-Identifier: MIT
#include "support/numerics/linking.h"

#include <math.h>

static void between(const double *a, const double *b, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = b[k] - a[k];
    }
}

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The signed solid angle of the triangle with corners a, b, c as seen from the origin.
static double solid_angle(const double *a, const double *b, const double *c) {
    const double product = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0]);
    const double la = sqrt(dot(a, a));
    const double lb = sqrt(dot(b, b));
    const double lc = sqrt(dot(c, c));
    return 2.0 * atan2(product, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

double linking_integral(size_t a_count, const double *a, size_t b_count, const double *b) {
    double area = 0.0;
    for (size_t i = 0; i < a_count; i++) {
        const double *a0 = a + 3 * i;
        const double *a1 = a + 3 * ((i + 1) % a_count);
        for (size_t j = 0; j < b_count; j++) {
            const double *b0 = b + 3 * j;
            const double *b1 = b + 3 * ((j + 1) % b_count);
            // The directions from points of one edge to points of the other are a quadrilateral's.
            double r00[3], r01[3], r10[3], r11[3];
            between(a0, b0, r00);
            between(a0, b1, r01);
            between(a1, b0, r10);
            between(a1, b1, r11);
            area += solid_angle(r00, r01, r11) + solid_angle(r00, r11, r10);
        }
    }
    static const double sphere = 4.0 * 3.14159265358979323846;
    return area / sphere;
}

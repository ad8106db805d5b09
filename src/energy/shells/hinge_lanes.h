// Computes the angle between two triangles on a common edge and its first and second derivatives,
// for eight hinges. Shared by both bending energies (docs/theory/shells.md section 1).
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_HINGE_LANES_H
#define PBS_ENERGY_SHELLS_HINGE_LANES_H

#include "base/lanes/arctangent.h"
#include "base/matrix3/math3.h"
#include "energy/deformation/tangent.h"

/// Computes cosine and sine of the angle of one hinge at x (4 x 3), the input of hinge_angle.
/// Returns false if a triangle is degenerate.
ALWAYS_INLINE bool hinge_rest(const double x[12], double *cosine, double *sine) {
    double edge[3][3];
    double left[3];
    double right[3];
    for (int a = 0; a < 3; a++) {
        subtract3(x + 3 * (a + 1), x, edge[a]);
    }
    cross3(edge[0], edge[1], left);
    cross3(edge[2], edge[0], right);
    const double along = dot3(left, right);
    const double across = -norm3(edge[0]) * dot3(left, edge[2]);
    const double radius = sqrt(along * along + across * across);
    *cosine = along / radius;
    *sine = across / radius;
    return radius > 0.0;
}

/// The edge and its two triangles: 0 on the left, 1 on the right.
struct hinge_lanes {
    lanes8 length;       ///< length of the edge
    lanes8 edge[3];      ///< unit vector
    lanes8 normal[2][3]; ///< unit vectors
    lanes8 inverse[2];   ///< one over twice the area
    lanes8 foot[2];      ///< foot of the triangle's height on the edge, as a fraction of the edge's
                         ///< length
    lanes8 along, across; ///< the angle's cosine and sine times |n0| |n1|
    mask8 degenerate;
};

// A triangle is degenerate if twice its area is below this fraction of the edge's squared length.
#define LEAST_HEIGHT 1e-10

/// Computes h from the edge side[0] and the vectors from node 0 to nodes 2 and 3. The sine is
/// computed from (n0 x n1).e = -e^2 n0.(x3 - x0), which does not suffer cancellation if the hinge
/// is nearly flat or closed.
ALWAYS_INLINE void hinge_measure(lanes8 side[3][3], struct hinge_lanes *h) {
    const lanes8 one = lanes_set(1.0);
    lanes8 normal[2][3];
    lanes8 area[2];
    cross_lanes(side[0], side[1], normal[0]);
    cross_lanes(side[2], side[0], normal[1]);
    const lanes8 square = dot_lanes(side[0], side[0]);
    h->length = lanes_sqrt(square);
    h->along = dot_lanes(normal[0], normal[1]);
    h->across = -h->length * dot_lanes(normal[0], side[2]);
    area[0] = lanes_sqrt(dot_lanes(normal[0], normal[0]));
    area[1] = lanes_sqrt(dot_lanes(normal[1], normal[1]));
    const lanes8 least = LEAST_HEIGHT * square;
    const mask8 valid = lanes_both(lanes_less(least, area[0]), lanes_less(least, area[1]));
    h->degenerate = ~valid;
    h->length = lanes_select(valid, h->length, one);
    scale_lanes(1.0 / h->length, side[0], h->edge);
    for (int k = 0; k < 2; k++) {
        h->inverse[k] = 1.0 / lanes_select(valid, area[k], one);
        h->foot[k] = dot_lanes(side[k + 1], h->edge) / h->length;
        scale_lanes(h->inverse[k], normal[k], h->normal[k]);
    }
}

/// Returns the angle minus the rest angle, both in [-pi, pi]. The difference is formed on cosine
/// and sine, which leaves it all of its digits, and in [-pi, pi]; it is beyond where the angle
/// would otherwise be. So it jumps only where the hinge is closed, which contact prevents unless
/// the shell may go through itself (hinge_functions.h), and not where a hinge that is bent at rest
/// is bent the other way.
ALWAYS_INLINE lanes8 hinge_angle(const struct hinge_lanes *h, lanes8 cosine, lanes8 sine) {
    const lanes8 none = lanes_set(0.0);
    const lanes8 turn = lanes_set(6.28318530717958647693);
    const lanes8 difference = atan2_lanes(h->across * cosine - h->along * sine,
                                          h->along * cosine + h->across * sine);
    const mask8 above = lanes_both(lanes_both(lanes_less(none, sine), lanes_less(none, difference)),
                                   lanes_less(h->across, none));
    const mask8 below = lanes_both(lanes_both(lanes_less(sine, none), lanes_less(difference, none)),
                                   lanes_less(none, h->across));
    return difference - lanes_select(above, turn, none) + lanes_select(below, turn, none);
}

/// g = d theta / d x of the four nodes.
ALWAYS_INLINE void angle_gradient(const struct hinge_lanes *h, lanes8 g[4][3]) {
    for (int k = 0; k < 2; k++) {
        scale_lanes(-h->length * h->inverse[k], h->normal[k], g[k + 2]);
    }
    for (int i = 0; i < 3; i++) {
        g[1][i] = -(h->foot[0] * g[2][i] + h->foot[1] * g[3][i]);
        g[0][i] = -(g[1][i] + g[2][i] + g[3][i]);
    }
}

/// Computes the second derivatives of the angle with respect to nodes 1, 2, 3, in the frames (edge,
/// normal, inward b = normal x edge) of both triangles. With S = (l / |n|)^2 (n b^T + b n^T) they
/// are theta_22 = S0, theta_33 = -S1, theta_23 = 0,
///     theta_12 = n0 e^T / |n0| - foot0 S0,  theta_13 = n1 e^T / |n1| + foot1 S1,
///     theta_11 = sum of +-n b^T / l^2 - foot (n e^T + e n^T) / |n| +- foot^2 S.
/// They follow from g2 = -l n0 / |n0|^2, g3 = -l n1 / |n1|^2 and dn0 = e x da - a x de.
ALWAYS_INLINE void angle_hessian(const struct hinge_lanes *h, lanes8 k[4][4][9]) {
    const lanes8 *e = h->edge;
    const lanes8 curl = 1.0 / (h->length * h->length);
    for (int ij = 0; ij < 9; ij++) {
        k[1][1][ij] = lanes_set(0.0);
        k[2][3][ij] = lanes_set(0.0);
    }
    for (int side = 0; side < 2; side++) {
        const lanes8 *n = h->normal[side];
        const lanes8 foot = h->foot[side];
        const lanes8 inverse = h->inverse[side];
        const lanes8 sign = lanes_set(side == 0 ? 1.0 : -1.0);
        const lanes8 scale = sign * (h->length * inverse) * (h->length * inverse);
        lanes8 b[3];
        cross_lanes(n, e, b);
        for (int ij = 0; ij < 9; ij++) {
            const int i = ij / 3;
            const int j = ij % 3;
            const lanes8 s = scale * (n[i] * b[j] + b[i] * n[j]);
            k[2 + side][2 + side][ij] = s;
            k[1][2 + side][ij] = inverse * n[i] * e[j] - foot * s;
            k[1][1][ij] += curl * sign * n[i] * b[j] -
                           foot * inverse * (n[i] * e[j] + e[i] * n[j]) + foot * foot * s;
        }
    }
    mirror_lanes(k[1][1]);
}

/// Computes the blocks below the diagonal by symmetry, and those with node 0 from the invariance
/// under translations.
ALWAYS_INLINE void complete_blocks(lanes8 k[4][4][9]) {
    for (int ij = 0; ij < 9; ij++) {
        const int ji = ij % 3 * 3 + ij / 3;
        k[2][1][ij] = k[1][2][ji];
        k[3][1][ij] = k[1][3][ji];
        k[3][2][ij] = k[2][3][ji];
    }
    for (int a = 1; a < 4; a++) {
        for (int ij = 0; ij < 9; ij++) {
            k[0][a][ij] = -(k[1][a][ij] + k[2][a][ij] + k[3][a][ij]);
            k[a][0][ij % 3 * 3 + ij / 3] = k[0][a][ij];
        }
    }
    for (int ij = 0; ij < 9; ij++) {
        k[0][0][ij] = -(k[0][1][ij] + k[0][2][ij] + k[0][3][ij]);
    }
    mirror_lanes(k[0][0]);
}

#endif

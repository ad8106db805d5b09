// The exponential chart of rotations, eight at a time (docs/theory/bonds.md section 2). phi is the
// rotation vector from the orientation at the start of a step. The chart gives the orientation
// exp(phi), and the matrices that map rates and gradients in the chart to angular velocities and
// torques.
//
// Everything is a series in s = |phi|^2 without branches, cancellation or calls of the C library,
// so that the bits are the same on every processor. The series are accurate for |phi| up to
// CHART_LIMIT.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_ROTATION_CHART_H
#define PBS_BASE_MATRIX3_ROTATION_CHART_H

#include "base/lanes/lanes.h"

/// Radians; dexp is singular at 2 pi.
#define CHART_LIMIT 6.0

/// The coefficients of the chart at phi. With t = |phi|: a = sin t / t, b = (1 - cos t) / t^2, c =
/// (t - sin t) / t^3; b1 = b' / t, c1 = c' / t.
struct chart_lanes {
    lanes8 phi[3];
    lanes8 a, b, c, b1, c1;
};

/// Returns sum_k coefficients[k] s^k.
ALWAYS_INLINE lanes8 chart_series(lanes8 s, const double coefficients[17]) {
    lanes8 sum = lanes_set(coefficients[16]);
    for (int k = 15; k >= 0; k--) {
        sum = sum * s + coefficients[k];
    }
    return sum;
}

ALWAYS_INLINE void chart_init(const lanes8 phi[3], struct chart_lanes *chart) {
    // (-1)^(k+1) (1 / (2 k + 3)! - 2 / (2 k + 4)!) and (-1)^(k+1) (1 / (2 k + 4)! - 3 / (2 k + 5)!)
    static const double of_b[17] = {
        -0.08333333333333333,   0.005555555555555556,   -0.00014880952380952382,
        2.204585537918871e-06,  -2.08767569878681e-08,  1.376489471727567e-10,
        -6.691268265342339e-13, 2.499073114973796e-15,  -7.398571721961897e-18,
        1.7793582784901146e-20, -3.54582265641146e-23,  5.951031031739514e-26,
        -8.527712016381578e-29, 1.0555965360684537e-31, -1.140117226456423e-34,
        1.0838904113667718e-37, -9.139948905374564e-41,
    };
    static const double of_c[17] = {
        -0.016666666666666666,   0.0007936507936507937,   -1.6534391534391536e-05,
        2.0041686708353376e-07,  -1.6059043836821615e-09, 9.17659647818378e-12,
        -3.936040156083729e-14,  1.3153016394598927e-16,  -3.523129391410427e-19,
        7.736340341261368e-22,   -1.4183290625645841e-24, 2.204085567310931e-27,
        -2.9405903504764064e-30, 3.4051501163498504e-33,  -3.4549006862315854e-36,
        3.096829746762205e-39,   -2.4702564609120444e-42,
    };
    const lanes8 s = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2];
    for (int i = 0; i < 3; i++) {
        chart->phi[i] = phi[i];
    }
    chart->b1 = chart_series(s, of_b);
    chart->c1 = chart_series(s, of_c);
    // From s b1 = a - 2 b, s c1 = b - 3 c and a = 1 - s c.
    chart->c = (1.0 - s * (chart->b1 + 2.0 * chart->c1)) / (6.0 + s);
    chart->b = 3.0 * chart->c + s * chart->c1;
    chart->a = 1.0 - s * chart->c;
}

/// out = exp(phi) from, the quaternion of the orientation at phi.
ALWAYS_INLINE void chart_orientation(const struct chart_lanes *chart, const lanes8 from[4],
                                     lanes8 out[4]) {
    const lanes8 half = lanes_sqrt(0.5 * chart->b); // sin(t / 2) / t
    const lanes8 w = 0.5 * chart->a / half;         // cos(t / 2)
    const lanes8 x = half * chart->phi[0];
    const lanes8 y = half * chart->phi[1];
    const lanes8 z = half * chart->phi[2];
    out[0] = w * from[0] + from[3] * x + (y * from[2] - z * from[1]);
    out[1] = w * from[1] + from[3] * y + (z * from[0] - x * from[2]);
    out[2] = w * from[2] + from[3] * z + (x * from[1] - y * from[0]);
    out[3] = w * from[3] - (x * from[0] + y * from[1] + z * from[2]);
}

/// out = p I + q phi^ + r phi phi^T, where phi^ is the matrix of the cross product.
ALWAYS_INLINE void chart_matrix(const lanes8 phi[3], lanes8 p, lanes8 q, lanes8 r, lanes8 out[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = r * phi[i] * phi[j];
        }
        out[4 * i] += p;
    }
    const lanes8 skew[3] = {q * phi[0], q * phi[1], q * phi[2]};
    out[1] -= skew[2];
    out[2] += skew[1];
    out[3] += skew[2];
    out[5] -= skew[0];
    out[6] -= skew[1];
    out[7] += skew[0];
}

/// out = T = dexp(phi). The angular velocity is T phi'.
ALWAYS_INLINE void chart_velocity(const struct chart_lanes *chart, lanes8 out[9]) {
    chart_matrix(chart->phi, chart->a, chart->b, chart->c, out);
}

/// out = K = T^-T = dexp(-phi)^-1, which maps gradients in the chart to torques.
ALWAYS_INLINE void chart_torque(const struct chart_lanes *chart, lanes8 out[9]) {
    // K = 1 + phi^ / 2 + g phi^ phi^, where phi^ phi^ = phi phi^T - s.
    const lanes8 *phi = chart->phi;
    const lanes8 s = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2];
    const lanes8 g = -0.5 * chart->b1 / chart->b;
    chart_matrix(phi, 1.0 - g * s, lanes_set(0.5), g, out);
}

/// Computes the first-order term of the second derivative of a function of exp(phi). t is the
/// function's derivative with respect to rotations in the world frame; out is the derivative of t .
/// T(phi) with respect to phi at constant t, symmetric.
ALWAYS_INLINE void chart_curvature(const struct chart_lanes *chart, const lanes8 t[3],
                                   lanes8 out[9]) {
    const lanes8 *phi = chart->phi;
    const lanes8 along = t[0] * phi[0] + t[1] * phi[1] + t[2] * phi[2];
    const lanes8 swirl[3] = {t[1] * phi[2] - t[2] * phi[1], t[2] * phi[0] - t[0] * phi[2],
                             t[0] * phi[1] - t[1] * phi[0]};
    const lanes8 straight = 2.0 * chart->c - chart->b;
    lanes8 v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = 0.5 * (straight * t[i] + chart->b1 * swirl[i] + chart->c1 * along * phi[i]);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = phi[i] * v[j] + v[i] * phi[j];
        }
        out[4 * i] += chart->c * along;
    }
}

#endif

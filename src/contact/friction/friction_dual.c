// See friction_dual.h.
// SPDX-License-Identifier: MIT
#include "contact/friction/friction_dual.h"

#include <math.h>

/// What eta(s) is at a slip of length s: the slip over the force's share of its limit.
struct ratio {
    double value; ///< m
    double slope;
    double along[2]; ///< the direction of the slip, any where it is zero
};

static double length2(const double a[2]) {
    return sqrt(a[0] * a[0] + a[1] * a[1]);
}

static double dot2(const double a[2], const double b[2]) {
    return a[0] * b[0] + a[1] * b[1];
}

static struct ratio ratio_at(const double slip[2], double width) {
    const double s = length2(slip);
    struct ratio out = {.value = s, .slope = 1.0, .along = {1.0, 0.0}};
    if (s < width) {
        out.value = width / (2.0 - s / width);
        out.slope = (out.value / width) * (out.value / width);
    }
    if (s > 0.0) {
        out.along[0] = slip[0] / s;
        out.along[1] = slip[1] / s;
    }
    return out;
}

/// w = that of the slip where the dual is not known: the first Hessian is that of f0.
static void dual_at(const struct friction_dual *dual, const double slip[2], const struct ratio *eta,
                    double w[2]) {
    for (int i = 0; i < 2; i++) {
        w[i] = dual->is_known ? dual->force[i] : slip[i] / eta->value;
    }
}

/// Of w / |w| + q and w / |w| - q, which are at right angles, writes the longer one's direction and
/// the one across. Returns whether it is the sum.
static bool bisect(const double w[2], const double q[2], double direction[2][2]) {
    const double size = length2(w);
    const double unit[2] = {size > 0.0 ? w[0] / size : q[0], size > 0.0 ? w[1] / size : q[1]};
    const bool is_sum = dot2(unit, q) >= 0.0;
    const double sign = is_sum ? 1.0 : -1.0;
    const double sum[2] = {unit[0] + sign * q[0], unit[1] + sign * q[1]};
    const double length = length2(sum);
    for (int i = 0; i < 2; i++) {
        direction[0][i] = sum[i] / length;
    }
    direction[1][0] = -direction[0][1];
    direction[1][1] = direction[0][0];
    return is_sum;
}

// H = (I - eta' (w q^T + q w^T) / 2) / eta: the symmetric part of what eliminating the change of w
// leaves.
void friction_dual_hessian(const struct friction_dual *dual, const double slip[2], double width,
                           struct friction_hessian *out) {
    const struct ratio eta = ratio_at(slip, width);
    double w[2];
    dual_at(dual, slip, &eta, w);
    const bool is_sum = bisect(w, eta.along, out->direction);
    const double middle = 1.0 - 0.5 * eta.slope * dot2(w, eta.along);
    const double apart = (is_sum ? 0.5 : -0.5) * eta.slope * length2(w);
    out->coefficient[0] = fmax(middle - apart, 0.0) / eta.value;
    out->coefficient[1] = fmax(middle + apart, 0.0) / eta.value;
}

double friction_dual_error(const struct friction_dual *dual, const double slip[2], double width) {
    const struct ratio eta = ratio_at(slip, width);
    double w[2];
    dual_at(dual, slip, &eta, w);
    const double off[2] = {w[0] - slip[0] / eta.value, w[1] - slip[1] / eta.value};
    return length2(off);
}

void friction_dual_follow(struct friction_dual *dual, const double slip[2], const double motion[2],
                          double width) {
    const struct ratio eta = ratio_at(slip, width);
    const double lengthened = eta.slope * dot2(eta.along, motion);
    double w[2];
    double moved[2];
    dual_at(dual, slip, &eta, w);
    for (int i = 0; i < 2; i++) {
        moved[i] = (slip[i] + motion[i] - lengthened * w[i]) / eta.value;
    }
    // Friction is never more than its limit.
    const double size = fmax(1.0, length2(moved));
    dual->force[0] = moved[0] / size;
    dual->force[1] = moved[1] / size;
    dual->is_known = true;
}

// See rigid_fit.h. The rotation is Kabsch's, from a singular value decomposition that excludes
// reflections.
// SPDX-License-Identifier: MIT
#include "minimize/objective/rigid_fit.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "base/matrix3/svd3.h"

// The rotation is unique if fit_motion returns more than this, which is well above rounding errors.
static const double UNIQUE = 1e-12;

static bool is_constrained(const struct rest_shape *shape, const uint8_t *constrained_axes) {
    for (size_t i = 0; constrained_axes != NULL && i < shape->node_count; i++) {
        if (constrained_axes[shape->node_start + i] != 0) {
            return true;
        }
    }
    return false;
}

static void mean(const double *mass, const double *positions, size_t count, double out[3]) {
    double sum = 0.0;
    out[0] = out[1] = out[2] = 0.0;
    for (size_t i = 0; i < count; i++) {
        add_scaled3(out, mass[i], positions + 3 * i, out);
        sum += mass[i];
    }
    scale3(1.0 / sum, out, out);
}

/// x -> rotation (x - from) + to.
struct motion {
    double from[3], to[3], rotation[9];
};

/// Computes the rigid motion that fits best. Returns (sigma_1 + sigma_2) / sigma_0 with the
/// singular values of the covariance matrix, of which sigma_2 has the sign of the determinant. The
/// rotation is unique if this is positive.
static double fit_motion(const double *mass, const double *positions, const double *target,
                         size_t count, struct motion *out) {
    double covariance[9] = {0.0}; // sum of m (target - to) (position - from)^T
    double u[9], v[9], sigma[3];
    mean(mass, positions, count, out->from);
    mean(mass, target, count, out->to);
    for (size_t i = 0; i < count; i++) {
        double a[3], b[3];
        subtract3(target + 3 * i, out->to, a);
        subtract3(positions + 3 * i, out->from, b);
        for (int k = 0; k < 9; k++) {
            covariance[k] += mass[i] * a[k / 3] * b[k % 3];
        }
    }
    svd3(covariance, u, sigma, v);
    for (int k = 0; k < 9; k++) {
        out->rotation[k] = dot3(u + 3 * (k / 3), v + 3 * (k % 3));
    }
    return (sigma[1] + sigma[2]) / sigma[0];
}

/// out = the moved positions. Returns false without writing if the motion is not finite because
/// numbers have overflowed.
static bool move(const struct motion *motion, const double *positions, size_t count, double *out) {
    for (int k = 0; k < 9; k++) {
        if (!isfinite(motion->rotation[k]) || !isfinite(motion->to[k / 3])) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        double b[3], rotated[3];
        subtract3(positions + 3 * i, motion->from, b);
        multiply3(motion->rotation, b, rotated);
        add3(motion->to, rotated, out + 3 * i);
    }
    return true;
}

bool rigid_fit(const struct rest_shape *shape, const double *mass, const uint8_t *constrained_axes,
               const double *target, double *out) {
    const size_t start = shape->node_start;
    struct motion motion;
    if (is_constrained(shape, constrained_axes)) {
        return false;
    }
    fit_motion(mass + start, shape->positions, target + 3 * start, shape->node_count, &motion);
    return move(&motion, shape->positions, shape->node_count, out + 3 * start);
}

bool rigid_align(const struct rest_shape *shape, const double *mass,
                 const uint8_t *constrained_axes, const double *target, const double *x,
                 double *out) {
    const size_t start = shape->node_start;
    struct motion motion;
    return !is_constrained(shape, constrained_axes) &&
           fit_motion(mass + start, x + 3 * start, target + 3 * start, shape->node_count, &motion) >
               UNIQUE &&
           move(&motion, x + 3 * start, shape->node_count, out + 3 * start);
}

// See rigid_fit.h: Kabsch's rotation, by singular values, so that it never reflects.
#include "minimize/rigid_fit.h"

#include <math.h>

#include "base/math3.h"
#include "base/svd3.h"

static bool is_held(const struct rest_shape *shape, const uint8_t *held) {
    for (size_t i = 0; held != NULL && i < shape->node_count; i++) {
        if (held[shape->node_start + i] != 0) {
            return true;
        }
    }
    return false;
}

static void mean(const double *mass, const double *places, size_t count, double out[3]) {
    double sum = 0.0;
    out[0] = out[1] = out[2] = 0.0;
    for (size_t i = 0; i < count; i++) {
        add_scaled3(out, mass[i], places + 3 * i, out);
        sum += mass[i];
    }
    scale3(1.0 / sum, out, out);
}

bool rigid_fit(const struct rest_shape *shape, const double *mass, const uint8_t *held,
               const double *target, double *out) {
    const double *const m = mass + shape->node_start;
    const double *const to = target + 3 * shape->node_start;
    double from[3], center[3], rotation[9];
    double product[9] = {0.0}; // sum of m (target - center) (X - from)^T
    if (is_held(shape, held)) {
        return false;
    }
    mean(m, shape->places, shape->node_count, from);
    mean(m, to, shape->node_count, center);
    for (size_t i = 0; i < shape->node_count; i++) {
        double a[3], b[3];
        subtract3(to + 3 * i, center, a);
        subtract3(shape->places + 3 * i, from, b);
        for (int k = 0; k < 9; k++) {
            product[k] += m[i] * a[k / 3] * b[k % 3];
        }
    }
    polar3(product, rotation);
    for (int k = 0; k < 9; k++) {
        if (!isfinite(rotation[k]) || !isfinite(center[k / 3])) {
            return false;
        }
    }
    for (size_t i = 0; i < shape->node_count; i++) {
        double b[3], turned[3];
        subtract3(shape->places + 3 * i, from, b);
        multiply3(rotation, b, turned);
        add3(center, turned, out + 3 * (shape->node_start + i));
    }
    return true;
}

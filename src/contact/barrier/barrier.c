// See barrier.h. Barriers are written with ln = ln(s / S) and q = (S - s) / s, so that every sum
// has terms of one sign and no cancellation:
//     b = -k (S - s)^2 ln, b' = k (S - s) (2 ln - q), b'' = k (q^2 + 4 q - 2 ln).
// Theory: docs/theory/contact.md section 2.3.
// SPDX-License-Identifier: MIT
#define LANES 2
#include "contact/barrier/barrier.h"

#include "base/lanes/logarithm.h"
#include "base/matrix3/math3.h"

static const struct barrier_value outside = {0.0, 0.0, 0.0};

// Returns ln(s / (s + missing)), to full accuracy also where the ratio is close to 1.
static double log_ratio(double s, double missing) {
    const double whole = s + missing;
    if (missing > s) {
        return log_lanes(lanes_set(s / whole))[0];
    }
    const double t = missing / whole;
    return -t - log_excess_lanes(lanes_set(-t))[0];
}

// Returns -(s - S)^2 ln(s / S) and its derivatives with respect to s, from s and missing = S - s,
// both positive.
static struct barrier_value of_excess(double s, double missing) {
    const double logarithm = log_ratio(s, missing), q = missing / s;
    return (struct barrier_value){.value = -missing * missing * logarithm,
                                  .first = missing * (2.0 * logarithm - q),
                                  .second = q * q + 4.0 * q - 2.0 * logarithm};
}

static struct barrier_value of_distance(double gap, double offset, double reach) {
    (void)offset;
    return of_excess(gap, reach - gap);
}

// Applies the chain rule for s = d^2 - offset^2.
static struct barrier_value of_square(double gap, double offset, double reach) {
    const double distance = gap + offset;
    const double s = gap * (gap + 2.0 * offset);
    const struct barrier_value b = of_excess(s, (reach - gap) * (reach + gap + 2.0 * offset));
    return (struct barrier_value){
        .value = b.value,
        .first = 2.0 * distance * b.first,
        .second = 4.0 * distance * distance * b.second + 2.0 * b.first,
    };
}

typedef struct barrier_value barrier_function(double gap, double offset, double reach);

static barrier_function *const functions[BARRIER_FORMS] = {
    [BARRIER_DISTANCE] = of_distance,
    [BARRIER_SQUARED] = of_square,
};

struct barrier_value barrier_evaluate(const struct barrier *barrier, double distance,
                                      double offset) {
    const double gap = distance - offset, k = barrier->stiffness;
    if (gap >= barrier->reach) {
        return outside;
    }
    if (!(gap > 0.0)) {
        return (struct barrier_value){INFINITY, -INFINITY, INFINITY};
    }
    const struct barrier_value b = functions[barrier->form](gap, offset, barrier->reach);
    return (struct barrier_value){k * b.value, k * b.first, k * b.second};
}

// With S = r^2 + 2 r offset the energies are k r^2 and k S^2 times functions of y = g / r. Without
// an offset, the second function is (1 - y^2)^2 (-2 ln y). That is 2 (1 + y)^2 times the first one,
// a factor of 4.5 at y = 1/2, and its force is between 2 and 8 times the first one's. With a large
// offset both functions are the same.
double barrier_form_stiffness(const struct barrier *barrier, double stiffness, double offset) {
    if (barrier->form == BARRIER_DISTANCE) {
        return stiffness;
    }
    const double reach = barrier->reach, whole = reach * (reach + 2.0 * offset);
    const double thick = 2.0 * offset * reach / whole;
    return stiffness * reach * reach / (whole * whole) * (0.25 + 0.75 * thick);
}

double edges_cross_squared(const double *const x[4], double (*gradient)[3]) {
    double u[3], v[3], n[3], along_u[3], along_v[3];
    subtract3(x[1], x[0], u);
    subtract3(x[3], x[2], v);
    cross3(u, v, n);
    if (gradient != NULL) {
        cross3(v, n, along_u);
        cross3(n, u, along_v);
        for (int k = 0; k < 3; k++) {
            gradient[1][k] = 2.0 * along_u[k];
            gradient[0][k] = -gradient[1][k];
            gradient[3][k] = 2.0 * along_v[k];
            gradient[2][k] = -gradient[3][k];
        }
    }
    return dot3(n, n);
}

struct barrier_value mollifier_evaluate(double cross_squared, double threshold) {
    if (!(cross_squared < threshold)) {
        return (struct barrier_value){1.0, 0.0, 0.0};
    }
    const double y = cross_squared / threshold;
    return (struct barrier_value){.value = y * (2.0 - y),
                                  .first = 2.0 * (1.0 - y) / threshold,
                                  .second = -2.0 / (threshold * threshold)};
}

struct barrier_value taper_evaluate(double distance, double width) {
    const double y = distance / width;
    if (!(y > 0.0)) {
        return (struct barrier_value){0.0, 0.0, 0.0};
    }
    if (y >= 1.0) {
        return (struct barrier_value){1.0, 0.0, 0.0};
    }
    return (struct barrier_value){.value = y * y * (3.0 - 2.0 * y),
                                  .first = 6.0 * y * (1.0 - y) / width,
                                  .second = (6.0 - 12.0 * y) / (width * width)};
}

struct friction_value friction_evaluate(double slip, double width) {
    if (!(slip < width)) {
        return (struct friction_value){slip, 1.0 / slip, 0.0};
    }
    const double y = slip / width;
    return (struct friction_value){.value = width * (y * y * (1.0 - y / 3.0) + 1.0 / 3.0),
                                   .first_over_slip = (2.0 - y) / width,
                                   .second = 2.0 * (1.0 - y) / width};
}

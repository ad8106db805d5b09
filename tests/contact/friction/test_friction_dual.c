// Friction's force as an unknown: the Hessian that it makes against its matrix, and against that of
// the smoothed potential where it is the force of the slip; how it follows a direction.
// SPDX-License-Identifier: MIT
#include "contact/friction/friction_dual.h"

#include <math.h>

#include "contact/barrier/barrier.h"
#include "support/random.h"
#include "support/testing.h"

#define EPSILON 0x1p-52

static const double WIDTH = 0.02;

/// Slips below, at and beyond the width, along both tangents and across, and none.
static const double slips[][2] = {{0.0, 0.0},  {1e-9, 0.0},    {0.0, -0.005}, {0.004, 0.003},
                                  {0.02, 0.0}, {-0.0199, 0.0}, {0.3, -0.4},   {-2e3, 1e3}};
enum { SLIPS = sizeof slips / sizeof slips[0] };

static double length_of(const double a[2]) {
    return hypot(a[0], a[1]);
}

/// eta and its slope: the slip over what friction is of its limit.
static double ratio(double slip, double *slope) {
    const double value = slip < WIDTH ? WIDTH * WIDTH / (2.0 * WIDTH - slip) : slip;
    *slope = slip < WIDTH ? value * value / (WIDTH * WIDTH) : 1.0;
    return value;
}

/// h = xx, xy, yy.
static void entries(const struct friction_hessian *hessian, double h[3]) {
    h[0] = h[1] = h[2] = 0.0;
    for (int k = 0; k < 2; k++) {
        const double *const d = hessian->direction[k];
        h[0] += hessian->coefficient[k] * d[0] * d[0];
        h[1] += hessian->coefficient[k] * d[0] * d[1];
        h[2] += hessian->coefficient[k] * d[1] * d[1];
    }
}

/// The Hessian of f0(|u|), from its eigenvalues along the slip and across.
static void potential_entries(const double slip[2], double h[3]) {
    const double s = length_of(slip);
    const struct friction_value f = friction_evaluate(s, WIDTH);
    const double q[2] = {s > 0.0 ? slip[0] / s : 1.0, s > 0.0 ? slip[1] / s : 0.0};
    const double apart = s > 0.0 ? f.second - f.first_over_slip : 0.0;
    h[0] = f.first_over_slip + apart * q[0] * q[0];
    h[1] = apart * q[0] * q[1];
    h[2] = f.first_over_slip + apart * q[1] * q[1];
}

static void unknown_and_exact_duals_give_the_potentials_hessian(void **state) {
    (void)state;
    for (int i = 0; i < SLIPS; i++) {
        double slope;
        const double eta = ratio(length_of(slips[i]), &slope);
        const struct friction_dual duals[2] = {
            {.is_known = false},
            {.is_known = true, .force = {slips[i][0] / eta, slips[i][1] / eta}}};
        double expected[3];
        potential_entries(slips[i], expected);
        for (int k = 0; k < 2; k++) {
            struct friction_hessian hessian;
            double h[3];
            friction_dual_hessian(&duals[k], slips[i], WIDTH, &hessian);
            entries(&hessian, h);
            for (int e = 0; e < 3; e++) {
                // Each entry is a sum of a few rounded terms of at most 1 / eta.
                assert_near(h[e], expected[e], 16.0 * EPSILON / eta, "entry");
            }
            assert_near(friction_dual_error(&duals[k], slips[i], WIDTH), 0.0, 4.0 * EPSILON,
                        "error");
        }
    }
}

/// H = (I - eta' (w q^T + q w^T) / 2) / eta for duals of all lengths and at all angles, also
/// against the slip and none. It is semidefinite, and the pairs are its eigenvectors.
static void hessian_is_the_matrix(void **state) {
    (void)state;
    for (int i = 0; i < SLIPS; i++) {
        double slope;
        const double s = length_of(slips[i]);
        const double eta = ratio(s, &slope);
        const double q[2] = {s > 0.0 ? slips[i][0] / s : 1.0, s > 0.0 ? slips[i][1] / s : 0.0};
        for (int angle = 0; angle < 16; angle++) {
            for (int size = 0; size <= 4; size++) {
                const double c = cos(angle * acos(-1.0) / 8.0);
                const double t = sin(angle * acos(-1.0) / 8.0);
                const double w[2] = {0.25 * size * (c * q[0] - t * q[1]),
                                     0.25 * size * (t * q[0] + c * q[1])};
                const struct friction_dual dual = {.is_known = true, .force = {w[0], w[1]}};
                struct friction_hessian hessian;
                double h[3];
                friction_dual_hessian(&dual, slips[i], WIDTH, &hessian);
                entries(&hessian, h);
                const double expected[3] = {1.0 - slope * w[0] * q[0],
                                            -0.5 * slope * (w[0] * q[1] + w[1] * q[0]),
                                            1.0 - slope * w[1] * q[1]};
                for (int e = 0; e < 3; e++) {
                    assert_near(h[e], expected[e] / eta, 16.0 * EPSILON / eta, "entry");
                }
                const double *const d = hessian.direction[0];
                assert_near(length_of(d), 1.0, 4.0 * EPSILON, "unit");
                assert_near(d[0] * hessian.direction[1][0] + d[1] * hessian.direction[1][1], 0.0,
                            4.0 * EPSILON, "right angle");
                assert_true(hessian.coefficient[0] >= 0.0 && hessian.coefficient[1] >= 0.0);
            }
        }
    }
}

/// What is left of eta(|u|) w - u after both have moved by Newton's direction is of second order in
/// it: half the way leaves a quarter. Without following the direction, half leaves half.
static void dual_follows_to_second_order(void **state) {
    (void)state;
    struct random numbers = random_seed(5);
    for (int round = 0; round < 200; round++) {
        double slip[2];
        double way[2];
        double left[2];
        // Apart from the width, where eta' jumps, and from 0, where the slip's direction does.
        const double s = WIDTH * (round % 2 == 0 ? random_uniform(&numbers, 0.2, 0.8)
                                                 : random_uniform(&numbers, 1.2, 9.0));
        const double angle = random_uniform(&numbers, 0.0, 6.3);
        slip[0] = s * cos(angle);
        slip[1] = s * sin(angle);
        random_fill(&numbers, -1.0, 1.0, way, 2);
        for (int half = 0; half < 2; half++) {
            const double part = 1e-3 * s * (half == 0 ? 1.0 : 0.5);
            const double motion[2] = {part * way[0], part * way[1]};
            const double moved[2] = {slip[0] + motion[0], slip[1] + motion[1]};
            struct friction_dual dual = {.is_known = false};
            friction_dual_follow(&dual, slip, motion, WIDTH);
            left[half] = friction_dual_error(&dual, moved, WIDTH);
        }
        // |u|'' <= 1 / s and eta'' eta <= 2: the error is at most a few (motion / s)^2.
        assert_true(left[0] <= 4e-6);
        assert_near(left[1], 0.25 * left[0], 1e-2 * left[0] + 1e-14, "quarter");
    }
}

/// However long the direction, friction is at most its limit; where it leads far beyond the slip
/// of now it is the limit, along the direction.
static void dual_stays_within_the_limit(void **state) {
    (void)state;
    static const double far[2] = {-3e4, 4e4};
    for (int i = 0; i < SLIPS; i++) {
        struct friction_dual dual = {.is_known = false};
        friction_dual_follow(&dual, slips[i], far, WIDTH);
        assert_true(dual.is_known);
        assert_near(length_of(dual.force), 1.0, 4.0 * EPSILON, "limit");
    }
    struct friction_dual dual = {.is_known = false};
    friction_dual_follow(&dual, slips[0], far, WIDTH);
    assert_near(dual.force[0], -0.6, 4.0 * EPSILON, "along");
    assert_near(dual.force[1], 0.8, 4.0 * EPSILON, "along");
}

/// A dual against the slip: the reversal that the potential's Hessian does not see costs the whole
/// force over the slip, and across as much.
static void reversal_is_stiff(void **state) {
    (void)state;
    static const double slip[2] = {0.5, 0.0};
    const struct friction_dual dual = {.is_known = true, .force = {-1.0, 0.0}};
    struct friction_hessian hessian;
    double h[3];
    friction_dual_hessian(&dual, slip, WIDTH, &hessian);
    entries(&hessian, h);
    assert_near(h[0], 4.0, 16.0 * EPSILON, "2 / |u|");
    assert_near(h[2], 2.0, 16.0 * EPSILON, "1 / |u|");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_and_exact_duals_give_the_potentials_hessian),
        cmocka_unit_test(hessian_is_the_matrix),
        cmocka_unit_test(dual_follows_to_second_order),
        cmocka_unit_test(dual_stays_within_the_limit),
        cmocka_unit_test(reversal_is_stiff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

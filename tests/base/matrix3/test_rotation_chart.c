// Compares the functions of the rotation chart with values of fifty digits, and its matrices with
// each other and with trigonometric functions.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "base/matrix3/rotation_chart.h"
#include "support/random.h"

static void measure(const double phi[3], struct chart_lanes *chart) {
    lanes8 lanes[3];
    for (int i = 0; i < 3; i++) {
        lanes[i] = lanes_set(phi[i]);
    }
    chart_init(lanes, chart);
}

static void first_lane(const lanes8 *lanes, int count, double *out) {
    for (int i = 0; i < count; i++) {
        out[i] = lanes[i][0];
    }
}

/// a, b, c, b1, c1 computed with 60 digits. s = t^2 has an error of half a unit in the last place.
/// Near 2 pi this error and the rounding of the last subtraction are larger relative to the values.
static void functions_have_their_digits(void **state) {
    (void)state;
    static const struct {
        double angle, value[5];
    } table[] = {
        {0.001,
         {0.9999998333333416, 0.4999999583333347, 0.16666665833333352, -0.08333332777777792,
          -0.01666666587301589}},
        {0.1,
         {0.9983341664682815, 0.4995834721974234, 0.1665833531718477, -0.08327779265652578,
          -0.016658731811968912}},
        {1.0,
         {0.8414709848078965, 0.4596976941318603, 0.1585290151921035, -0.07792440345582406,
          -0.0158893514444502}},
        {2.0,
         {0.45464871341284085, 0.3540367091367856, 0.1363378216467898, -0.06335617621518258,
          -0.013744188950895941}},
        {3.125,
         {0.005309405513391329, 0.20478590413636472, 0.10185631687542873, -0.04139647004255622,
          -0.010320183960567959}},
        {4.5,
         {-0.21722891503668823, 0.059792385157075544, 0.060110069878354974, -0.016632774585226634,
          -0.005952485159406883}},
        {5.875,
         {-0.06756500084991439, 0.002380293973649392, 0.030929904958983487, -0.0020954448542424824,
          -0.002619376612861597}},
    };
    for (size_t k = 0; k < COUNT_OF(table); k++) {
        const double phi[3] = {0.0, table[k].angle, 0.0};
        struct chart_lanes chart;
        measure(phi, &chart);
        const double value[5] = {chart.a[0], chart.b[0], chart.c[0], chart.b1[0], chart.c1[0]};
        // Ratio of the series' largest terms to its sum: 1 up to pi, then up to 1e3.
        const double tolerance = table[k].angle < 3.2 ? 1e-15 : 2e-14;
        for (int i = 0; i < 5; i++) {
            assert_near(value[i], table[k].value[i], tolerance, "function");
        }
    }
}

/// Compares exp(phi) with the C library's sine and cosine, and tests T K^T = 1 and that T K is the
/// rotation by phi.
static void matrices_belong_together(void **state) {
    (void)state;
    struct random random = random_seed(3);
    for (int round = 0; round < 200; round++) {
        double phi[3];
        double start[4] = {0.1, -0.7, 0.5, 0.5};
        double expected[4];
        double rotation[9];
        double turned[9];
        struct chart_lanes chart;
        lanes8 from[4];
        lanes8 to[4];
        lanes8 t[9];
        lanes8 k[9];
        double q[4];
        double velocity[9];
        double torque[9];
        random_unit(&random, phi);
        scale3(random_uniform(&random, 0.0, 5.5), phi, phi);
        measure(phi, &chart);
        for (int i = 0; i < 4; i++) {
            from[i] = lanes_set(start[i]);
        }
        chart_orientation(&chart, from, to);
        chart_velocity(&chart, t);
        chart_torque(&chart, k);
        first_lane(to, 4, q);
        first_lane(t, 9, velocity);
        first_lane(k, 9, torque);
        rotate_by(phi, 1.0, start, expected);
        // Up to 5.5 rad b loses two digits; K grows like 1 / (2 pi - |phi|).
        assert_small(testing_max_difference(q, expected, 4), 1e-13, "orientation");
        const double none[4] = {0.0, 0.0, 0.0, 1.0};
        rotate_by(phi, 1.0, none, expected);
        rotation_of(expected, rotation);
        multiply33(velocity, torque, turned);
        assert_small(testing_max_difference(turned, rotation, 9), 1e-12, "rotation");
        for (int i = 0; i < 9; i++) {
            const double product = dot3(velocity + 3 * (i / 3), torque + 3 * (i % 3));
            assert_near(product, i % 4 == 0 ? 1.0 : 0.0, 1e-12, "inverse");
        }
    }
}

/// Compares T phi' with the rotation between exp(phi) and exp(phi + h phi').
static void velocity_is_the_rate_of_turning(void **state) {
    (void)state;
    struct random random = random_seed(4);
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    for (int round = 0; round < 50; round++) {
        const double h = 1e-4;
        double phi[3];
        double rate[3];
        double ends[2][4];
        double turn[3];
        double omega[3];
        struct chart_lanes chart;
        lanes8 t[9];
        double velocity[9];
        random_unit(&random, phi);
        random_unit(&random, rate);
        scale3(random_uniform(&random, 0.0, 3.0), phi, phi);
        measure(phi, &chart);
        chart_velocity(&chart, t);
        first_lane(t, 9, velocity);
        multiply3(velocity, rate, omega);
        for (int side = 0; side < 2; side++) {
            double moved[3];
            add_scaled3(phi, side == 0 ? -0.5 * h : 0.5 * h, rate, moved);
            rotate_by(moved, 1.0, none, ends[side]);
        }
        rotation_between(ends[0], ends[1], turn);
        scale3(1.0 / h, turn, turn);
        // h^2 / 24 times third derivatives below 1, plus 1e-16 / h.
        assert_small(testing_max_difference(turn, omega, 3), 1e-9, "angular velocity");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_their_digits),
        cmocka_unit_test(matrices_belong_together),
        cmocka_unit_test(velocity_is_the_rate_of_turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

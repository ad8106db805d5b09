// Screw paths of affine bodies: tangent to the direction, without strain of their own, with the
// slope of differences; points that rest stay.
#include "minimize/search/screw.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/testing.h"

#define EPSILON 0x1p-52

enum { FIRST = 2, NODES = FIRST + 4, COORDINATES = 3 * NODES };

static struct random numbers;

/// A body of about half a metre, turned anyhow and a little strained; nodes before it are not its
/// own.
static void make_body(double x[COORDINATES]) {
    double r[9];
    random_fill(&numbers, -1.0, 1.0, x, COORDINATES);
    random_rotation(&numbers, r);
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 3; i++) {
            x[3 * (FIRST + 1 + k) + i] = 0.5 * r[3 * i + k] + random_uniform(&numbers, -0.02, 0.02);
        }
    }
}

/// The motion of a rigid body that turns by w, of which `still` stays.
static void make_turn(const double x[COORDINATES], const double w[3], const double still[3],
                      double direction[COORDINATES]) {
    double arm[3];
    memset(direction, 0, COORDINATES * sizeof *direction);
    subtract3(x + 3 * FIRST, still, arm);
    cross3(w, arm, direction + 3 * FIRST);
    for (size_t k = FIRST + 1; k < NODES; k++) {
        cross3(w, x + 3 * k, direction + 3 * k);
    }
}

static struct screw screw_of(const double *x, const double *direction) {
    struct screw screw = {.node = FIRST};
    screw_split(&screw, x, direction);
    return screw;
}

/// Rigid motions are found as such and led round a whole turn: lengths and angles of handles stay,
/// and so does the point that the body turns about.
static void rigid_motions_stay_rigid(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(50); i++) {
        double x[COORDINATES];
        double y[COORDINATES];
        double direction[COORDINATES];
        double w[3];
        double weights[3];
        double still[3];
        make_body(x);
        memcpy(y, x, sizeof y);
        random_unit(&numbers, w);
        random_fill(&numbers, -1.0, 1.0, weights, 3);
        copy3(x + 3 * FIRST, still);
        for (size_t k = 0; k < 3; k++) {
            add_scaled3(still, weights[k], x + 3 * (FIRST + 1 + k), still);
        }
        make_turn(x, w, still, direction);
        struct screw screw = {.node = FIRST};
        assert_near(screw_split(&screw, x, direction), 1.0, 64.0 * EPSILON, "angle");
        screw_move(&screw, x, direction, random_uniform(&numbers, 0.0, 5.9), y);
        for (size_t a = FIRST + 1; a < NODES; a++) {
            for (size_t b = FIRST + 1; b < NODES; b++) {
                // The chart is accurate to a few dozen rounding errors at the largest angles.
                assert_near(dot3(y + 3 * a, y + 3 * b), dot3(x + 3 * a, x + 3 * b), 1e-13,
                            "product of handles");
            }
        }
        double now[3];
        copy3(y + 3 * FIRST, now);
        for (size_t k = 0; k < 3; k++) {
            add_scaled3(now, weights[k], y + 3 * (FIRST + 1 + k), now);
        }
        subtract3(now, still, now);
        assert_near(norm3(now), 0.0, 1e-13, "the point that rests");
        for (size_t k = 0; k < 3 * (size_t)FIRST; k++) {
            assert_true(y[k] == x[k]);
        }
    }
}

/// What is left of a direction without its rotation is a symmetric strain: it has no moment.
static void strains_have_no_moment(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(50); i++) {
        double x[COORDINATES];
        double direction[COORDINATES];
        double moment[3] = {0.0, 0.0, 0.0};
        make_body(x);
        random_fill(&numbers, -1.0, 1.0, direction, COORDINATES);
        const struct screw screw = screw_of(x, direction);
        for (size_t k = 0; k < 3; k++) {
            double swirl[3];
            cross3(x + 3 * (FIRST + 1 + k), screw.strain[k], swirl);
            add3(moment, swirl, moment);
        }
        assert_near(norm3(moment), 0.0, 64.0 * EPSILON, "moment");
    }
}

/// The path begins at x along the direction, and its slope is that of differences everywhere, for
/// a function with any gradient: here a quadratic one.
static void slopes_are_those_of_values(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(50); i++) {
        double x[COORDINATES];
        double direction[COORDINATES];
        double ends[2][COORDINATES];
        double y[COORDINATES];
        double force[COORDINATES];
        double gradient[COORDINATES];
        make_body(x);
        memcpy(y, x, sizeof y);
        memcpy(ends[0], x, sizeof x);
        memcpy(ends[1], x, sizeof x);
        random_fill(&numbers, -1.0, 1.0, direction, COORDINATES);
        random_fill(&numbers, -1.0, 1.0, force, COORDINATES);
        const struct screw screw = screw_of(x, direction);
        screw_move(&screw, x, direction, 0.0, y);
        for (size_t k = 0; k < COORDINATES; k++) {
            assert_near(y[k], x[k], 4.0 * EPSILON, "start");
        }
        const double steps[2] = {0.0, random_uniform(&numbers, 0.1, 1.5)};
        for (int s = 0; s < 2; s++) {
            const double apart = 1e-5;
            double values[2] = {0.0, 0.0};
            double along = 0.0;
            for (int e = 0; e < 2; e++) {
                screw_move(&screw, x, direction, steps[s] + (e == 0 ? -apart : apart), ends[e]);
                for (size_t k = 3 * (size_t)FIRST; k < COORDINATES; k++) {
                    values[e] += force[k] * ends[e][k] + 0.5 * ends[e][k] * ends[e][k];
                }
            }
            screw_move(&screw, x, direction, steps[s], y);
            for (size_t k = 0; k < COORDINATES; k++) {
                gradient[k] = force[k] + y[k];
                along += k >= 3 * (size_t)FIRST ? gradient[k] * direction[k] : 0.0;
            }
            const double slope = screw_slope(&screw, direction, steps[s], y, gradient);
            // Turns of up to 6 rad have third derivatives of some hundreds, times apart^2 / 6.
            assert_near(slope, (values[1] - values[0]) / (2.0 * apart), 1e-6, "slope");
            assert_true(s > 0 || fabs(slope - along) < 1e-12);
        }
    }
}

/// Handles in one plane, or in one line, have no rotation that could be found: the body goes
/// straight.
static void flat_handles_do_not_turn(void **state) {
    (void)state;
    double x[COORDINATES] = {0.0};
    double direction[COORDINATES];
    random_fill(&numbers, -1.0, 1.0, direction, COORDINATES);
    for (size_t k = FIRST + 1; k < NODES; k++) {
        x[3 * k] = 0.5;
    }
    struct screw screw = {.node = FIRST};
    assert_true(screw_split(&screw, x, direction) == 0.0);
}

static int set_up(void **state) {
    (void)state;
    numbers = random_seed(11);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motions_stay_rigid),
        cmocka_unit_test(strains_have_no_moment),
        cmocka_unit_test(slopes_are_those_of_values),
        cmocka_unit_test(flat_handles_do_not_turn),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

// Paths on which bodies turn: they begin where the state is, along the direction; what the
// direction turns and moves as a whole keeps its shape however far it goes, and its point at rest;
// the derivative is that of the places; a body with a held axis goes straight.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "minimize/newton/path_scene.h"

enum { NODES = PATH_NODES, COUNT = PATH_COUNT };

static void begin(struct path_scene *s, uint64_t seed) {
    struct random random = random_seed(seed);
    path_scene_make(s, &random);
}

static void end(struct path_scene *s) {
    fixture_destroy(&s->f);
}

/// The direction of a body that turns by w about a point and moves.
static void turn_rigidly(struct path_scene *s, const double w[3]) {
    for (size_t i = 0; i < NODES; i++) {
        double *const d = s->f.newton->direction + 3 * i;
        cross3(w, s->f.newton->current.x + 3 * i, d);
        d[0] += 0.7;
        d[2] -= 2.0;
    }
}

static double largest_change_of_shape(const struct path_scene *s) {
    double largest = 0.0;
    for (size_t i = 0; i < NODES; i++) {
        for (size_t j = 0; j < i; j++) {
            double before[3], after[3];
            subtract3(s->f.newton->current.x + 3 * i, s->f.newton->current.x + 3 * j, before);
            subtract3(s->place + 3 * i, s->place + 3 * j, after);
            largest = fmax(largest, fabs(norm3(after) - norm3(before)));
        }
    }
    return largest;
}

static void a_rigid_motion_keeps_the_shape(void **state) {
    (void)state;
    struct path_scene s;
    begin(&s, 1);
    const double w[3] = {0.9, -1.3, 0.4};
    turn_rigidly(&s, w);
    assert_near(screws_fit(&s.m), norm3(w), 1e-12, "turn, rad");
    screws_place(&s.m, 0.0, s.place, s.tangent);
    assert_small(testing_max_difference(s.place, s.f.newton->current.x, COUNT), 1e-15, "start, m");
    assert_small(testing_max_difference(s.tangent, s.f.newton->direction, COUNT), 1e-14,
                 "derivative at the start, m");
    for (double a = 0.25; a < 3.0; a += 0.25) {
        screws_place(&s.m, a, s.place, s.tangent);
        // Rounding of coordinates below 10.
        assert_small(largest_change_of_shape(&s), 1e-14, "change of distances, m");
    }
    end(&s);
}

/// A body that turns about one of its points, as one that tips over its corner, leaves it where it
/// is.
static void the_point_at_rest_stays(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct path_scene s;
        begin(&s, seed);
        const double w[3] = {0.4, 1.1, -0.8};
        const double *const still = s.f.newton->current.x + 3;
        for (size_t i = 0; i < NODES; i++) {
            double arm[3];
            subtract3(s.f.newton->current.x + 3 * i, still, arm);
            cross3(w, arm, s.f.newton->direction + 3 * i);
        }
        assert_near(screws_fit(&s.m), norm3(w), 1e-12, "turn, rad");
        for (double a = 0.5; a < 3.0; a += 0.5) {
            screws_place(&s.m, a, s.place, s.tangent);
            assert_small(testing_max_difference(s.place + 3, still, 3), 1e-14, "way, m");
            assert_small(norm3(s.tangent + 3), 1e-14, "derivative, m");
        }
        end(&s);
    }
}

/// Central differences of a path with third derivatives below 100: 1e-4^2 * 100 / 6.
static void the_derivative_is_that_of_the_places(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct path_scene s;
        double before[COUNT], unused[COUNT];
        begin(&s, seed);
        assert_true(screws_fit(&s.m) > 0.0);
        screws_place(&s.m, 0.6 - 1e-4, before, unused);
        screws_place(&s.m, 0.6 + 1e-4, s.place, s.tangent);
        for (size_t k = 0; k < COUNT; k++) {
            unused[k] = (s.place[k] - before[k]) / 2e-4;
        }
        screws_place(&s.m, 0.6, s.place, s.tangent);
        assert_small(testing_max_difference(unused, s.tangent, COUNT), 2e-7, "derivative, m");
        end(&s);
    }
}

static void a_body_with_a_held_axis_goes_straight(void **state) {
    (void)state;
    struct path_scene s;
    begin(&s, 3);
    const uint8_t held[NODES] = {[4] = PBS_AXIS_Y};
    s.f.objective.constrained_axes = held;
    assert_true(screws_fit(&s.m) == 0.0);
    screws_place(&s.m, 0.5, s.place, s.tangent);
    assert_same_bits(s.tangent, s.f.newton->direction, COUNT);
    for (size_t k = 0; k < COUNT; k++) {
        const double straight = s.f.newton->current.x[k] + 0.5 * s.f.newton->direction[k];
        assert_true(s.place[k] == straight);
    }
    end(&s);
}

/// Nodes in a row have no angular velocity about it, also where they lie in it to 1e-4 of its
/// length alone: a direction across would turn them by 1e4 rad.
static void a_row_goes_straight(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct path_scene s;
        begin(&s, 4);
        for (size_t k = 0; k < COUNT; k++) {
            double *const x = &s.f.newton->current.x[k];
            *x = k % 3 == 0 ? (double)(k / 3) : 1e-4 * i * *x;
        }
        assert_true(screws_fit(&s.m) == 0.0);
        end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_motion_keeps_the_shape),
        cmocka_unit_test(the_point_at_rest_stays),
        cmocka_unit_test(the_derivative_is_that_of_the_places),
        cmocka_unit_test(a_body_with_a_held_axis_goes_straight),
        cmocka_unit_test(a_row_goes_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

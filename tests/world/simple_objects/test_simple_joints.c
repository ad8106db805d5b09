// Joints in one call: what they leave free, where their points are, and what is refused.
// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"

#include "base/matrix3/math3.h"

static const double GRAVITY = 9.81;
static const pbs_body space = {0};

static pbs_world *world_with_gravity(double gravity) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -gravity;
    return new_world_from(&d);
}

static pbs_world *falling_world(void) {
    return world_with_gravity(GRAVITY);
}

/// 0.4 x 0.2 x 0.3 m; young 0: nearly rigid.
static pbs_body add_brick(pbs_world *world, double x, double y, double young) {
    static const double size[3] = {0.4, 0.2, 0.3};
    const double position[3] = {x, y, 0.0};
    pbs_body body;
    assert_ok(pbs_body_create_box(world, size, position, 1000.0, young, &body));
    return body;
}

static void step_often(pbs_world *world, int count) {
    for (int i = 0; i < count; i++) {
        assert_true(pbs_world_step(world, 1.0 / 120.0) >= 0);
    }
}

static pbs_motion motion_of(const pbs_world *world, pbs_body body) {
    pbs_motion motion = {.struct_size = sizeof motion};
    assert_ok(pbs_body_motion(world, body, &motion));
    return motion;
}

// --- what they leave free ---

// Nearly rigid bodies strain by some 1e-4 under what acts on them here, and more where they turn.

/// A brick on a hinge in space beside it: the centre goes around the axis, whose direction in the
/// brick stays, and the coordinate is the angle.
static void hinges_turn_about_the_axis(void **state) {
    (void)state;
    static const double anchor[3] = {0.5, 1.0, 0.0}, axis[3] = {0.0, 0.0, 2.0};
    pbs_world *world = falling_world();
    const pbs_body brick = add_brick(world, 0.0, 1.0, 0.0);
    double lowest = INFINITY;
    pbs_joint hinge;
    assert_ok(pbs_joint_create_hinge(world, brick, space, anchor, axis, &hinge));
    for (int i = 0; i < 120; i++) {
        double matrix[9];
        step_often(world, 1);
        const pbs_motion motion = motion_of(world, brick);
        const double arm[2] = {motion.center[0] - 0.5, motion.center[1] - 1.0};
        assert_near(hypot(arm[0], arm[1]), 0.5, 2e-3, "distance from the axis");
        assert_near(motion.center[2], 0.0, 1e-9, "along the axis");
        assert_ok(pbs_body_transform(world, brick, NULL, matrix));
        assert_near(matrix[8], 1.0, 2e-3, "the axis in the body");
        assert_small(hypot(matrix[2], matrix[5]), 1e-7, "and across it");
        // The arm began along -x, and turns with the brick.
        const double turned = atan2(-arm[1], -arm[0]);
        assert_near(fabs(joint_state_of(world, hinge).coordinate), fabs(turned), 1e-3, "angle");
        lowest = fmin(lowest, arm[1]);
    }
    assert_near(lowest, -0.5, 1e-2, "it swings through the lowest place");
    pbs_world_destroy(world);
}

static void sliders_slide_along_the_axis(void **state) {
    (void)state;
    static const double anchor[3] = {0.2, 1.0, 0.0}, axis[3] = {3.0, 4.0, 0.0};
    pbs_world *world = falling_world();
    const pbs_body brick = add_brick(world, 0.0, 1.0, 0.0);
    pbs_joint slider;
    assert_ok(pbs_joint_create_slider(world, brick, space, anchor, axis, &slider));
    step_often(world, 60);
    // Implicit Euler falls g t (t + h) / 2; along the axis acts 0.8 g.
    const double fallen = 0.5 * 0.8 * GRAVITY * 0.5 * (0.5 + 1.0 / 120.0);
    const pbs_motion motion = motion_of(world, brick);
    assert_near(motion.center[0], -0.6 * fallen, 2e-5, "x");
    assert_near(motion.center[1], 1.0 - 0.8 * fallen, 2e-5, "y");
    assert_small(norm3(motion.angular_velocity), 1e-6, "turning");
    pbs_world_destroy(world);
}

static void welds_hold_and_balls_turn(void **state) {
    (void)state;
    static const double between[3] = {0.2, 1.0, 0.0}, end[3] = {-0.2, 1.0, 0.0};
    pbs_world *world = falling_world();
    const pbs_body first = add_brick(world, 0.0, 1.0, 0.0);
    const pbs_body second = add_brick(world, 0.41, 1.0, 0.0);
    pbs_joint weld, ball;
    assert_ok(pbs_joint_create_weld(world, first, second, between, &weld));
    assert_ok(pbs_joint_create_ball(world, first, space, end, &ball));
    step_often(world, 40);
    const pbs_motion a = motion_of(world, first), b = motion_of(world, second);
    double arm[3], matrix[2][9];
    subtract3(b.center, a.center, arm);
    assert_near(norm3(arm), 0.41, 1e-3, "distance of the centres");
    assert_ok(pbs_body_transform(world, first, NULL, matrix[0]));
    assert_ok(pbs_body_transform(world, second, NULL, matrix[1]));
    assert_small(testing_max_difference(matrix[0], matrix[1], 9), 1e-3, "they turn as one");
    assert_true(a.center[1] < 0.95);
    assert_small(joint_state_of(world, ball).gap, 1e-8, "the ball holds");
    assert_small(joint_state_of(world, weld).gap, 1e-7, "the weld holds");
    pbs_world_destroy(world);
}

static void ropes_have_the_length_that_they_had(void **state) {
    (void)state;
    static const double above[3] = {0.0, 2.0, 0.0}, top[3] = {0.0, 1.1, 0.0};
    pbs_world *world = falling_world();
    const pbs_body brick = add_brick(world, 0.0, 1.0, 0.0);
    pbs_joint rope;
    assert_ok(pbs_joint_create_rope(world, brick, space, top, above, &rope));
    step_often(world, 60);
    assert_near(motion_of(world, brick).center[1], 1.0, 1e-5, "it hangs where it was");
    assert_near(joint_state_of(world, rope).coordinate, 0.9, 1e-7, "length");
    pbs_joint_desc d = {.struct_size = sizeof d};
    assert_ok(pbs_joint_settings(world, rope, &d));
    assert_near(d.upper, 0.9, 1e-15, "limit");
    assert_true(d.lower == -INFINITY);
    pbs_world_destroy(world);
}

// --- points ---

/// Soft bodies with a gap between them: points are where the anchor is, so that nothing moves.
static void anchors_outside_of_solids_pull_nothing(void **state) {
    (void)state;
    static const double anchor[3] = {0.3, 0.02, 0.0}, axis[3] = {0.0, 1.0, 0.0};
    pbs_world *world = world_with_gravity(0.0);
    const pbs_body first = add_brick(world, 0.0, 0.0, 1e6);
    const pbs_body second = add_brick(world, 0.6, 0.0, 1e6);
    pbs_joint joints[3];
    assert_ok(pbs_joint_create_hinge(world, first, second, anchor, axis, &joints[0]));
    assert_ok(pbs_joint_create_weld(world, first, second, anchor, &joints[1]));
    assert_ok(pbs_joint_create_ball(world, first, second, anchor, &joints[2]));
    for (int i = 0; i < 3; i++) {
        pbs_joint_desc d = {.struct_size = sizeof d};
        double x[2][3];
        assert_ok(pbs_joint_settings(world, joints[i], &d));
        assert_int_equal(d.a.kind, PBS_POINT_TET);
        assert_ok(pbs_world_point_position(world, &d.a, x[0]));
        assert_ok(pbs_world_point_position(world, &d.b, x[1]));
        assert_small(testing_max_difference(x[0], anchor, 3), 1e-14, "point of a");
        assert_small(testing_max_difference(x[1], anchor, 3), 1e-14, "point of b");
    }
    step_often(world, 5);
    assert_small(norm3(motion_of(world, first).velocity), 1e-9, "speed");
    assert_near(motion_of(world, first).center[0], 0.0, 1e-9, "place");
    pbs_world_destroy(world);
}

static void sheets_are_hung_by_their_nearest_points(void **state) {
    (void)state;
    static const double size[2] = {1.0, 1.0}, position[3] = {0.0, 0.0, 0.0};
    static const double corner[3] = {0.5, 0.0, 0.5};
    pbs_world *world = falling_world();
    pbs_body cloth;
    pbs_joint ball;
    double distance = INFINITY;
    assert_ok(pbs_body_create_cloth(world, size, position, 300.0, 1e-3, 1e5, &cloth));
    assert_ok(pbs_joint_create_ball(world, cloth, space, corner, &ball));
    step_often(world, 60);
    for (size_t i = 0; i < pbs_body_vertex_count(world, cloth); i++) {
        double arm[3];
        subtract3(pbs_body_positions(world, cloth) + 3 * i, corner, arm);
        distance = fmin(distance, norm3(arm));
    }
    assert_small(distance, 1e-6, "a vertex is where it was");
    assert_true(motion_of(world, cloth).center[1] < -0.3);
    pbs_world_destroy(world);
}

// --- refusals ---

static void wrong_joints_are_refused(void **state) {
    (void)state;
    static const double here[3] = {0, 0, 0}, there[3] = {0, 1, 0}, nan[3] = {NAN, 0, 0};
    static const double size[2] = {1.0, 1.0}, away[3] = {0.0, 5.0, 0.0};
    pbs_world *world = new_world();
    const pbs_body brick = add_brick(world, 0.0, 0.0, 0.0), gone = {12345};
    pbs_body cloth;
    pbs_joint j = {7};
    assert_ok(pbs_body_create_cloth(world, size, away, 300.0, 1e-3, 1e5, &cloth));
    assert_status(pbs_joint_create_ball(NULL, brick, space, here, &j), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_create_ball(world, brick, space, NULL, &j), PBS_ERROR_ARGUMENT);
    assert_message("anchor is null");
    assert_status(pbs_joint_create_ball(world, brick, space, nan, &j), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_create_ball(world, brick, space, here, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_create_ball(world, space, brick, here, &j), PBS_ERROR_HANDLE);
    assert_status(pbs_joint_create_ball(world, brick, gone, here, &j), PBS_ERROR_HANDLE);
    assert_status(pbs_joint_create_ball(world, brick, brick, here, &j), PBS_ERROR_ARGUMENT);
    assert_message("on one body");
    assert_status(pbs_joint_create_hinge(world, brick, space, here, NULL, &j), PBS_ERROR_ARGUMENT);
    assert_message("axis is null");
    assert_status(pbs_joint_create_hinge(world, brick, space, here, here, &j), PBS_ERROR_ARGUMENT);
    assert_message("its length must be positive");
    assert_status(pbs_joint_create_slider(world, brick, space, here, nan, &j), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_create_hinge(world, brick, cloth, here, there, &j), PBS_ERROR_ARGUMENT);
    assert_message("point b has no orientation");
    assert_status(pbs_joint_create_weld(world, cloth, space, here, &j), PBS_ERROR_ARGUMENT);
    assert_message("point a has no orientation");
    assert_status(pbs_joint_create_rope(world, brick, space, here, here, &j), PBS_ERROR_ARGUMENT);
    assert_message("the distance of the points is 0");
    assert_status(pbs_joint_create_rope(world, brick, space, here, NULL, &j), PBS_ERROR_ARGUMENT);
    use_scheme(world, PBS_SCHEME_SYMPLECTIC_EULER);
    assert_true(pbs_joint_create_ball(world, brick, space, here, &j) < 0);
    assert_true(j.id == 7);
    assert_int_equal(pbs_world_joint_count(world), 0);
    pbs_world_destroy(world);
}

static pbs_status hinge_two(pbs_world *world, void *context) {
    static const double anchor[3] = {0.3, 0.0, 0.0}, axis[3] = {0.0, 1.0, 0.0};
    pbs_joint joint;
    (void)context;
    return pbs_joint_create_hinge(world, pbs_world_body_at(world, 0), pbs_world_body_at(world, 1),
                                  anchor, axis, &joint);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    uint64_t refused = 0;
    add_brick(world, 0.0, 0.0, 1e6);
    add_brick(world, 0.6, 0.0, 0.0);
    assert_ok(refuse_until_success(&allocator, world, hinge_two, NULL, &refused));
    assert_true(refused > 0);
    assert_int_equal(pbs_world_joint_count(world), 1);
    pbs_world_destroy(world);
    assert_int_equal(allocator.bytes_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hinges_turn_about_the_axis),
        cmocka_unit_test(sliders_slide_along_the_axis),
        cmocka_unit_test(welds_hold_and_balls_turn),
        cmocka_unit_test(ropes_have_the_length_that_they_had),
        cmocka_unit_test(anchors_outside_of_solids_pull_nothing),
        cmocka_unit_test(sheets_are_hung_by_their_nearest_points),
        cmocka_unit_test(wrong_joints_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

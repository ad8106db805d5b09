// Pins and targets of vertices, of affine bodies, of orientations, colliders and joints are read as
// they were set, before and after the step that reaches them; and refusals.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "support/joint_testing.h"
#include "support/scenes/bonded_bodies.h"

static const double origin[3] = {0.0, 0.0, 0.0};
static const double quarter[4] = {0.0, 0.70710678118654752, 0.0, 0.70710678118654752};

static pbs_world *weightless_world(void) {
    pbs_world_desc d;
    scene_settings(&d);
    memset(d.gravity, 0, sizeof d.gravity);
    return new_world_from(&d);
}

static void assert_numbers(const double *x, const double *expected, size_t count,
                           double tolerance) {
    assert_small(testing_max_difference(x, expected, count), tolerance, "numbers");
}

// --- vertices ---

enum { CUBE = 8 };

static void pins_and_targets_of_vertices_are_read(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const pbs_body body = add_cube(world, 1, 0.2, origin, NULL);
    const uint32_t pinned = 2, scripted = 6;
    const double target[3] = {0.01, 0.22, 0.205};
    uint32_t axes[CUBE];
    double targets[3 * CUBE];
    assert_ok(pbs_body_pinned_axes(world, body, axes, CUBE));
    assert_ok(pbs_body_targets(world, body, targets, CUBE));
    const double *x = pbs_body_positions(world, body);
    for (int i = 0; i < CUBE; i++) {
        assert_int_equal(axes[i], 0);
    }
    assert_same_bits(targets, x, 3 * CUBE);
    assert_ok(pbs_body_pin(world, body, &pinned, 1, PBS_AXIS_X | PBS_AXIS_Z));
    assert_ok(pbs_body_set_targets(world, body, &scripted, 1, target));
    assert_ok(pbs_body_pinned_axes(world, body, axes, CUBE));
    assert_ok(pbs_body_targets(world, body, targets, CUBE));
    for (uint32_t i = 0; i < CUBE; i++) {
        assert_int_equal(axes[i], i == pinned     ? PBS_AXIS_X | PBS_AXIS_Z
                                  : i == scripted ? PBS_AXIS_ALL
                                                  : 0);
        assert_same_bits(targets + 3 * i, i == scripted ? target : x + 3 * i, 3);
    }
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_targets(world, body, targets, CUBE));
    x = pbs_body_positions(world, body);
    assert_same_bits(targets + 3 * scripted, target, 3);
    assert_same_bits(x + 3 * scripted, target, 3);
    assert_same_bits(targets, x, 3);
    assert_ok(pbs_body_unpin_all(world, body));
    assert_ok(pbs_body_pinned_axes(world, body, axes, CUBE));
    assert_int_equal(axes[scripted], 0);
    assert_status(pbs_body_pinned_axes(NULL, body, axes, CUBE), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_pinned_axes(world, body, NULL, CUBE), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_pinned_axes(world, body, axes, CUBE - 1), PBS_ERROR_CAPACITY);
    assert_status(pbs_body_pinned_axes(world, (pbs_body){0}, axes, CUBE), PBS_ERROR_HANDLE);
    assert_status(pbs_body_targets(NULL, body, targets, CUBE), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_targets(world, body, NULL, CUBE), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_targets(world, body, targets, CUBE - 1), PBS_ERROR_CAPACITY);
    assert_message("capacity is 7 vertices, but the body has 8");
    assert_status(pbs_body_targets(world, (pbs_body){0}, targets, CUBE), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

// --- affine bodies ---

static void target_poses_are_read(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const double from[3] = {1.0, 2.0, 3.0}, to[3] = {1.1, 2.2, 3.3};
    const double turn[4] = {0.0, 0.0, 0.09983341664682815, 0.99500416527802577};
    const double upright[4] = {0.0, 0.0, 0.0, 1.0};
    const pbs_body box = add_box(world, (const double[3]){0.4, 0.2, 0.6}, 3.0, from, 1e7);
    const pbs_body cube = add_cube(world, 1, 0.2, origin, NULL);
    double position[3], orientation[4], targets[3 * CUBE];
    uint32_t axes[CUBE];
    assert_ok(pbs_body_target_pose(world, box, position, orientation));
    assert_numbers(position, from, 3, 1e-14);
    assert_numbers(orientation, upright, 4, 1e-14);
    assert_ok(pbs_body_set_target_pose(world, box, to, turn));
    for (int after = 0; after < 2; after++) {
        assert_ok(pbs_body_target_pose(world, box, position, orientation));
        assert_numbers(position, to, 3, 1e-14);
        assert_numbers(orientation, turn, 4, 1e-14);
        assert_ok(pbs_body_pose(world, box, position, NULL));
        assert_numbers(position, after == 0 ? from : to, 3, 1e-14);
        assert_ok(pbs_world_step(world, 0.1));
    }
    assert_ok(pbs_body_target_pose(world, box, NULL, NULL));
    assert_ok(pbs_body_pinned_axes(world, box, axes, CUBE));
    assert_true(axes[0] == PBS_AXIS_ALL && axes[CUBE - 1] == PBS_AXIS_ALL);
    assert_ok(pbs_body_unpin_all(world, box));
    assert_ok(pbs_body_pinned_axes(world, box, axes, CUBE));
    assert_true(axes[0] == 0 && axes[CUBE - 1] == 0);
    assert_status(pbs_body_targets(world, box, targets, CUBE), PBS_ERROR_ARGUMENT);
    assert_message("pbs_body_target_pose has that of the body");
    assert_status(pbs_body_target_pose(NULL, box, position, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_target_pose(world, cube, position, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_target_pose(world, (pbs_body){0}, position, NULL), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

// --- orientations ---

enum { BEAM = 5 };

static void targets_of_orientations_are_read(void **state) {
    (void)state;
    static struct bonded_parts parts;
    pbs_world *world = weightless_world();
    const pbs_body cube = add_cube(world, 1, 0.2, origin, NULL);
    const double turn[4] = {0.09983341664682815, 0.0, 0.0, 0.99500416527802577};
    const double upright[4] = {0.0, 0.0, 0.0, 1.0};
    const uint32_t first = 0, last = BEAM - 1;
    double xyzw[4 * BEAM];
    uint8_t pinned[BEAM];
    pbs_body body;
    bonded_beam(&parts, BEAM - 1, (const double[3]){1.0, 0.0, 0.0});
    assert_true(pbs_body_create_bonded(world, &parts.d, &body) >= 0);
    assert_ok(pbs_body_pin_orientations(world, body, &first, 1));
    assert_ok(pbs_body_set_target_orientations(world, body, &last, 1, turn));
    for (int after = 0; after < 2; after++) {
        assert_ok(pbs_body_pinned_orientations(world, body, pinned, BEAM));
        assert_true(pinned[0] == 1 && pinned[1] == 0 && pinned[BEAM - 1] == 1);
        assert_ok(pbs_body_target_orientations(world, body, xyzw, BEAM));
        assert_numbers(xyzw, upright, 4, 1e-15);
        assert_numbers(xyzw + 4 * last, turn, 4, 1e-15);
        const double *now = pbs_body_orientations(world, body);
        assert_same_bits(xyzw + 4, now + 4, 4);
        assert_numbers(now + 4 * last, after == 0 ? upright : turn, 4, 1e-15);
        assert_ok(pbs_world_step(world, 0.01));
    }
    assert_ok(pbs_body_unpin_orientations(world, body, &first, 1));
    assert_ok(pbs_body_pinned_orientations(world, body, pinned, BEAM));
    assert_int_equal(pinned[0], 0);
    assert_status(pbs_body_pinned_orientations(NULL, body, pinned, BEAM), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_pinned_orientations(world, cube, pinned, BEAM), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_pinned_orientations(world, body, NULL, BEAM), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_pinned_orientations(world, body, pinned, 4), PBS_ERROR_CAPACITY);
    assert_message("capacity is 4 particles, but the body has 5");
    assert_status(pbs_body_target_orientations(NULL, body, xyzw, BEAM), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_target_orientations(world, cube, xyzw, BEAM), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_target_orientations(world, body, NULL, BEAM), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_target_orientations(world, body, xyzw, 4), PBS_ERROR_CAPACITY);
    assert_status(pbs_body_target_orientations(world, (pbs_body){0}, xyzw, BEAM), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

// --- colliders and joints ---

static void motions_of_colliders_are_read(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const pbs_collider ground = add_ground(world);
    const double to[3] = {1.0, -2.0, 0.5};
    double position[3], orientation[4];
    assert_ok(pbs_collider_motion(world, ground, position, orientation));
    assert_numbers(position, origin, 3, 0.0);
    assert_ok(pbs_collider_set_motion(world, ground, to, quarter));
    for (int after = 0; after < 2; after++) {
        assert_ok(pbs_collider_motion(world, ground, position, orientation));
        assert_numbers(position, to, 3, 0.0);
        assert_numbers(orientation, quarter, 4, 1e-15);
        assert_ok(pbs_collider_pose(world, ground, position, NULL));
        assert_numbers(position, after == 0 ? origin : to, 3, 0.0);
        assert_ok(pbs_world_step(world, 0.1));
    }
    assert_ok(pbs_collider_motion(world, ground, NULL, NULL));
    assert_status(pbs_collider_motion(NULL, ground, position, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_collider_motion(world, (pbs_collider){0}, position, NULL), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

static void targets_of_joints_are_read(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    const pbs_body a = add_box(world, (const double[3]){0.4, 0.4, 0.4}, 3.0, origin, 1e7);
    const pbs_body b = add_box(world, (const double[3]){0.4, 0.4, 0.4}, 3.0,
                               (const double[3]){1.0, 0.0, 0.0}, 1e7);
    const pbs_joint hung = join(world, PBS_JOINT_BALL, in_space(0.2, 0.0, 0.0),
                                on_body(a, 0.2, 0.0, 0.0));
    const pbs_joint between = join(world, PBS_JOINT_DISTANCE, on_body(a, 0.2, 0.0, 0.0),
                                   on_body(b, -0.2, 0.0, 0.0));
    const double at[3] = {0.2, 0.0, 0.0}, to[3] = {0.25, 0.1, 0.0};
    double place[3];
    assert_ok(pbs_joint_target(world, hung, place));
    assert_numbers(place, at, 3, 0.0);
    assert_ok(pbs_joint_set_target(world, hung, to));
    assert_ok(pbs_joint_target(world, hung, place));
    assert_numbers(place, to, 3, 0.0);
    assert_ok(pbs_world_step(world, 0.05));
    assert_ok(pbs_joint_target(world, hung, place));
    assert_numbers(place, to, 3, 0.0);
    assert_status(pbs_joint_target(world, between, place), PBS_ERROR_ARGUMENT);
    assert_message("both points of the joint are on bodies");
    assert_status(pbs_joint_target(world, hung, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_target(NULL, hung, place), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_target(world, (pbs_joint){0}, place), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_and_targets_of_vertices_are_read),
        cmocka_unit_test(target_poses_are_read),
        cmocka_unit_test(targets_of_orientations_are_read),
        cmocka_unit_test(motions_of_colliders_are_read),
        cmocka_unit_test(targets_of_joints_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

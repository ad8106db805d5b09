// Limits of the swing and twist of balls against mechanics: where limbs come to rest, what the
// limit bears there, and what it leaves free.
// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"

#include <math.h>

#include "base/matrix3/math3.h"

static const double G = 9.81;

// A rod of 1 kg and 1 m, which is turned about its end.
static const double SIDES[3] = {0.2, 1.0, 0.2}, HALF = 0.5, STIFFNESS = 1e8;

/// rad: how far an angle may be off under a torque. Equations hold to 1e-8 of the rod's diagonal,
/// and its arm is half of that. What else is off is the strain of the axis, in its direction and,
/// by its length, in the chord.
static double angle_error(double torque) {
    return 2e-8 + 2.0 * torque / (STIFFNESS * SIDES[0] * SIDES[1] * SIDES[2]);
}

static pbs_world *new_limit_world(double gravity) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.gravity[1] = -gravity;
    d.relative_tolerance = 1e-8;
    d.divisions = 0; // a whole step is what limits are to meet
    return new_world_from(&d);
}

/// A direction in the plane of x and y, at an angle from the vertical.
static void direction_at(double angle, double out[3]) {
    out[0] = sin(angle);
    out[1] = cos(angle);
    out[2] = 0.0;
}

/// A rod whose lower end is at the origin, along direction_at(angle).
static pbs_body add_rod(pbs_world *world, double angle) {
    double at[3];
    direction_at(angle, at);
    scale3(HALF, at, at);
    const double turn[4] = {0.0, 0.0, -sin(angle / 2.0), cos(angle / 2.0)};
    const pbs_body rod = add_box(world, SIDES, 1.0, at, STIFFNESS);
    assert_ok(pbs_body_set_pose(world, rod, at, turn));
    return rod;
}

/// A ball at the origin that lets the rod swing as far from where it is.
static pbs_joint limit_rod(pbs_world *world, pbs_body rod, double angle, double limit) {
    pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, in_space(0.0, 0.0, 0.0),
                                      on_body(rod, 0.0, -HALF, 0.0));
    pbs_joint joint;
    direction_at(angle, d.axis);
    d.swing_limit = limit;
    assert_ok(pbs_joint_create(world, &d, &joint));
    return joint;
}

/// The unit vector along a rod.
static void direction_of(const pbs_world *world, pbs_body rod, double out[3]) {
    const pbs_point ends[2] = {on_body(rod, 0.0, -HALF, 0.0), on_body(rod, 0.0, HALF, 0.0)};
    double x[2][3];
    assert_ok(pbs_world_point_position(world, &ends[0], x[0]));
    assert_ok(pbs_world_point_position(world, &ends[1], x[1]));
    subtract3(x[1], x[0], out);
    scale3(1.0 / norm3(out), out, out);
}

static double angle_between(const double a[3], const double b[3]) {
    double across[3];
    cross3(a, b, across);
    return atan2(norm3(across), dot3(a, b));
}

static void take_steps(pbs_world *world, int count) {
    for (int i = 0; i < count; i++) {
        assert_ok(pbs_world_step(world, 0.01));
    }
}

/// N: what a stage may leave of forces on the four nodes of a rod, and N m, as they are within 1 m.
static double missed_force(const pbs_world *world) {
    return 4.0 * stats_of(world).newton.tolerance;
}

/// A rod that leans by 0.1 from the vertical falls until its limit holds it, at any angle from a
/// narrow one to nearly half a turn. It bears the moment of the weight, m g d sin(angle), which is
/// across the rod and the axis.
static void a_rod_rests_against_its_limit(void **state) {
    (void)state;
    const double lean = 0.1, limits[] = {0.001, 0.05, 0.5, 1.2, 1.57, 1.58, 2.0, 3.0};
    double axis[3];
    direction_at(lean, axis);
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        pbs_world *world = new_limit_world(G);
        const pbs_body rod = add_rod(world, lean);
        const pbs_joint joint = limit_rod(world, rod, lean, limits[i]);
        double now[3];
        take_steps(world, 500);
        direction_of(world, rod, now);
        const pbs_joint_state s = joint_state_of(world, joint);
        const double missed = missed_force(world);
        const double error = angle_error(HALF * G);
        assert_near(angle_between(axis, now), limits[i], error, "angle");
        assert_near(s.torque[2], HALF * G * sin(lean + limits[i]), HALF * G * error + missed,
                    "torque");
        assert_small(dot3(s.torque, axis), missed, "torque about the axis");
        assert_small(dot3(s.torque, now), missed, "torque about the rod");
        pbs_world_destroy(world);
    }
}

/// The angular velocity of a rod about itself.
static double spin_of(const pbs_world *world, pbs_body rod) {
    pbs_motion motion = {.struct_size = sizeof motion};
    double along[3];
    assert_ok(pbs_body_motion(world, rod, &motion));
    direction_of(world, rod, along);
    return dot3(motion.angular_velocity, along);
}

/// A rod that rests against its limit and is made to spin about itself stays where it is, and spins
/// on as one does that nothing touches: the limit exerts no torque about it.
static void limits_leave_spin_free(void **state) {
    (void)state;
    const double lean = 0.1, limits[] = {0.5, 2.0};
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        pbs_world *world = new_limit_world(G), *empty = new_limit_world(0.0);
        const pbs_body rod = add_rod(world, lean), other = add_rod(empty, lean + limits[i]);
        double axis[3], along[3], spin[3];
        limit_rod(world, rod, lean, limits[i]);
        take_steps(world, 500);
        direction_at(lean, axis);
        direction_of(world, rod, along);
        scale3(2.0, along, spin);
        assert_ok(pbs_body_set_motion(world, rod, NULL, spin));
        assert_ok(pbs_body_set_motion(empty, other, NULL, spin));
        take_steps(world, 100);
        take_steps(empty, 100);
        direction_of(world, rod, along);
        // In a second what is left of torques spins a rod whose moment of inertia is a sixth of the
        // square of its side.
        assert_near(spin_of(world, rod), spin_of(empty, other),
                    missed_force(world) / (SIDES[0] * SIDES[0] / 6.0), "spin");
        assert_near(angle_between(axis, along), limits[i], angle_error(HALF * G), "angle");
        pbs_world_destroy(world);
        pbs_world_destroy(empty);
    }
}

/// rad: how far the second rod has turned from the direction opposite to the first.
static double swing_of(const pbs_world *world, const pbs_body rods[2]) {
    double along[2][3];
    direction_of(world, rods[0], along[0]);
    direction_of(world, rods[1], along[1]);
    scale3(-1.0, along[0], along[0]);
    return angle_between(along[0], along[1]);
}

static void add_momentum(const pbs_world *world, pbs_body body, double sum[3]) {
    pbs_motion motion = {.struct_size = sizeof motion};
    assert_ok(pbs_body_motion(world, body, &motion));
    add3(sum, motion.momentum, sum);
}

/// Two rods in free flight, one of which turns against the other until their limit stops it: at the
/// end of each step they are within it, and together they keep their momentum.
static void limbs_in_flight_stay_within_their_limit(void **state) {
    (void)state;
    const double limits[] = {0.4, 2.5}, h = 0.01;
    enum { STEPS = 300 };
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        pbs_world *world = new_limit_world(0.0);
        const pbs_body rods[2] = {add_rod(world, M_PI), add_rod(world, 0.0)};
        const double velocity[3] = {0.3, 0.0, 0.2}, turn[3] = {1.0, 0.5, 2.0};
        double most = 0.0, torque = 0.0, before[3] = {0.0}, after[3] = {0.0};
        pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, on_body(rods[0], 0.0, -HALF, 0.0),
                                          on_body(rods[1], 0.0, -HALF, 0.0));
        pbs_joint joint;
        direction_at(0.0, d.axis);
        d.swing_limit = limits[i];
        assert_ok(pbs_joint_create(world, &d, &joint));
        assert_ok(pbs_body_set_motion(world, rods[0], velocity, NULL));
        assert_ok(pbs_body_set_motion(world, rods[1], velocity, turn));
        add_momentum(world, rods[0], before);
        add_momentum(world, rods[1], before);
        for (int k = 0; k < STEPS; k++) {
            assert_ok(pbs_world_step(world, h));
            const pbs_joint_state s = joint_state_of(world, joint);
            most = fmax(most, swing_of(world, rods));
            torque = fmax(torque, norm3(s.torque));
            // The diagonal of a rod is 1.04 m.
            assert_small(s.gap, 1.04e-8, "gap");
        }
        assert_near(most, limits[i], angle_error(torque), "largest swing");
        add_momentum(world, rods[0], after);
        add_momentum(world, rods[1], after);
        assert_small(testing_max_difference(before, after, 3),
                     STEPS * h * 2.0 * missed_force(world), "momentum");
        pbs_world_destroy(world);
    }
}

/// rad: the turn of a rod about its own axis since it lay along `axis`, besides the shortest turn
/// from there to where it is now. q: its orientation then and now.
static double twist_between(const double then[4], const double now[4], const double axis[3]) {
    // now * conjugate(then): its part along the axis and its real part are those of the twist.
    double across[3], turn[3];
    cross3(then, now, across);
    const double real = then[3] * now[3] + dot3(then, now);
    for (int k = 0; k < 3; k++) {
        turn[k] = then[3] * now[k] - now[3] * then[k] + across[k];
    }
    return 2.0 * atan2(dot3(turn, axis), real);
}

static void limit_twist(pbs_world *world, pbs_joint joint, double lower, double upper) {
    pbs_joint_desc d = {.struct_size = sizeof d};
    assert_ok(pbs_joint_settings(world, joint, &d));
    d.twist_lower = lower;
    d.twist_upper = upper;
    assert_ok(pbs_joint_set_settings(world, joint, &d));
}

/// A rod that hangs against its swing limit, and that a torque turns about itself until its twist
/// limit stops it: the joint bears what weight and torque ask for. Steps are long, so that implicit
/// Euler's damping brings it to rest.
static void a_twisted_rod_rests_against_both_limits(void **state) {
    (void)state;
    const double lean = 0.3, swings[] = {0.4, 1.4, 2.4}, twists[] = {0.7, -0.7, 2.0};
    double axis[3];
    direction_at(lean, axis);
    for (size_t i = 0; i < COUNT_OF(swings); i++) {
        pbs_world *world = new_limit_world(G);
        const pbs_body rod = add_rod(world, lean);
        const pbs_joint joint = limit_rod(world, rod, lean, swings[i]);
        const double weight[3] = {0.0, -G, 0.0};
        double then[4], now[4], along[3], torque[3], moment[3];
        limit_twist(world, joint, fmin(0.0, twists[i]), fmax(0.0, twists[i]));
        assert_ok(pbs_body_pose(world, rod, NULL, then));
        // What turns the rod about itself is the torque's part along it, where it hangs.
        scale3(copysign(0.1, twists[i] * cos(swings[i])), axis, torque);
        assert_ok(pbs_body_apply_wrench(world, rod, NULL, torque, PBS_FORCE_LASTING));
        for (int k = 0; k < 2000; k++) {
            assert_ok(pbs_world_step(world, 0.05));
        }
        direction_of(world, rod, along);
        assert_ok(pbs_body_pose(world, rod, NULL, now));
        const pbs_joint_state s = joint_state_of(world, joint);
        const double error = angle_error(norm3(s.torque));
        assert_near(angle_between(axis, along), swings[i], error, "swing");
        assert_near(twist_between(then, now, axis), twists[i], error, "twist");
        scale3(HALF, along, along);
        cross3(along, weight, moment);
        add3(moment, torque, moment);
        add3(moment, s.torque, moment);
        assert_small(norm3(moment), HALF * G * error + missed_force(world), "moment that is left");
        pbs_world_destroy(world);
    }
}

/// Equal limits let a rod swing as a shaft on a joint of constant velocity does: it never twists.
static void equal_limits_hold_the_twist(void **state) {
    (void)state;
    const double turn[3] = {1.0, 0.5, 2.0};
    double axis[3], then[4];
    pbs_world *world = new_limit_world(0.0);
    const pbs_body rod = add_rod(world, 0.0);
    const pbs_joint joint = limit_rod(world, rod, 0.0, 1.0);
    direction_at(0.0, axis);
    limit_twist(world, joint, 0.0, 0.0);
    assert_ok(pbs_body_pose(world, rod, NULL, then));
    assert_ok(pbs_body_set_motion(world, rod, NULL, turn));
    for (int k = 0; k < 300; k++) {
        double now[4], along[3];
        assert_ok(pbs_world_step(world, 0.01));
        direction_of(world, rod, along);
        assert_ok(pbs_body_pose(world, rod, NULL, now));
        const double error = angle_error(norm3(joint_state_of(world, joint).torque));
        assert_small(twist_between(then, now, axis), error, "twist");
        assert_true(angle_between(axis, along) < 1.0 + error);
    }
    pbs_world_destroy(world);
}

/// Turns are counted: a rod that spins about itself goes once around before 7 rad stop it.
static void twist_goes_on_beyond_a_turn(void **state) {
    (void)state;
    const double limit = 7.0, spin[3] = {0.0, 3.0, 0.0}, h = 0.01;
    double axis[3], then[4], now[4];
    pbs_world *world = new_limit_world(0.0);
    const pbs_body rod = add_rod(world, 0.0);
    const pbs_joint joint = limit_rod(world, rod, 0.0, INFINITY);
    direction_at(0.0, axis);
    limit_twist(world, joint, -limit, limit);
    assert_ok(pbs_body_pose(world, rod, NULL, then));
    assert_ok(pbs_body_set_motion(world, rod, NULL, spin));
    int steps = 0;
    while (norm3(joint_state_of(world, joint).torque) < 1e-3 && steps < 1000) {
        assert_ok(pbs_world_step(world, h));
        steps++;
    }
    assert_ok(pbs_body_pose(world, rod, NULL, now));
    const double error = angle_error(norm3(joint_state_of(world, joint).torque));
    assert_true(spin[1] * h * steps > limit);
    assert_near(twist_between(then, now, axis), limit - 2.0 * M_PI, error, "twist");
    pbs_world_destroy(world);
}

/// Where the axes of a ball, or the ends of a rope, begin in the same place no direction leads away
/// from it. The limit acts all the same in the first step, which would go far beyond it. Tolerance:
/// 1e-8 of the box's extent, its diagonal of 1.04 m.
static void limits_act_from_where_nothing_points(void **state) {
    (void)state;
    static const double sides[3] = {1.0, 0.2, 0.2}, away[3] = {0.0, 30.0, 0.0};
    static const double still[3] = {0.0, 0.0, 0.0}, spin[3] = {0.0, 0.0, 60.0};
    static const double right[3] = {0.5, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        pbs_world_desc settings;
        assert_ok(pbs_world_desc_init(&settings, sizeof settings));
        pbs_world *world = new_world_from(&settings);
        const pbs_body box = add_box(world, sides, 1.0, i == 0 ? right : still, 1e9);
        pbs_joint_desc d = describe_joint(i == 0 ? PBS_JOINT_BALL : PBS_JOINT_DISTANCE,
                                          in_space(0.0, 0.0, 0.0),
                                          on_body(box, i == 0 ? -0.5 : 0.0, 0.0, 0.0));
        pbs_joint joint;
        if (i == 0) {
            d.axis[0] = 1.0;
            d.axis[1] = d.axis[2] = 0.0;
            d.swing_limit = 0.5;
        } else {
            d.upper = 0.1;
        }
        assert_ok(pbs_joint_create(world, &d, &joint));
        assert_ok(pbs_body_set_motion(world, box, away, i == 0 ? spin : still));
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
        assert_small(joint_state_of(world, joint).gap, 1.04e-8, "gap");
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_rests_against_its_limit),
        cmocka_unit_test(limits_leave_spin_free),
        cmocka_unit_test(a_twisted_rod_rests_against_both_limits),
        cmocka_unit_test(equal_limits_hold_the_twist),
        cmocka_unit_test(twist_goes_on_beyond_a_turn),
        cmocka_unit_test(limbs_in_flight_stay_within_their_limit),
        cmocka_unit_test(limits_act_from_where_nothing_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// What joints bear at the settings that a host gets: their forces are the change of momentum of
// what they join, however many iterations and whatever came before, and steps end as they were
// asked for.
// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"

#include <math.h>

#include "base/matrix3/math3.h"

static const double G = 9.81;

static pbs_world_desc host_settings(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -G;
    return d;
}

static pbs_motion motion_of(const pbs_world *world, pbs_body body) {
    pbs_motion motion = {.struct_size = sizeof motion};
    assert_ok(pbs_body_motion(world, body, &motion));
    return motion;
}

/// N: what the change of momentum during a step of h leaves of a force on a body and its weight. A
/// step of implicit Euler leaves nothing where its stage is solved.
static double missed_force(const pbs_motion *before, const pbs_motion *after, const double force[3],
                           double h) {
    double missed[3];
    subtract3(before->momentum, after->momentum, missed);
    scale3(1.0 / h, missed, missed);
    add3(missed, force, missed);
    missed[1] -= after->mass * G;
    return norm3(missed);
}

/// N: a stage ends where a full Newton step changes no velocity by velocity_tolerance, so that no
/// more than this is missed.
static double most_missed(const pbs_world *world, double mass, double h) {
    return mass * stats_of(world).newton.velocity_tolerance / h;
}

// --- rods and springs ---

/// A weight of 1 kg that hangs on a rod of 1 m, raised to the side.
static pbs_joint hang_weight(pbs_world *world, pbs_body *weight) {
    const double sides[3] = {0.1, 0.1, 0.1}, at[3] = {0.8, -0.6, 0.0};
    *weight = add_box(world, sides, 1.0, at, 1e7);
    return hang_on_rod(world, on_body(*weight, 0.0, 0.0, 0.0), 1.0);
}

/// 10 t below the weight for a while make penalties grow.
static void overload(pbs_world *world, pbs_body weight, double h) {
    const double sides[3] = {0.1, 0.1, 0.1}, below[3] = {0.8, -0.8, 0.0};
    const pbs_body load = add_box(world, sides, 1e4, below, 1e7);
    join(world, PBS_JOINT_BALL, on_body(weight, 0.0, -0.1, 0.0), on_body(load, 0.0, 0.1, 0.0));
    for (int i = 0; i < 5; i++) {
        assert_ok(pbs_world_step(world, h));
    }
    assert_ok(pbs_body_destroy(world, load));
}

static void a_rod_bears_what_swings(void **state) {
    (void)state;
    const double h = 1.0 / 60.0;
    for (int loaded = 0; loaded < 2; loaded++) {
        const pbs_world_desc d = host_settings();
        pbs_world *world = new_world_from(&d);
        pbs_body weight;
        const pbs_joint rod = hang_weight(world, &weight);
        if (loaded != 0) {
            overload(world, weight, h);
        }
        pbs_motion before = motion_of(world, weight);
        for (int i = 0; i < 120; i++) {
            assert_ok(pbs_world_step(world, h));
            const pbs_motion after = motion_of(world, weight);
            assert_small(missed_force(&before, &after, joint_state_of(world, rod).force, h),
                         most_missed(world, 1.0, h), "force that is missed");
            before = after;
        }
        pbs_world_destroy(world);
    }
}

/// The largest force of the rod, with so many iterations a step.
static double largest_force(uint32_t newton_limit) {
    pbs_world_desc d = host_settings();
    pbs_expert_desc expert;
    pbs_body weight;
    expert_settings(&expert, &d);
    d.newton_limit = newton_limit;
    expert.allow_unconverged = 1;
    pbs_world *world = new_world_from(&d);
    const pbs_joint rod = hang_weight(world, &weight);
    double most = 0.0;
    for (int i = 0; i < 120; i++) {
        assert_true(pbs_world_step(world, 1.0 / 60.0) >= 0);
        most = fmax(most, norm3(joint_state_of(world, rod).force));
    }
    pbs_world_destroy(world);
    return most;
}

/// A host that takes one iteration a step, whatever is left, reads the same forces to the square of
/// the angle of a step, (v h / l)^2 with v^2 below 2 g l (1 - .6): 2.2e-3.
static void forces_of_one_iteration_are_those_of_many(void **state) {
    (void)state;
    assert_near(largest_force(1) / largest_force(50), 1.0, 2.2e-3, "force");
}

/// A weight on a spring with a damper, let go at rest. The spring is linear, so that a full step
/// leaves rounding: forces of 1e5 N, of the stiffness 1e9 Pa, at 1e-13 of them.
static void the_force_of_a_spring_has_its_damper(void **state) {
    (void)state;
    const double sides[3] = {0.1, 0.1, 0.1}, at[3] = {0.0, 0.0, 0.0}, h = 1.0 / 60.0;
    const pbs_world_desc d = host_settings();
    pbs_world *world = new_world_from(&d);
    const pbs_body body = add_box(world, sides, 1.0, at, 1e9);
    pbs_joint_desc spring = describe_joint(PBS_JOINT_BALL, in_space(0.0, 0.0, 0.0),
                                           on_body(body, 0.0, 0.0, 0.0));
    pbs_joint joint;
    spring.spring_stiffness = 200.0;
    spring.spring_damping = 5.0;
    assert_ok(pbs_joint_create(world, &spring, &joint));
    pbs_motion before = motion_of(world, body);
    for (int i = 0; i < 30; i++) {
        assert_ok(pbs_world_step(world, h));
        const pbs_motion after = motion_of(world, body);
        assert_small(missed_force(&before, &after, joint_state_of(world, joint).force, h), 1e-8,
                     "force that is missed");
        before = after;
    }
    pbs_world_destroy(world);
}

// --- motors ---

/// Four wheels on a soft block in free fall, with motors that are far stronger than their wheels
/// need. They are 0.2 m off their axles at first, so that the first step pulls them there, which
/// makes penalties grow. Each step turns every wheel by what the motor says, to the joint's
/// tolerance of 1e-8 of the block's diagonal over its arm, and ends as it was asked for.
static void strong_motors_of_light_wheels_keep_up(void **state) {
    (void)state;
    const double sides[3] = {0.1, 0.1, 0.1}, corner[3] = {0.0, 0.0, 0.0}, h = 1.0 / 60.0;
    const double most = 1e-8 * 0.5 * sqrt(3.0) / 0.05;
    const pbs_world_desc d = host_settings();
    pbs_solid_desc soft;
    pbs_joint wheels[4];
    pbs_world *world = new_world_from(&d);
    assert_ok(pbs_solid_desc_init(&soft, sizeof soft));
    soft.young = 1e6;
    const pbs_body block = add_cube(world, 2, 0.5, corner, &soft);
    for (int i = 0; i < 4; i++) {
        const double at[3] = {0.6 * (i % 2), -0.2, 0.6 * (i / 2) - 0.05};
        const pbs_body wheel = add_box(world, sides, 1.0, at, 1e7);
        pbs_point axle;
        assert_ok(pbs_world_locate(world, block, at, 1, &axle, sizeof axle, NULL));
        pbs_joint_desc motor = describe_joint(PBS_JOINT_HINGE, axle, on_body(wheel, 0.0, 0.0, 0.0));
        motor.motor_velocity = -5.0;
        motor.motor_force = 20.0;
        assert_ok(pbs_joint_create(world, &motor, &wheels[i]));
    }
    for (int i = 1; i <= 30; i++) {
        assert_ok(pbs_world_step(world, h));
        for (int k = 0; k < 4; k++) {
            assert_near(joint_state_of(world, wheels[k]).coordinate, -5.0 * i * h, i * most,
                        "angle");
        }
    }
    pbs_world_destroy(world);
}

// --- nets ---

enum { KNOTS = 8, ROPES = 2 * KNOTS * (KNOTS - 1) };

struct net {
    pbs_world *world;
    pbs_body knots[KNOTS * KNOTS];
    size_t rope_count;
    pbs_joint ropes[ROPES];
    size_t ends[ROPES][2]; ///< indices of knots
};

static bool is_corner(size_t knot) {
    return knot / KNOTS % (KNOTS - 1) == 0 && knot % KNOTS % (KNOTS - 1) == 0;
}

static void add_rope(struct net *net, size_t from, size_t to, double length) {
    pbs_joint_desc d = describe_joint(PBS_JOINT_DISTANCE, on_body(net->knots[from], 0.0, 0.0, 0.0),
                                      on_body(net->knots[to], 0.0, 0.0, 0.0));
    d.upper = length;
    assert_ok(pbs_joint_create(net->world, &d, &net->ropes[net->rope_count]));
    net->ends[net->rope_count][0] = from;
    net->ends[net->rope_count][1] = to;
    net->rope_count++;
}

/// Knots of 0.1 kg, 0.2 m apart, with ropes of `length` between them. The corners are held.
static void make_net(struct net *net, double length) {
    const double sides[3] = {0.05, 0.05, 0.05}, spacing = 0.2;
    const pbs_world_desc d = host_settings();
    *net = (struct net){.world = new_world_from(&d)};
    for (size_t i = 0; i < KNOTS * KNOTS; i++) {
        const size_t row = i / KNOTS, column = i % KNOTS;
        const double at[3] = {spacing * (double)row, 0.0, spacing * (double)column};
        net->knots[i] = add_box(net->world, sides, 0.1, at, 1e7);
        if (row > 0) {
            add_rope(net, i - KNOTS, i, length);
        }
        if (column > 0) {
            add_rope(net, i - 1, i, length);
        }
        if (is_corner(i)) {
            join(net->world, PBS_JOINT_BALL, in_space(at[0], at[1], at[2]),
                 on_body(net->knots[i], 0.0, 0.0, 0.0));
        }
    }
}

/// N, of all ropes on each knot.
static void sum_ropes(const struct net *net, double *forces) {
    memset(forces, 0, 3 * KNOTS * KNOTS * sizeof *forces);
    for (size_t r = 0; r < net->rope_count; r++) {
        const pbs_joint_state rope = joint_state_of(net->world, net->ropes[r]);
        double *const a = forces + 3 * net->ends[r][0], *const b = forces + 3 * net->ends[r][1];
        subtract3(a, rope.force, a);
        add3(b, rope.force, b);
    }
}

/// A net with a thousandth of slack falls into its ropes, which become taut one after the other,
/// and bear a hundred times its weight. Every step ends as it was asked for; ropes bear the change
/// of momentum of every knot less its weight, within what velocity_tolerance leaves.
static void ropes_of_a_net_bear_it(void **state) {
    (void)state;
    const double h = 1.0 / 60.0, mass = 0.1;
    struct net net;
    pbs_motion before[KNOTS * KNOTS];
    double forces[3 * KNOTS * KNOTS];
    make_net(&net, 0.2002);
    for (size_t i = 0; i < KNOTS * KNOTS; i++) {
        before[i] = motion_of(net.world, net.knots[i]);
    }
    for (int step = 0; step < 30; step++) {
        assert_ok(pbs_world_step(net.world, h));
        sum_ropes(&net, forces);
        const double most = most_missed(net.world, mass, h);
        for (size_t i = 0; i < KNOTS * KNOTS; i++) {
            const pbs_motion after = motion_of(net.world, net.knots[i]);
            const double missed = missed_force(&before[i], &after, forces + 3 * i, h);
            assert_small(is_corner(i) ? 0.0 : missed, most, "force that is missed");
            before[i] = after;
        }
    }
    pbs_world_destroy(net.world);
}

// --- what pins bear ---

/// A pin at rest bears its particle and all that hangs on it: on a rod, or on a spring of 300 N/m
/// that rests at 1 m and is 2 kg x g / 300 N/m longer.
static void pins_bear_what_hangs_on_joints(void **state) {
    (void)state;
    static const double at[3] = {0.0, 0.0, 0.0}, below[3] = {0.0, -1.0, 0.0};
    for (int with_spring = 0; with_spring < 2; with_spring++) {
        pbs_world_desc settings = host_settings();
        settings.contact = PBS_CONTACT_PROJECTION;
        pbs_world *world = new_world_from(&settings);
        use_scheme(world, PBS_SCHEME_QUASI_STATIC);
        const pbs_body pinned = add_free_particle(world, 1.0, at, NULL);
        const pbs_body load = add_free_particle(world, 2.0, below, NULL);
        assert_ok(pbs_body_pin_all(world, pinned));
        pbs_joint_desc d = describe_joint(PBS_JOINT_DISTANCE, at_vertex(pinned, 0),
                                          at_vertex(load, 0));
        pbs_joint joint;
        if (with_spring) {
            d.spring_stiffness = 300.0;
            d.spring_target = 1.0;
        } else {
            d.lower = d.upper = 1.0;
        }
        assert_ok(pbs_joint_create(world, &d, &joint));
        double forces[3] = {0.0};
        assert_ok(pbs_world_step(world, 1.0));
        assert_ok(pbs_body_constraint_forces(world, pinned, forces, NULL, 1));
        // What is left of the forces on the load is missing from the pin.
        const double tolerance = stats_of(world).newton.tolerance;
        assert_near(forces[1], 3.0 * G, tolerance, "the pin's force");
        assert_near(norm3(forces), 3.0 * G, tolerance, "its norm");
        assert_ok(pbs_body_constraint_forces(world, load, forces, NULL, 1));
        assert_small(norm3(forces), 0.0, "force of what is free");
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_bears_what_swings),
        cmocka_unit_test(forces_of_one_iteration_are_those_of_many),
        cmocka_unit_test(the_force_of_a_spring_has_its_damper),
        cmocka_unit_test(strong_motors_of_light_wheels_keep_up),
        cmocka_unit_test(ropes_of_a_net_bear_it),
        cmocka_unit_test(pins_bear_what_hangs_on_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

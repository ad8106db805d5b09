// Joints against mechanics: pendulums, chains, linkages, motors. Periods and forces are those of
// rigid bodies.
// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"

#include <math.h>
#include <stdio.h>

#include "base/matrix3/math3.h"
#include "integrate/scheme.h"

static const double G = 9.81;

static pbs_world *new_joint_world(int32_t scheme, double gravity) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.gravity[1] = -gravity;
    d.relative_tolerance = 1e-8;
    pbs_world *world = new_world_from(&d);
    use_scheme(world, scheme);
    return world;
}

/// The period of a rod that hangs at its end, let go at an angle, from two crossings of the
/// vertical.
static double measure_period(double angle) {
    const double sides[3] = {0.02, 1.0, 0.02}, h = 1e-3;
    pbs_world *world = new_joint_world(PBS_SCHEME_TR_BDF2, G);
    const double at[3] = {0.5 * sin(angle), -0.5 * cos(angle), 0.0};
    const pbs_body rod = add_box(world, sides, 1.0, at, 1e8);
    const double turn[4] = {0.0, 0.0, sin(angle / 2.0), cos(angle / 2.0)};
    assert_ok(pbs_body_set_pose(world, rod, at, turn));
    const pbs_joint joint = join(world, PBS_JOINT_BALL, in_space(0.0, 0.0, 0.0),
                                 on_body(rod, 0.0, 0.5, 0.0));
    double before = at[0], gap = 0.0, crossings[2] = {0.0};
    int found = 0;
    for (int i = 1; i < 3000 && found < 2; i++) {
        pbs_point centre = on_body(rod, 0.0, 0.0, 0.0);
        double x[3];
        assert_ok(pbs_world_step(world, h));
        assert_ok(pbs_world_point_position(world, &centre, x));
        if (before > 0.0 && x[0] <= 0.0) {
            crossings[found++] = h * (i - 1 + before / (before - x[0]));
        }
        before = x[0];
        gap = fmax(gap, joint_state_of(world, joint).gap);
    }
    assert_int_equal(found, 2);
    assert_small(gap, 1e-8, "gap");
    pbs_world_destroy(world);
    return crossings[1] - crossings[0];
}

/// 2 pi sqrt(I / (m g d)) for small swings. One of 2 degrees is slower by angle^2 / 16, one of 60
/// by 2 K(sin 30) / pi with the complete elliptic integral K.
static void a_rod_swings_with_the_period_of_a_pendulum(void **state) {
    (void)state;
    const double square = (0.25 + 1e-4) / 3.0; // of half lengths
    const double period = 2.0 * M_PI * sqrt((square + 0.25) / (G * 0.5));
    const double small = 2.0 * M_PI / 180.0, slower = 1.0731820071493643;
    assert_near(measure_period(small) / (period * (1.0 + small * small / 16.0)), 1.0, 1e-4,
                "period of 2 degrees");
    assert_near(measure_period(M_PI / 3.0) / (period * slower), 1.0, 1e-4, "period of 60 degrees");
}

struct swing {
    double angle;   ///< rad, from the start
    double gap;     ///< m, the largest
    double energy;  ///< J, the change of the total
    double elastic; ///< J
};

/// A rod that hangs at a hinge, let go at half a radian.
static struct swing swing(int32_t scheme, double h, double duration) {
    const double sides[3] = {0.02, 1.0, 0.02}, angle = 0.5;
    const double at[3] = {0.5 * sin(angle), -0.5 * cos(angle), 0.0};
    const double turn[4] = {0.0, 0.0, sin(angle / 2.0), cos(angle / 2.0)};
    pbs_world *world = new_joint_world(scheme, G);
    const pbs_body rod = add_box(world, sides, 1.0, at, 1e8);
    assert_ok(pbs_body_set_pose(world, rod, at, turn));
    const pbs_joint hinge = join(world, PBS_JOINT_HINGE, in_space(0.0, 0.0, 0.0),
                                 on_body(rod, 0.0, 0.5, 0.0));
    const double start = energy_of(world).total;
    struct swing out = {.gap = 0.0};
    for (int i = 0; i < (int)(duration / h + 0.5); i++) {
        assert_ok(pbs_world_step(world, h));
        out.gap = fmax(out.gap, joint_state_of(world, hinge).gap);
    }
    out.angle = joint_state_of(world, hinge).coordinate;
    out.energy = energy_of(world).total - start;
    out.elastic = energy_of(world).elastic;
    pbs_world_destroy(world);
    return out;
}

/// The same angle by 10^4 steps of Runge and Kutta for theta'' = -m g d / I sin theta.
static double rigid_swing(double duration) {
    enum { STEPS = 10000 };
    const double rate = G * 0.5 / ((0.25 + 1e-4) / 3.0 + 0.25), h = duration / STEPS;
    double q = 0.5, v = 0.0;
    for (int i = 0; i < STEPS; i++) {
        const double k1 = v, l1 = -rate * sin(q);
        const double k2 = v + 0.5 * h * l1, l2 = -rate * sin(q + 0.5 * h * k1);
        const double k3 = v + 0.5 * h * l2, l3 = -rate * sin(q + 0.5 * h * k2);
        const double k4 = v + h * l3, l4 = -rate * sin(q + h * k3);
        q += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    return q - 0.5;
}

/// Every scheme that minimises stages moves joints, with its own order, and they hold where its
/// stages end.
static void joints_keep_the_order_of_schemes(void **state) {
    (void)state;
    const double exact = rigid_swing(0.3), rate = G * 0.5 / ((0.25 + 1e-4) / 3.0 + 0.25);
    for (int i = 0; scheme_tables[i] != NULL; i++) {
        const struct scheme_table *scheme = scheme_tables[i];
        if (scheme->kicks || scheme->is_static || scheme->control == CONTROL_STATE ||
            scheme->stage_limit == 0) {
            continue;
        }
        const struct swing coarse = swing(scheme->id, 0.01, 0.3);
        const struct swing fine = swing(scheme->id, 0.005, 0.3);
        // Where the end is no solution of a stage but beyond it, each step adds twice the stage's
        // gap.
        const double gap = 1.01e-8;
        assert_small(coarse.gap, scheme->leaves_feasible ? 2.0 * 30.0 * gap : gap, scheme->name);
        assert_small(fine.gap, scheme->leaves_feasible ? 2.0 * 60.0 * gap : gap, scheme->name);
        if (fabs(coarse.angle - exact) < 0.1 * rate * 1e-4) {
            assert_small(fine.angle - exact, 0.1 * rate * 1e-4, scheme->name);
        } else {
            assert_near((fine.angle - exact) / (coarse.angle - exact), 0.5, 0.05, scheme->name);
            assert_int_equal(scheme->order, 1);
        }
    }
}

/// Twenty periods of A-search: the energy stays where it was but for its shift, which is of the
/// first order in the step and does not grow, and none of it becomes vibration.
static void a_swinging_rod_keeps_its_energy(void **state) {
    (void)state;
    const double height = 9.81 * 0.5 * (1.0 - cos(0.5)); // J, of a rod of 1 kg
    for (int k = 0; k < 4; k++) {
        const double h = 0.01 / (1 + 3 * (k % 2));
        const int32_t scheme = k < 2 ? PBS_SCHEME_A_SEARCH : PBS_SCHEME_SPARSE_A_SEARCH;
        const struct swing early = swing(scheme, h, 3.4);
        const struct swing late = swing(scheme, h, 34.0);
        assert_small(early.energy / height, 2.0 * h, "energy after two periods");
        assert_small(late.energy / height, 2.0 * h, "energy after twenty periods");
        assert_small(late.elastic / height, 1e-3, "elastic energy");
    }
}

// --- chains ---

enum { LINKS = 20 };

struct chain {
    pbs_world *world;
    pbs_body links[LINKS];
    pbs_joint joints[LINKS];
};

/// Links of 10 cm and 1 kg from the origin along a direction of the plane; the last one weighs
/// `last`.
static void make_chain(struct chain *c, double along_x, double last, double stiffness,
                       int32_t scheme) {
    const double length = 0.1, sides[3] = {0.1, 0.02, 0.02};
    const double q[4] = {0.0, 0.0, along_x == 1.0 ? 0.0 : -sqrt(0.5),
                         along_x == 1.0 ? 1.0 : sqrt(0.5)};
    const double down = along_x == 1.0 ? 0.0 : -1.0;
    c->world = new_joint_world(scheme, G);
    for (int i = 0; i < LINKS; i++) {
        const double middle = length * (i + 0.5);
        const double at[3] = {along_x * middle, down * middle, 0.0};
        c->links[i] = add_box(c->world, sides, i + 1 == LINKS ? last : 1.0, at, stiffness);
        assert_ok(pbs_body_set_pose(c->world, c->links[i], at, q));
        c->joints[i] = join(c->world, PBS_JOINT_BALL,
                            i == 0 ? in_space(0.0, 0.0, 0.0)
                                   : on_body(c->links[i - 1], 0.5 * length, 0.0, 0.0),
                            on_body(c->links[i], -0.5 * length, 0.0, 0.0));
    }
}

/// A hanging chain: each joint bears what is below it, whatever the masses. It bounces at first.
static void joints_of_a_hanging_chain_bear_what_is_below(void **state) {
    (void)state;
    const double masses[2] = {1.0, 1000.0};
    for (int m = 0; m < 2; m++) {
        struct chain c;
        make_chain(&c, 0.0, masses[m], 1e9, PBS_SCHEME_IMPLICIT_EULER);
        for (int i = 0; i < (m == 0 ? 60 : 240); i++) {
            assert_ok(pbs_world_step(c.world, 1.0 / 60.0));
        }
        double below = 0.0;
        for (int i = LINKS - 1; i >= 0; i--) {
            const pbs_joint_state s = joint_state_of(c.world, c.joints[i]);
            below += (i + 1 == LINKS ? masses[m] : 1.0) * G;
            assert_near(s.force[1] / below, 1.0, 1e-6, "force of a joint");
            assert_small(hypot(s.force[0], s.force[2]) / below, 1e-6, "force across");
            assert_small(s.gap, 1e-8 * 0.11, "gap");
        }
        pbs_world_destroy(c.world);
    }
}

/// A chain that swings from the horizontal, 12 steps: no gap opens.
static void a_swinging_chain_stays_closed(void **state) {
    (void)state;
    const double masses[2] = {1.0, 1000.0};
    for (int m = 0; m < 2; m++) {
        struct chain c;
        make_chain(&c, 1.0, masses[m], 1e7, PBS_SCHEME_IMPLICIT_EULER);
        for (int i = 0; i < 12; i++) {
            assert_ok(pbs_world_step(c.world, 1.0 / 60.0));
            for (int k = 0; k < LINKS; k++) {
                assert_small(joint_state_of(c.world, c.joints[k]).gap, 1e-8 * 0.11, "gap");
            }
        }
        pbs_world_destroy(c.world);
    }
}

/// The same chains in a world of default settings, where a stage ends where Newton's method moves
/// nothing any more: multipliers that change twice there make gaps change their sign for ever.
static void joints_close_where_a_stage_counts_as_solved(void **state) {
    (void)state;
    const double along_x[2] = {0.0, 1.0};
    for (int m = 0; m < 2; m++) {
        struct chain c;
        pbs_world_desc defaults, d = {.struct_size = sizeof d};
        assert_ok(pbs_world_desc_init(&defaults, sizeof defaults));
        make_chain(&c, along_x[m], 1000.0, 1e9, PBS_SCHEME_IMPLICIT_EULER);
        assert_ok(pbs_world_settings(c.world, &d));
        d.relative_tolerance = defaults.relative_tolerance;
        d.velocity_tolerance = 0.01;
        assert_ok(pbs_world_set_settings(c.world, &d));
        for (int i = 0; i < 40; i++) {
            assert_ok(pbs_world_step(c.world, 1.0 / 60.0));
        }
        pbs_world_destroy(c.world);
    }
}

/// A chain with 1000 times a link's mass at its end swings down from the horizontal and up again
/// under energy control. What that keeps differs from the energy by the load's m G v h / 2
/// (docs/theory/energy_control.md section 4), with v^2 below 2 G 2 m: by 0.026 of what falls.
static void a_loaded_chain_gains_no_energy(void **state) {
    (void)state;
    const double h = 1.0 / 60.0, fall = 2.0, most = 0.5 * h * sqrt(2.0 * G * fall) / fall;
    struct chain c;
    make_chain(&c, 1.0, 1000.0, 1e9, PBS_SCHEME_A_SEARCH);
    const double start = energy_of(c.world).total;
    for (int i = 0; i < 120; i++) {
        assert_ok(pbs_world_step(c.world, h));
        assert_small((energy_of(c.world).total - start) / (1000.0 * G * fall), most, "energy");
    }
    pbs_world_destroy(c.world);
}

// --- hinges, sliders, ropes, welds ---

/// A motor without velocity, which is dry friction, holds an arm of 2 N m if it may exert 2.1; if
/// 1.9, it lets it go with the acceleration 0.1 N m / I.
static void friction_holds_what_it_can(void **state) {
    (void)state;
    const double sides[3] = {1.0, 0.02, 0.02}, h = 0.01;
    const double mass = 2.0 / (G * 0.5), inertia = mass * (1.0 / 3.0 + 1e-4 / 3.0);
    for (int holds = 0; holds < 2; holds++) {
        pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, G);
        const pbs_body arm = add_box(world, sides, mass, (double[]){0.5, 0.0, 0.0}, 1e10);
        pbs_joint_desc d = describe_joint(PBS_JOINT_HINGE, in_space(0.0, 0.0, 0.0),
                                          on_body(arm, -0.5, 0.0, 0.0));
        pbs_joint hinge;
        d.motor_force = holds != 0 ? 2.1 : 1.9;
        assert_ok(pbs_joint_create(world, &d, &hinge));
        for (int i = 1; i <= 10; i++) {
            assert_ok(pbs_world_step(world, h));
            const double expected = holds != 0 ? 0.0 : -0.1 / inertia * h * i;
            // The first step strains the arm, by less than 1e-6.
            assert_near(joint_state_of(world, hinge).velocity, expected, 2e-6 / h + 1e-3,
                        "angular velocity");
        }
        pbs_world_destroy(world);
    }
}

/// A wheel of 0.1 kg m^2 on a motor of 1 N m: w = 10 t until the motor's velocity, and then no
/// torque.
static void a_motor_is_as_strong_as_its_limit(void **state) {
    (void)state;
    const double side = sqrt(0.6), sides[3] = {side, side, 0.1}; // I = m (s^2 + s^2) / 12 = 0.1
    const double h = 0.01, velocity = 2.0;
    pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, 0.0);
    const double at[3] = {0.0, 0.0, 0.0};
    const double stiffness = 1e9;
    const pbs_body wheel = add_box(world, sides, 1.0, at, stiffness);
    pbs_joint_desc d;
    pbs_joint hinge;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.kind = PBS_JOINT_HINGE;
    d.a = in_space(0.0, 0.0, 0.0);
    d.b = on_body(wheel, 0.0, 0.0, 0.0);
    d.motor_velocity = velocity;
    d.motor_force = 1.0;
    assert_ok(pbs_joint_create(world, &d, &hinge));
    double lost = 0.0;
    for (int i = 1; i <= 40; i++) {
        assert_ok(pbs_world_step(world, h));
        const pbs_joint_state s = joint_state_of(world, hinge);
        const double expected = fmin(10.0 * h * i, velocity);
        // Implicit Euler loses (w h)^2 of the spin in a step, and the torque shears the wheel a
        // little.
        const double shear = 1.0 / (stiffness * 0.06);
        lost += pow(expected * h, 2.0);
        assert_near(s.velocity, expected, expected * lost + shear / h, "angular velocity");
        // Then it makes up for that loss only.
        const double kept_up = 0.1 * velocity * pow(velocity * h, 2.0) / h;
        if (i < 20) {
            assert_near(s.torque[2], 1.0, 1e-6, "torque of the motor");
        } else if (i > 22) {
            assert_near(s.torque[2], kept_up, 0.1 * kept_up, "torque of the motor");
        }
    }
    pbs_world_destroy(world);
}

/// A host that steers a motor in each step can still read what it exerted, and a limit that comes
/// in addition starts without force.
static void settings_keep_the_forces_of_what_stays(void **state) {
    (void)state;
    const double sides[3] = {0.5, 0.5, 0.1}, at[3] = {0.0, 0.0, 0.0};
    pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, 0.0);
    const pbs_body wheel = add_box(world, sides, 1.0, at, 1e9);
    const pbs_joint hinge = join(world, PBS_JOINT_HINGE, in_space(0.0, 0.0, 0.0),
                                 on_body(wheel, 0.0, 0.0, 0.0));
    pbs_joint_desc d = {.struct_size = sizeof d};
    assert_ok(pbs_joint_settings(world, hinge, &d));
    d.motor_force = 1.0;
    for (int i = 1; i <= 10; i++) {
        d.motor_velocity = 100.0 + i;
        assert_ok(pbs_joint_set_settings(world, hinge, &d));
        assert_near(joint_state_of(world, hinge).torque[2], i == 1 ? 0.0 : 1.0, 1e-6, "torque");
        assert_ok(pbs_world_step(world, 0.01));
    }
    d.upper = 10.0;
    assert_ok(pbs_joint_set_settings(world, hinge, &d));
    assert_near(joint_state_of(world, hinge).torque[2], 0.0, 1e-6, "torque where rows are others");
    pbs_world_destroy(world);
}

/// Down a slope of 30 degrees: g / 2, with a friction of F newtons g / 2 - F / m.
static void a_slider_falls_down_its_line(void **state) {
    (void)state;
    const double sides[3] = {0.1, 0.1, 0.1}, at[3] = {0.0, 0.0, 0.0};
    const double h = 0.01, friction[2] = {0.0, 3.0};
    for (int k = 0; k < 2; k++) {
        pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, G);
        const pbs_body body = add_box(world, sides, 2.0, at, 1e8);
        pbs_joint_desc d;
        pbs_joint slider;
        assert_ok(pbs_joint_desc_init(&d, sizeof d));
        d.kind = PBS_JOINT_SLIDER;
        d.a = in_space(0.0, 0.0, 0.0);
        d.b = on_body(body, 0.0, 0.0, 0.0);
        d.axis[0] = sqrt(0.75);
        d.axis[1] = -0.5;
        d.axis[2] = 0.0;
        d.motor_force = friction[k];
        assert_ok(pbs_joint_create(world, &d, &slider));
        for (int i = 0; i < 50; i++) {
            assert_ok(pbs_world_step(world, h));
        }
        const pbs_joint_state s = joint_state_of(world, slider);
        assert_near(s.velocity / (50.0 * h * (G / 2.0 - friction[k] / 2.0)), 1.0, 1e-6, "velocity");
        assert_small(s.gap, 1e-8, "gap");
        assert_near(s.force[1] + 2.0 * 0.0, 2.0 * G * 0.75 + 0.5 * friction[k], 1e-4,
                    "normal force");
        pbs_world_destroy(world);
    }
}

/// A weld between bricks bears the weight of what is beyond it, and its moment.
static void a_cantilever_of_welded_bricks_bears_its_weight(void **state) {
    (void)state;
    enum { BRICKS = 6 };
    const double sides[3] = {0.2, 0.1, 0.1};
    pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, G);
    pbs_body bricks[BRICKS];
    pbs_joint welds[BRICKS];
    for (int i = 0; i < BRICKS; i++) {
        const double at[3] = {0.2 * (i + 0.5), 0.0, 0.0};
        bricks[i] = add_box(world, sides, 1.0, at, 1e9);
        welds[i] = join(world, PBS_JOINT_WELD,
                        i == 0 ? in_space(0.0, 0.0, 0.0) : on_body(bricks[i - 1], 0.1, 0.0, 0.0),
                        on_body(bricks[i], -0.1, 0.0, 0.0));
    }
    for (int i = 0; i < 60; i++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    for (int i = 0; i < BRICKS; i++) {
        const pbs_joint_state s = joint_state_of(world, welds[i]);
        const double beyond = BRICKS - i;
        assert_near(s.force[1] / (beyond * G), 1.0, 1e-4, "force");
        assert_near(s.torque[2] / (G * 0.2 * beyond * beyond / 2.0), 1.0, 1e-4, "torque");
    }
    pbs_world_destroy(world);
}

/// A mass on a rope: free until the rope is taut, then on a circle.
static void a_rope_is_slack_or_taut(void **state) {
    (void)state;
    const double sides[3] = {0.02, 0.02, 0.02}, at[3] = {0.0, -0.5, 0.0};
    pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, G);
    const pbs_body mass = add_box(world, sides, 1.0, at, 1e8);
    pbs_joint_desc d;
    pbs_joint rope;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.kind = PBS_JOINT_DISTANCE;
    d.a = in_space(0.0, 0.0, 0.0);
    d.b = on_body(mass, 0.0, 0.0, 0.0);
    d.upper = 1.0;
    assert_ok(pbs_joint_create(world, &d, &rope));
    for (int i = 0; i < 200; i++) {
        assert_ok(pbs_world_step(world, 1e-3));
        assert_small(norm3(joint_state_of(world, rope).force), 0.0, "force of a slack rope");
    }
    for (int i = 0; i < 800; i++) {
        assert_ok(pbs_world_step(world, 1e-3));
        assert_true(joint_state_of(world, rope).coordinate < 1.0 + 1e-8);
    }
    assert_near(joint_state_of(world, rope).force[1], G, 1e-3, "force of a taut rope");
    assert_near(joint_state_of(world, rope).coordinate, 1.0, 1e-8, "length of a taut rope");
    pbs_world_destroy(world);
}

// --- linkages ---

/// A bar between two places of the plane z = 0, with its own x axis along it.
static pbs_body add_bar(pbs_world *world, const double from[2], const double to[2]) {
    const double along[2] = {to[0] - from[0], to[1] - from[1]};
    const double sides[3] = {hypot(along[0], along[1]), 0.05, 0.05};
    const double at[3] = {0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0.0};
    const double half = 0.5 * atan2(along[1], along[0]);
    const double q[4] = {0.0, 0.0, sin(half), cos(half)};
    const pbs_body bar = add_box(world, sides, 1.0, at, 1e10);
    assert_ok(pbs_body_set_pose(world, bar, at, q));
    return bar;
}

static pbs_joint add_motor(pbs_world *world, pbs_point a, pbs_point b, double velocity,
                           double tolerance) {
    pbs_joint_desc d;
    pbs_joint motor;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.kind = PBS_JOINT_HINGE;
    d.a = a;
    d.b = b;
    d.motor_velocity = velocity;
    d.motor_force = 1e5;
    d.tolerance = tolerance;
    assert_ok(pbs_joint_create(world, &d, &motor));
    return motor;
}

/// Where circles of two radii about two places meet, above the line from the first to the second.
static void meet(const double a[2], double ra, const double b[2], double rb, double out[2]) {
    const double d = hypot(b[0] - a[0], b[1] - a[1]);
    const double along = (ra * ra - rb * rb + d * d) / (2.0 * d);
    const double across = sqrt(ra * ra - along * along);
    const double u[2] = {(b[0] - a[0]) / d, (b[1] - a[1]) / d};
    out[0] = a[0] + along * u[0] - across * u[1];
    out[1] = a[1] + along * u[1] + across * u[0];
}

/// A crank that a motor turns around, a coupler and a rocker: closed after 1000 steps, three turns
/// of the crank, and where geometry has it.
static void a_crank_and_rocker_stay_closed(void **state) {
    (void)state;
    const double ground[2] = {0.0, 0.0}, pivot[2] = {1.0, 0.0};
    const double crank = 0.2, coupler = 0.9, rocker = 0.6, h = 0.01, tolerance = 1e-9;
    const double start[2] = {0.0, crank};
    double knee[2];
    pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, G);
    meet(start, coupler, pivot, rocker, knee);
    const pbs_body a = add_bar(world, ground, start);
    const pbs_body b = add_bar(world, start, knee);
    const pbs_body c = add_bar(world, knee, pivot);
    const pbs_joint joints[4] = {add_motor(world, in_space(0.0, 0.0, 0.0),
                                           on_body(a, -0.5 * crank, 0.0, 0.0), 2.0, tolerance),
                                 add_motor(world, on_body(a, 0.5 * crank, 0.0, 0.0),
                                           on_body(b, -0.5 * coupler, 0.0, 0.0), 0.0, tolerance),
                                 add_motor(world, on_body(b, 0.5 * coupler, 0.0, 0.0),
                                           on_body(c, -0.5 * rocker, 0.0, 0.0), 0.0, tolerance),
                                 add_motor(world, on_body(c, 0.5 * rocker, 0.0, 0.0),
                                           in_space(1.0, 0.0, 0.0), 0.0, tolerance)};
    for (int k = 1; k < 4; k++) {
        pbs_joint_desc d = {.struct_size = sizeof d};
        assert_ok(pbs_joint_settings(world, joints[k], &d));
        d.motor_force = 0.0;
        assert_ok(pbs_joint_set_settings(world, joints[k], &d));
    }
    for (int i = 1; i <= 1000; i++) {
        assert_ok(pbs_world_step(world, h));
        for (int k = 0; k < 4; k++) {
            assert_small(joint_state_of(world, joints[k]).gap, tolerance, "gap");
        }
        const double angle = 2.0 * h * i;
        assert_near(joint_state_of(world, joints[0]).coordinate, angle, 1e-6, "angle of the crank");
        const double end[2] = {-crank * sin(angle), crank * cos(angle)};
        const pbs_point tip = on_body(b, 0.5 * coupler, 0.0, 0.0);
        double x[3];
        meet(end, coupler, pivot, rocker, knee);
        assert_ok(pbs_world_point_position(world, &tip, x));
        // Bars of 1e10 Pa stretch by some 1e-7 under forces of 100 N.
        assert_small(hypot(hypot(x[0] - knee[0], x[1] - knee[1]), x[2]), 1e-5, "knee");
    }
    pbs_world_destroy(world);
}

/// A parallelogram, whose hinges say more than is needed: 20 equations for 18 degrees of freedom of
/// which one is left. The motor goes to and fro, within what its settings say.
static void a_parallelogram_stays_one(void **state) {
    (void)state;
    const double feet[2][2] = {{0.0, 0.0}, {1.0, 0.0}}, heads[2][2] = {{0.0, 0.5}, {1.0, 0.5}};
    const double h = 0.01;
    pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, G);
    const pbs_body a = add_bar(world, feet[0], heads[0]), b = add_bar(world, feet[1], heads[1]);
    const pbs_body c = add_bar(world, heads[0], heads[1]);
    const pbs_joint motor = add_motor(world, in_space(0.0, 0.0, 0.0), on_body(a, -0.25, 0.0, 0.0),
                                      2.0, 0.0);
    join(world, PBS_JOINT_HINGE, in_space(1.0, 0.0, 0.0), on_body(b, -0.25, 0.0, 0.0));
    join(world, PBS_JOINT_HINGE, on_body(a, 0.25, 0.0, 0.0), on_body(c, -0.5, 0.0, 0.0));
    join(world, PBS_JOINT_HINGE, on_body(b, 0.25, 0.0, 0.0), on_body(c, 0.5, 0.0, 0.0));
    double angle = 0.0, velocity = 2.0;
    for (int i = 1; i <= 300; i++) {
        double q[4];
        if (fabs(angle + velocity * h) > 0.8) {
            pbs_joint_desc d = {.struct_size = sizeof d};
            velocity = -velocity;
            assert_ok(pbs_joint_settings(world, motor, &d));
            d.motor_velocity = velocity;
            assert_ok(pbs_joint_set_settings(world, motor, &d));
        }
        assert_ok(pbs_world_step(world, h));
        angle += velocity * h;
        assert_near(joint_state_of(world, motor).coordinate, angle, 1e-6, "angle of the crank");
        assert_ok(pbs_body_pose(world, c, NULL, q));
        // Where the motor turns round, forces of 400 N strain the bars by 2e-6.
        assert_small(hypot(q[0], hypot(q[1], q[2])), 1e-5, "turn of the coupler");
    }
    pbs_world_destroy(world);
}

/// Equilibrium by statics: three rods on hinges with springs, each of which bears the moment of all
/// that is beyond it.
static void hinges_with_springs_find_equilibrium(void **state) {
    (void)state;
    enum { RODS = 3 };
    const double sides[3] = {1.0, 0.1, 0.1}, stiffness = 20.0;
    pbs_world *world = new_joint_world(PBS_SCHEME_QUASI_STATIC, G);
    pbs_body rods[RODS];
    pbs_joint hinges[RODS];
    for (int i = 0; i < RODS; i++) {
        const double at[3] = {i + 0.5, 0.0, 0.0};
        pbs_joint_desc d;
        rods[i] = add_box(world, sides, 1.0, at, 1e8);
        assert_ok(pbs_joint_desc_init(&d, sizeof d));
        d.kind = PBS_JOINT_HINGE;
        d.a = i == 0 ? in_space(0.0, 0.0, 0.0) : on_body(rods[i - 1], 0.5, 0.0, 0.0);
        d.b = on_body(rods[i], -0.5, 0.0, 0.0);
        d.spring_stiffness = stiffness;
        assert_ok(pbs_joint_create(world, &d, &hinges[i]));
    }
    assert_ok(pbs_world_step(world, 1.0));
    for (int i = 0; i < RODS; i++) {
        const pbs_joint_state s = joint_state_of(world, hinges[i]);
        const pbs_point root = on_body(rods[i], -0.5, 0.0, 0.0);
        double from[3], moment = 0.0;
        assert_ok(pbs_world_point_position(world, &root, from));
        for (int k = i; k < RODS; k++) {
            const pbs_point centre = on_body(rods[k], 0.0, 0.0, 0.0);
            double x[3];
            assert_ok(pbs_world_point_position(world, &centre, x));
            moment += G * (x[0] - from[0]);
        }
        assert_near(s.force[1], (RODS - i) * G, 1e-4, "force");
        assert_near(-stiffness * s.coordinate, moment, 1e-3 * moment, "moment of the spring");
        assert_small(s.gap, 1.5e-8, "gap");
    }
    pbs_world_destroy(world);
}

/// Three bricks on two joints in free flight: momentum and angular momentum are those that they
/// began with. The tolerance is that of Newton's method, as the sum of what it leaves of forces
/// pushes the whole for as long as the flight takes.
static void a_free_linkage_keeps_its_momentum(void **state) {
    (void)state;
    const double sides[3] = {0.3, 0.1, 0.1};
    pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_MIDPOINT, 0.0);
    pbs_body bricks[3];
    double before[3] = {0.0}, after[3] = {0.0};
    for (int i = 0; i < 3; i++) {
        const double at[3] = {0.3 * i, 0.0, 0.0};
        bricks[i] = add_box(world, sides, 1.0 + i, at, 1e8);
    }
    join(world, PBS_JOINT_BALL, on_body(bricks[0], 0.15, 0.0, 0.0),
         on_body(bricks[1], -0.15, 0.0, 0.0));
    join(world, PBS_JOINT_HINGE, on_body(bricks[1], 0.15, 0.0, 0.0),
         on_body(bricks[2], -0.15, 0.0, 0.0));
    double velocities[3 * 8];
    for (int v = 0; v < 8; v++) {
        velocities[3 * v] = 0.0;
        velocities[3 * v + 1] = 2.0;
        velocities[3 * v + 2] = 1.0;
    }
    assert_ok(pbs_body_set_velocities(world, bricks[2], velocities, 8));
    for (int pass = 0; pass < 2; pass++) {
        double *const sum = pass == 0 ? before : after;
        for (int i = 0; i < 100 && pass == 1; i++) {
            assert_ok(pbs_world_step(world, 0.01));
        }
        for (int b = 0; b < 3; b++) {
            const pbs_point centre = on_body(bricks[b], 0.0, 0.0, 0.0);
            double v[3];
            assert_ok(pbs_world_point_velocity(world, &centre, v));
            add_scaled3(sum, 1.0 + b, v, sum);
        }
    }
    const pbs_stats stats = stats_of(world);
    // 100 steps of 0.01 s, each with a force of at most the tolerance on each of 12 nodes.
    assert_small(testing_max_difference(before, after, 3), 1.0 * 12.0 * stats.newton.tolerance,
                 "momentum");
    pbs_world_destroy(world);
}

/// A brick between two points of space that are farther apart than its own, and one that is pinned
/// away from its point: the step lands, says so of what could move, and the gap can be read.
static void joints_that_contradict_each_other_say_so(void **state) {
    (void)state;
    const double sides[3] = {0.2, 0.1, 0.1}, at[3] = {0.0, 0.0, 0.0};
    pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, 0.0);
    const pbs_body brick = add_box(world, sides, 1.0, at, 1e6);
    const pbs_joint near = join(world, PBS_JOINT_BALL, in_space(-0.1, 0.0, 0.0),
                                on_body(brick, -0.1, 0.0, 0.0));
    const pbs_joint far = join(world, PBS_JOINT_BALL, in_space(0.11, 0.0, 0.0),
                               on_body(brick, -0.1, 0.0, 0.0));
    assert_status(pbs_world_step(world, 0.01), PBS_NOT_CONVERGED);
    assert_message("contradict");
    assert_true(joint_state_of(world, near).gap + joint_state_of(world, far).gap > 0.21 - 1e-8);
    assert_ok(pbs_body_pin_all(world, brick));
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

/// A host reads which joint to look at: of those that contradict each other the one that misses by
/// most of its tolerances, by its index among all joints, also those that have broken.
static void the_worst_of_contradicting_joints_is_named(void **state) {
    (void)state;
    const double sides[3] = {0.2, 0.1, 0.1}, at[3] = {0.0, 0.0, 0.0}, other[3] = {1.0, 0.0, 0.0};
    for (int worst = 1; worst <= 2; worst++) {
        pbs_world *world = new_joint_world(PBS_SCHEME_IMPLICIT_EULER, G);
        const pbs_body brick = add_box(world, sides, 1.0, at, 1e6);
        const pbs_body falling = add_box(world, sides, 1.0, other, 1e6);
        pbs_joint joints[3];
        for (int k = 0; k < 3; k++) {
            // The first breaks under the weight of its brick. The others pull equally.
            const pbs_body body = k == 0 ? falling : brick;
            pbs_joint_desc d = describe_joint(PBS_JOINT_BALL,
                                              in_space(k == 0 ? 1.0 : 0.3 * k, 0.0, 0.0),
                                              on_body(body, 0.0, 0.0, 0.0));
            d.break_force = k == 0 ? 0.5 * G : INFINITY;
            d.tolerance = k == worst ? 1e-8 : 1e-6;
            assert_ok(pbs_joint_create(world, &d, &joints[k]));
        }
        for (int i = 0; i < 2; i++) {
            unsigned index = 0;
            double gap = 0.0;
            assert_status(pbs_world_step(world, 0.01), PBS_NOT_CONVERGED);
            assert_int_equal(sscanf(pbs_last_error(),
                                    "joint %u (of pbs_world_joint_at) has a gap of %lg m", &index,
                                    &gap),
                             2);
            assert_int_equal(index, worst);
            // Messages have six digits.
            assert_near(gap / joint_state_of(world, joints[worst]).gap, 1.0, 1e-5, "gap");
        }
        assert_int_equal(joint_state_of(world, joints[0]).broken, 1);
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_swings_with_the_period_of_a_pendulum),
        cmocka_unit_test(joints_keep_the_order_of_schemes),
        cmocka_unit_test(a_swinging_rod_keeps_its_energy),
        cmocka_unit_test(joints_of_a_hanging_chain_bear_what_is_below),
        cmocka_unit_test(a_swinging_chain_stays_closed),
        cmocka_unit_test(joints_close_where_a_stage_counts_as_solved),
        cmocka_unit_test(a_loaded_chain_gains_no_energy),
        cmocka_unit_test(friction_holds_what_it_can),
        cmocka_unit_test(a_motor_is_as_strong_as_its_limit),
        cmocka_unit_test(settings_keep_the_forces_of_what_stays),
        cmocka_unit_test(a_slider_falls_down_its_line),
        cmocka_unit_test(a_cantilever_of_welded_bricks_bears_its_weight),
        cmocka_unit_test(a_rope_is_slack_or_taut),
        cmocka_unit_test(a_crank_and_rocker_stay_closed),
        cmocka_unit_test(a_parallelogram_stays_one),
        cmocka_unit_test(hinges_with_springs_find_equilibrium),
        cmocka_unit_test(a_free_linkage_keeps_its_momentum),
        cmocka_unit_test(joints_that_contradict_each_other_say_so),
        cmocka_unit_test(the_worst_of_contradicting_joints_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

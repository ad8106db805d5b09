// Wind on bodies: known forces and motions.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "world/forces/wind_scene.h"

static const double G = 9.81;

static void assert_force(const pbs_world *world, pbs_body body, double x, double y, double z) {
    double force[3];
    force_of_wind(world, body, force);
    const double expected[3] = {x, y, z};
    assert_small(testing_max_difference(force, expected, 3), 1e-13 * fmax(1.0, norm3(expected)),
                 "force");
}

// --- plates ---

/// 1/2 density c A u^2 across the wind, the tangential coefficient on both sides along it, and both
/// apart where it comes at an angle.
static void plates_bear_their_area(void **state) {
    (void)state;
    pbs_world *world = wind_world(PBS_SCHEME_IMPLICIT_EULER, 0.0);
    const pbs_body plate = add_plate(world);
    pbs_wind_desc wind = wind_of(0.0, -8.0, 0.0);
    const double drag = drag_of(&wind, plate_area());
    const double friction = wind.density * wind.tangential_coefficient * plate_area();
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    assert_force(world, plate, 0.0, -drag * 64.0, 0.0);
    wind = wind_of(0.0, 8.0, 0.0);
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    assert_force(world, plate, 0.0, drag * 64.0, 0.0);
    wind = wind_of(3.0, 0.0, 4.0);
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    assert_force(world, plate, friction * 15.0, 0.0, friction * 20.0);
    wind = wind_of(3.0, 8.0, 4.0);
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    assert_force(world, plate, friction * 15.0, drag * 64.0, friction * 20.0);
    // One side only: wind from below does not meet what looks up, and friction is that of one.
    wind.sides = PBS_WIND_SIDES_OUTER;
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    assert_force(world, plate, 0.5 * friction * 15.0, 0.0, 0.5 * friction * 20.0);
    wind.velocity[1] = -8.0;
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    assert_force(world, plate, 0.5 * friction * 15.0, -drag * 64.0, 0.5 * friction * 20.0);
    // It is the relative velocity that counts.
    set_velocity(world, plate, (const double[3]){3.0, -6.0, 4.0});
    assert_force(world, plate, 0.0, -drag * 4.0, 0.0);
    pbs_world_destroy(world);
}

/// What holds a plate bears the wind on it, after a step as before.
static void pins_bear_the_wind(void **state) {
    (void)state;
    pbs_world *world = wind_world(PBS_SCHEME_BDF2, G);
    const pbs_body plate = add_plate(world);
    const pbs_wind_desc wind = wind_of(2.0, 7.0, 0.0);
    const double friction = wind.density * wind.tangential_coefficient * plate_area();
    const double drag = drag_of(&wind, plate_area());
    const size_t count = pbs_body_vertex_count(world, plate);
    double *const forces = malloc(3 * count * sizeof *forces);
    assert_non_null(forces);
    assert_ok(pbs_body_pin_all(world, plate));
    assert_ok(pbs_world_step(world, 0.01));
    const double reference = stats_of(world).newton.reference_force;
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    for (int i = 0; i < 3; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        assert_ok(pbs_body_constraint_forces(world, plate, forces, NULL, count));
        for (size_t v = 0; v < count; v++) {
            add3(sum, forces + 3 * v, sum);
        }
        assert_near(sum[0], -friction * 4.0, 1e-13, "along");
        assert_near(sum[1], plate_mass() * G - drag * 49.0, 1e-12, "across");
        assert_ok(pbs_world_step(world, 0.01));
    }
    // Residuals are relative to it as to other loads: three corners bear a third of each
    // triangle's.
    const double added = sqrt(pow(stats_of(world).newton.reference_force, 2.0) -
                              reference * reference);
    const double blown = hypot(friction * 4.0, drag * 49.0) / sqrt(3.0 * 18.0);
    assert_near(added, blown, 1e-6 * blown, "reference");
    free(forces);
    pbs_world_destroy(world);
}

/// A first step of implicit Euler from rest: m v / h = k (u - v)^2.
static void plates_are_blown_away(void **state) {
    (void)state;
    pbs_world *world = wind_world(PBS_SCHEME_IMPLICIT_EULER, 0.0);
    const pbs_body plate = add_plate(world);
    const double u = 6.0, h = 0.05;
    const pbs_wind_desc wind = wind_of(0.0, u, 0.0);
    const double k = h * drag_of(&wind, plate_area()) / plate_mass();
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    assert_ok(pbs_world_step(world, h));
    const pbs_motion motion = motion_of(world, plate);
    const double *v = motion.velocity;
    assert_near(v[1], (2.0 * k * u + 1.0 - sqrt(4.0 * k * u + 1.0)) / (2.0 * k), 1e-8, "velocity");
    assert_small(fabs(v[0]) + fabs(v[2]), 1e-12, "aside");
    pbs_world_destroy(world);
}

/// However long a step is and however light the plate, it never moves faster against the air than
/// at first, and soon moves with it. By implicit Euler it comes nearer in each step.
static void wind_is_stable(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2,
                               PBS_SCHEME_A_SEARCH};
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        pbs_world *world = wind_world(schemes[i], 0.0);
        const pbs_body plate = add_plate(world);
        const double u = 40.0;
        const pbs_wind_desc wind = wind_of(0.0, u, 0.0);
        double before = u;
        assert_ok(pbs_body_set_wind(world, plate, &wind));
        for (int k = 0; k < 20; k++) {
            assert_ok(pbs_world_step(world, 1.0));
            const double relative = fabs(motion_of(world, plate).velocity[1] - u);
            assert_true(relative < (schemes[i] == PBS_SCHEME_IMPLICIT_EULER ? before : u));
            before = relative;
        }
        assert_true(before < 0.05);
        pbs_world_destroy(world);
    }
}

/// Steps of an explicit scheme are divided by the strongest damping too, 2 k u / m = 14400 / s of
/// this foil, whose own waves take seconds.
static void explicit_steps_are_short_enough(void **state) {
    (void)state;
    static const double origin[3] = {0.0, 0.0, 0.0};
    pbs_world *world = wind_world(PBS_SCHEME_VELOCITY_VERLET, 0.0);
    pbs_shell_desc like;
    assert_ok(pbs_shell_desc_init(&like, sizeof like));
    like.thickness = 1e-4;
    like.density = DENSITY;
    like.young = 10.0;
    const pbs_body foil = add_sheet(world, 2, SIDE, origin, &like);
    const pbs_wind_desc wind = wind_of(0.0, 100.0, 0.0);
    double before = 0.0;
    assert_ok(pbs_body_set_wind(world, foil, &wind));
    for (int k = 0; k < 5; k++) {
        assert_ok(pbs_world_step(world, 1e-3));
        const double v = motion_of(world, foil).velocity[1];
        assert_true(v > before && v < 100.0);
        before = v;
    }
    pbs_world_destroy(world);
}

// --- falls ---

/// v' = g - k v^2 / m has v = sqrt(m g / k) tanh(t / tau) with tau = sqrt(m / (g k)).
static double fall_by(int32_t scheme, bool linearized, double h, int steps, double *exact) {
    pbs_world *world = wind_world(scheme, G);
    pbs_integrator_desc how;
    assert_ok(pbs_integrator_desc_init(&how, sizeof how, scheme));
    how.linearized = linearized;
    use_integrator(world, &how);
    const pbs_body plate = add_plate(world);
    const pbs_wind_desc still = wind_of(0.0, 0.0, 0.0);
    const double k = drag_of(&still, plate_area());
    assert_ok(pbs_body_set_wind(world, plate, &still));
    for (int i = 0; i < steps; i++) {
        assert_ok(pbs_world_step(world, h));
    }
    const double v = motion_of(world, plate).velocity[1];
    *exact = sqrt(plate_mass() * G / k) * tanh(h * steps * sqrt(G * k / plate_mass()));
    pbs_world_destroy(world);
    return -v;
}

static double fall(int32_t scheme, double h, int steps, double *exact) {
    return fall_by(scheme, false, h, steps, exact);
}

/// sqrt(2 m g / (density c A)) is a fixed point of all schemes. After 10 tau what is left of the
/// way there is 2 e^-20, or by implicit Euler with steps of tau / 10 a little more, 1.2^-100.
static void sheets_fall_with_their_terminal_velocity(void **state) {
    (void)state;
    for (int32_t scheme = 0; scheme < PBS_SCHEME_QUASI_STATIC; scheme++) {
        const pbs_wind_desc still = wind_of(0.0, 0.0, 0.0);
        const double terminal = sqrt(plate_mass() * G / drag_of(&still, plate_area()));
        // This scheme has to resolve the sheet's own waves.
        const int steps = scheme == PBS_SCHEME_SYMPLECTIC_EULER ? 16000 : 100;
        double exact;
        const double reached = fall(scheme, 10.0 * terminal / G / steps, steps, &exact);
        // Corrections of energy make this one approach more slowly.
        const double tolerance = scheme == PBS_SCHEME_DECOUPLED_SDIRK2 ? 3e-7 : 3e-8;
        assert_near(reached, terminal, tolerance * terminal, "terminal velocity");
    }
}

/// With steps half as long errors are at most a quarter, but for the next order, in schemes of
/// order 2: the magnitude of the velocity is not lagged.
static void orders_are_kept(void **state) {
    (void)state;
    static const int32_t second[] = {PBS_SCHEME_TRAPEZOIDAL,
                                     PBS_SCHEME_IMPLICIT_MIDPOINT,
                                     PBS_SCHEME_SECOND_ORDER_THETA,
                                     PBS_SCHEME_BDF2,
                                     PBS_SCHEME_NEWMARK,
                                     PBS_SCHEME_GENERALIZED_ALPHA,
                                     PBS_SCHEME_SDIRK2,
                                     PBS_SCHEME_TR_BDF2};
    for (size_t i = 0; i < COUNT_OF(second); i++) {
        double exact;
        const double error = fall(second[i], 0.01, 20, &exact) - exact;
        const double half = fall(second[i], 0.005, 40, &exact) - exact;
        assert_true(fabs(half) > 1e-8);
        assert_small(fabs(half / error), 0.28, "ratio of errors");
    }
}

/// So they are where each stage is a single Newton step, and there the terminal velocity is the
/// same.
static void linear_steps_fall_alike(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_TRAPEZOIDAL,
                               PBS_SCHEME_NEWMARK};
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        double exact;
        const double reached = fall_by(schemes[i], true, 0.02, 200, &exact);
        assert_near(reached, exact, 1e-8, "terminal velocity");
        const double error = fall_by(schemes[i], true, 0.01, 20, &exact) - exact;
        const double half = fall_by(schemes[i], true, 0.005, 40, &exact) - exact;
        assert_true(fabs(half) > 1e-8);
        assert_small(fabs(half / error), i == 0 ? 0.55 : 0.28, "ratio of errors");
    }
}

/// A body that moves with the wind feels none.
static void drifting_bodies_feel_no_wind(void **state) {
    (void)state;
    pbs_world *world = wind_world(PBS_SCHEME_TRAPEZOIDAL, 0.0);
    const pbs_body plate = add_plate(world);
    const double u[3] = {3.0, -5.0, 2.0};
    const pbs_wind_desc wind = wind_of(u[0], u[1], u[2]);
    set_velocity(world, plate, u);
    assert_ok(pbs_body_set_wind(world, plate, &wind));
    assert_force(world, plate, 0.0, 0.0, 0.0);
    for (int i = 0; i < 5; i++) {
        assert_ok(pbs_world_step(world, 0.1));
    }
    const pbs_motion motion = motion_of(world, plate);
    assert_small(testing_max_difference(motion.velocity, u, 3), 1e-10, "velocity");
    pbs_world_destroy(world);
}

// --- solids ---

/// A box across the wind has the force of a plate, and friction along its other faces: whether it
/// is affine or of tetrahedra.
static void boxes_bear_as_plates(void **state) {
    (void)state;
    const double corner[3] = {1.0, 2.0, 3.0}, sides[3] = {SIDE, SIDE, SIDE};
    pbs_world *world = wind_world(PBS_SCHEME_IMPLICIT_EULER, 0.0);
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body bodies[2];
    pbs_wind_desc wind = wind_of(0.0, 0.0, 5.0);
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    assert_ok(pbs_body_create_affine(world, &d, &bodies[0]));
    bodies[1] = add_cube(world, 2, SIDE, corner, NULL);
    const double drag = drag_of(&wind, plate_area());
    const double friction = 0.5 * wind.density * wind.tangential_coefficient * plate_area();
    // With both sides the lee is drawn as much as the luff is pushed.
    wind.sides = PBS_WIND_SIDES_BOTH;
    wind.tangential_coefficient = 0.0;
    assert_ok(pbs_body_set_wind(world, bodies[1], &wind));
    assert_force(world, bodies[1], 0.0, 0.0, 2.0 * 25.0 * drag);
    wind = wind_of(0.0, 0.0, 5.0);
    for (size_t i = 0; i < 2; i++) {
        assert_ok(pbs_body_set_wind(world, bodies[i], &wind));
        assert_force(world, bodies[i], 0.0, 0.0, 25.0 * (drag + 4.0 * friction));
    }
    assert_ok(pbs_world_step(world, 1e-4));
    for (size_t i = 0; i < 2; i++) {
        double force[3];
        force_of_wind(world, bodies[i], force);
        // The force at the end of a step of implicit Euler is that which has acted.
        const pbs_motion motion = motion_of(world, bodies[i]);
        assert_near(motion.momentum[2] / 1e-4, force[2], 1e-5 * force[2], "change of momentum");
    }
    pbs_world_destroy(world);
}

/// A vane along x that turns about y in wind along z.
static pbs_body add_vane(pbs_world *world, const pbs_wind_desc *wind) {
    static const double sides[3] = {1.0, 0.2, 0.02};
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body vane;
    double velocities[24];
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.density = 10.0;
    assert_ok(pbs_body_create_affine(world, &d, &vane));
    for (size_t i = 0; i < 8; i++) {
        velocities[3 * i] = 2.0 * box.positions[3 * i + 2];
        velocities[3 * i + 1] = 0.0;
        velocities[3 * i + 2] = -2.0 * box.positions[3 * i];
    }
    assert_ok(pbs_body_set_velocities(world, vane, velocities, 8));
    assert_ok(pbs_body_set_wind(world, vane, wind));
    return vane;
}

/// It is braked: of a face of two triangles, whose centres lie at 1/6 of its length, the end that
/// runs against the wind has k/2 (3 + 1/3)^2 and the other k/2 (3 - 1/3)^2.
static void vanes_are_braked(void **state) {
    (void)state;
    pbs_world *world = wind_world(PBS_SCHEME_TR_BDF2, 0.0);
    pbs_wind_desc wind = wind_of(0.0, 0.0, 3.0);
    wind.tangential_coefficient = 0.0;
    const pbs_body vane = add_vane(world, &wind);
    const double before = motion_of(world, vane).angular_velocity[1];
    assert_near(before, 2.0, 1e-9, "spin");
    const double h = 1e-5, k = drag_of(&wind, 0.2), inertia = 0.04 * (1.0 + 0.02 * 0.02) / 12.0;
    assert_ok(pbs_world_step(world, h));
    const double after = motion_of(world, vane).angular_velocity[1];
    const double rate = -k / 3.0 / inertia;
    assert_near((after - before) / h, rate, 1e-3 * fabs(rate), "angular acceleration");
    pbs_world_destroy(world);
}

static double drift_of_vane(double h, int steps) {
    pbs_world *world = wind_world(PBS_SCHEME_TRAPEZOIDAL, 0.0);
    const pbs_wind_desc wind = wind_of(0.0, 0.0, 3.0);
    const pbs_body vane = add_vane(world, &wind);
    for (int i = 0; i < steps; i++) {
        assert_ok(pbs_world_step(world, h));
    }
    const double drift = motion_of(world, vane).velocity[0];
    pbs_world_destroy(world);
    return drift;
}

/// Normals that turn keep the order too, as they are taken in the middle of the step: the wind
/// drives the vane along x only where it is at an angle.
static void turning_keeps_the_order(void **state) {
    (void)state;
    const double exact = drift_of_vane(1e-3, 320);
    const double error = drift_of_vane(8e-3, 40) - exact, half = drift_of_vane(4e-3, 80) - exact;
    assert_true(fabs(exact) > 0.1 && fabs(half) > 1e-9);
    assert_small(fabs(half / error), 0.3, "ratio of errors");
}

// --- statics ---

/// A sheet that hangs in the wind from its upper edge is a plane: m g sin a = k (u cos a)^2. The
/// edge bears both.
static void hanging_sheets_lean(void **state) {
    (void)state;
    pbs_world *world = wind_world(PBS_SCHEME_QUASI_STATIC, G);
    const pbs_body sheet = add_plate(world);
    const size_t count = pbs_body_vertex_count(world, sheet);
    double *const x = malloc(6 * count * sizeof *x);
    assert_non_null(x);
    memcpy(x, pbs_body_positions(world, sheet), 3 * count * sizeof *x);
    for (uint32_t i = 0; i < count; i++) {
        const double down = x[3 * i];
        x[3 * i] = 0.0;
        x[3 * i + 1] = -down;
        if (down == 0.0) {
            assert_ok(pbs_body_pin(world, sheet, &i, 1, PBS_AXIS_ALL));
        }
    }
    assert_ok(pbs_body_set_positions(world, sheet, x, count));
    pbs_wind_desc wind = wind_of(4.0, 0.0, 0.0);
    wind.tangential_coefficient = 0.0;
    const double lean = drag_of(&wind, plate_area()) * 16.0 / (plate_mass() * G);
    const double sine = (sqrt(1.0 + 4.0 * lean * lean) - 1.0) / (2.0 * lean);
    assert_ok(pbs_body_set_wind(world, sheet, &wind));
    assert_ok(pbs_world_step(world, 1.0));
    const double *now = pbs_body_positions(world, sheet);
    double force[3];
    for (size_t i = 0; i < count; i++) {
        const double down = -x[3 * i + 1];
        // It is stretched by m g / (E thickness) = 5e-5 of its length at most.
        assert_near(now[3 * i], down * sine, 1e-4 * SIDE, "lean");
        assert_near(now[3 * i + 1], -down * sqrt(1.0 - sine * sine), 1e-4 * SIDE, "height");
    }
    force_of_wind(world, sheet, force);
    assert_ok(pbs_body_constraint_forces(world, sheet, x, NULL, count));
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t v = 0; v < count; v++) {
        add3(sum, x + 3 * v, sum);
    }
    assert_near(sum[0], -force[0], 1e-6 * force[0], "held across");
    assert_near(sum[1], plate_mass() * G - force[1], 1e-6 * force[0], "held up");
    free(x);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_bear_their_area),
        cmocka_unit_test(pins_bear_the_wind),
        cmocka_unit_test(plates_are_blown_away),
        cmocka_unit_test(wind_is_stable),
        cmocka_unit_test(explicit_steps_are_short_enough),
        cmocka_unit_test(sheets_fall_with_their_terminal_velocity),
        cmocka_unit_test(orders_are_kept),
        cmocka_unit_test(linear_steps_fall_alike),
        cmocka_unit_test(drifting_bodies_feel_no_wind),
        cmocka_unit_test(boxes_bear_as_plates),
        cmocka_unit_test(vanes_are_braked),
        cmocka_unit_test(turning_keeps_the_order),
        cmocka_unit_test(hanging_sheets_lean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

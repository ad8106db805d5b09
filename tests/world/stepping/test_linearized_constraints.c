// What the force error of a linearized step counts of joints and held volumes
// (docs/theory/step_control.md section 1): how far they are from holding, in metres. Motions along
// which constraints hold to first order need no force of them, so that all that a step misses is
// known in closed form.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "support/joint_testing.h"

static const double STEP = 0.05;

/// A linearized step of implicit Euler without a limit, whose force error is reported.
static double step_and_measure(pbs_world *world) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    d.linearized = 1;
    d.step_control.kind = PBS_STEP_FORCE_ERROR;
    d.step_control.tolerance = 1.0;
    d.step_control.initial = d.step_control.max = STEP;
    use_integrator(world, &d);
    assert_ok(pbs_world_advance(world, STEP));
    const pbs_step_control_stats control = stats_of(world).step_control;
    assert_int_equal(control.accepted, 1);
    return control.error;
}

static pbs_world *weightless_world(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    return new_world_from(&d);
}

/// A box on a rod of 1 m that starts at 2 m/s across it goes straight on by 0.1 m, away from where
/// the rod holds. With the penalty's force, 1e4 times what resists, it was 1e4 times as much.
static void rods_count_what_they_are_too_long(void **state) {
    (void)state;
    const double length = 1.0, speed = 2.0, sides[3] = {0.1, 0.1, 0.1};
    pbs_world *world = weightless_world();
    const pbs_body box = add_box(world, sides, 3.0, (double[]){0.0, -length, 0.0}, 1e8);
    hang_on_rod(world, on_body(box, 0.0, 0.0, 0.0), length);
    double velocities[24] = {0.0};
    for (int i = 0; i < 8; i++) {
        velocities[3 * i] = speed;
    }
    assert_ok(pbs_body_set_velocities(world, box, velocities, 8));
    const double miss = hypot(length, speed * STEP) - length;
    // The box is stiff, and rounding of its strains is a force.
    assert_near(step_and_measure(world), miss, 1e-9 * miss, "force error");
    pbs_world_destroy(world);
}

/// The same box on a rope that stays slack misses nothing.
static void slack_ropes_count_nothing(void **state) {
    (void)state;
    const double sides[3] = {0.1, 0.1, 0.1};
    pbs_world *world = weightless_world();
    const pbs_body box = add_box(world, sides, 3.0, (double[]){0.0, -1.0, 0.0}, 1e8);
    pbs_joint_desc rope = describe_joint(PBS_JOINT_DISTANCE, in_space(0.0, 0.0, 0.0),
                                         on_body(box, 0.0, 0.0, 0.0));
    pbs_joint joint;
    rope.upper = 1.5;
    assert_ok(pbs_joint_create(world, &rope, &joint));
    double velocities[24] = {0.0};
    for (int i = 0; i < 8; i++) {
        velocities[3 * i] = 2.0;
    }
    assert_ok(pbs_body_set_velocities(world, box, velocities, 8));
    assert_near(step_and_measure(world), 0.0, 1e-12, "force error");
    pbs_world_destroy(world);
}

/// A unit cube that is drawn out along one axis of its own and gets thinner along another by the
/// same rate r loses the share (r h)^2 of its volume in a step. Its faces, of the area 6 - 2 (r
/// h)^2, would have to move out by the rest, however the cube is turned. It resists with 1e-3 Pa,
/// 1e-10 of its inertia.
static void volumes_count_how_far_their_surface_is(void **state) {
    (void)state;
    const double rate = 1.0, share = rate * STEP * rate * STEP;
    for (int turned = 0; turned < 2; turned++) {
        // About z, by 0 and by 0.6 rad.
        const double c = cos(0.6 * turned), s = sin(0.6 * turned);
        pbs_world *world = weightless_world();
        pbs_solid_desc like;
        pbs_pressure_desc pressure;
        assert_ok(pbs_solid_desc_init(&like, sizeof like));
        like.young = 1e-3;
        const pbs_body cube = add_cube(world, 3, 1.0, (double[]){-0.5, -0.5, -0.5}, &like);
        assert_ok(pbs_pressure_desc_init(&pressure, sizeof pressure));
        pressure.kind = PBS_PRESSURE_VOLUME;
        assert_ok(pbs_body_set_pressure(world, cube, &pressure));
        double positions[3 * 64], velocities[3 * 64];
        const double *x = pbs_body_positions(world, cube);
        assert_int_equal(pbs_body_vertex_count(world, cube), 64);
        for (size_t i = 0; i < 64; i++) {
            const double *p = x + 3 * i;
            positions[3 * i] = c * p[0] - s * p[1];
            positions[3 * i + 1] = s * p[0] + c * p[1];
            positions[3 * i + 2] = p[2];
            velocities[3 * i] = rate * (c * p[0] + s * p[1]);
            velocities[3 * i + 1] = rate * (s * p[0] - c * p[1]);
            velocities[3 * i + 2] = 0.0;
        }
        assert_ok(pbs_body_set_positions(world, cube, positions, 64));
        assert_ok(pbs_body_set_velocities(world, cube, velocities, 64));
        const double miss = share / (6.0 - 2.0 * share);
        assert_near(step_and_measure(world), miss, 1e-6 * miss, "force error");
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_count_what_they_are_too_long),
        cmocka_unit_test(slack_ropes_count_nothing),
        cmocka_unit_test(volumes_count_how_far_their_surface_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

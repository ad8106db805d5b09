// Bodies that are struck (docs/theory/schemes.md section 2.2): whatever the moment of the step in
// which contact stops them, they leave it with no more energy than they brought; momentum, what is
// reported of it and bodies that nothing strikes know nothing of the matter.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "support/scenes/bonded_bodies.h"
#include "support/world_testing.h"

static const double SPEED = 4.0, STEP = 0.01;

static pbs_world *world_of(int32_t scheme, double gravity, double tolerance) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -gravity;
    if (tolerance > 0.0) {
        d.velocity_tolerance = 0.0;
        d.relative_tolerance = tolerance;
    }
    pbs_world *world = new_world_from(&d);
    use_scheme(world, scheme);
    return world;
}

/// A cube of 1 m whose centre is at x, turned by an angle about z.
static pbs_body add_box(pbs_world *world, const double x[3], double angle, double speed,
                        double density) {
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, (const double[3]){1.0, 1.0, 1.0});
    box_surface_describe(&box, &d);
    for (int k = 0; k < 3; k++) {
        d.position[k] = x[k];
    }
    d.orientation[2] = sin(0.5 * angle);
    d.orientation[3] = cos(0.5 * angle);
    d.velocity[1] = -speed;
    d.density = density;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static pbs_body add_soft_cube(pbs_world *world, double height, double angle, double young) {
    const double corner[3] = {-0.5, -0.5, -0.5};
    struct cube_mesh mesh;
    pbs_solid_desc d;
    pbs_body body;
    double velocities[24] = {0.0};
    assert_true(cube_mesh_make(&mesh, 1, 1.0, corner));
    cube_mesh_describe(&mesh, &d);
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        double *const x = mesh.positions + 3 * i;
        const double across = x[0], along = x[1];
        x[0] = cos(angle) * across - sin(angle) * along;
        x[1] = sin(angle) * across + cos(angle) * along + height;
        velocities[3 * i + 1] = -SPEED;
    }
    d.young = young;
    d.initial_velocities = velocities;
    assert_ok(pbs_body_create_solid(world, &d, &body));
    cube_mesh_free(&mesh);
    return body;
}

// --- energy ---

enum { RIGID, STIFF, SOFT, BODIES };

/// Returns the most energy over that at the start, relative to the kinetic one.
static double gain_of(int32_t scheme, int kind, double angle, double phase) {
    pbs_world *world = world_of(scheme, 9.81, 0.0);
    add_ground(world);
    const double lowest = 0.5 * (cos(angle) + sin(angle));
    const double height = lowest + 0.02 + (3.0 + phase) * SPEED * STEP;
    if (kind == RIGID) {
        add_box(world, (const double[3]){0.0, height, 0.0}, angle, SPEED, 1000.0);
    } else {
        add_soft_cube(world, height, angle, kind == STIFF ? 1e9 : 1e6);
    }
    const double start = energy_of(world).total, kinetic = energy_of(world).kinetic;
    double most = 0.0;
    for (int n = 0; n < 40; n++) {
        assert_ok(pbs_world_step(world, STEP));
        most = fmax(most, energy_of(world).total - start);
    }
    pbs_world_destroy(world);
    return most / kinetic;
}

/// Without forgetting, gains of .2 to 1.4 in a tenth to a third of the moments. A ten thousandth is
/// what a step may leave of the forces.
static void nothing_leaves_with_more_than_it_brought(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2, PBS_SCHEME_SDIRK2};
    enum { PHASES = 12 };
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (int kind = 0; kind < BODIES; kind++) {
            for (int i = 0; i < 2 * PHASES; i++) {
                const double phase = (i / 2 + 0.5) / PHASES;
                assert_small(gain_of(schemes[s], kind, 0.4 * (i % 2), phase), 1e-4, "gain");
            }
        }
    }
}

/// The speed of a box relative to a platform that moves, after it came to that with SPEED.
static double speed_after(int32_t scheme, double platform, double phase) {
    pbs_world *world = world_of(scheme, 0.0, 1e-10);
    const pbs_collider ground = add_ground(world);
    const double upright[4] = {0.0, 0.0, 0.0, 1.0};
    const double above[3] = {0.0, 0.53 + (3.0 + phase) * SPEED * STEP, 0.0};
    const pbs_body box = add_box(world, above, 0.0, SPEED - platform, 1000.0);
    for (int n = 1; n <= 20; n++) {
        const double place[3] = {0.0, platform * STEP * n, 0.0};
        assert_ok(pbs_collider_set_motion(world, ground, place, upright));
        assert_ok(pbs_world_step(world, STEP));
    }
    pbs_motion motion = {.struct_size = sizeof motion};
    assert_ok(pbs_body_motion(world, box, &motion));
    pbs_world_destroy(world);
    return motion.velocity[1] - platform;
}

/// What a hit does is the same on a lift. Seen from the world, what comes to a platform that sinks
/// has lost energy even where it is thrown back faster than it came: 1.05 times with BDF2. To what
/// the tolerance of the forces, 1e-10, leaves of 20 steps, many times over.
static void platforms_that_move_change_nothing(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2, PBS_SCHEME_SDIRK2};
    enum { PHASES = 16 };
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (int i = 0; i < PHASES; i++) {
            const double phase = (i + 0.5) / PHASES, still = speed_after(schemes[s], 0.0, phase);
            assert_true(still < SPEED);
            assert_near(speed_after(schemes[s], -5.0, phase), still, 1e-6 * SPEED, "sinks");
            assert_near(speed_after(schemes[s], 20.0, phase), still, 1e-6 * SPEED, "rises");
        }
    }
}

// --- momentum ---

/// Two boxes that meet in space, one of which turns then: their momentum is that of the first to
/// rounding, 1e5 roundings in all.
static void hits_conserve_momentum(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2, PBS_SCHEME_SDIRK2};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (int i = 0; i < 8; i++) {
            pbs_world *world = world_of(schemes[s], 0.0, 0.0);
            const double above[3] = {0.0, 1.3 + i * SPEED * STEP / 8.0, 0.0};
            const double below[3] = {0.3, 0.0, 0.0};
            const pbs_body bodies[2] = {add_box(world, above, 0.2, SPEED, 1000.0),
                                        add_box(world, below, 0.2, 0.0, 300.0)};
            for (int n = 0; n < 30; n++) {
                assert_ok(pbs_world_step(world, STEP));
            }
            pbs_motion motions[2] = {{.struct_size = sizeof(pbs_motion)},
                                     {.struct_size = sizeof(pbs_motion)}};
            assert_ok(pbs_body_motion(world, bodies[0], &motions[0]));
            assert_ok(pbs_body_motion(world, bodies[1], &motions[1]));
            assert_true(motions[1].velocity[1] < -0.1); // it was hit
            const double momentum = 1000.0 * motions[0].velocity[1] +
                                    300.0 * motions[1].velocity[1];
            assert_near(momentum, -1000.0 * SPEED, 1e5 * 0x1p-52 * 1000.0 * SPEED, "momentum");
            pbs_world_destroy(world);
        }
    }
}

/// Four boxes in a row, the first of which comes at the others: each is struck while another
/// forgets or is about to. Bodies that took a scheme of their own would have a third of the
/// momentum too much or too little.
static void hits_on_from_body_to_body_conserve_momentum(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2, PBS_SCHEME_SDIRK2,
                               PBS_SCHEME_DECOUPLED_SDIRK2, PBS_SCHEME_TRAPEZOIDAL};
    const double densities[4] = {1000.0, 300.0, 2000.0, 500.0};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (int i = 0; i < 12; i++) {
            pbs_world *world = world_of(schemes[s], 0.0, 0.0);
            pbs_body bodies[4];
            double height = 0.004 * i, momentum = 0.0;
            for (int b = 0; b < 4; b++) {
                const double x[3] = {0.2 * ((i * (b + 3)) % 10) / 10.0, height, 0.0};
                bodies[b] = add_box(world, x, 0.0, b == 0 ? SPEED : 0.0, densities[b]);
                height -= 1.011 + 0.04 * ((i * (19 + b * 12)) % 100) / 100.0;
            }
            for (int n = 0; n < 40; n++) {
                assert_ok(pbs_world_step(world, STEP));
            }
            for (int b = 0; b < 4; b++) {
                pbs_motion motion = {.struct_size = sizeof motion};
                assert_ok(pbs_body_motion(world, bodies[b], &motion));
                assert_true(motion.velocity[1] != 0.0);
                momentum += densities[b] * motion.velocity[1];
            }
            assert_near(momentum, -1000.0 * SPEED, 1e5 * 0x1p-52 * 1000.0 * SPEED, "momentum");
            pbs_world_destroy(world);
        }
    }
}

/// The impulse that is reported for the ground is the change of the box's momentum, whether it hits
/// or rests: accelerations that begin a step count too. To the tolerance of the forces, 1e-10, in
/// 40 steps.
static void impulses_are_changes_of_momentum(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_SDIRK2, PBS_SCHEME_TRAPEZOIDAL,
                               PBS_SCHEME_NEWMARK, PBS_SCHEME_OUTER_THETA};
    const double mass = 1000.0;
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (int i = 0; i < 6; i++) {
            pbs_world *world = world_of(schemes[s], 9.81, 1e-10);
            const pbs_collider ground = add_ground(world);
            const double above[3] = {0.0, 0.72 + i * SPEED * STEP / 6.0, 0.0};
            const pbs_body body = add_box(world, above, 0.2, SPEED, mass);
            double felt = 0.0;
            for (int n = 0; n < 40; n++) {
                assert_ok(pbs_world_step(world, STEP));
                felt -= contact_force_on(world, ground).impulse[1];
            }
            pbs_motion motion = {.struct_size = sizeof motion};
            assert_ok(pbs_body_motion(world, body, &motion));
            const double changed = mass * (motion.velocity[1] + SPEED + 9.81 * 40.0 * STEP);
            assert_near(felt, changed, 1e-6 * changed, "impulse");
            pbs_world_destroy(world);
        }
    }
}

/// BDF2's change of velocity in a step of flight, with the change that it remembers.
static double bdf2_change(double remembered) {
    return (remembered - 2.0 * 9.81 * STEP) / 3.0;
}

/// The change of velocity in a step of flight: by g h; of BDF2 with that of the step before, or,
/// where it forgot that there was a hit in that, with what it had of the step before that one.
static bool falls_freely(int32_t scheme, const double changes[3]) {
    const double rounding = 1e3 * 0x1p-52 * SPEED, change = changes[2];
    return fabs(change + 9.81 * STEP) < rounding ||
           (scheme == PBS_SCHEME_BDF2 &&
            (fabs(change - bdf2_change(changes[1])) < rounding ||
             fabs(change - bdf2_change(bdf2_change(changes[0]))) < rounding));
}

/// A particle that comes off the ground falls by g from the first step on, by the scheme that it
/// starts again with as by the other; also where it is stopped for a step first. 1e3 roundings of
/// its speed.
static void what_comes_off_falls_freely(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2, PBS_SCHEME_SDIRK2};
    int flights = 0;
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (int i = 0; i < 16; i++) {
            pbs_world *world = world_of(schemes[s], 9.81, 1e-12);
            const double x[3] = {0.0, 0.1 + SPEED * STEP * (2.0 + i / 16.0), 0.0};
            const double v[3] = {0.0, -SPEED, 0.0};
            add_ground(world);
            const pbs_body body = add_free_particle(world, 1.0, x, v);
            double before = -SPEED, changes[3] = {0.0, 0.0, 0.0};
            for (int n = 0; n < 12; n++) {
                assert_ok(pbs_world_step(world, STEP));
                const double now = pbs_body_velocities(world, body)[1];
                changes[0] = changes[1];
                changes[1] = changes[2];
                changes[2] = now - before;
                if (before > 0.3 && stats_of(world).contact.active == 0) {
                    assert_true(falls_freely(schemes[s], changes));
                    flights++;
                }
                before = now;
            }
            pbs_world_destroy(world);
        }
    }
    assert_true(flights > 40);
}

/// A bonded sphere that turns about the vertical and comes down on a smooth ground goes on turning
/// as it did. A past in the chart of the step before, whose origin is another orientation, would
/// hold it back by a third of a step's turn in each hit that is forgotten. 1e4 roundings.
static void what_turns_goes_on_turning(void **state) {
    (void)state;
    static struct bonded_parts p;
    enum { STEPS = 12 };
    const int32_t schemes[] = {PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2, PBS_SCHEME_SDIRK2};
    const double spin[3] = {0.0, 10.0, 0.0}, rounding = 1e4 * 0x1p-52;
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (int i = 0; i < 24; i++) {
            pbs_world *world = world_of(schemes[s], 9.81, 1e-12);
            pbs_body body;
            add_ground(world);
            bonded_block(&p, 1, 1, 1, spin);
            p.positions[1] = 0.2 + (2.0 + i / 24.0) * SPEED * STEP;
            p.velocities[1] = -SPEED;
            assert_ok(pbs_body_create_bonded(world, &p.d, &body));
            for (int n = 0; n < STEPS; n++) {
                assert_ok(pbs_world_step(world, STEP));
            }
            const double *const w = pbs_body_angular_velocities(world, body);
            const double *const turned = pbs_body_orientations(world, body);
            assert_near(w[1], spin[1], rounding * spin[1], "spin");
            assert_near(2.0 * atan2(turned[1], turned[3]), spin[1] * STEP * STEPS, rounding,
                        "angle");
            assert_true(pbs_body_velocities(world, body)[1] > -0.5 * SPEED); // it was hit
            pbs_world_destroy(world);
        }
    }
}

// --- those that nothing strikes ---

/// Boxes that come down one after another beside a spring that swings. Returns how far the spring's
/// end is from where it began.
static double swing(int32_t scheme, bool beside_hits) {
    const double ends[6] = {0.0, 20.0, 0.0, 1.2, 20.0, 0.0}, masses[2] = {1.0, 1.0};
    const uint32_t stencil[2] = {0, 1};
    pbs_world *world = world_of(scheme, 9.81, 1e-9);
    pbs_custom_desc c;
    pbs_body spring;
    springs_describe(&c, 2, ends, masses, 1, stencil);
    c.no_gravity = 1;
    assert_ok(pbs_body_create_custom(world, &c, &spring));
    add_ground(world);
    for (int i = 0; i < 5 && beside_hits; i++) {
        add_box(world, (const double[3]){10.0 + 3.0 * i, 0.9 + 0.37 * i, 0.0}, 0.2, SPEED, 1000.0);
    }
    for (int n = 0; n < 60; n++) {
        assert_ok(pbs_world_step(world, STEP));
    }
    const double end = pbs_body_positions(world, spring)[3];
    pbs_world_destroy(world);
    return end;
}

/// They take the steps of the scheme as if they were alone: with implicit Euler in place of it
/// around each of the hits, which a world of one number would take, they would be a hundred times
/// farther off.
static void others_go_on(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2, PBS_SCHEME_SDIRK2};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        const double alone = swing(schemes[s], false), beside = swing(schemes[s], true);
        print_message("scheme %d: %.9f alone, off by %.1e beside hits\n", (int)schemes[s], alone,
                      fabs(beside - alone));
        assert_near(beside, alone, 1e-7, "the other end");
    }
}

// --- saved worlds ---

/// A world that is saved after any step of a hit goes on with the same bits.
static void saved_worlds_know_who_was_struck(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2, PBS_SCHEME_SDIRK2};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        pbs_world *world = world_of(schemes[s], 9.81, 0.0);
        add_ground(world);
        add_box(world, (const double[3]){0.0, 0.8, 0.0}, 0.2, SPEED, 1000.0);
        for (int n = 0; n < 20; n++) {
            const struct saved_world saved = save_world(world);
            pbs_world *other = new_world();
            assert_ok(pbs_world_restore(other, saved.data, saved.size));
            assert_ok(pbs_world_step(world, STEP));
            assert_ok(pbs_world_step(other, STEP));
            assert_true(pbs_world_hash(world) == pbs_world_hash(other));
            pbs_world_destroy(other);
            free(saved.data);
        }
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_leaves_with_more_than_it_brought),
        cmocka_unit_test(platforms_that_move_change_nothing),
        cmocka_unit_test(hits_conserve_momentum),
        cmocka_unit_test(hits_on_from_body_to_body_conserve_momentum),
        cmocka_unit_test(impulses_are_changes_of_momentum),
        cmocka_unit_test(what_comes_off_falls_freely),
        cmocka_unit_test(what_turns_goes_on_turning),
        cmocka_unit_test(others_go_on),
        cmocka_unit_test(saved_worlds_know_who_was_struck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The rotation in the correction of energy control (docs/theory/energy_control.md section 1.1):
// searches keep angular momentum whatever alpha is, and vibration does not become spin.
// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "support/scenes/bonded_bodies.h"

static const int32_t searches[] = {PBS_SCHEME_A_SEARCH, PBS_SCHEME_SPARSE_A_SEARCH,
                                   PBS_SCHEME_DECOUPLED_SDIRK2};

static pbs_world *empty_world(int32_t scheme, int32_t contact) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = contact;
    d.relative_tolerance = 1e-10;
    pbs_world *world = new_world_from(&d);
    use_scheme(world, scheme);
    return world;
}

/// The angular momentum of some bodies about the origin.
static void angular_momentum(const pbs_world *world, const pbs_body *bodies, size_t count,
                             double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (size_t i = 0; i < count; i++) {
        pbs_motion m = {.struct_size = sizeof m};
        double orbit[3];
        assert_ok(pbs_body_motion(world, bodies[i], &m));
        cross3(m.center, m.momentum, orbit);
        add3(out, orbit, out);
        add3(out, m.angular_momentum, out);
    }
}

/// Turns as `spin`, and swings: stretched along x, bent along y.
static void shake(pbs_world *world, pbs_body body, const double spin[3], double speed) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    double v[3 * 64];
    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++) {
        cross3(spin, x + 3 * i, v + 3 * i);
        v[3 * i] += 8.0 * speed * x[3 * i];
        v[3 * i + 1] += speed * (1.5 * sin(40.0 * x[3 * i]) - 5.0 * x[3 * i + 1]);
        v[3 * i + 2] += 4.0 * speed * x[3 * i];
    }
    assert_ok(pbs_body_set_velocities(world, body, v, count));
}

static pbs_body add_soft_cube(pbs_world *world, double at) {
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.young = 2e4;
    d.density = 1000.0;
    const double corner[3] = {at, -0.05, -0.05};
    return add_cube(world, 2, 0.1, corner, &d);
}

/// Largest change of the angular momentum over some steps, relative, and the energy over the first.
static double drift(pbs_world *world, const pbs_body *bodies, size_t count, int steps, double h,
                    double *energy) {
    double start[3], now[3], most = 0.0;
    const double first = energy_of(world).total;
    angular_momentum(world, bodies, count, start);
    for (int i = 0; i < steps; i++) {
        double change[3];
        assert_true(pbs_world_step(world, h) >= 0);
        angular_momentum(world, bodies, count, now);
        subtract3(now, start, change);
        most = fmax(most, norm3(change) / norm3(start));
    }
    *energy = energy_of(world).total / first;
    return most;
}

/// Searches are on their target; sparse ones come back to it in a later step.
static void assert_energy(int32_t scheme, double energy) {
    const double off = scheme == PBS_SCHEME_SPARSE_A_SEARCH ? 0.2 : 0.005;
    assert_near(energy, 1.0, off, "energy");
}

/// A soft cube that turns and swings, in steps that do not resolve it. Its spin grew by a tenth or
/// more before corrections were without rotation. What is left is what Newton's method leaves.
static void vibration_does_not_become_spin(void **state) {
    (void)state;
    const double spins[2][3] = {{2.0, 3.0, 1.0}, {0.0, 0.0, 0.2}};
    for (size_t s = 0; s < COUNT_OF(searches); s++) {
        for (size_t k = 0; k < COUNT_OF(spins); k++) {
            double energy = 0.0;
            pbs_world *world = empty_world(searches[s], PBS_CONTACT_PROJECTION);
            const pbs_body body = add_soft_cube(world, -0.05);
            shake(world, body, spins[k], 0.5);
            assert_small(drift(world, &body, 1, 120, 1.0 / 60.0, &energy), 1e-6, "drift");
            assert_energy(searches[s], energy);
            pbs_world_destroy(world);
        }
    }
}

/// Particles of bonded bodies turn by themselves; their spins are part of the momentum.
static void bonded_bodies_keep_their_spin(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double spin[3] = {0.0, 1.0, 5.0};
    for (size_t s = 0; s < 2; s++) {
        double energy = 0.0;
        pbs_world *world = empty_world(searches[s], PBS_CONTACT_PROJECTION);
        pbs_body body;
        bonded_block(&p, 3, 2, 2, spin);
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        assert_small(drift(world, &body, 1, 60, 1.0 / 60.0, &energy), 1e-6, "drift");
        assert_energy(searches[s], energy);
        pbs_world_destroy(world);
    }
}

/// Joined bodies exchange angular momentum and keep its sum. The joint's force at the start of the
/// step pulls at places that it has left.
static void joined_bodies_keep_their_sum(void **state) {
    (void)state;
    const double sides[3] = {0.1, 0.06, 0.03}, at[3] = {0.15, 0.0, 0.0}, spin[3] = {1.0, 2.0, 6.0};
    for (size_t s = 0; s < COUNT_OF(searches); s++) {
        double energy = 0.0;
        pbs_world *world = empty_world(searches[s], PBS_CONTACT_PROJECTION);
        const pbs_body bodies[2] = {add_soft_cube(world, -0.05),
                                    add_box(world, sides, 0.3, at, 1e7)};
        join(world, PBS_JOINT_BALL, at_vertex(bodies[0], 18),
             on_body(bodies[1], -0.1, -0.05, -0.05));
        shake(world, bodies[0], spin, 0.3);
        assert_small(drift(world, bodies, 2, 60, 1.0 / 60.0, &energy), 1e-5, "drift");
        assert_energy(searches[s], energy);
        pbs_world_destroy(world);
    }
}

/// Normal forces of a plane do not turn a ball about the normal. The spin of this one went to 0.86
/// and 1.26.
static void a_plane_does_not_turn_what_bounces_on_it(void **state) {
    (void)state;
    const double spin[3] = {0.0, 2.0, 0.0}, down[3] = {0.0, -9.81, 0.0};
    for (size_t s = 0; s < COUNT_OF(searches); s++) {
        for (int32_t contact = 0; contact < 2; contact++) {
            pbs_world *world = empty_world(searches[s], contact);
            const pbs_body body = add_soft_cube(world, -0.05);
            add_ground(world);
            assert_ok(pbs_world_set_gravity(world, down));
            shake(world, body, spin, 0.0);
            double x[3 * 27];
            memcpy(x, pbs_body_positions(world, body), sizeof x);
            for (int i = 0; i < 27; i++) {
                x[3 * i + 1] += 0.2;
            }
            assert_ok(pbs_body_set_positions(world, body, x, 27));
            double start[3], end[3];
            angular_momentum(world, &body, 1, start);
            for (int i = 0; i < 120; i++) {
                assert_ok(pbs_world_step(world, 1.0 / 120.0));
            }
            angular_momentum(world, &body, 1, end);
            assert_near(end[1] / start[1], 1.0, 0.01, "spin about the normal");
            pbs_world_destroy(world);
        }
    }
}

/// Steps a box that comes down until it has left the ground, as it turns from the first hit on.
static pbs_motion motion_after_hit(pbs_world *world, pbs_body box) {
    pbs_motion m = {.struct_size = sizeof m};
    for (int n = 0; n < 20 && fabs(m.angular_velocity[2]) < 1.0; n++) {
        do {
            assert_ok(pbs_world_step(world, 0.01));
        } while (stats_of(world).contact.active > 0);
        assert_ok(pbs_body_motion(world, box, &m));
    }
    return m;
}

/// A box that comes down on an edge with the speed V turns by 2 r V / (r^2 + k) then if it is
/// elastic, with k = I / m and the lever r. No more than 1 % is added; in some moments of the step
/// a part of it goes into stretching the box, which is stiff and not rigid. All but .3 of it would
/// if corrections left out what contact turned.
static void edges_turn_what_comes_down_on_them(void **state) {
    (void)state;
    const double sides[3] = {1.0, 0.2, 0.2}, mass = 40.0, speed = 4.0, angle = 0.5;
    const double lever = 0.5 * (sides[0] * cos(angle) - sides[1] * sin(angle));
    const double k = (sides[0] * sides[0] + sides[1] * sides[1]) / 12.0;
    const double turned = 2.0 * lever * speed / (lever * lever + k);
    for (size_t s = 0; s < COUNT_OF(searches); s += 2) {
        for (int i = 0; i < 8; i++) {
            pbs_world *world = empty_world(searches[s], PBS_CONTACT_BARRIER);
            const double at[3] = {0.0, 0.6 + 0.005 * i, 0.0}, none[3] = {0.0, 0.0, 0.0};
            const double pose[4] = {0.0, 0.0, sin(0.5 * angle), cos(0.5 * angle)};
            const double down[3] = {0.0, -speed, 0.0};
            const pbs_body box = add_box(world, sides, mass, at, 0.0);
            add_ground(world);
            assert_ok(pbs_world_set_gravity(world, none));
            assert_ok(pbs_body_set_pose(world, box, at, pose));
            assert_ok(pbs_body_set_motion(world, box, down, none));
            const pbs_motion m = motion_after_hit(world, box);
            const double part = -m.angular_velocity[2] / turned;
            print_message("scheme %d: %.3f of an elastic hit's spin\n", (int)searches[s], part);
            assert_true(part > 0.6 && part < 1.01);
            pbs_world_destroy(world);
        }
    }
}

/// A chain of four bars that swings against a wall. With alpha = 1 in every step its energy grew
/// 6700-fold until no step was found. What is left of what it fell from.
static void corrections_that_gain_energy_are_searched_for(void **state) {
    (void)state;
    static const int32_t schemes[] = {PBS_SCHEME_A_1, PBS_SCHEME_SPARSE_A_SEARCH};
    enum { BARS = 4 };
    const double sides[3] = {0.18, 0.04, 0.04}, down[3] = {0.0, -9.81, 0.0}, mass = 0.288;
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        pbs_world *world = empty_world(schemes[s], PBS_CONTACT_BARRIER);
        pbs_body bars[BARS];
        double fall = 0.0, most = 0.0;
        assert_ok(pbs_world_set_gravity(world, down));
        for (int i = 0; i < BARS; i++) {
            const double at[3] = {0.1 + 0.2 * i, 0.0, 0.0};
            bars[i] = add_box(world, sides, mass, at, 1e7);
            join(world, PBS_JOINT_BALL,
                 i > 0 ? on_body(bars[i - 1], 0.1, 0.0, 0.0) : in_space(0.0, 0.0, 0.0),
                 on_body(bars[i], -0.1, 0.0, 0.0));
            fall += mass * 9.81 * at[0];
        }
        pbs_collider_desc c;
        pbs_collider wall;
        assert_ok(pbs_collider_desc_init(&c, sizeof c));
        c.orientation[2] = -sqrt(0.5);
        c.orientation[3] = sqrt(0.5);
        c.position[0] = -0.45;
        assert_ok(pbs_collider_create(world, &c, &wall));
        const double first = energy_of(world).total;
        for (int i = 0; i < 240; i++) {
            assert_ok(pbs_world_step(world, 1.0 / 120.0));
            most = fmax(most, (energy_of(world).total - first) / fall);
        }
        // Of 1 at the start, as it falls from there.
        assert_true(most < 0.3);
        pbs_world_destroy(world);
    }
}

/// One body of two rods, of which one swings and turns: they do not turn together, so the other
/// stays as it is.
static void pieces_do_not_turn_each_other(void **state) {
    (void)state;
    const double positions[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 5.0, 0.0, 0.0, 5.0, 1.0, 0.0};
    const double velocities[12] = {0.5, 1.0, 0.0, -0.5, -1.0, 0.0};
    const double masses[4] = {1.0, 1.0, 1.0, 1.0};
    const uint32_t springs[4] = {0, 1, 2, 3};
    for (size_t s = 0; s < COUNT_OF(searches); s++) {
        pbs_world *world = empty_world(searches[s], PBS_CONTACT_PROJECTION);
        pbs_springs_desc d;
        pbs_body body;
        assert_ok(pbs_springs_desc_init(&d, sizeof d));
        d.vertex_count = 4;
        d.positions = positions;
        d.velocities = velocities;
        d.masses = masses;
        d.spring_count = 2;
        d.springs = springs;
        assert_ok(pbs_body_create_springs(world, &d, &body));
        for (int i = 0; i < 30; i++) {
            assert_ok(pbs_world_step(world, 0.05));
        }
        for (int k = 6; k < 12; k++) {
            assert_small(pbs_body_velocities(world, body)[k], 1e-9, "the rod at rest");
        }
        pbs_world_destroy(world);
    }
}

/// The same of a row of four spheres that is cut in the middle.
static void fragments_do_not_turn_each_other(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double still[3] = {0.0, 0.0, 0.0}, along[3] = {1.0, 0.0, 0.0};
    for (size_t s = 0; s < COUNT_OF(searches); s++) {
        pbs_world *world = empty_world(searches[s], PBS_CONTACT_PROJECTION);
        pbs_body body;
        size_t cut = 0;
        bonded_block(&p, 4, 1, 1, still);
        p.d.young = 1e5;
        p.velocities[0] = 0.02;
        p.velocities[1] = 0.2;
        p.velocities[3] = -0.02;
        p.velocities[4] = -0.2;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        assert_ok(pbs_body_cut_plane(world, body, still, along, &cut));
        assert_int_equal(cut, 1);
        for (int i = 0; i < 10; i++) {
            assert_ok(pbs_world_step(world, 0.05));
        }
        for (int k = 6; k < 12; k++) {
            assert_small(pbs_body_velocities(world, body)[k], 1e-9, "the fragment at rest");
        }
        pbs_world_destroy(world);
    }
}

/// With another alpha than 1 the correction is the host's, rotation and all: 0 is implicit Euler.
static void a_given_alpha_is_taken_as_it_is(void **state) {
    (void)state;
    const double spin[3] = {2.0, 3.0, 1.0};
    double moved[2][3];
    for (int k = 0; k < 2; k++) {
        pbs_world *world = empty_world(PBS_SCHEME_IMPLICIT_EULER, PBS_CONTACT_PROJECTION);
        pbs_integrator_desc d;
        assert_ok(pbs_integrator_desc_init(&d, sizeof d,
                                           k == 0 ? PBS_SCHEME_IMPLICIT_EULER : PBS_SCHEME_A_1));
        d.energy_control.alpha = k == 0 ? d.energy_control.alpha : 0.0;
        use_integrator(world, &d);
        const pbs_body body = add_soft_cube(world, -0.05);
        shake(world, body, spin, 0.5);
        for (int i = 0; i < 10; i++) {
            assert_ok(pbs_world_step(world, 1.0 / 60.0));
        }
        copy3(pbs_body_velocities(world, body), moved[k]);
        pbs_world_destroy(world);
    }
    for (int k = 0; k < 3; k++) {
        assert_near(moved[1][k], moved[0][k], 1e-6, "velocity");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vibration_does_not_become_spin),
        cmocka_unit_test(bonded_bodies_keep_their_spin),
        cmocka_unit_test(joined_bodies_keep_their_sum),
        cmocka_unit_test(a_plane_does_not_turn_what_bounces_on_it),
        cmocka_unit_test(edges_turn_what_comes_down_on_them),
        cmocka_unit_test(corrections_that_gain_energy_are_searched_for),
        cmocka_unit_test(pieces_do_not_turn_each_other),
        cmocka_unit_test(fragments_do_not_turn_each_other),
        cmocka_unit_test(a_given_alpha_is_taken_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Friction that turns the particles of bonded bodies (docs/theory/bonds.md section 6.3): rolling
// against sliding down a slope, and angular momentum between bodies.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/math3.h"

static const double GRAVITY = 9.81;
static const double SLOPE = 0.3;

static pbs_world *friction_world(uint32_t iterations) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact_distance = 1e-3;
    // Of one's own, so that the gap, and with it the arm of friction, stays.
    settings.contact_stiffness = 3e4;
    settings.slip_velocity = 1e-3;
    settings.relative_tolerance = 1e-10;
    settings.velocity_tolerance = 0.0;
    settings.friction_iterations = iterations;
    pbs_world *world = new_world_from(&settings);
    use_scheme_of(world, PBS_SCHEME_IMPLICIT_EULER);
    return world;
}

static pbs_body add_sphere(pbs_world *world, const double x[3], const double v[3],
                           const double spin[3], double radius, double friction) {
    static struct bonded_parts p;
    pbs_contact_desc contact;
    pbs_body body;
    p = (struct bonded_parts){0};
    assert_ok(pbs_bonded_desc_init(&p.d, sizeof p.d));
    copy3(x, p.positions);
    copy3(v, p.velocities);
    copy3(spin, p.spins);
    p.radii[0] = radius;
    bonded_point(&p);
    p.d.particle_count = 1;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = friction;
    assert_ok(pbs_body_set_contact(world, body, &contact));
    return body;
}

// --- a slope ---

enum ground { HALF_SPACE, BOX, SOLID, GROUNDS };

/// Its surface is the plane y = 0; gravity is inclined instead.
static void add_slope(pbs_world *world, enum ground kind) {
    const double corner[3] = {-2.0, -4.0, -2.0};
    if (kind == HALF_SPACE) {
        add_ground(world);
    } else if (kind == BOX) {
        pbs_collider_desc d;
        pbs_collider collider;
        assert_ok(pbs_collider_desc_init(&d, sizeof d));
        d.shape = PBS_SHAPE_BOX;
        d.size[0] = d.size[2] = 3.0;
        d.size[1] = 1.0;
        d.position[1] = -1.0;
        assert_ok(pbs_collider_create(world, &d, &collider));
    } else {
        const pbs_body body = add_cube(world, 1, 4.0, corner, NULL);
        assert_ok(pbs_body_pin_all(world, body));
    }
}

/// How a sphere moves down, from 0.4 s on, when what the contact had to carry at first has decayed.
struct descent {
    double acceleration; ///< m/s^2
    double slip;         ///< m/s: of the common point
    double arm;          ///< m: from the centre to it, the height
};

static struct descent descent_of(enum ground kind, double friction, double h) {
    const double none[3] = {0.0, 0.0, 0.0};
    const double x[3] = {-0.7, 0.1008, 0.1};
    const double down[3] = {GRAVITY * sin(SLOPE), -GRAVITY * cos(SLOPE), 0.0};
    pbs_world *world = friction_world(1);
    assert_ok(pbs_world_set_gravity(world, down));
    add_slope(world, kind);
    const pbs_body body = add_sphere(world, x, none, none, 0.1, friction);
    const int half = (int)(0.4 / h + 0.5);
    double before = 0.0;
    for (int n = 0; n < 2 * half; n++) {
        before = n == half ? pbs_body_velocities(world, body)[0] : before;
        assert_ok(pbs_world_step(world, h));
    }
    struct descent out = {.arm = pbs_body_positions(world, body)[1]};
    const double after = pbs_body_velocities(world, body)[0];
    out.acceleration = (after - before) / (half * h);
    out.slip = after + pbs_body_angular_velocities(world, body)[2] * out.arm;
    pbs_world_destroy(world);
    return out;
}

/// Where friction holds, a sphere rolls: a = g sin / (1 + J / (m arm^2)), 1/1.4 of g sin with an
/// arm of the radius; it creeps by a part of the slip velocity. The gap that carries it, up to a
/// hundredth of the radius, belongs to the arm.
static void spheres_roll_where_friction_holds(void **state) {
    (void)state;
    for (int kind = 0; kind < GROUNDS; kind++) {
        for (int i = 0; i < 2; i++) {
            const struct descent found = descent_of((enum ground)kind, 0.5, i == 0 ? 0.016 : 0.004);
            assert_true(found.arm > 0.1 && found.arm < 0.101);
            const double inertia = 0.4 * 0.01 / (found.arm * found.arm);
            const double expected = GRAVITY * sin(SLOPE) / (1.0 + inertia);
            // Where two triangles meet both carry the sphere, and lift it a little.
            assert_near(found.acceleration / expected, 1.0, kind == HALF_SPACE ? 2e-4 : 5e-4,
                        "rolling");
            assert_near(expected / (GRAVITY * sin(SLOPE) / 1.4), 1.0, 6e-3, "as a sphere rolls");
            // Friction of 2/7 sin / (0.5 cos) of what it could be takes 1 - sqrt(1 - that) of it.
            const double share = tan(SLOPE) * inertia / (1.0 + inertia) / 0.5;
            // What the gap still settles by in a step, 1e-5 of the arm, is in it at 2 m/s.
            assert_near(found.slip / 1e-3, 1.0 - sqrt(1.0 - share), 0.1, "creep");
        }
    }
}

/// Where it does not, the sphere slides by g (sin - mu cos), whatever its spin. Across
/// the edges of triangles, where two carry it, it is lifted a little.
static void spheres_slide_where_friction_fails(void **state) {
    (void)state;
    const double expected = GRAVITY * (sin(SLOPE) - 0.05 * cos(SLOPE));
    const struct descent smooth = descent_of(HALF_SPACE, 0.05, 0.016);
    assert_near(smooth.acceleration / expected, 1.0, 1e-9, "on a half-space");
    assert_true(smooth.slip > 0.5);
    for (int kind = BOX; kind < GROUNDS; kind++) {
        const struct descent found = descent_of((enum ground)kind, 0.05, 0.004);
        assert_near(found.acceleration / expected, 1.0, 5e-4, "on triangles");
    }
}

// --- angular momentum ---

static void angular_momentum(const pbs_world *world, const pbs_body *bodies, size_t count,
                             const double *radii, double out[3]) {
    memset(out, 0, 3 * sizeof *out);
    for (size_t b = 0; b < count; b++) {
        const double *x = pbs_body_positions(world, bodies[b]);
        const double *v = pbs_body_velocities(world, bodies[b]);
        const double *w = pbs_body_angular_velocities(world, bodies[b]);
        const double *m = pbs_body_masses(world, bodies[b]);
        for (size_t i = 0; i < pbs_body_vertex_count(world, bodies[b]); i++) {
            double orbital[3];
            cross3(x + 3 * i, v + 3 * i, orbital);
            add_scaled3(orbital, 0.4 * radii[b] * radii[b], w + 3 * i, orbital);
            add_scaled3(out, m[i], orbital, out);
        }
    }
}

enum { COLLIDING = 2 };

static const double colliding_radii[COLLIDING] = {0.1, 0.15};

/// Two spheres that spin are to hit each other off centre.
static void add_colliding(pbs_world *world, pbs_body bodies[COLLIDING]) {
    const double x[COLLIDING][3] = {{-0.3, 0.05, 0.02}, {0.1, 0.0, 0.0}};
    const double v[COLLIDING][3] = {{1.0, 0.2, 0.0}, {-0.5, 0.1, 0.1}};
    const double spin[COLLIDING][3] = {{3.0, -5.0, 8.0}, {0.0, 4.0, 6.0}};
    for (int b = 0; b < COLLIDING; b++) {
        bodies[b] = add_sphere(world, x[b], v[b], spin[b], colliding_radii[b], 0.4);
    }
}

/// Forces and moments of a pair act at one point: those that the two feel cancel to what friction
/// iterations leave between the state that friction is of and the one where it acts.
static void torques_between_two_cancel(void **state) {
    (void)state;
    const double origin[3] = {0.0, 0.0, 0.0};
    pbs_world *world = friction_world(100);
    pbs_body bodies[COLLIDING];
    double most = 0.0;
    add_colliding(world, bodies);
    for (int n = 0; n < 40; n++) {
        double sum[3] = {0.0, 0.0, 0.0};
        pbs_contact_force own = {.struct_size = sizeof own};
        assert_ok(pbs_world_step(world, 0.01));
        for (int b = 0; b < COLLIDING; b++) {
            assert_ok(pbs_body_contact_force(world, bodies[b], origin, &own));
            add3(sum, own.torque, sum);
        }
        most = fmax(most, norm3(own.friction));
        assert_small(norm3(sum), 1e-7 * 0.1 * norm3(own.force), "torque of both");
    }
    assert_true(most > 10.0);
    pbs_world_destroy(world);
}

/// The most that was lost of the angular momentum, and how much of the first one's spin changed.
static double lost_momentum(double h, double *change) {
    pbs_world *world = friction_world(100);
    pbs_body bodies[COLLIDING];
    double before[3];
    double after[3];
    double spin[3];
    double worst = 0.0;
    add_colliding(world, bodies);
    copy3(pbs_body_angular_velocities(world, bodies[0]), spin);
    angular_momentum(world, bodies, COLLIDING, colliding_radii, before);
    for (int n = 0; n < (int)(0.4 / h + 0.5); n++) {
        assert_ok(pbs_world_step(world, h));
        angular_momentum(world, bodies, COLLIDING, colliding_radii, after);
        worst = fmax(worst, testing_max_difference(before, after, 3) / norm3(before));
    }
    *change = testing_max_difference(pbs_body_angular_velocities(world, bodies[0]), spin, 3);
    pbs_world_destroy(world);
    return worst;
}

/// Implicit Euler turns the way to where the step ends, so that h^2 F x v is lost in a hit, of the
/// first order; nothing else is.
static void collisions_keep_angular_momentum(void **state) {
    (void)state;
    double change = 0.0;
    const double coarse = lost_momentum(0.01, &change);
    const double fine = lost_momentum(0.000625, &change);
    assert_true(change > 5.0);
    assert_true(coarse < 0.02);
    assert_true(fine < 0.1 * coarse);
}

// --- rolling and spinning ---

static void resist(pbs_world *world, pbs_body body, double rolling, double spinning) {
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = 0.5;
    contact.rolling_friction = rolling;
    contact.spinning_friction = spinning;
    assert_ok(pbs_body_set_contact(world, body, &contact));
}

/// A sphere of 0.1 m at rest in its contact, then rolling at 1 m/s and spinning at 10 rad/s.
static pbs_body add_rolling(pbs_world *world, enum ground kind, double rolling, double spinning) {
    const double none[3] = {0.0, 0.0, 0.0};
    const double x[3] = {-0.7, 0.1005, 0.1};
    const double down[3] = {0.0, -GRAVITY, 0.0};
    assert_ok(pbs_world_set_gravity(world, down));
    add_slope(world, kind);
    const pbs_body body = add_sphere(world, x, none, none, 0.1, 0.5);
    resist(world, body, rolling, spinning);
    for (int n = 0; n < 20; n++) {
        assert_ok(pbs_world_step(world, 0.01));
    }
    const double v[3] = {1.0, 0.0, 0.0};
    const double spin[3] = {0.0, 10.0, -1.0 / pbs_body_positions(world, body)[1]};
    assert_ok(pbs_body_set_velocities(world, body, v, 1));
    assert_ok(pbs_body_set_angular_velocities(world, body, spin, 1));
    return body;
}

/// A moment of mu_r N r slows what rolls by mu_r g r arm / (arm^2 + 0.4 r^2), one of mu_s N r what
/// spins by mu_s g / (0.4 r); then both stay where they are.
static void resistance_brings_spheres_to_rest(void **state) {
    (void)state;
    for (int kind = 0; kind < GROUNDS; kind++) {
        pbs_world *world = friction_world(1);
        const pbs_body body = add_rolling(world, (enum ground)kind, 0.1, 0.04);
        const double *v = NULL;
        const double *w = NULL;
        const double before = energy_of(world).kinetic;
        const double counted = energy_of(world).dissipated;
        for (int n = 0; n < 40; n++) {
            assert_ok(pbs_world_step(world, 0.01));
        }
        v = pbs_body_velocities(world, body);
        w = pbs_body_angular_velocities(world, body);
        const double arm = pbs_body_positions(world, body)[1];
        const double slowed = 0.1 * GRAVITY * 0.1 * arm / (arm * arm + 0.004);
        assert_near((1.0 - v[0]) / (0.4 * slowed), 1.0, 2e-3, "rolls more slowly");
        assert_near((10.0 - w[1]) / (0.4 * 0.04 * GRAVITY / 0.04), 1.0, 2e-3, "spins more slowly");
        // Implicit Euler takes the slower end of each step for it.
        const double taken = energy_of(world).dissipated - counted;
        assert_near((before - energy_of(world).kinetic) / taken, 1.0, 0.03, "dissipated");
        for (int n = 0; n < 260; n++) {
            assert_ok(pbs_world_step(world, 0.01));
        }
        v = pbs_body_velocities(world, body);
        w = pbs_body_angular_velocities(world, body);
        assert_small(fmax(fabs(v[0]), fabs(v[2])), 1e-6, "rests");
        assert_small(fmax(fabs(w[1]), fabs(w[2])), 1e-5, "turns no more");
        const double place = pbs_body_positions(world, body)[0];
        for (int n = 0; n < 20; n++) {
            assert_ok(pbs_world_step(world, 0.01));
        }
        assert_near(pbs_body_positions(world, body)[0], place, 1e-6, "stays");
        pbs_world_destroy(world);
    }
}

/// On a slope of less than mu_r it hardly creeps, on a steeper one it rolls.
static void resistance_holds_on_slopes(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double none[3] = {0.0, 0.0, 0.0};
        const double x[3] = {-0.7, 0.1005, 0.1};
        const double down[3] = {GRAVITY * sin(SLOPE), -GRAVITY * cos(SLOPE), 0.0};
        pbs_world *world = friction_world(1);
        assert_ok(pbs_world_set_gravity(world, down));
        add_slope(world, HALF_SPACE);
        const pbs_body body = add_sphere(world, x, none, none, 0.1, 0.5);
        resist(world, body, i == 0 ? 0.35 : 0.25, 0.0);
        for (int n = 0; n < 100; n++) {
            assert_ok(pbs_world_step(world, 0.01));
        }
        const double speed = pbs_body_velocities(world, body)[0];
        // Both frictions creep by less than the slip velocity, each with its own arm.
        assert_true(i == 0 ? speed < 2.5e-3 : speed > 0.1);
        pbs_world_destroy(world);
    }
}

/// What it does to a sphere it does to the other side the other way round: to a sphere, and to the
/// corners of a triangle of a body that is free. Energy control counts it as lost.
static void resistance_has_an_opposite(void **state) {
    (void)state;
    const double origin[3] = {0.0, 0.0, 0.0};
    for (int kind = 0; kind < 2; kind++) {
        const double corner[3] = {-0.2, -0.4, -0.2};
        const double x[2][3] = {{0.02, 0.103, 0.03}, {0.0, -0.105, 0.0}};
        const double v[2][3] = {{0.1, -1.0, 0.0}, {0.0, 0.0, 0.0}};
        const double spin[2][3] = {{5.0, 20.0, -8.0}, {0.0, 0.0, 0.0}};
        pbs_world *world = friction_world(100);
        pbs_body bodies[2];
        double most = 0.0;
        bodies[0] = add_sphere(world, x[0], v[0], spin[0], 0.1, 0.5);
        bodies[1] = kind == 0 ? add_sphere(world, x[1], v[1], spin[1], 0.1, 0.5)
                              : add_cube(world, 1, 0.4, corner, NULL);
        resist(world, bodies[0], 0.2, 0.3);
        for (int n = 0; n < 12; n++) {
            double sum[3] = {0.0, 0.0, 0.0};
            double about[3];
            pbs_contact_force own = {.struct_size = sizeof own};
            copy3(pbs_body_positions(world, bodies[0]), about);
            assert_ok(pbs_world_step(world, 0.002));
            for (int b = 0; b < 2; b++) {
                assert_ok(pbs_body_contact_force(world, bodies[b], origin, &own));
                add3(sum, own.torque, sum);
            }
            assert_small(norm3(sum), 1e-6 * 0.1 * (norm3(own.force) + 1.0), "torque of both");
            assert_ok(pbs_body_contact_force(world, bodies[0], about, &own));
            // About the normal there is only what resists spinning.
            most = fmax(most, fabs(own.torque[1]));
        }
        assert_true(most > 10.0);
        pbs_world_destroy(world);
    }
}

/// The spin that a sphere loses on a free body without other friction is the body's: the moment on
/// a triangle's corners is what it should be. 2 % is what implicit Euler loses of it at this step.
static void what_spins_turns_what_it_lies_on(void **state) {
    (void)state;
    const double corner[3] = {-0.2, -0.4, -0.2};
    const double x[3] = {0.05, 0.1015, 0.02};
    const double v[3] = {0.0, -1.0, 0.0};
    const double spin[3] = {0.0, 20.0, 0.0};
    pbs_world *world = friction_world(20);
    const pbs_body ball = add_sphere(world, x, v, spin, 0.1, 0.0);
    const pbs_body cube = add_cube(world, 1, 0.4, corner, NULL);
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.spinning_friction = 0.3;
    assert_ok(pbs_body_set_contact(world, ball, &contact));
    for (int n = 0; n < 20; n++) {
        assert_ok(pbs_world_step(world, 5e-4));
    }
    double momentum = 0.0;
    for (size_t i = 0; i < pbs_body_vertex_count(world, cube); i++) {
        const double *place = pbs_body_positions(world, cube) + 3 * i;
        const double *velocity = pbs_body_velocities(world, cube) + 3 * i;
        momentum += pbs_body_masses(world, cube)[i] *
                    (place[2] * velocity[0] - place[0] * velocity[2]);
    }
    const double inertia = 0.4 * 0.01 * pbs_body_masses(world, ball)[0];
    const double lost = inertia * (20.0 - pbs_body_angular_velocities(world, ball)[1]);
    assert_true(lost > 0.02 * inertia * 20.0);
    // The ball's way has none about the vertical through the origin but what it was pushed with.
    const double *at = pbs_body_positions(world, ball);
    const double *moves = pbs_body_velocities(world, ball);
    const double orbital = pbs_body_masses(world, ball)[0] * (at[2] * moves[0] - at[0] * moves[2]);
    assert_near((momentum + orbital) / lost, 1.0, 0.02, "of the body");
    pbs_world_destroy(world);
}

/// A-search keeps the energy on its target, which knows what rolling took.
static void energy_control_knows_what_rolling_takes(void **state) {
    (void)state;
    pbs_world *world = friction_world(1);
    use_scheme_of(world, PBS_SCHEME_A_SEARCH);
    add_rolling(world, HALF_SPACE, 0.1, 0.04);
    const double before = energy_of(world).total;
    const double lost = energy_of(world).dissipated;
    for (int n = 0; n < 40; n++) {
        assert_ok(pbs_world_step(world, 0.01));
    }
    const double taken = energy_of(world).dissipated - lost;
    assert_true(taken > 0.3 * energy_of(world).kinetic);
    assert_near((before - energy_of(world).total) / taken, 1.0, 2e-2, "energy is where it is said");
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_roll_where_friction_holds),
        cmocka_unit_test(spheres_slide_where_friction_fails),
        cmocka_unit_test(torques_between_two_cancel),
        cmocka_unit_test(collisions_keep_angular_momentum),
        cmocka_unit_test(resistance_brings_spheres_to_rest),
        cmocka_unit_test(resistance_holds_on_slopes),
        cmocka_unit_test(resistance_has_an_opposite),
        cmocka_unit_test(what_spins_turns_what_it_lies_on),
        cmocka_unit_test(energy_control_knows_what_rolling_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Contact of spheres by penalties in explicit steps (docs/theory/bonds.md section 6.5): what it
// keeps, how spheres bounce, slide and roll, and bodies that break where they land.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "support/host/refusals.h"
#include "support/scenes/bonded_bodies.h"

static const double GRAVITY = 9.81;
static const double SLOPE = 0.3;
static const double PI = 3.14159265358979323846;

static pbs_world *penalty_world(double stiffness, int32_t threads) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PENALTY;
    d.contact_stiffness = stiffness;
    d.threads = threads;
    return new_world_from(&d);
}

struct ball {
    double x[3], v[3], spin[3];
    double radius;
    double friction, rolling, spinning;
};

static pbs_body add_ball(pbs_world *world, const struct ball *ball) {
    static struct bonded_parts p;
    pbs_contact_desc contact;
    pbs_body body;
    p = (struct bonded_parts){0};
    assert_ok(pbs_bonded_desc_init(&p.d, sizeof p.d));
    copy3(ball->x, p.positions);
    copy3(ball->v, p.velocities);
    copy3(ball->spin, p.spins);
    p.radii[0] = ball->radius;
    bonded_point(&p);
    p.d.particle_count = 1;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = ball->friction;
    contact.rolling_friction = ball->rolling;
    contact.spinning_friction = ball->spinning;
    assert_ok(pbs_body_set_contact(world, body, &contact));
    return body;
}

static double mass_of(const struct ball *ball) {
    return 4.0 / 3.0 * PI * pow(ball->radius, 3.0) * 1000.0;
}

/// A ball against a half-space without gravity is half a period of an oscillator. What velocity
/// Verlet keeps of one, v^2 + w^2 (1 - (h w)^2 / 4) x^2, jumps where the spring begins and ends, by
/// (h w)^2 / 4 of what is kept there and by the spring's energy at a depth of up to h v: the energy
/// afterwards is that before within (h w)^2.
static void a_ball_bounces_off_a_half_space(void **state) {
    (void)state;
    const struct ball ball = {
        .x = {0.0, 0.1003, 0.0}, .v = {0.3, -1.0, 0.0}, .radius = 0.1, .friction = 0.0};
    const double k = 1e5;
    const double m = mass_of(&ball);
    const double w = sqrt(k / m);
    for (int i = 0; i < 3; i++) {
        const double h = 0.2 / w / (double)(1 << i);
        pbs_world *world = penalty_world(k, 1);
        const pbs_body body = add_ball(world, &ball);
        add_ground(world);
        const double start = energy_of(world).total;
        double deepest = 0.0;
        double spread = 0.0;
        for (int n = 0; n < 30 << i; n++) {
            assert_ok(pbs_world_step(world, h));
            const pbs_energy now = energy_of(world);
            deepest = fmax(deepest, now.contact);
            spread = fmax(spread, fabs(now.total / start - 1.0));
        }
        assert_true(pbs_body_velocities(world, body)[1] > 0.0);
        assert_near(pbs_body_velocities(world, body)[0], 0.3, 0.0, "along");
        // All of the motion across was in the spring.
        assert_near(deepest, 0.5 * m, 0.02 * m, "spring");
        assert_small(spread, h * w * h * w, "energy");
        pbs_world_destroy(world);
    }
}

/// The step that contact allows is known before anything touches: twelve springs of k on m, half of
/// them on either side.
static void contact_counts_in_the_stable_step(void **state) {
    (void)state;
    const struct ball ball = {.x = {0.0, 5.0, 0.0}, .radius = 0.1};
    const double k = 1e5;
    pbs_world *world = penalty_world(k, 1);
    add_ball(world, &ball);
    assert_ok(pbs_world_step(world, 0.01));
    assert_near(stats_of(world).step.stable_step, 2.0 / sqrt(12.0 * k / mass_of(&ball)), 1e-15,
                "stable step");
    pbs_world_destroy(world);
}

enum ground { HALF_SPACE, BOX, ROOM, GROUNDS };

/// Its surface is the plane y = 0.
static void add_slope(pbs_world *world, enum ground kind) {
    pbs_collider_desc d;
    pbs_collider collider;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = kind == HALF_SPACE ? PBS_SHAPE_HALF_SPACE : PBS_SHAPE_BOX;
    d.hollow = kind == ROOM;
    d.size[0] = d.size[2] = 3.0;
    d.size[1] = kind == HALF_SPACE ? 0.0 : 1.0;
    d.position[1] = kind == HALF_SPACE ? 0.0 : kind == ROOM ? 1.0 : -1.0;
    assert_ok(pbs_collider_create(world, &d, &collider));
}

/// The acceleration along the slope of a ball that rests on it, spring and weight in balance.
/// lever: from its centre to the slope.
static double roll_down(enum ground kind, double friction, double rolling, double *lever) {
    struct ball ball = {.radius = 0.1, .friction = friction, .rolling = rolling};
    const double k = 1e5;
    const double depth = mass_of(&ball) * GRAVITY * cos(SLOPE) / k;
    const double gravity[3] = {GRAVITY * sin(SLOPE), -GRAVITY * cos(SLOPE), 0.0};
    ball.x[1] = *lever = 0.1 - depth;
    pbs_world *world = penalty_world(k, 1);
    assert_ok(pbs_world_set_gravity(world, gravity));
    add_slope(world, kind);
    const pbs_body body = add_ball(world, &ball);
    assert_ok(pbs_world_step(world, 0.1));
    const double before = pbs_body_velocities(world, body)[0];
    assert_ok(pbs_world_step(world, 0.4));
    const double after = pbs_body_velocities(world, body)[0];
    const double spin = pbs_body_angular_velocities(world, body)[2];
    if (friction > 0.1) {
        assert_near(-spin * *lever, after, 1e-12, "rolling");
    }
    pbs_world_destroy(world);
    return (after - before) / 0.4;
}

/// Rolling from rest without slip takes g sin a / (1 + J / (m l^2)), J / m = 0.4 r^2 and l the
/// lever; sliding g (sin a - mu cos a); and what resists rolling a moment mu_r F r, so m l a = m g
/// l sin a - J a / l - mu_r m g r cos a.
static void a_ball_rolls_and_slides_down_a_slope(void **state) {
    (void)state;
    for (enum ground kind = HALF_SPACE; kind < GROUNDS; kind++) {
        double l = 0.0;
        const double rolled = roll_down(kind, 0.5, 0.0, &l);
        const double with_spin = 1.0 + 0.4 * 0.01 / (l * l);
        assert_near(rolled, GRAVITY * sin(SLOPE) / with_spin, 1e-9, "rolls");
        const double slid = roll_down(kind, 0.05, 0.0, &l);
        assert_near(slid, GRAVITY * (sin(SLOPE) - 0.05 * cos(SLOPE)), 1e-9, "slides");
        const double slowed = roll_down(kind, 0.5, 0.1, &l);
        assert_near(slowed, GRAVITY * (sin(SLOPE) - 0.1 * cos(SLOPE) * 0.1 / l) / with_spin, 1e-9,
                    "slowed");
    }
}

struct sums {
    double energy, linear[3], angular[3];
};

/// About the origin, spins of balls of density 1000 and of these radii included.
static void add_sums(const pbs_world *world, pbs_body body, const double *radii, struct sums *s) {
    const double *x = pbs_body_positions(world, body);
    const double *v = pbs_body_velocities(world, body);
    const double *w = pbs_body_angular_velocities(world, body);
    const double *m = pbs_body_masses(world, body);
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        double moment[3];
        const double inertia = 0.4 * m[i] * radii[i] * radii[i];
        cross3(x + 3 * i, v + 3 * i, moment);
        add_scaled3(s->linear, m[i], v + 3 * i, s->linear);
        add_scaled3(s->angular, m[i], moment, s->angular);
        add_scaled3(s->angular, inertia, w + 3 * i, s->angular);
        s->energy += 0.5 * m[i] * dot3(v + 3 * i, v + 3 * i) +
                     0.5 * inertia * dot3(w + 3 * i, w + 3 * i);
    }
}

/// Balls of different sizes that hit each other off centre while they spin, with friction and
/// resistance: impulses are equal and opposite at one point, so P and L lose rounding alone; and
/// what the energy loses besides the scheme's (h w)^2 is what friction says.
static void two_balls_keep_their_momenta(void **state) {
    (void)state;
    const struct ball balls[2] = {{.x = {-0.15, 0.0, 0.0},
                                   .v = {1.0, 0.2, 0.0},
                                   .spin = {3.0, -8.0, 5.0},
                                   .radius = 0.1,
                                   .friction = 0.4,
                                   .rolling = 0.1,
                                   .spinning = 0.2},
                                  {.x = {0.05, 0.04, 0.02}, .v = {-0.5, 0.0, 0.1}, .radius = 0.05}};
    pbs_world *world = penalty_world(1e5, 1);
    const pbs_body first = add_ball(world, &balls[0]);
    const pbs_body second = add_ball(world, &balls[1]);
    struct sums start = {0};
    struct sums end = {0};
    add_sums(world, first, &balls[0].radius, &start);
    add_sums(world, second, &balls[1].radius, &start);
    assert_ok(pbs_world_step(world, 1e-9));
    const double h = 0.02 * stats_of(world).step.stable_step;
    size_t most = 0;
    for (int i = 0; i < 3000; i++) {
        size_t count = 0;
        assert_ok(pbs_world_step(world, h));
        assert_ok(pbs_world_contacts(world, NULL, sizeof(pbs_contact), &count));
        most = count > most ? count : most;
    }
    assert_int_equal(most, 1);
    add_sums(world, first, &balls[0].radius, &end);
    add_sums(world, second, &balls[1].radius, &end);
    assert_true(energy_of(world).contact == 0.0);
    for (int k = 0; k < 3; k++) {
        assert_near(end.linear[k], start.linear[k], 1e-13 * norm3(start.linear), "P");
        assert_near(end.angular[k], start.angular[k], 1e-13 * norm3(start.angular), "L");
    }
    // 3.8 of k / m of the smaller ball, w: 2 / h = 50 sqrt(12) w.
    const double hw2 = 4.0 / (2500.0 * 12.0) * 1.2;
    const double heat = energy_of(world).dissipated;
    assert_true(heat > 0.01 * start.energy);
    assert_near(start.energy - end.energy, heat, hw2 * start.energy, "heat");
    pbs_world_destroy(world);
}

/// Spheres of a block that reach into each other where bonds joined them: bonds that go leave them
/// where they are.
static void a_broken_pair_does_not_jump(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_body body;
    size_t count = 0;
    const double still[3] = {0.0, 0.0, 0.0};
    const double origin[3] = {0.0, 0.0, 0.0};
    const double up[3] = {0.0, 1.0, 0.0};
    bonded_block(&p, 4, 4, 4, still);
    p.d.contact_scale = 1.3;
    pbs_world *world = penalty_world(0.0, 1);
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_world_step(world, 0.001));
    assert_ok(pbs_body_cut_plane(world, body, origin, up, &count));
    assert_int_equal(count, 16);
    assert_ok(pbs_world_step(world, 0.01));
    for (size_t k = 0; k < 3 * 64; k++) {
        // Rounding of distances, times k dt / m = 2 m / s per m.
        assert_small(pbs_body_velocities(world, body)[k], 1e-12, "velocity");
    }
    // Pressed together, halves touch; no more than they did, they do not come through.
    static double v[3 * 64];
    for (size_t i = 0; i < 64; i++) {
        v[3 * i + 1] = pbs_body_positions(world, body)[3 * i + 1] > 0.0 ? -0.5 : 0.5;
    }
    assert_ok(pbs_body_set_velocities(world, body, v, 64));
    assert_ok(pbs_world_step(world, 0.001));
    assert_true(energy_of(world).contact > 0.0);
    assert_ok(pbs_world_contacts(world, NULL, sizeof(pbs_contact), &count));
    assert_int_equal(count, 16);
    assert_ok(pbs_world_step(world, 0.1));
    assert_true(pbs_body_velocities(world, body)[3 * 63 + 1] > 0.1);
    assert_true(pbs_body_velocities(world, body)[1] < -0.1);
    pbs_world_destroy(world);
}

/// Two particles that approach and twist their bond until it breaks, in the middle of a step: they
/// touch from there, within that step, and part as fast as they met.
static void what_breaks_in_a_step_touches_in_it(void **state) {
    (void)state;
    struct bonded_parts p;
    pbs_body body;
    size_t count = 0;
    const double along[3] = {1.0, 0.0, 0.0};
    pbs_world *world = penalty_world(0.0, 1);
    bonded_beam(&p, 1, along);
    p.d.contact_scale = 1.0;
    p.d.shear_strength = 1e4;
    p.velocities[0] = 1.0;
    p.velocities[3] = -1.0;
    p.spins[0] = 1.0;
    p.spins[3] = -1.0;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_world_step(world, 0.3));
    assert_ok(pbs_world_broken_bonds(world, NULL, sizeof(pbs_broken_bond), &count));
    assert_int_equal(count, 1);
    const double *v = pbs_body_velocities(world, body);
    assert_true(energy_of(world).contact == 0.0);
    // Less what the bond kept of it until then, and the scheme's (h w)^2 of 0.64 / 3.
    assert_near(v[3] - v[0], 2.0, 0.3, "parting");
    pbs_world_destroy(world);
}

/// A brittle block that turns and hits the ground.
static pbs_body add_block(pbs_world *world, struct bonded_parts *p, double height) {
    pbs_contact_desc contact;
    pbs_body body;
    const double spin[3] = {2.0, 1.0, -3.0};
    bonded_block(p, 5, 4, 3, spin);
    for (size_t i = 0; i < p->d.particle_count; i++) {
        p->positions[3 * i + 1] += height;
        p->velocities[3 * i + 1] -= 4.0;
    }
    p->d.young = 1e6;
    p->d.shear_modulus = 4e5;
    p->d.tensile_strength = 2e4;
    p->d.shear_strength = 2e4;
    assert_ok(pbs_body_create_bonded(world, &p->d, &body));
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = 0.5;
    contact.rolling_friction = 0.1;
    assert_ok(pbs_body_set_contact(world, body, &contact));
    return body;
}

/// One step from before it touches the ground until its parts have left it: all that P and L gain
/// is what the ground's impulses say.
static void a_block_breaks_on_the_ground(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double origin[3] = {0.0, 0.0, 0.0};
    pbs_world *world = penalty_world(0.0, 1);
    const pbs_collider ground = add_ground(world);
    const pbs_body body = add_block(world, &p, 0.35);
    struct sums start = {0};
    struct sums end = {0};
    add_sums(world, body, p.radii, &start);
    assert_ok(pbs_world_step(world, 0.5));
    add_sums(world, body, p.radii, &end);
    size_t count = 0;
    assert_ok(pbs_world_broken_bonds(world, NULL, sizeof(pbs_broken_bond), &count));
    assert_true(count > 10 && count < p.d.bond_count);
    pbs_contact_force force = {.struct_size = sizeof force};
    assert_ok(pbs_collider_contact_force(world, ground, origin, &force));
    assert_true(norm3(force.force) == 0.0);
    for (int k = 0; k < 3; k++) {
        assert_near(end.linear[k] - start.linear[k], -force.impulse[k], 1e-11 * norm3(start.linear),
                    "P");
        assert_near(end.angular[k] - start.angular[k], -force.angular_impulse[k],
                    1e-11 * norm3(start.linear), "L");
    }
    assert_true(force.impulse[1] < -0.5 * fabs(start.linear[1]));
    pbs_world_destroy(world);
}

/// Whatever the threads, and whether it went on or was saved while parts touch.
static void the_bits_are_the_same(void **state) {
    (void)state;
    static struct bonded_parts p;
    uint64_t hashes[3];
    for (uint32_t run = 0; run < 3; run++) {
        pbs_world *world = penalty_world(0.0, run == 1 ? 4 : 1);
        add_ground(world);
        add_block(world, &p, 0.35);
        assert_ok(pbs_world_step(world, 0.07));
        size_t count = 0;
        assert_ok(pbs_world_contacts(world, NULL, sizeof(pbs_contact), &count));
        assert_true(count > 0);
        if (run == 2) {
            const struct saved_world saved = save_world(world);
            pbs_world *other = penalty_world(0.0, 2);
            assert_ok(pbs_world_restore(other, saved.data, saved.size));
            pbs_world_destroy(world);
            world = other;
            free(saved.data);
        }
        assert_ok(pbs_world_step(world, 0.1));
        hashes[run] = pbs_world_hash(world);
        pbs_world_destroy(world);
    }
    assert_true(hashes[1] == hashes[0]);
    assert_true(hashes[2] == hashes[0]);
}

static pbs_status land(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 0.05);
}

/// Whatever allocation is refused while the block hits and breaks, the world is as it was, and goes
/// on as one that was refused nothing. A ball at rest takes no memory.
static void refused_memory_changes_nothing(void **state) {
    (void)state;
    static struct bonded_parts p;
    struct test_allocator allocator;
    uint64_t refused = 0;
    uint64_t hashes[2];
    for (int run = 0; run < 2; run++) {
        pbs_world_desc d;
        test_allocator_init(&allocator);
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.contact = PBS_CONTACT_PENALTY;
        d.threads = 1;
        d.allocator = test_allocator_hooks(&allocator);
        pbs_world *world = new_world_from(&d);
        add_ground(world);
        add_block(world, &p, 0.35);
        assert_ok(run == 0 ? land(world, NULL)
                           : refuse_until_success(&allocator, world, land, NULL, &refused));
        hashes[run] = pbs_world_hash(world);
        pbs_world_destroy(world);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
    assert_true(refused > 20);
    assert_true(hashes[0] == hashes[1]);
}

static void what_rests_takes_no_memory(void **state) {
    (void)state;
    const struct ball ball = {.x = {0.0, 0.0999, 0.0}, .radius = 0.1, .friction = 0.5};
    const double gravity[3] = {0.0, -GRAVITY, 0.0};
    struct test_allocator allocator;
    pbs_world_desc d;
    test_allocator_init(&allocator);
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PENALTY;
    d.contact_stiffness = 1e5;
    d.allocator = test_allocator_hooks(&allocator);
    memcpy(d.gravity, gravity, sizeof gravity);
    pbs_world *world = new_world_from(&d);
    add_ground(world);
    add_ball(world, &ball);
    assert_ok(pbs_world_step(world, 0.1));
    const uint64_t before = allocator.allocate_count + allocator.release_count;
    for (int i = 0; i < 20; i++) {
        assert_ok(pbs_world_step(world, 0.1));
    }
    assert_true(allocator.allocate_count + allocator.release_count == before);
    pbs_world_destroy(world);
}

/// Other schemes want Hessians, and a world without bonds a stiffness.
static void what_penalties_cannot_do_is_refused(void **state) {
    (void)state;
    const struct ball ball = {.x = {0.0, 1.0, 0.0}, .radius = 0.1};
    pbs_world *world = penalty_world(0.0, 1);
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_BDF2));
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_status(pbs_world_set_integrator(world, integrator), PBS_ERROR_ARGUMENT);
    assert_non_null(strstr(pbs_last_error(), "PBS_CONTACT_PENALTY"));
    pbs_integrator_destroy(integrator);
    add_ball(world, &ball);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_ARGUMENT);
    assert_non_null(strstr(pbs_last_error(), "contact_stiffness"));
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_off_a_half_space),
        cmocka_unit_test(contact_counts_in_the_stable_step),
        cmocka_unit_test(a_ball_rolls_and_slides_down_a_slope),
        cmocka_unit_test(two_balls_keep_their_momenta),
        cmocka_unit_test(a_broken_pair_does_not_jump),
        cmocka_unit_test(what_breaks_in_a_step_touches_in_it),
        cmocka_unit_test(a_block_breaks_on_the_ground),
        cmocka_unit_test(the_bits_are_the_same),
        cmocka_unit_test(refused_memory_changes_nothing),
        cmocka_unit_test(what_rests_takes_no_memory),
        cmocka_unit_test(what_penalties_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

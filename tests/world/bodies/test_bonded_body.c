// Bonded bodies through the public API: the meaning of descriptions; orientations that are read,
// set, constrained and scripted; steps as transactions; snapshots, threads and refusals.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "world/refusal.h"

static pbs_world *weightless_world(int32_t scheme) {
    pbs_world_desc settings;
    const double none[3] = {0.0, 0.0, 0.0};
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memcpy(settings.gravity, none, sizeof none);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-12;
    pbs_world *world = new_world_from(&settings);
    use_scheme_of(world, scheme);
    return world;
}

/// A block that turns and is not at rest.
static pbs_body add_block(pbs_world *world, struct bonded_parts *p) {
    const double spin[3] = {3.0, -2.0, 4.0};
    pbs_body body;
    bonded_block(p, 2, 3, 2, spin);
    for (size_t i = 0; i < p->d.particle_count; i++) {
        p->velocities[3 * i] += 0.3 * (double)(i % 3);
        p->spins[3 * i + 1] += (double)(i % 4);
    }
    assert_ok(pbs_body_create_bonded(world, &p->d, &body));
    return body;
}

static void same_state(const pbs_world *a, pbs_body first, const pbs_world *b, pbs_body second) {
    const size_t count = pbs_body_vertex_count(a, first);
    assert_same_bits(pbs_body_positions(a, first), pbs_body_positions(b, second), 3 * count);
    assert_same_bits(pbs_body_velocities(a, first), pbs_body_velocities(b, second), 3 * count);
    assert_same_bits(pbs_body_orientations(a, first), pbs_body_orientations(b, second), 4 * count);
    assert_same_bits(pbs_body_angular_velocities(a, first), pbs_body_angular_velocities(b, second),
                     3 * count);
    assert_true(pbs_world_hash(a) == pbs_world_hash(b));
}

// --- what descriptions mean ---

/// 4/3 pi r^3 of density; 2/5 m r^2 of inertia; gravity moves positions alone.
static void descriptions_mean_what_they_say(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double spin[3] = {0.0, 0.0, 7.0};
    pbs_body body;
    bonded_block(&p, 2, 1, 1, spin);
    p.d.density = 500.0;
    pbs_world *world = new_world();
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    const double mass = 500.0 * 4.0 / 3.0 * acos(-1.0) * 1.25e-4;
    assert_near(pbs_body_masses(world, body)[1], mass, 1e-15, "mass");
    assert_int_equal(pbs_body_vertex_count(world, body), 2);
    const double kinetic = mass * 49.0 * (0.0025 + 0.4 * 0.0025);
    assert_near(energy_of(world).kinetic, kinetic, 1e-15, "kinetic energy");
    assert_near(energy_of(world).elastic, 0.0, 0.0, "elastic energy");
    assert_near(pbs_body_angular_velocities(world, body)[5], 7.0, 1e-14, "spin");
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    assert_same_bits(pbs_body_orientations(world, body) + 4, none, 4);
    assert_ok(pbs_world_step(world, 1e-3));
    const double *v = pbs_body_velocities(world, body);
    assert_near(0.5 * (v[1] + v[4]), -9.81e-3, 1e-12, "fall");
    assert_near(energy_of(world).gravity, -2.0 * mass * 9.81 * 9.81e-6, 1e-12, "weight");
    pbs_world_destroy(world);
}

/// Per bond, in place of those for all.
static void bonds_have_values_of_their_own(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double none[3] = {0.0, 0.0, 0.0};
    const double radii[2] = {0.05, 0.02};
    const double young[2] = {1e7, 3e6};
    const double shear[2] = {4e6, 1e6};
    pbs_body body;
    bonded_block(&p, 3, 1, 1, none);
    p.d.bond_radii = radii;
    p.d.bond_young = young;
    p.d.bond_shear_moduli = shear;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER);
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    double x[9];
    memcpy(x, p.positions, sizeof x);
    x[6] += 0.001;
    assert_ok(pbs_body_set_positions(world, body, x, 3));
    const double pi = acos(-1.0);
    assert_near(energy_of(world).elastic / (0.5 * 3e6 * pi * 4e-4 / 0.1 * 1e-6), 1.0, 1e-12,
                "stretched");
    memcpy(x, p.positions, sizeof x);
    assert_ok(pbs_body_set_positions(world, body, x, 3));
    // Twisted about its axis, the second bond by 0.2.
    const double q[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, sin(0.1), 0.0, 0.0, cos(0.1)};
    assert_ok(pbs_body_set_orientations(world, body, q, 3));
    const double stiffness = 1e6 * 0.5 * pi * 1.6e-7 / 0.1;
    assert_near(energy_of(world).elastic / (2.0 * stiffness * sin(0.1) * sin(0.1)), 1.0, 1e-13,
                "twisted");
    pbs_world_destroy(world);
}

/// Spin and motion of free particles under gravity, through the whole world; drag slows both alike.
static void free_particles_spin_on(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double spin[3] = {10.0, -20.0, 30.0};
    pbs_body body;
    bonded_block(&p, 1, 1, 1, spin);
    p.d.bond_count = 0;
    pbs_world *world = new_world();
    use_scheme_of(world, PBS_SCHEME_TR_BDF2);
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    for (int i = 0; i < 60; i++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    double expected[4];
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    rotate_by(spin, 1.0, none, expected);
    double angle[3];
    rotation_between(pbs_body_orientations(world, body), expected, angle);
    assert_small(norm3(angle), 1e-12, "orientation after 37 radians");
    assert_small(testing_max_difference(pbs_body_angular_velocities(world, body), spin, 3), 1e-12,
                 "spin");
    pbs_world_destroy(world);
}

static void drag_slows_spin_as_it_slows_motion(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double spin[3] = {0.0, 10.0, 0.0};
    pbs_body body;
    bonded_block(&p, 1, 1, 1, spin);
    p.velocities[2] = 4.0;
    p.d.bond_count = 0;
    p.d.drag = 3.0;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER);
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_world_step(world, 0.1));
    assert_near(pbs_body_velocities(world, body)[2], 4.0 / 1.3, 1e-12, "velocity");
    assert_near(pbs_body_angular_velocities(world, body)[1], 10.0 / 1.3, 1e-12, "spin");
    pbs_world_destroy(world);
}

// --- orientations ---

/// Whatever signs a host gives its quaternions, a turned block is one without strain.
static void signs_of_quaternions_are_no_strain(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double none[3] = {0.0, 0.0, 0.0};
    const double start[4] = {0.0, 0.0, 0.0, 1.0};
    struct random random = random_seed(5);
    pbs_body body;
    bonded_block(&p, 3, 2, 2, none);
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER);
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    for (int round = 0; round < 20; round++) {
        double q[4 * 12];
        double x[3 * 12];
        double turn[3];
        double one[4];
        double rotation[9];
        random_unit(&random, turn);
        scale3(round % 2 == 0 ? 3.14159 : 1.0, turn, turn);
        rotate_by(turn, 1.0, start, one);
        rotation_of(one, rotation);
        for (size_t i = 0; i < 12; i++) {
            const double sign = random_uniform(&random, -1.0, 1.0) < 0.0 ? -1.0 : 1.0;
            for (size_t k = 0; k < 4; k++) {
                q[4 * i + k] = sign * one[k];
            }
            multiply3(rotation, p.positions + 3 * i, x + 3 * i);
        }
        assert_ok(pbs_body_set_positions(world, body, x, 12));
        const uint64_t hash = pbs_world_hash(world);
        assert_ok(pbs_body_set_orientations(world, body, q, 12));
        assert_true(pbs_world_hash(world) != hash);
        assert_small(energy_of(world).elastic, 1e-22, "energy");
        const double *read = pbs_body_orientations(world, body);
        for (size_t i = 1; i < 12; i++) {
            assert_same_bits(read + 4 * i, read, 4);
        }
    }
    pbs_world_destroy(world);
}

/// Held where it is while others turn; then sent on its way, which it goes at constant speed,
/// reaching the target also where steps are divided into several.
static void orientations_are_held_and_scripted(void **state) {
    (void)state;
    static struct bonded_parts p;
    const uint32_t first = 0;
    for (int several = 0; several < 2; several++) {
        pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER);
        const pbs_body body = add_block(world, &p);
        pbs_integrator_desc d;
        pbs_integrator *integrator = NULL;
        assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_BDF2));
        d.step_control.max = several != 0 ? 0.003 : 0.0;
        assert_ok(pbs_integrator_create(&d, &integrator));
        assert_ok(pbs_world_set_integrator(world, integrator));
        pbs_integrator_destroy(integrator);
        double before[4];
        memcpy(before, pbs_body_orientations(world, body), sizeof before);
        assert_ok(pbs_body_pin_orientations(world, body, &first, 1));
        assert_ok(pbs_world_advance(world, 0.01));
        assert_same_bits(pbs_body_orientations(world, body), before, 4);
        assert_near(pbs_body_angular_velocities(world, body)[0], 0.0, 0.0, "held");
        const double turn[3] = {0.3, -0.4, 0.2};
        double target[4];
        double way[3];
        rotate_by(turn, 1.0, before, target);
        assert_ok(pbs_body_set_target_orientations(world, body, &first, 1, target));
        assert_ok(pbs_world_advance(world, 0.01));
        rotation_between(pbs_body_orientations(world, body), target, way);
        assert_small(norm3(way), 1e-15, "target");
        assert_near(pbs_body_angular_velocities(world, body)[1], -40.0, 1e-12, "speed");
        // There it stays.
        assert_ok(pbs_world_advance(world, 0.01));
        rotation_between(pbs_body_orientations(world, body), target, way);
        assert_small(norm3(way), 1e-15, "still there");
        assert_ok(pbs_body_unpin_orientations(world, body, &first, 1));
        assert_ok(pbs_world_advance(world, 0.01));
        rotation_between(pbs_body_orientations(world, body), target, way);
        assert_true(norm3(way) > 1e-4);
        pbs_world_destroy(world);
    }
}

static void spins_can_be_set(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER);
    const pbs_body body = add_block(world, &p);
    double w[3 * 12];
    for (size_t i = 0; i < 36; i++) {
        w[i] = 0.1 * (double)i;
    }
    assert_ok(pbs_body_set_angular_velocities(world, body, w, 12));
    assert_small(testing_max_difference(pbs_body_angular_velocities(world, body), w, 36), 1e-15,
                 "spin");
    assert_status(pbs_body_set_angular_velocities(world, body, w, 11), PBS_ERROR_ARGUMENT);
    assert_message("particle_count is 11, but the body has 12 particles");
    w[7] = NAN;
    assert_status(pbs_body_set_angular_velocities(world, body, w, 12), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(world);
}

// --- transactions ---

/// An advance that fails in one of its last steps leaves orientations as they were, and energies
/// too; the next step gives the bits that it would have given.
static void failed_steps_turn_nothing(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *worlds[2];
    pbs_body bodies[2];
    int left[2] = {1000000, 1000000};
    for (int i = 0; i < 2; i++) {
        worlds[i] = weightless_world(PBS_SCHEME_BDF2);
        bodies[i] = add_block(worlds[i], &p);
        add_stopping_particle(worlds[i], &left[i]);
        pbs_integrator_desc d;
        pbs_integrator *integrator = NULL;
        assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_BDF2));
        d.step_control.max = 0.004;
        assert_ok(pbs_integrator_create(&d, &integrator));
        assert_ok(pbs_world_set_integrator(worlds[i], integrator));
        pbs_integrator_destroy(integrator);
        for (int n = 0; n < 3; n++) {
            assert_ok(pbs_world_step(worlds[i], 0.004));
        }
    }
    const int before = left[1];
    assert_ok(pbs_world_step(worlds[1], 0.004));
    const int calls = before - left[1];
    assert_ok(pbs_world_step(worlds[0], 0.004));
    // Ten steps, of which the last but a few are stopped.
    left[0] = 6 * calls;
    assert_status(pbs_world_advance(worlds[0], 0.04), PBS_ERROR_HOST);
    left[0] = 1000000;
    same_state(worlds[0], bodies[0], worlds[1], bodies[1]);
    assert_near(energy_of(worlds[0]).elastic, energy_of(worlds[1]).elastic, 0.0, "energy");
    for (int i = 0; i < 2; i++) {
        assert_ok(pbs_world_step(worlds[i], 0.004));
    }
    same_state(worlds[0], bodies[0], worlds[1], bodies[1]);
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

/// One call for several steps is as good as several calls.
static void advances_are_their_steps(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *worlds[2];
    pbs_body bodies[2];
    for (int i = 0; i < 2; i++) {
        worlds[i] = weightless_world(PBS_SCHEME_BDF2);
        bodies[i] = add_block(worlds[i], &p);
    }
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_BDF2));
    d.step_control.max = 0.00390625;
    assert_ok(pbs_integrator_create(&d, &integrator));
    for (int i = 0; i < 2; i++) {
        assert_ok(pbs_world_set_integrator(worlds[i], integrator));
    }
    pbs_integrator_destroy(integrator);
    assert_ok(pbs_world_advance(worlds[0], 4.0 * 0.00390625));
    for (int n = 0; n < 4; n++) {
        assert_ok(pbs_world_step(worlds[1], 0.00390625));
    }
    same_state(worlds[0], bodies[0], worlds[1], bodies[1]);
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

/// Between two steps of a two-step scheme, after a change by the host.
static void saved_worlds_go_on_to_the_bit(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world(PBS_SCHEME_BDF2);
    const pbs_body body = add_block(world, &p);
    const uint32_t first = 0;
    assert_ok(pbs_body_pin_orientations(world, body, &first, 1));
    for (int n = 0; n < 3; n++) {
        assert_ok(pbs_world_step(world, 0.004));
    }
    const double target[4] = {0.6, 0.0, 0.0, 0.8};
    assert_ok(pbs_body_set_target_orientations(world, body, &first, 1, target));
    struct saved_world saved = save_world(world);
    pbs_world *other = weightless_world(PBS_SCHEME_IMPLICIT_EULER);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    const pbs_body same = pbs_world_body_at(other, 0);
    same_state(world, body, other, same);
    for (int n = 0; n < 3; n++) {
        assert_ok(pbs_world_step(world, 0.004));
        assert_ok(pbs_world_step(other, 0.004));
        same_state(world, body, other, same);
    }
    struct saved_world again = save_world(other);
    struct saved_world original = save_world(world);
    assert_int_equal(again.size, original.size);
    free(saved.data);
    free(again.data);
    free(original.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

/// Bits do not depend on how many threads there are.
static void threads_change_no_bit(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *worlds[2];
    pbs_body bodies[2];
    const double spin[3] = {1.0, 5.0, -2.0};
    for (int i = 0; i < 2; i++) {
        pbs_world_desc settings;
        assert_ok(pbs_world_desc_init(&settings, sizeof settings));
        settings.threads = i == 0 ? 1 : 3;
        settings.contact = PBS_CONTACT_PROJECTION;
        worlds[i] = new_world_from(&settings);
        use_scheme_of(worlds[i], PBS_SCHEME_TR_BDF2);
        bonded_block(&p, 8, 8, 8, spin);
        assert_ok(pbs_body_create_bonded(worlds[i], &p.d, &bodies[i]));
        for (int n = 0; n < 3; n++) {
            assert_ok(pbs_world_step(worlds[i], 0.01));
        }
    }
    same_state(worlds[0], bodies[0], worlds[1], bodies[1]);
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

/// Step doubling compares ends in two charts: of a body that turns much and is bent little its
/// steps stay as long as its error allows, and are the shorter the smaller that must be.
static void step_doubling_sees_turns(void **state) {
    (void)state;
    static struct bonded_parts p;
    uint32_t steps[2];
    for (int i = 0; i < 2; i++) {
        const double spin[3] = {0.0, 0.0, 5.0};
        pbs_body body;
        pbs_world *world = weightless_world(PBS_SCHEME_TR_BDF2);
        bonded_block(&p, i == 0 ? 1 : 3, 1, 1, spin);
        p.d.bond_count = i == 0 ? 0 : 2;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        pbs_integrator_desc d;
        pbs_integrator *integrator = NULL;
        assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_TR_BDF2));
        d.step_control.kind = PBS_STEP_DOUBLING;
        d.step_control.max = 0.1;
        d.step_control.initial = 0.1;
        d.step_control.tolerance = 1e-5;
        assert_ok(pbs_integrator_create(&d, &integrator));
        assert_ok(pbs_world_set_integrator(world, integrator));
        pbs_integrator_destroy(integrator);
        assert_ok(pbs_world_advance(world, 0.4));
        steps[i] = stats_of(world).step_control.accepted;
        // By two radians; bonds give a little, and a step that was taken back left no trace.
        const double *q = pbs_body_orientations(world, body);
        const double *w = pbs_body_angular_velocities(world, body);
        assert_near(w[2], 5.0, i == 0 ? 1e-13 : 1e-2, "spin");
        assert_near(q[2], sin(1.0), i == 0 ? 1e-13 : 1e-3, "orientation");
        assert_true(stats_of(world).step_control.rejected > 0 || i == 0);
        pbs_world_destroy(world);
    }
    assert_int_equal(steps[0], 4);
    assert_true(steps[1] > 8);
}

// --- contact ---

/// A block that spins falls on the ground and comes to rest there: by projection its particles'
/// centres stay above, by barriers their spheres do, of 0.45 of what is between them.
static void particles_stay_above_the_ground(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double spin[3] = {2.0, 0.0, 1.0};
    const int32_t kinds[2] = {PBS_CONTACT_PROJECTION, PBS_CONTACT_BARRIER};
    for (int i = 0; i < 2; i++) {
        pbs_world_desc settings;
        pbs_contact_desc contact;
        pbs_body body;
        const double down[3] = {0.0, -9.81, 0.0};
        assert_ok(pbs_world_desc_init(&settings, sizeof settings));
        memcpy(settings.gravity, down, sizeof down);
        settings.contact = kinds[i];
        pbs_world *world = new_world_from(&settings);
        use_scheme_of(world, PBS_SCHEME_BDF2);
        bonded_block(&p, 4, 3, 5, spin);
        for (size_t k = 0; k < p.d.particle_count; k++) {
            p.positions[3 * k + 1] += 0.35;
        }
        p.d.drag = 1.0;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.friction = 0.5;
        assert_ok(i == 1 ? pbs_body_set_contact(world, body, &contact) : PBS_OK);
        add_ground(world);
        for (int n = 0; n < 120; n++) {
            assert_true(pbs_world_step(world, 1.0 / 60.0) >= 0);
            for (size_t k = 0; k < p.d.particle_count; k++) {
                const double height = pbs_body_positions(world, body)[3 * k + 1];
                assert_true(height >= (i == 0 ? -1e-12 : 0.045));
            }
        }
        // 31 kg that have fallen by 0.3 m, with drag of 1/s for two seconds.
        assert_small(energy_of(world).kinetic, 1e-2, "kinetic energy that is left");
        pbs_world_destroy(world);
    }
}

// --- refusals ---

static void blended_states_are_refused(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER);
    const pbs_body body = add_block(world, &p);
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_ENERGY_BLENDING));
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_status(pbs_world_set_integrator(world, integrator), PBS_ERROR_ARGUMENT);
    assert_message(
        "energy-blending blends states linearly, which the orientations of bonded bodies");
    assert_ok(pbs_body_destroy(world, body));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    pbs_body none = {0};
    assert_status(pbs_body_create_bonded(world, &p.d, &none), PBS_ERROR_ARGUMENT);
    assert_message("energy-blending blends states");
    assert_true(none.id == 0);
    pbs_world_destroy(world);
}

static void other_bodies_have_no_orientations(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double corner[3] = {0.0, 0.0, 0.0};
    const double q[4] = {0.0, 0.0, 0.0, 1.0};
    const double wrong[4] = {0.0, 0.0, 0.0, 1.1};
    const uint32_t first = 0;
    const uint32_t far = 12;
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_EULER);
    const pbs_body cube = add_cube(world, 1, 1.0, corner, NULL);
    const pbs_body body = add_block(world, &p);
    assert_null(pbs_body_orientations(world, cube));
    assert_null(pbs_body_angular_velocities(world, cube));
    assert_null(pbs_body_orientations(world, (pbs_body){0}));
    assert_status(pbs_body_set_orientations(world, cube, q, 1), PBS_ERROR_ARGUMENT);
    assert_message("the body is not bonded");
    assert_status(pbs_body_pin_orientations(world, cube, &first, 1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_pin_orientations(world, body, &far, 1), PBS_ERROR_ARGUMENT);
    assert_message("particles[0] is 12, but the body has 12 particles");
    assert_status(pbs_body_pin_orientations(world, body, NULL, 1), PBS_ERROR_ARGUMENT);
    assert_ok(pbs_body_pin_orientations(world, body, NULL, 0));
    assert_status(pbs_body_set_target_orientations(world, body, &first, 1, wrong),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_target_orientations(world, body, &first, 1, NULL),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_orientations(world, body, NULL, 12), PBS_ERROR_ARGUMENT);
    pbs_bond_load loads[20];
    const uint32_t *pairs = NULL;
    size_t bond_count = 0;
    size_t load_count = 0;
    assert_ok(pbs_body_bond_loads(world, body, NULL, sizeof *loads, &load_count));
    assert_int_equal(load_count, 20);
    assert_ok(pbs_body_bond_loads(world, body, loads, sizeof *loads, &load_count));
    load_count = 19;
    assert_status(pbs_body_bond_loads(world, body, loads, sizeof *loads, &load_count),
                  PBS_ERROR_CAPACITY);
    assert_message("count is 19 bonds, but there are 20");
    assert_int_equal(load_count, 20);
    assert_status(pbs_body_bond_loads(world, body, loads, 3, &load_count), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_body_bond_loads(world, body, loads, sizeof *loads, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_bond_loads(world, cube, loads, sizeof *loads, &load_count),
                  PBS_ERROR_ARGUMENT);
    assert_ok(pbs_body_bonds(world, body, &pairs, &bond_count));
    assert_int_equal(bond_count, 20);
    assert_int_equal(pairs[0], 0);
    assert_int_equal(pairs[1], 1);
    assert_status(pbs_body_bonds(world, cube, &pairs, &bond_count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_bonds(world, body, NULL, &bond_count), PBS_ERROR_ARGUMENT);
    // The cube before it is destroyed, and its nodes move.
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_destroy(world, cube));
    double before[4];
    memcpy(before, pbs_body_orientations(world, body), sizeof before);
    assert_ok(pbs_world_step(world, 1e-9));
    assert_small(testing_max_difference(pbs_body_orientations(world, body), before, 4), 1e-7,
                 "orientation");
    pbs_world_destroy(world);
}

SPOIL(no_particles, pbs_bonded_desc *d, d->particle_count = 0)
SPOIL(no_positions, pbs_bonded_desc *d, d->positions = NULL)
SPOIL(no_radii, pbs_bonded_desc *d, d->radii = NULL)
SPOIL(no_bonds, pbs_bonded_desc *d, d->bonds = NULL)
SPOIL(missing_particle, pbs_bonded_desc *d, static const uint32_t b[2] = {0, 2}; d->bonds = b)
SPOIL(same_particle, pbs_bonded_desc *d, static const uint32_t b[2] = {1, 1}; d->bonds = b)
SPOIL(one_place, pbs_bonded_desc *d, static const double x[6] = {0.0}; d->positions = x)
SPOIL(no_section, pbs_bonded_desc *d, d->bond_radius = 0.0)
SPOIL(bad_section, pbs_bonded_desc *d, static const double r = 0.0; d->bond_radii = &r)
SPOIL(bad_young, pbs_bonded_desc *d, d->young = -1.0)
SPOIL(bad_bond_young, pbs_bonded_desc *d, static const double e = NAN; d->bond_young = &e)
SPOIL(bad_shear, pbs_bonded_desc *d, d->shear_modulus = 0.0)
SPOIL(bad_bond_shear, pbs_bonded_desc *d, static const double g = 0.0; d->bond_shear_moduli = &g)
SPOIL(bad_factor, pbs_bonded_desc *d, d->shear_factor = 0.0)
SPOIL(bad_form, pbs_bonded_desc *d, d->shear = 2)
SPOIL(bad_reserved, pbs_bonded_desc *d, d->reserved = 1)
SPOIL(bad_radius, pbs_bonded_desc *d, static const double r[2] = {1.0, -1.0}; d->radii = r)
SPOIL(bad_mass, pbs_bonded_desc *d, static const double m[2] = {1.0, 0.0}; d->masses = m)
SPOIL(bad_density, pbs_bonded_desc *d, d->density = 0.0)
SPOIL(bad_drag, pbs_bonded_desc *d, d->drag = -1.0)
SPOIL(bad_spin, pbs_bonded_desc *d, static const double w[6] = {NAN}; d->angular_velocities = w)
SPOIL(too_stiff, pbs_bonded_desc *d, d->young = 1e30; d->bond_radius = 1e150)
SPOIL(too_light, pbs_bonded_desc *d, d->density = 1e-308)
SPOIL(bad_size, pbs_bonded_desc *d, d->struct_size = 3)

static const struct refusal refusals[] = {
    {no_particles, PBS_ERROR_ARGUMENT, "particle_count is 0"},
    {no_positions, PBS_ERROR_ARGUMENT, "positions is null"},
    {no_radii, PBS_ERROR_ARGUMENT, "radii is null"},
    {no_bonds, PBS_ERROR_ARGUMENT, "bonds is null"},
    {missing_particle, PBS_ERROR_MESH, "bond 0: particle 2, but there are only 2"},
    {same_particle, PBS_ERROR_MESH, "bond 0: particle 1 twice"},
    {one_place, PBS_ERROR_MESH, "bond 0: particles 0 and 1 are 0 m apart"},
    {no_section, PBS_ERROR_ARGUMENT, "bond_radius, that of the sections, is 0"},
    {bad_section, PBS_ERROR_ARGUMENT, "bond_radii of bond 0 is 0"},
    {bad_young, PBS_ERROR_ARGUMENT, "young is -1"},
    {bad_bond_young, PBS_ERROR_ARGUMENT, "bond_young of bond 0 is nan"},
    {bad_shear, PBS_ERROR_ARGUMENT, "shear_modulus is 0"},
    {bad_bond_shear, PBS_ERROR_ARGUMENT, "bond_shear_moduli of bond 0 is 0"},
    {bad_factor, PBS_ERROR_ARGUMENT, "shear_factor is 0"},
    {bad_form, PBS_ERROR_ARGUMENT, "shear is 2"},
    {bad_reserved, PBS_ERROR_ARGUMENT, "reserved is 1"},
    {bad_radius, PBS_ERROR_ARGUMENT, "radii of particle 1 is -1"},
    {bad_mass, PBS_ERROR_ARGUMENT, "masses of vertex 1: 0 kg"},
    {bad_density, PBS_ERROR_ARGUMENT, "density is 0"},
    {bad_drag, PBS_ERROR_ARGUMENT, "drag is -1"},
    {bad_spin, PBS_ERROR_ARGUMENT, "angular_velocities of vertex 0: x is nan"},
    {too_stiff, PBS_ERROR_ARGUMENT, "bond 0: stiffnesses inf N/m"},
    {too_light, PBS_ERROR_ARGUMENT, "masses of vertex 0"},
    {bad_size, PBS_ERROR_STRUCT_SIZE, "struct_size is 3"},
};

static void wrong_descriptions_are_refused_in_words(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double none[3] = {0.0, 0.0, 0.0};
    pbs_world *world = new_world();
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        pbs_body body = {0};
        bonded_block(&p, 2, 1, 1, none);
        refusals[i].spoil(&p.d);
        assert_status(pbs_body_create_bonded(world, &p.d, &body), refusals[i].status);
        assert_message(refusals[i].words);
        assert_true(body.id == 0);
    }
    assert_int_equal(pbs_world_body_count(world), 0);
    pbs_world_destroy(world);
}

static pbs_status create(pbs_world *world, void *context) {
    static struct bonded_parts p;
    const double spin[3] = {0.0, 1.0, 0.0};
    bonded_block(&p, 2, 2, 2, spin);
    return pbs_body_create_bonded(world, &p.d, context);
}

static pbs_status turn(pbs_world *world, void *context) {
    double q[32] = {0.0};
    for (size_t i = 0; i < 8; i++) {
        q[4 * i + 3] = 1.0;
    }
    const pbs_body *body = context;
    return pbs_body_set_orientations(world, *body, q, 8);
}

static pbs_status step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 0.01);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    uint64_t refused = 0;
    pbs_body body;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(refuse_until_success(&allocator, world, create, &body, &refused));
    assert_true(refused > 8);
    assert_ok(refuse_until_success(&allocator, world, turn, &body, &refused));
    assert_int_equal(refused, 2);
    assert_ok(refuse_until_success(&allocator, world, step, NULL, &refused));
    assert_true(refused > 20);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_mean_what_they_say),
        cmocka_unit_test(bonds_have_values_of_their_own),
        cmocka_unit_test(free_particles_spin_on),
        cmocka_unit_test(drag_slows_spin_as_it_slows_motion),
        cmocka_unit_test(signs_of_quaternions_are_no_strain),
        cmocka_unit_test(orientations_are_held_and_scripted),
        cmocka_unit_test(spins_can_be_set),
        cmocka_unit_test(failed_steps_turn_nothing),
        cmocka_unit_test(advances_are_their_steps),
        cmocka_unit_test(saved_worlds_go_on_to_the_bit),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(step_doubling_sees_turns),
        cmocka_unit_test(particles_stay_above_the_ground),
        cmocka_unit_test(blended_states_are_refused),
        cmocka_unit_test(other_bodies_have_no_orientations),
        cmocka_unit_test(wrong_descriptions_are_refused_in_words),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

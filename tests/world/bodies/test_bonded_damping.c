// Dashpots along the bonds of bonded bodies (docs/theory/bonds.md section 1.5): what they take from
// a vibration, that they leave rigid motion alone, and that a broken bond has none.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double ALONG[3] = {0.6, 0.0, 0.8};

static pbs_world *free_world(void) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-12;
    pbs_world *world = new_world_from(&settings);
    use_scheme(world, PBS_SCHEME_TR_BDF2);
    return world;
}

/// Two particles and one bond of 1 m; they part with `speed` each.
static pbs_body add_pair(pbs_world *world, double damping, double speed) {
    static struct bonded_parts p;
    pbs_body body;
    bonded_beam(&p, 1, ALONG);
    p.d.damping = damping;
    for (size_t k = 0; k < 6; k++) {
        p.velocities[k] = (k < 3 ? -speed : speed) * ALONG[k % 3];
    }
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    return body;
}

/// rad/s: sqrt(2 k / m), k = E A / l.
static double frequency(const pbs_world *world, pbs_body body) {
    return sqrt(2.0 * 1e7 * PI * 0.02 * 0.02 / pbs_body_masses(world, body)[0]);
}

/// With the damping ratio z = damping w / 2, a whole period of 2 pi / (w sqrt(1 - z^2)) takes the
/// speed by exp(-2 pi z / sqrt(1 - z^2)). The steps, 1/400 of it, are of second order.
static void a_vibration_decays_as_it_should(void **state) {
    (void)state;
    pbs_world *world = free_world();
    const double damping = 0.03, speed = 1e-3;
    const pbs_body body = add_pair(world, damping, speed);
    const double w = frequency(world, body), z = 0.5 * damping * w;
    const double period = 2.0 * PI / (w * sqrt(1.0 - z * z));
    const double first = energy_of(world).kinetic;
    for (int turn = 1; turn <= 3; turn++) {
        for (int n = 0; n < 400; n++) {
            assert_ok(pbs_world_step(world, period / 400.0));
        }
        const double expected = exp(-2.0 * z * w * turn * period);
        assert_near(energy_of(world).kinetic / first, expected, 2e-3 * expected, "energy");
    }
    assert_near(energy_of(world).dissipated / first, 1.0 - exp(-6.0 * z * w * period), 2e-2,
                "dissipated");
    pbs_world_destroy(world);
}

/// Spinning at the length at which the bond bears the centrifugal force, through two turns.
static double energy_after_turns(double damping) {
    pbs_world *world = free_world();
    const pbs_body body = add_pair(world, damping, 0.0);
    const double mass = pbs_body_masses(world, body)[0], spin = 2.0;
    const double stiffness = 1e7 * PI * 0.02 * 0.02;
    const double length = stiffness / (stiffness - 0.5 * mass * spin * spin);
    double x[6], v[6] = {0.0}, spins[6] = {0.0};
    for (int i = 0; i < 2; i++) {
        const double arm = (i == 0 ? -0.5 : 0.5) * length;
        for (int k = 0; k < 3; k++) {
            x[3 * i + k] = arm * ALONG[k];
        }
        v[3 * i] = spin * x[3 * i + 2];
        v[3 * i + 2] = -spin * x[3 * i];
        spins[3 * i + 1] = spin;
    }
    assert_ok(pbs_body_set_positions(world, body, x, 2));
    assert_ok(pbs_body_set_velocities(world, body, v, 2));
    assert_ok(pbs_body_set_angular_velocities(world, body, spins, 2));
    for (int n = 0; n < 400; n++) {
        assert_ok(pbs_world_step(world, 4.0 * PI / spin / 400.0));
    }
    const pbs_energy energy = energy_of(world);
    pbs_world_destroy(world);
    return energy.kinetic + energy.elastic;
}

/// TR-BDF2's own error in following the circle, which makes the length vibrate by some 1e-6, is all
/// that is damped.
static void rigid_motion_is_not_damped(void **state) {
    (void)state;
    const double without = energy_after_turns(0.0);
    assert_near(energy_after_turns(0.05) / without, 1.0, 1e-6, "energy");
}

static void a_broken_bond_has_no_dashpot(void **state) {
    (void)state;
    pbs_world *world = free_world();
    const uint32_t only = 0;
    const double damping = 0.05;
    const pbs_body intact = add_pair(world, damping, 1e-3);
    const pbs_body broken = add_pair(world, damping, 1e-3);
    assert_ok(pbs_body_break_bonds(world, broken, &only, 1));
    for (int n = 0; n < 10; n++) {
        assert_ok(pbs_world_step(world, 0.01));
        assert_ok(pbs_body_break_bonds(world, broken, &only, (size_t)(n % 2)));
    }
    const double *v = pbs_body_velocities(world, broken);
    for (int k = 0; k < 3; k++) {
        assert_near(v[3 + k], 1e-3 * ALONG[k], 1e-12, "velocity, m/s");
    }
    assert_true(fabs(pbs_body_velocities(world, intact)[3]) < 0.9e-3 * ALONG[0]);
    pbs_world_destroy(world);
}

/// Dashpots of bonded and of peridynamic bodies are two terms: each kind's bonds break their own.
static void both_kinds_of_bonds_break_their_own_dashpots(void **state) {
    (void)state;
    static const double places[6] = {5.0, 0.0, 0.0, 5.1, 0.0, 0.0};
    static const double volumes[2] = {1e-3, 1e-3};
    static const double speeds[6] = {-1e-3, 0.0, 0.0, 1e-3, 0.0, 0.0};
    const uint32_t only = 0;
    pbs_world *world = free_world();
    pbs_peridynamic_desc d;
    pbs_body other;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.dimension = PBS_PERIDYNAMIC_BAR;
    d.particle_count = 2;
    d.positions = places;
    d.velocities = speeds;
    d.volumes = volumes;
    d.spacing = 0.1;
    d.section = 1e-2;
    d.young = 1e4;
    d.damping = 0.05;
    assert_ok(pbs_body_create_peridynamic(world, &d, &other));
    const pbs_body bonded = add_pair(world, 0.05, 1e-3);
    assert_ok(pbs_world_step(world, 1e-4));
    assert_ok(pbs_body_break_bonds(world, other, &only, 1));
    assert_ok(pbs_body_break_bonds(world, bonded, &only, 1));
    double before[2], after[2];
    for (int n = 0; n < 2; n++) {
        assert_ok(pbs_world_step(world, 1e-3));
        double *at = n == 0 ? before : after;
        at[0] = pbs_body_velocities(world, other)[3];
        at[1] = pbs_body_velocities(world, bonded)[3];
    }
    assert_near(after[0], before[0], 1e-12, "velocity, m/s");
    assert_near(after[1], before[1], 1e-12, "velocity, m/s");
    pbs_world_destroy(world);
}

static void damping_is_a_parameter_and_is_saved(void **state) {
    (void)state;
    pbs_world *world = free_world();
    pbs_world *restored = new_world();
    const pbs_body body = add_pair(world, 0.0, 1e-3);
    const double damping = 0.04, negative = -1.0;
    double read = 0.0;
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_set_parameter(world, body, PBS_PARAMETER_DAMPING, &damping, 1));
    assert_status(pbs_body_set_parameter(world, body, PBS_PARAMETER_DAMPING, &negative, 1),
                  PBS_ERROR_ARGUMENT);
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(restored, saved.data, saved.size));
    assert_ok(pbs_body_parameter(restored, body, PBS_PARAMETER_DAMPING, &read, 1));
    assert_true(read == damping);
    for (int n = 0; n < 5; n++) {
        assert_ok(pbs_world_step(world, 0.01));
        assert_ok(pbs_world_step(restored, 0.01));
    }
    assert_true(pbs_world_hash(world) == pbs_world_hash(restored));
    assert_true(energy_of(world).dissipated > 0.0);
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(restored);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vibration_decays_as_it_should),
        cmocka_unit_test(rigid_motion_is_not_damped),
        cmocka_unit_test(a_broken_bond_has_no_dashpot),
        cmocka_unit_test(both_kinds_of_bonds_break_their_own_dashpots),
        cmocka_unit_test(damping_is_a_parameter_and_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

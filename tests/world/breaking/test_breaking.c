// Breaking bonds: where and when they break, and what remains of their forces. Breaks in steps that
// succeed or fail, in advances and in saved worlds, with any number of threads.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/math3.h"
#include "world/refusal.h"

static const double PI = 3.14159265358979323846;

static pbs_world *weightless_world(int32_t scheme, uint32_t threads) {
    pbs_world_desc settings;
    const double none[3] = {0.0, 0.0, 0.0};
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memcpy(settings.gravity, none, sizeof none);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-12;
    settings.threads = (int32_t)threads;
    pbs_world *world = new_world_from(&settings);
    use_scheme_of(world, scheme);
    return world;
}

static size_t events_of(const pbs_world *world, pbs_broken_bond *rows, size_t room) {
    size_t count = room;
    assert_ok(pbs_world_broken_bonds(world, rows, sizeof *rows, &count));
    return count;
}

/// Two spheres, the first held, the second moved along x by so much in each step.
struct pulled {
    pbs_world *world;
    pbs_body body;
};

static struct pulled pull(double tensile, double shear) {
    static struct bonded_parts p;
    const double none[3] = {0.0, 0.0, 0.0};
    const uint32_t both[2] = {0, 1};
    struct pulled s = {.world = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 1)};
    bonded_block(&p, 2, 1, 1, none);
    p.d.tensile_strength = tensile;
    p.d.shear_strength = shear;
    assert_ok(pbs_body_create_bonded(s.world, &p.d, &s.body));
    assert_ok(pbs_body_pin(s.world, s.body, both, 2, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin_orientations(s.world, s.body, both, 2));
    return s;
}

static void move_second(const struct pulled *s, double x, double y) {
    const uint32_t second = 1;
    const double place[3] = {0.05 + x, y, 0.0};
    assert_ok(pbs_body_set_targets(s->world, s->body, &second, 1, place));
    assert_ok(pbs_world_step(s->world, 0.01));
}

/// E e > sigma: at 1e7 Pa a strain of 0.01 bears 1e5 Pa. In the third step of 0.4 % it is past
/// that, and the bond's energy is gone, counted as dissipated.
static void tension_breaks_at_the_strength(void **state) {
    (void)state;
    const struct pulled s = pull(1e5, 0.0);
    pbs_broken_bond event;
    for (int n = 1; n <= 4; n++) {
        move_second(&s, 0.0004 * n, 0.0);
        const size_t count = events_of(s.world, &event, 1);
        assert_int_equal(count, n == 3);
        assert_int_equal(bonded_count_broken(s.world, s.body), n >= 3);
        const double stress = 1e7 * 0.004 * n;
        const double energy = 0.5 * stress * 0.004 * n * PI * 0.0025 * 0.1;
        assert_near(energy_of(s.world).elastic, n < 3 ? energy : 0.0, 1e-12 * energy, "energy");
        if (count == 1) {
            assert_true(event.body.id == s.body.id);
            assert_int_equal(event.bond, 0);
            assert_near(event.time, 0.03, 1e-15, "time");
            assert_near(event.normal_stress, stress, 1e-9 * stress, "stress");
            assert_near(event.shear_stress, 0.0, 1e-6, "no shear");
            assert_near(event.energy, energy, 1e-9 * energy, "energy of the bond");
            assert_near(energy_of(s.world).dissipated, event.energy, 1e-15, "dissipated");
        }
    }
    pbs_bond_load load;
    size_t one = 1;
    assert_ok(pbs_body_bond_loads(s.world, s.body, &load, sizeof load, &one));
    assert_near(load.normal, 0.0, 0.0, "a broken bond bears nothing");
    pbs_world_destroy(s.world);
}

static void pressure_breaks_nothing(void **state) {
    (void)state;
    const struct pulled s = pull(1e5, 1e5);
    for (int n = 1; n <= 10; n++) {
        move_second(&s, -0.004 * n, 0.0);
    }
    assert_int_equal(bonded_count_broken(s.world, s.body), 0);
    pbs_world_destroy(s.world);
}

/// G sin(theta) of 4e6 Pa: 1e5 Pa are borne at 0.025 rad, past 2.5 mm sideways.
static void shear_breaks_at_its_own_strength(void **state) {
    (void)state;
    const struct pulled s = pull(1e9, 1e5);
    pbs_broken_bond event;
    for (int n = 1; n <= 3; n++) {
        move_second(&s, 0.0, 0.001 * n);
        assert_int_equal(events_of(s.world, &event, 1), n == 3);
    }
    assert_near(event.shear_stress, 4e6 * 0.03, 1e-3 * 4e6 * 0.03, "stress");
    pbs_world_destroy(s.world);
}

/// After a break a kept acceleration would go on pulling: what is left flies straight on.
static void nothing_is_left_of_a_broken_bond(void **state) {
    (void)state;
    const int32_t schemes[4] = {PBS_SCHEME_TRAPEZOIDAL, PBS_SCHEME_TR_BDF2,
                                PBS_SCHEME_GENERALIZED_ALPHA, PBS_SCHEME_IMPLICIT_EULER};
    for (int i = 0; i < 8; i++) {
        static struct bonded_parts p;
        const double none[3] = {0.0, 0.0, 0.0};
        pbs_body body;
        pbs_world *world = weightless_world(schemes[i / 2], 1);
        bonded_block(&p, 2, 1, 1, none);
        p.velocities[0] = -1.0;
        p.velocities[3] = 1.0;
        // By its own strength, or cut by the host.
        const bool cut = i % 2 == 1;
        const uint32_t first = 0;
        p.d.tensile_strength = cut ? 0.0 : 1e5;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        for (int n = 0; bonded_count_broken(world, body) == 0 && n < (cut ? 5 : 100); n++) {
            assert_ok(pbs_world_step(world, 1e-4));
        }
        assert_ok(cut ? pbs_body_break_bonds(world, body, &first, 1) : PBS_OK);
        assert_int_equal(bonded_count_broken(world, body), 1);
        double v[6];
        memcpy(v, pbs_body_velocities(world, body), sizeof v);
        assert_near(v[0] + v[3], 0.0, 1e-12, "momentum");
        for (int n = 0; n < 3; n++) {
            assert_ok(pbs_world_step(world, 1e-4));
            assert_small(testing_max_difference(pbs_body_velocities(world, body), v, 6), 1e-10,
                         "straight on");
        }
        assert_int_equal(events_of(world, NULL, 0), 0);
        pbs_world_destroy(world);
    }
}

// --- many bonds ---

/// A block that spins fast enough to fly apart, of bonds of all strengths, so that it takes a
/// while.
static pbs_body add_bursting(pbs_world *world) {
    static struct bonded_parts p;
    static double strengths[2][3 * BONDED_LIMIT];
    const double spin[3] = {4.0, 60.0, -10.0};
    struct random random = random_seed(9);
    pbs_body body;
    bonded_block(&p, 6, 4, 5, spin);
    random_fill(&random, 5e4, 4e5, strengths[0], p.d.bond_count);
    random_fill(&random, 5e4, 4e5, strengths[1], p.d.bond_count);
    p.d.bond_tensile_strengths = strengths[0];
    p.d.bond_shear_strengths = strengths[1];
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    return body;
}

static void same_state(const pbs_world *a, pbs_body first, const pbs_world *b, pbs_body second) {
    const uint32_t *pairs = NULL;
    size_t bonds = 0;
    const size_t count = pbs_body_vertex_count(a, first);
    assert_ok(pbs_body_bonds(a, first, &pairs, &bonds));
    assert_same_bits(pbs_body_positions(a, first), pbs_body_positions(b, second), 3 * count);
    assert_same_bits(pbs_body_velocities(a, first), pbs_body_velocities(b, second), 3 * count);
    assert_same_bits(pbs_body_orientations(a, first), pbs_body_orientations(b, second), 4 * count);
    assert_memory_equal(pbs_body_broken(a, first), pbs_body_broken(b, second), bonds);
}

/// Saved in the middle of it, with another number of threads.
static void cracks_go_on_to_the_bit(void **state) {
    (void)state;
    pbs_world *world = weightless_world(PBS_SCHEME_BDF2, 1);
    const pbs_body body = add_bursting(world);
    int steps = 0;
    while (bonded_count_broken(world, body) == 0 && steps++ < 200) {
        assert_ok(pbs_world_step(world, 1e-3));
    }
    const size_t before = bonded_count_broken(world, body);
    assert_true(before > 0);
    struct saved_world saved = save_world(world);
    pbs_world *other = weightless_world(PBS_SCHEME_IMPLICIT_EULER, 3);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    const pbs_body same = pbs_world_body_at(other, 0);
    assert_int_equal(events_of(other, NULL, 0), 0);
    same_state(world, body, other, same);
    for (int n = 0; n < 10; n++) {
        static pbs_broken_bond rows[2][1024];
        assert_ok(pbs_world_step(world, 1e-3));
        assert_ok(pbs_world_step(other, 1e-3));
        same_state(world, body, other, same);
        const size_t count = events_of(world, rows[0], 1024);
        assert_int_equal(events_of(other, rows[1], 1024), count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(rows[0][i].bond, rows[1][i].bond);
            assert_true(i == 0 || rows[0][i].bond > rows[0][i - 1].bond);
            assert_same_bits(&rows[0][i].time, &rows[1][i].time, 4);
        }
    }
    assert_true(bonded_count_broken(world, body) > before);
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

/// Bonds break in each step of an advance, as in as many calls.
static void advances_break_in_each_step(void **state) {
    (void)state;
    static pbs_broken_bond rows[1024];
    pbs_world *worlds[2];
    pbs_body bodies[2];
    const double h = 0.0009765625;
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_BDF2));
    d.step_control.max = h;
    assert_ok(pbs_integrator_create(&d, &integrator));
    for (int i = 0; i < 2; i++) {
        worlds[i] = weightless_world(PBS_SCHEME_BDF2, 1);
        assert_ok(pbs_world_set_integrator(worlds[i], integrator));
        bodies[i] = add_bursting(worlds[i]);
    }
    pbs_integrator_destroy(integrator);
    assert_ok(pbs_world_advance(worlds[0], 32.0 * h));
    const size_t count = events_of(worlds[0], rows, 1024);
    size_t at = 0;
    for (int n = 1; n <= 32; n++) {
        static pbs_broken_bond own[1024];
        assert_ok(pbs_world_step(worlds[1], h));
        const size_t some = events_of(worlds[1], own, 1024);
        for (size_t i = 0; i < some; i++, at++) {
            assert_int_equal(rows[at].bond, own[i].bond);
            assert_near(rows[at].time, n * h, 1e-15, "time");
        }
    }
    assert_int_equal(at, count);
    assert_true(count > 10);
    same_state(worlds[0], bodies[0], worlds[1], bodies[1]);
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

/// An advance that broke bonds and then failed has broken none: neither for those who read, nor for
/// the energy, nor for what follows.
static void failed_advances_break_nothing(void **state) {
    (void)state;
    pbs_world *worlds[2];
    pbs_body bodies[2];
    int left[2] = {1000000, 1000000};
    for (int i = 0; i < 2; i++) {
        pbs_integrator_desc d;
        pbs_integrator *integrator = NULL;
        worlds[i] = weightless_world(PBS_SCHEME_TR_BDF2, 1);
        assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_TR_BDF2));
        d.step_control.max = 1e-3;
        assert_ok(pbs_integrator_create(&d, &integrator));
        assert_ok(pbs_world_set_integrator(worlds[i], integrator));
        pbs_integrator_destroy(integrator);
        bodies[i] = add_bursting(worlds[i]);
        add_stopping_particle(worlds[i], &left[i]);
    }
    // How many calls forty steps take, so that the other world is stopped in the last of them.
    assert_ok(pbs_world_advance(worlds[1], 0.04));
    assert_true(bonded_count_broken(worlds[1], bodies[1]) > 0);
    left[0] = 1000000 - left[1] - 3;
    const double energy = energy_of(worlds[0]).elastic;
    assert_status(pbs_world_advance(worlds[0], 0.04), PBS_ERROR_HOST);
    left[0] = 1000000;
    assert_int_equal(bonded_count_broken(worlds[0], bodies[0]), 0);
    assert_int_equal(events_of(worlds[0], NULL, 0), 0);
    assert_near(energy_of(worlds[0]).elastic, energy, 0.0, "elastic energy");
    assert_near(energy_of(worlds[0]).dissipated, 0.0, 0.0, "dissipated");
    assert_ok(pbs_world_advance(worlds[0], 0.04));
    same_state(worlds[0], bodies[0], worlds[1], bodies[1]);
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

/// Steps that the control takes back are not broken in, though their halves were.
static void rejected_steps_break_nothing(void **state) {
    (void)state;
    static pbs_broken_bond rows[1024];
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    pbs_world *world = weightless_world(PBS_SCHEME_TR_BDF2, 1);
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_TR_BDF2));
    d.step_control.kind = PBS_STEP_DOUBLING;
    d.step_control.max = 0.02;
    d.step_control.initial = 0.02;
    d.step_control.tolerance = 1e-4;
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    const pbs_body body = add_bursting(world);
    assert_ok(pbs_world_advance(world, 0.04));
    const pbs_stats stats = stats_of(world);
    assert_true(stats.step_control.rejected > 0);
    const size_t count = events_of(world, rows, 1024);
    assert_true(count > 0);
    assert_int_equal(bonded_count_broken(world, body), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(rows[i].time > 0.0 && rows[i].time <= 0.04 + 1e-12);
        assert_true(i == 0 || rows[i].time >= rows[i - 1].time);
    }
    pbs_world_destroy(world);
}

/// What breaks takes its energy with it and leaves momentum alone; angular momentum too, by the
/// midpoint rule.
static void breaking_keeps_momentum(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double spin[3] = {4.0, 60.0, -10.0};
    double before[3];
    double after[3];
    bonded_block(&p, 6, 4, 5, spin);
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_MIDPOINT, 1);
    const pbs_body body = add_bursting(world);
    bonded_angular_momentum(world, body, &p, before);
    const double energy = energy_of(world).total;
    for (int n = 0; n < 60; n++) {
        assert_ok(pbs_world_step(world, 5e-4));
    }
    assert_true(bonded_count_broken(world, body) > 10);
    bonded_angular_momentum(world, body, &p, after);
    assert_small(testing_max_difference(before, after, 3) / norm3(before), 1e-9,
                 "angular momentum");
    const double left = energy_of(world).total + energy_of(world).dissipated;
    // Steps of 0.5 ms resolve the block's motion to a per mille.
    assert_near(left / energy, 1.0, 2e-3, "energy and what broke");
    pbs_world_destroy(world);
}

/// The energy's target loses what broken bonds take along, so no correction makes up for it.
static void energy_control_lets_broken_energy_go(void **state) {
    (void)state;
    pbs_world *world = weightless_world(PBS_SCHEME_A_SEARCH, 1);
    const pbs_body body = add_bursting(world);
    const double energy = energy_of(world).total;
    for (int n = 0; n < 60; n++) {
        assert_ok(pbs_world_step(world, 5e-4));
    }
    assert_true(bonded_count_broken(world, body) > 10);
    const double gone = energy_of(world).dissipated;
    assert_true(gone > 0.02 * energy);
    // alpha within 0 .. 1.1 leaves up to half a per cent at such steps.
    assert_near((energy_of(world).total + gone) / energy, 1.0, 5e-3, "energy and what broke");
    pbs_world_destroy(world);
}

// --- the host ---

/// A cut through the block is as good as a block made without those bonds.
static void cuts_are_as_missing_bonds(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double spin[3] = {1.0, 5.0, -2.0};
    pbs_world *worlds[2];
    pbs_body bodies[2];
    for (int i = 0; i < 2; i++) {
        uint32_t cut[64];
        size_t cut_count = 0;
        size_t kept = 0;
        worlds[i] = weightless_world(PBS_SCHEME_BDF2, 1);
        bonded_block(&p, 4, 3, 2, spin);
        for (uint32_t b = 0; b < p.d.bond_count; b++) {
            const bool across = p.bonds[2 * b] % 4 == 1 && p.bonds[2 * b + 1] % 4 == 2;
            if (across) {
                cut[cut_count++] = b;
            }
            if (i == 1 && !across) {
                p.bonds[2 * kept] = p.bonds[2 * b];
                p.bonds[2 * kept + 1] = p.bonds[2 * b + 1];
                kept++;
            }
        }
        p.d.bond_count = i == 1 ? kept : p.d.bond_count;
        assert_ok(pbs_body_create_bonded(worlds[i], &p.d, &bodies[i]));
        if (i == 0) {
            // Half of it before the matrices are made, half after.
            assert_ok(pbs_body_break_bonds(worlds[0], bodies[0], cut, cut_count / 2));
            assert_ok(pbs_world_step(worlds[0], 1e-9));
            assert_ok(pbs_body_break_bonds(worlds[0], bodies[0], cut, cut_count));
            assert_int_equal(bonded_count_broken(worlds[0], bodies[0]), 6);
            assert_ok(pbs_body_set_positions(worlds[0], bodies[0], p.positions, 24));
            assert_ok(pbs_body_set_velocities(worlds[0], bodies[0], p.velocities, 24));
        } else {
            assert_ok(pbs_world_step(worlds[1], 1e-9));
            assert_ok(pbs_body_set_positions(worlds[1], bodies[1], p.positions, 24));
            assert_ok(pbs_body_set_velocities(worlds[1], bodies[1], p.velocities, 24));
        }
        for (int n = 0; n < 10; n++) {
            assert_ok(pbs_world_step(worlds[i], 0.01));
        }
    }
    // Rounding and tolerance of ten steps.
    assert_small(testing_max_difference(pbs_body_positions(worlds[0], bodies[0]),
                                        pbs_body_positions(worlds[1], bodies[1]), 72),
                 1e-8, "positions");
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

SPOIL(bad_tensile, pbs_bonded_desc *d, d->tensile_strength = -1.0)
SPOIL(bad_shear, pbs_bonded_desc *d, d->shear_strength = NAN)
SPOIL(bad_tensiles, pbs_bonded_desc *d, static const double s = INFINITY;
      d->bond_tensile_strengths = &s)
SPOIL(bad_shears, pbs_bonded_desc *d, static const double s = -1.0; d->bond_shear_strengths = &s)

static const struct refusal refusals[] = {
    {bad_tensile, PBS_ERROR_ARGUMENT, "tensile_strength is -1"},
    {bad_shear, PBS_ERROR_ARGUMENT, "shear_strength is nan"},
    {bad_tensiles, PBS_ERROR_ARGUMENT, "bond_tensile_strengths of bond 0 is inf"},
    {bad_shears, PBS_ERROR_ARGUMENT, "bond_shear_strengths of bond 0 is -1"},
};

static void wrong_calls_are_refused_in_words(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double none[3] = {0.0, 0.0, 0.0};
    const uint32_t far = 1;
    const uint32_t first = 0;
    pbs_broken_bond row;
    size_t count = 0;
    pbs_body body = {0};
    pbs_world *world = new_world();
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        bonded_block(&p, 2, 1, 1, none);
        refusals[i].spoil(&p.d);
        assert_status(pbs_body_create_bonded(world, &p.d, &body), refusals[i].status);
        assert_message(refusals[i].words);
    }
    bonded_block(&p, 2, 1, 1, none);
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_status(pbs_body_break_bonds(world, body, &far, 1), PBS_ERROR_ARGUMENT);
    assert_message("bonds[0] is 1, but the body has 1 bonds");
    assert_status(pbs_body_break_bonds(world, body, NULL, 1), PBS_ERROR_ARGUMENT);
    assert_ok(pbs_body_break_bonds(world, body, NULL, 0));
    const double corner[3] = {0.0, 0.0, 0.0};
    const pbs_body cube = add_cube(world, 1, 1.0, corner, NULL);
    assert_status(pbs_body_break_bonds(world, cube, &first, 1), PBS_ERROR_ARGUMENT);
    assert_message("the body has no bonds");
    assert_null(pbs_body_broken(world, cube));
    assert_status(pbs_world_broken_bonds(world, &row, sizeof row, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_broken_bonds(world, &row, 3, &count), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_world_broken_bonds(NULL, &row, sizeof row, &count), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(world);
}

/// Once a world is warm breaking takes no memory.
static void breaking_takes_no_memory(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    const pbs_body body = add_bursting(world);
    use_scheme_of(world, PBS_SCHEME_BDF2);
    assert_ok(pbs_world_step(world, 1e-3));
    assert_ok(pbs_world_step(world, 1e-3));
    const size_t before = bonded_count_broken(world, body);
    const uint64_t calls = allocator.allocate_count;
    for (int n = 0; n < 40; n++) {
        assert_ok(pbs_world_step(world, 1e-3));
    }
    assert_true(bonded_count_broken(world, body) > before);
    assert_int_equal(allocator.allocate_count, calls);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tension_breaks_at_the_strength),
        cmocka_unit_test(pressure_breaks_nothing),
        cmocka_unit_test(shear_breaks_at_its_own_strength),
        cmocka_unit_test(nothing_is_left_of_a_broken_bond),
        cmocka_unit_test(cracks_go_on_to_the_bit),
        cmocka_unit_test(advances_break_in_each_step),
        cmocka_unit_test(failed_advances_break_nothing),
        cmocka_unit_test(rejected_steps_break_nothing),
        cmocka_unit_test(breaking_keeps_momentum),
        cmocka_unit_test(energy_control_lets_broken_energy_go),
        cmocka_unit_test(cuts_are_as_missing_bonds),
        cmocka_unit_test(wrong_calls_are_refused_in_words),
        cmocka_unit_test(breaking_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Step control while bonds break (docs/theory/step_control.md section 4). After a break steps are
// short, until several of them have broken nothing.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

static const double PI = 3.14159265358979323846;

/// Every step control, with a scheme that supports it. The tolerance is so large that steps in
/// which all vertices are scripted are never rejected and have the maximal length.
static const struct {
    int32_t scheme, control;
} controls[] = {
    {PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_FORCE_ERROR},
    {PBS_SCHEME_TRAPEZOIDAL, PBS_STEP_FORCE_ERROR},
    {PBS_SCHEME_NEWMARK, PBS_STEP_FORCE_ERROR},
    {PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_SPEED_LIMIT},
    {PBS_SCHEME_VELOCITY_VERLET, PBS_STEP_SPEED_LIMIT},
    {PBS_SCHEME_TR_BDF2, PBS_STEP_STRETCH_LIMIT},
    {PBS_SCHEME_NEWMARK, PBS_STEP_DOUBLING},
    {PBS_SCHEME_A_SEARCH, PBS_STEP_ALPHA},
};

static pbs_integrator_desc describe(size_t control) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, controls[control].scheme));
    d.step_control.kind = controls[control].control;
    d.linearized = d.step_control.kind == PBS_STEP_FORCE_ERROR;
    d.step_control.tolerance = 1e3;
    d.step_control.max = d.step_control.initial = 0.01;
    d.step_control.growth = INFINITY;
    return d;
}

static pbs_world *weightless_world(uint32_t threads) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-10;
    settings.threads = (int32_t)threads;
    return new_world_from(&settings);
}

static size_t events_of(const pbs_world *world, pbs_broken_bond *rows, size_t room) {
    size_t count = room;
    assert_ok(pbs_world_broken_bonds(world, rows, sizeof *rows, &count));
    return count;
}

// --- a bond that is pulled apart by script ---

/// Two spheres at y, `scale` times 0.1 m apart; a strain of 1 % breaks them.
static pbs_body add_pair(pbs_world *world, double scale, double y) {
    static struct bonded_parts p;
    const double none[3] = {0.0, 0.0, 0.0};
    const uint32_t both[2] = {0, 1};
    pbs_body body;
    bonded_block(&p, 2, 1, 1, none);
    for (size_t i = 0; i < 2; i++) {
        p.positions[3 * i] *= scale;
        p.positions[3 * i + 1] = y;
        p.radii[i] *= scale;
    }
    p.d.bond_radius *= scale;
    p.d.tensile_strength = 1e5;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_body_pin(world, body, both, 2, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin_orientations(world, body, both, 2));
    return body;
}

/// To a strain at the end of what comes next, at a constant speed.
static void stretch(pbs_world *world, pbs_body body, double scale, double y, double strain) {
    const uint32_t second = 1;
    const double place[3] = {scale * (0.05 + 0.1 * strain), y, 0.0};
    assert_ok(pbs_body_set_targets(world, body, &second, 1, place));
}

static pbs_stats pull(const pbs_integrator_desc *d) {
    pbs_world *world = weightless_world(1);
    pbs_broken_bond event;
    const pbs_body body = add_pair(world, 1.0, 0.0);
    use_integrator(world, d);
    // Past 1 % at 28 ms.
    stretch(world, body, 1.0, 0.0, 0.01 / 0.28 * 0.97);
    assert_ok(pbs_world_advance(world, 0.097));
    assert_int_equal(events_of(world, &event, 1), 1);
    assert_near(event.time, 0.03, 1e-12, "time");
    const pbs_stats stats = stats_of(world);
    pbs_world_destroy(world);
    return stats;
}

/// Three steps of 10 ms, of which the third breaks the bond; four of 1 ms; six more of 10 ms, and
/// what is left.
static void steps_are_short_from_a_break_until_all_is_quiet(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        pbs_integrator_desc d = describe(i);
        d.step_control.fracture_step = 1e-3;
        d.step_control.fracture_quiet_steps = 4;
        const pbs_stats stats = pull(&d);
        assert_int_equal(stats.step_control.accepted, 3 + 4 + 6 + 1);
        assert_int_equal(stats.step_control.rejected, 0);
        assert_int_equal(stats.step_control.fracture_limited, 4);
        assert_true(stats.step_control.fracture_step == 1e-3);
        assert_near(stats.step_control.shortest, 1e-3, 1e-18, "shortest");
        assert_near(stats.step_control.longest, 0.01, 1e-15, "longest");
        // A shortest step is one whatever breaks.
        d.step_control.min = 2e-3;
        assert_int_equal(pull(&d).step_control.accepted, 3 + 4 + 5 + 1);
        d.step_control.fracture_step = INFINITY;
        const pbs_stats never = pull(&d);
        assert_int_equal(never.step_control.accepted, 10);
        assert_int_equal(never.step_control.fracture_limited, 0);
        assert_true(never.step_control.fracture_step == 0.0);
    }
}

/// From the short steps they grow as after any other: 1 ms four times, then 2, 4 and 8.
static void steps_grow_from_the_short_ones(void **state) {
    (void)state;
    pbs_integrator_desc d = describe(2);
    d.step_control.growth = 2.0;
    d.step_control.fracture_step = 1e-3;
    d.step_control.fracture_quiet_steps = 4;
    pbs_world *world = weightless_world(1);
    const pbs_body body = add_pair(world, 1.0, 0.0);
    use_integrator(world, &d);
    stretch(world, body, 1.0, 0.0, 0.01 / 0.28 * 0.49);
    assert_ok(pbs_world_advance(world, 0.049));
    assert_int_equal(stats_of(world).step_control.accepted, 3 + 4 + 3 + 1);
    pbs_world_destroy(world);
}

/// sqrt(m / k_t) over 0.92: the mass of a sphere of 5 cm and water, the shear of a bond 5 cm thick
/// and 0.1 m long. All lengths half as long, half of it, of whichever breaks.
static void a_crack_is_given_its_time(void **state) {
    (void)state;
    const double mass = 4.0 / 3.0 * PI * 1.25e-4 * 1000.0;
    const double time = sqrt(mass * 0.1 / (4e6 * PI * 0.0025)) / 0.92;
    const pbs_integrator_desc d = describe(2);
    for (int second = 0; second < 2; second++) {
        pbs_world *world = weightless_world(1);
        const pbs_body one = add_pair(world, 1.0, 0.0);
        const pbs_body other = add_pair(world, 0.5, 1.0);
        use_integrator(world, &d);
        stretch(world, one, 1.0, 0.0, 0.01 / 0.28);
        // In the last of the steps that are short.
        stretch(world, other, 0.5, 1.0, second ? 0.01 / (0.3 + 96.0 * time) : 1e-3);
        assert_ok(pbs_world_advance(world, 0.1));
        const pbs_stats stats = stats_of(world);
        assert_near(stats.step_control.fracture_step, second ? 0.5 * time : time, 1e-12,
                    "the longest step");
        assert_int_equal(stats.step_control.fracture_limited, second ? 10 + 10 : 10);
        pbs_world_destroy(world);
    }
}

/// Two particles 0.1 m apart, of which the second is four times as stiff; a strain of 1 % breaks
/// their bond.
static pbs_body add_peridynamic_pair(pbs_world *world, int32_t dimension, double y) {
    const double positions[6] = {-0.05, y, 0.0, 0.05, y, 0.0};
    const double young[2] = {1e6, 4e6};
    const uint32_t both[2] = {0, 1};
    pbs_body body;
    pbs_peridynamic_desc d;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.dimension = dimension;
    d.section = dimension == PBS_PERIDYNAMIC_SOLID ? 0.0 : 0.01;
    d.particle_count = 2;
    d.positions = positions;
    d.particle_young = young;
    d.density = 2000.0;
    d.spacing = 0.1;
    d.horizon = 0.15;
    d.critical_stretch = 0.01;
    assert_ok(pbs_body_create_peridynamic(world, &d, &body));
    assert_ok(pbs_body_pin(world, body, both, 2, PBS_AXIS_ALL));
    return body;
}

/// In a peridynamic body the time in which Rayleigh's wave crosses the horizon: 0.15 m, over 0.92
/// of the speed of shear waves, sqrt(E / (2 (1 + nu) rho)); the mean over both particles. It is
/// long beside that of the beams above, 2.6 ms, which counts where they break too. Of every
/// control.
static void a_crack_in_a_peridynamic_body_crosses_a_horizon(void **state) {
    (void)state;
    const int32_t dimensions[] = {PBS_PERIDYNAMIC_SOLID, PBS_PERIDYNAMIC_PLANE_STRESS,
                                  PBS_PERIDYNAMIC_PLANE_STRAIN};
    const double poisson[] = {0.25, 1.0 / 3.0, 0.25};
    const double mass = 4.0 / 3.0 * PI * 1.25e-4 * 1000.0;
    const double of_beams = sqrt(mass * 0.1 / (4e6 * PI * 0.0025)) / 0.92;
    for (size_t i = 0; i < COUNT_OF(dimensions) * COUNT_OF(controls); i++) {
        const size_t kind = i % COUNT_OF(dimensions);
        pbs_integrator_desc d = describe(i / COUNT_OF(dimensions));
        d.step_control.max = d.step_control.initial = 0.02;
        const double slowness = sqrt(2.0 * (1.0 + poisson[kind]) * 2000.0 / 1e6);
        const double time = 0.15 / 0.92 * 0.75 * slowness;
        for (int beams = 0; beams < 2; beams++) {
            pbs_world *world = weightless_world(1);
            const pbs_body body = add_peridynamic_pair(world, dimensions[kind], 0.0);
            const pbs_body other = add_pair(world, 1.0, 1.0);
            use_integrator(world, &d);
            stretch(world, body, 1.0, 0.0, 0.02);
            stretch(world, other, 1.0, 1.0, beams ? 0.02 : 1e-3);
            assert_ok(pbs_world_advance(world, 0.2));
            const pbs_stats stats = stats_of(world);
            assert_int_equal(events_of(world, NULL, 0), 1 + beams);
            assert_near(stats.step_control.fracture_step, beams ? of_beams : time, 1e-12,
                        "the longest step");
            assert_true(stats.step_control.fracture_limited >= 5 && time > of_beams);
            pbs_world_destroy(world);
        }
    }
}

/// Equal steps are as long as the host says, whatever breaks.
static void fixed_steps_stay(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        pbs_world *world = weightless_world(1);
        pbs_integrator_desc d = describe(2);
        d.step_control.kind = PBS_STEP_FIXED;
        d.step_control.fracture_step = i == 0 ? 1e-5 : 0.0;
        d.step_control.fracture_quiet_steps = i == 0 ? 1 : 0;
        const pbs_body body = add_pair(world, 1.0, 0.0);
        use_integrator(world, &d);
        stretch(world, body, 1.0, 0.0, 0.01 / 0.28);
        assert_ok(pbs_world_advance(world, 0.1));
        assert_int_equal(events_of(world, NULL, 0), 1);
        assert_int_equal(stats_of(world).step_control.accepted, 10);
        assert_true(stats_of(world).step_control.fracture_step == 0.0);
        assert_ok(pbs_world_step(world, 0.02));
        assert_int_equal(stats_of(world).step_control.accepted, 1);
        hashes[i] = pbs_world_hash(world);
        pbs_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
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

/// Tolerances that refuse some tries of the block's.
static pbs_integrator_desc describe_for_block(size_t control) {
    pbs_integrator_desc d = describe(control);
    d.step_control.growth = 0.0;
    d.step_control.max = d.step_control.initial = 4e-3;
    d.step_control.tolerance = d.step_control.kind == PBS_STEP_SPEED_LIMIT     ? 0.05
                               : d.step_control.kind == PBS_STEP_STRETCH_LIMIT ? 1e-3
                                                                               : 1e-4;
    return d;
}

static pbs_world *new_bursting(const pbs_integrator_desc *d, uint32_t threads) {
    pbs_world *world = weightless_world(threads);
    use_integrator(world, d);
    add_bursting(world);
    return world;
}

static pbs_body only_body(const pbs_world *world) {
    return pbs_world_body_at(world, 0);
}

static void same_state(const pbs_world *a, const pbs_world *b) {
    const pbs_body first = only_body(a);
    const pbs_body second = only_body(b);
    const uint32_t *pairs = NULL;
    size_t bonds = 0;
    assert_ok(pbs_body_bonds(a, first, &pairs, &bonds));
    assert_true(pbs_world_hash(a) == pbs_world_hash(b));
    assert_memory_equal(pbs_body_broken(a, first), pbs_body_broken(b, second), bonds);
    assert_true(stats_of(a).step_control.next == stats_of(b).step_control.next);
}

/// Nothing differs before the first break; from then on no step is longer.
static void the_limit_holds_after_a_break_only(void **state) {
    (void)state;
    const double frame = 4e-3;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        pbs_integrator_desc d = describe_for_block(i);
        d.step_control.fracture_step = INFINITY;
        pbs_world *free = new_bursting(&d, 1);
        d.step_control.fracture_step = 5e-5;
        d.step_control.fracture_quiet_steps = 1000000;
        pbs_world *kept = new_bursting(&d, 1);
        int frames = 0;
        for (; events_of(kept, NULL, 0) == 0; frames++) {
            assert_true(frames < 20);
            same_state(free, kept);
            assert_ok(pbs_world_advance(free, frame));
            assert_ok(pbs_world_advance(kept, frame));
        }
        assert_true(events_of(free, NULL, 0) > 0);
        assert_ok(pbs_world_advance(kept, frame));
        const pbs_stats stats = stats_of(kept);
        assert_true(stats.step_control.longest <= d.step_control.fracture_step * (1.0 + 1e-12));
        assert_true(stats.step_control.accepted >= 80);
        assert_true(stats.step_control.fracture_limited >= 1);
        pbs_world_destroy(free);
        pbs_world_destroy(kept);
    }
}

/// Saved while steps are short, in the middle of the quiet ones, with another number of threads.
static void saved_worlds_remember_that_bonds_break(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        pbs_integrator_desc d = describe_for_block(i);
        d.step_control.fracture_step = 3e-4;
        d.step_control.fracture_quiet_steps = 7;
        pbs_world *world = new_bursting(&d, 1);
        uint32_t short_steps = 0;
        for (int n = 0; bonded_count_broken(world, only_body(world)) == 0; n++) {
            assert_true(n < 200);
            assert_ok(pbs_world_advance(world, 1.1e-3));
        }
        for (int n = 0; n < 6; n++) {
            const struct saved_world saved = save_world(world);
            pbs_world *other = weightless_world(3);
            assert_ok(pbs_world_restore(other, saved.data, saved.size));
            assert_true(stats_of(other).step_control.next == stats_of(world).step_control.next);
            assert_ok(pbs_world_advance(world, 1.1e-3));
            assert_ok(pbs_world_advance(other, 1.1e-3));
            same_state(world, other);
            assert_int_equal(stats_of(other).step_control.fracture_limited,
                             stats_of(world).step_control.fracture_limited);
            assert_true(stats_of(other).step_control.fracture_step ==
                        stats_of(world).step_control.fracture_step);
            short_steps += stats_of(world).step_control.fracture_limited;
            free(saved.data);
            pbs_world_destroy(other);
        }
        assert_true(short_steps > 0);
        pbs_world_destroy(world);
    }
}

/// Who tries 4 ms first and is refused goes on as who tried 2 ms first, to the bit: nothing that
/// the longer step would have broken is broken, nor remembered.
static void refused_steps_break_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        if (controls[i].control != PBS_STEP_FORCE_ERROR &&
            controls[i].control != PBS_STEP_DOUBLING) {
            continue;
        }
        pbs_world *worlds[2];
        uint32_t rejected[2];
        for (int k = 0; k < 2; k++) {
            pbs_integrator_desc d = describe_for_block(i);
            d.step_control.rule = PBS_STEP_RULE_HALVING;
            d.step_control.growth = 1.0;
            d.step_control.initial = k == 0 ? 4e-3 : 2e-3;
            d.step_control.tolerance = controls[i].scheme == PBS_SCHEME_IMPLICIT_EULER ? 4e-3
                                                                                       : 1e-3;
            worlds[k] = new_bursting(&d, 1);
            assert_ok(pbs_world_advance(worlds[k], 1e-2));
            rejected[k] = stats_of(worlds[k]).step_control.rejected;
        }
        assert_int_equal(rejected[0], rejected[1] + 1);
        assert_true(bonded_count_broken(worlds[0], only_body(worlds[0])) > 0);
        same_state(worlds[0], worlds[1]);
        pbs_world_destroy(worlds[0]);
        pbs_world_destroy(worlds[1]);
    }
}

/// An advance that fails leaves what the control remembers as it was.
static void failed_advances_remember_nothing(void **state) {
    (void)state;
    pbs_integrator_desc d = describe_for_block(2);
    d.step_control.fracture_step = 1e-4;
    int left[2] = {1000000, 1000000};
    pbs_world *worlds[2];
    for (int i = 0; i < 2; i++) {
        worlds[i] = new_bursting(&d, 1);
        add_stopping_particle(worlds[i], &left[i]);
    }
    assert_ok(pbs_world_advance(worlds[1], 0.02));
    assert_true(stats_of(worlds[1]).step_control.fracture_limited > 0);
    left[0] = 1000000 - left[1] - 3;
    assert_status(pbs_world_advance(worlds[0], 0.02), PBS_ERROR_HOST);
    left[0] = 1000000;
    assert_ok(pbs_world_advance(worlds[0], 0.02));
    same_state(worlds[0], worlds[1]);
    assert_int_equal(stats_of(worlds[0]).step_control.fracture_limited,
                     stats_of(worlds[1]).step_control.fracture_limited);
    pbs_world_destroy(worlds[0]);
    pbs_world_destroy(worlds[1]);
}

/// Two spheres that fly apart and break their bond fly straight on, with no error of a force that
/// is no more, whichever step comes next.
static void the_next_estimate_knows_of_no_broken_bond(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        static struct bonded_parts p;
        const double none[3] = {0.0, 0.0, 0.0};
        pbs_world *world = weightless_world(1);
        pbs_integrator_desc d = describe(i);
        pbs_body body;
        d.step_control.max = d.step_control.initial = 1e-4;
        bonded_block(&p, 2, 1, 1, none);
        p.velocities[0] = -1.0;
        p.velocities[3] = 1.0;
        p.d.tensile_strength = 1e5;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        use_integrator(world, &d);
        for (int n = 0; bonded_count_broken(world, body) == 0; n++) {
            assert_true(n < 100);
            assert_ok(pbs_world_advance(world, 1e-4));
        }
        double v[6];
        memcpy(v, pbs_body_velocities(world, body), sizeof v);
        assert_true(fabs(v[3]) < 1.0);
        assert_ok(pbs_world_advance(world, 1e-4));
        // The bond's force would be worth h^2 / 4 A sigma / m = 4e-6 m.
        assert_small(stats_of(world).step_control.error, 1e-14, "force error, m");
        assert_small(testing_max_difference(pbs_body_velocities(world, body), v, 6), 1e-12,
                     "straight on");
        pbs_world_destroy(world);
    }
}

// --- settings ---

static void bad_settings_are_refused(void **state) {
    (void)state;
    static const double steps[] = {-1.0, -INFINITY, NAN};
    pbs_integrator *integrator = NULL;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        pbs_integrator_desc d = describe(0);
        d.step_control.fracture_step = steps[i];
        assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
        assert_message("fracture_step is");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_short_from_a_break_until_all_is_quiet),
        cmocka_unit_test(steps_grow_from_the_short_ones),
        cmocka_unit_test(a_crack_is_given_its_time),
        cmocka_unit_test(a_crack_in_a_peridynamic_body_crosses_a_horizon),
        cmocka_unit_test(fixed_steps_stay),
        cmocka_unit_test(the_limit_holds_after_a_break_only),
        cmocka_unit_test(saved_worlds_remember_that_bonds_break),
        cmocka_unit_test(refused_steps_break_nothing),
        cmocka_unit_test(failed_advances_remember_nothing),
        cmocka_unit_test(the_next_estimate_knows_of_no_broken_bond),
        cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

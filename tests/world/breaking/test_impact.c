// Hits whose stress a step does not see (docs/theory/fracture.md section 8): a warning with both
// numbers, and steps that resolve them where the host wants that.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include <string.h>

#include "support/world_testing.h"

enum { SIDE = 5, COUNT = SIDE * SIDE * SIDE, BONDS = 3 * SIDE * SIDE * (SIDE - 1) };

// Glass, whose particles are so arranged that the density of a row is that of the material.
static const double YOUNG = 7e10, DENSITY = 2500.0, STRENGTH = 5e7, SPACING = 0.02;

/// sqrt(YOUNG * DENSITY), and the time in which a wave goes through four spacings.
static double impedance(void) {
    return sqrt(YOUNG * DENSITY);
}

static double wave_time(void) {
    return (SIDE - 1) * SPACING / sqrt(YOUNG / DENSITY);
}

struct warnings {
    int count;
    char last[512];
};

static void keep_warning(void *user, int32_t level, const char *message) {
    struct warnings *warnings = user;
    if (level == PBS_LOG_WARNING && strstr(message, "does not see it") != NULL) {
        warnings->count++;
        snprintf(warnings->last, sizeof warnings->last, "%s", message);
    }
}

/// contact_distance: m; 0: the library chooses it.
static pbs_world *world_with_distance(struct warnings *warnings, uint32_t impact_steps,
                                      double contact_distance) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.impact_steps = impact_steps;
    d.contact_distance = contact_distance;
    if (warnings != NULL) {
        d.log = (pbs_log){keep_warning, warnings};
    }
    return new_world_from(&d);
}

static pbs_world *world_that_tells(struct warnings *warnings, uint32_t impact_steps) {
    return world_with_distance(warnings, impact_steps, 0.0);
}

/// A cube of SIDE^3 particles whose lowest are `gap` above the ground, falling at `speed`.
static pbs_body add_glass(pbs_world *world, double gap, double speed, double strength) {
    static double x[3 * COUNT], v[3 * COUNT], radii[COUNT], masses[COUNT];
    static uint32_t bonds[2 * BONDS];
    const double radius = 0.4 * SPACING;
    size_t bond_count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        const uint32_t next[3] = {1, SIDE, SIDE * SIDE};
        for (uint32_t k = 0; k < 3; k++) {
            x[3 * i + k] = SPACING * at[k];
            v[3 * i + k] = k == 1 ? -speed : 0.0;
            if (at[k] + 1 < SIDE) {
                bonds[2 * bond_count] = i;
                bonds[2 * bond_count++ + 1] = i + next[k];
            }
        }
        x[3 * i + 1] += gap + radius;
        radii[i] = radius;
        masses[i] = DENSITY * SPACING * SPACING * SPACING;
    }
    assert_int_equal(bond_count, BONDS);
    pbs_bonded_desc d;
    pbs_body body;
    assert_ok(pbs_bonded_desc_init(&d, sizeof d));
    d.particle_count = COUNT;
    d.positions = x;
    d.velocities = v;
    d.radii = radii;
    d.masses = masses;
    d.bond_count = BONDS;
    d.bonds = bonds;
    d.bond_radius = SPACING / sqrt(3.14159265358979323846);
    d.young = YOUNG;
    d.shear_modulus = 0.4 * YOUNG;
    d.tensile_strength = d.shear_strength = strength;
    assert_ok(pbs_body_create_bonded(world, &d, &body));
    return body;
}

static size_t broken_of(const pbs_world *world, pbs_body body) {
    const uint8_t *broken = pbs_body_broken(world, body);
    size_t count = 0;
    for (size_t i = 0; i < BONDS; i++) {
        count += broken[i] != 0;
    }
    return count;
}

/// One step in which the cube hits the ground, from a quarter of the way that it would go.
static pbs_step_stats hit_from(double speed, double h, double strength, double contact_distance,
                               struct warnings *warnings) {
    pbs_world *world = world_with_distance(warnings, 0, contact_distance);
    (void)add_ground(world);
    (void)add_glass(world, 0.25 * speed * h, speed, strength);
    assert_ok(pbs_world_step(world, h));
    const pbs_step_stats stats = stats_of(world).step;
    pbs_world_destroy(world);
    return stats;
}

/// Barriers of half of the least gap, so that nothing is placed within them: such steps are taken
/// in parts (docs/theory/contact.md section 2.5).
static pbs_step_stats hit(double speed, double h, double strength, struct warnings *warnings) {
    return hit_from(speed, h, strength, 5e-5, warnings);
}

static void a_hit_that_a_step_does_not_see_is_told(void **state) {
    (void)state;
    struct warnings warnings = {0};
    const pbs_step_stats stats = hit(30.0, 1.0 / 240.0, STRENGTH, &warnings);
    assert_int_equal(stats.unseen_impacts, 1);
    assert_near(stats.impact_stress, 30.0 * impedance(), 1e-6 * 30.0 * impedance(), "stress, Pa");
    assert_near(stats.impact_strength, STRENGTH, 1e-9 * STRENGTH, "strength, Pa");
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.last, "is hit at 30 m/s, a stress of 3.97e+08 Pa"));
    assert_non_null(strstr(warnings.last, "strength of 5e+07 Pa"));
}

/// Slower than strength over impedance, unbreakable, or in steps as short as the wave. A step
/// that is taken in eight parts, as the cube is placed within the distance of 0.8 mm of its
/// barrier, is as short as each of them.
static void other_hits_are_not_told(void **state) {
    (void)state;
    const double bearable = STRENGTH / impedance();
    struct warnings warnings = {0};
    assert_int_equal(hit(0.95 * bearable, 1.0 / 240.0, STRENGTH, &warnings).unseen_impacts, 0);
    assert_int_equal(hit(1.05 * bearable, 1.0 / 240.0, STRENGTH, &warnings).unseen_impacts, 1);
    assert_int_equal(hit(30.0, 1.0 / 240.0, 0.0, &warnings).unseen_impacts, 0);
    assert_int_equal(hit(30.0, 0.95 * wave_time(), STRENGTH, &warnings).unseen_impacts, 0);
    assert_int_equal(hit(30.0, 1.05 * wave_time(), STRENGTH, &warnings).unseen_impacts, 1);
    assert_int_equal(hit_from(30.0, 1.05 * wave_time(), STRENGTH, 0.0, &warnings).unseen_impacts,
                     0);
    assert_int_equal(warnings.count, 2);
}

/// Against a soft solid the stress is v z1 z2 / (z1 + z2): of rubber of 1e6 Pa, 1000 kg/m^3 that
/// is nearly v z2.
static void what_gives_way_hits_less_hard(void **state) {
    (void)state;
    const double soft = sqrt(1e6 * 1000.0), speed = 30.0;
    const double stress = speed * soft * impedance() / (soft + impedance());
    for (int over = 0; over < 2; over++) {
        static const double corner[3] = {-0.01, -0.11, -0.01};
        pbs_world *world = world_that_tells(NULL, 0);
        pbs_solid_desc like;
        assert_ok(pbs_solid_desc_init(&like, sizeof like));
        like.young = 1e6;
        like.density = 1000.0;
        (void)add_cube(world, 2, 0.1, corner, &like);
        (void)add_glass(world, 0.005, speed, stress * (over != 0 ? 0.9 : 1.1));
        assert_ok(pbs_world_step(world, 1.0 / 240.0));
        assert_int_equal(stats_of(world).step.unseen_impacts, over);
        pbs_world_destroy(world);
    }
}

/// A body that lies and is stepped on warns of nothing, and a second hit is told again.
static void each_hit_is_told_once(void **state) {
    (void)state;
    struct warnings warnings = {0};
    pbs_world *world = world_that_tells(&warnings, 0);
    (void)add_ground(world);
    const pbs_body body = add_glass(world, 0.02, 30.0, STRENGTH);
    double v[3 * COUNT];
    for (int time = 0; time < 2; time++) {
        for (int n = 0; n < 10; n++) {
            assert_ok(pbs_world_step(world, 1.0 / 240.0));
        }
        assert_int_equal(warnings.count, time + 1);
        assert_int_equal(stats_of(world).step.unseen_impacts, 0);
        for (size_t i = 0; i < 3 * COUNT; i++) {
            v[i] = i % 3 == 1 ? 20.0 : 0.0;
        }
        assert_ok(pbs_body_set_velocities(world, body, v, COUNT));
        for (int n = 0; n < 3; n++) {
            assert_ok(pbs_world_step(world, 1.0 / 240.0));
        }
        for (size_t i = 0; i < 3 * COUNT; i++) {
            v[i] = -v[i];
        }
        assert_ok(pbs_body_set_velocities(world, body, v, COUNT));
    }
    pbs_world_destroy(world);
}

/// The wave is resolved: bonds break that stay whole otherwise, the free flight before the hit is
/// not taken in short steps, and the call warns of nothing.
static void steps_resolve_a_hit_on_request(void **state) {
    (void)state;
    size_t broken[2];
    for (uint32_t steps = 0; steps < 2; steps++) {
        struct warnings warnings = {0};
        pbs_world *world = world_that_tells(&warnings, 4 * steps);
        (void)add_ground(world);
        const pbs_body body = add_glass(world, 0.09, 30.0, STRENGTH);
        assert_ok(pbs_world_step(world, 1.0 / 240.0));
        broken[steps] = broken_of(world, body);
        assert_int_equal(warnings.count, steps == 0);
        // 5 waves at 4 to 8 steps each, the way there by halves, and what was tried in vain.
        assert_true(stats_of(world).newton.stages < 100);
        pbs_world_destroy(world);
    }
    assert_int_equal(broken[0], 0);
    assert_true(broken[1] > 20);
}

/// Controlled steps are shortened too.
static void advances_resolve_a_hit_on_request(void **state) {
    (void)state;
    pbs_world *world = world_that_tells(NULL, 4);
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    d.step_control.kind = PBS_STEP_SPEED_LIMIT;
    d.step_control.tolerance = 1.0;
    d.step_control.max = 1.0;
    use_integrator(world, &d);
    (void)add_ground(world);
    const pbs_body body = add_glass(world, 0.09, 30.0, STRENGTH);
    assert_ok(pbs_world_advance(world, 1.0 / 240.0));
    assert_true(broken_of(world, body) > 20);
    assert_int_equal(stats_of(world).step.unseen_impacts, 0);
    pbs_world_destroy(world);
}

/// The limit goes on in the next call, and in a restored world.
static void a_restored_world_goes_on_with_short_steps(void **state) {
    (void)state;
    const double h = 2.0 * wave_time();
    pbs_world *world = world_that_tells(NULL, 4);
    pbs_world *restored = new_world();
    (void)add_ground(world);
    (void)add_glass(world, 0.5 * h * 30.0, 30.0, STRENGTH);
    assert_ok(pbs_world_step(world, h));
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(restored, saved.data, saved.size));
    assert_ok(pbs_world_step(world, h));
    assert_ok(pbs_world_step(restored, h));
    assert_int_equal(stats_of(world).newton.stages, stats_of(restored).newton.stages);
    assert_true(stats_of(world).newton.stages >= 8);
    assert_true(pbs_world_hash(world) == pbs_world_hash(restored));
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(restored);
}

static void impact_steps_out_of_range_are_refused(void **state) {
    (void)state;
    pbs_world_desc d;
    pbs_world *world = NULL;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.impact_steps = 1001;
    assert_status(pbs_world_create(&d, &world), PBS_ERROR_ARGUMENT);
    assert_non_null(strstr(pbs_last_error(), "impact_steps"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_that_a_step_does_not_see_is_told),
        cmocka_unit_test(other_hits_are_not_told),
        cmocka_unit_test(what_gives_way_hits_less_hard),
        cmocka_unit_test(each_hit_is_told_once),
        cmocka_unit_test(steps_resolve_a_hit_on_request),
        cmocka_unit_test(advances_resolve_a_hit_on_request),
        cmocka_unit_test(a_restored_world_goes_on_with_short_steps),
        cmocka_unit_test(impact_steps_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

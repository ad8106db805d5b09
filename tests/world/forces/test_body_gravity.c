// Gravity of single bodies, in addition to that of the world: its effect on motion and energy, and
// refusals.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

static const double origin[3] = {0.0, 0.0, 0.0};
static const double world_gravity[3] = {1.0, -8.0, 2.0};

static pbs_world *heavy_world(int32_t scheme) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-10;
    copy3(world_gravity, settings.gravity);
    pbs_world *world = new_world_from(&settings);
    use_scheme(world, scheme);
    return world;
}

static pbs_body add_small_cube(pbs_world *world) {
    return add_cube(world, 2, 0.2, origin, NULL);
}

static pbs_body add_brick(pbs_world *world, int32_t no_gravity) {
    const double sides[3] = {0.2, 0.1, 0.3};
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.no_gravity = no_gravity;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static void assert_falls(const pbs_world *world, pbs_body body, double scale, const double added[3],
                         double time) {
    const double *v = pbs_body_velocities(world, body);
    for (size_t k = 0; k < 3; k++) {
        const double g = scale * world_gravity[k] + (added != NULL ? added[k] : 0.0);
        assert_near(v[k], g * time, 1e-10 * (1.0 + fabs(g)) * time, "velocity");
    }
}

/// Each body falls by its own gravity: set before the first step and between steps, for the first
/// time and again.
static void bodies_fall_each_by_its_own(void **state) {
    (void)state;
    const double added[3] = {0.5, 3.0, -1.0}, h = 0.01;
    const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_NEWMARK, PBS_SCHEME_BDF2,
                               PBS_SCHEME_A_SEARCH, PBS_SCHEME_VELOCITY_VERLET};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        pbs_world *world = heavy_world(schemes[s]);
        const pbs_body plain = add_small_cube(world), light = add_small_cube(world);
        const pbs_body risen = add_brick(world, 0), free = add_brick(world, 1);
        assert_ok(pbs_body_set_gravity(world, light, 0.25, NULL));
        for (int i = 0; i < 3; i++) {
            assert_ok(pbs_world_step(world, h));
        }
        assert_falls(world, plain, 1.0, NULL, 3.0 * h);
        assert_falls(world, light, 0.25, NULL, 3.0 * h);
        assert_falls(world, risen, 1.0, NULL, 3.0 * h);
        assert_falls(world, free, 0.0, NULL, 3.0 * h);
        for (pbs_body const *body = (const pbs_body[]){light, risen, free, {0}}; body->id != 0;
             body++) {
            double still[81] = {0.0};
            assert_ok(
                pbs_body_set_velocities(world, *body, still, pbs_body_vertex_count(world, *body)));
        }
        assert_ok(pbs_body_set_gravity(world, light, 1.0, NULL));
        assert_ok(pbs_body_set_gravity(world, risen, -1.0, added));
        assert_ok(pbs_body_set_gravity(world, free, 0.0, added));
        for (int i = 0; i < 3; i++) {
            assert_ok(pbs_world_step(world, h));
        }
        assert_falls(world, plain, 1.0, NULL, 6.0 * h);
        assert_falls(world, light, 1.0, NULL, 3.0 * h);
        assert_falls(world, risen, -1.0, added, 3.0 * h);
        assert_falls(world, free, 0.0, added, 3.0 * h);
        double scale, acceleration[3];
        assert_ok(pbs_body_gravity(world, risen, &scale, acceleration));
        assert_near(scale, -1.0, 0.0, "scale");
        assert_same_bits(acceleration, added, 3);
        pbs_world_destroy(world);
    }
}

/// The same acceleration by the world's gravity, by a scale and besides: the same motion and the
/// same energy, also where one changes on the way.
static void gravity_is_gravity(void **state) {
    (void)state;
    const double half[3] = {0.5, -4.0, 1.0};
    pbs_world *worlds[3];
    pbs_body bodies[3];
    for (int i = 0; i < 3; i++) {
        const uint32_t held = 4;
        worlds[i] = heavy_world(PBS_SCHEME_A_SEARCH);
        bodies[i] = add_small_cube(worlds[i]);
        assert_ok(pbs_body_pin(worlds[i], bodies[i], &held, 1, PBS_AXIS_ALL));
        assert_ok(pbs_world_step(worlds[i], 0.01));
    }
    assert_ok(pbs_world_set_gravity(worlds[0], half));
    assert_ok(pbs_body_set_gravity(worlds[1], bodies[1], 0.5, NULL));
    assert_ok(pbs_body_set_gravity(worlds[2], bodies[2], 0.0, half));
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 3; i++) {
            assert_ok(pbs_world_step(worlds[i], 0.01));
        }
        const pbs_energy energy = energy_of(worlds[0]);
        const double work = stats_of(worlds[0]).energy_control.work;
        assert_true(energy.gravity != 0.0 && (k > 0 || work != 0.0));
        for (int i = 1; i < 3; i++) {
            assert_near(energy_of(worlds[i]).gravity, energy.gravity, 1e-8, "potential");
            assert_near(energy_of(worlds[i]).kinetic, energy.kinetic, 1e-8, "kinetic energy");
            assert_near(stats_of(worlds[i]).energy_control.work, work, 1e-8, "work");
        }
    }
    for (int i = 0; i < 3; i++) {
        pbs_world_destroy(worlds[i]);
    }
}

/// A change costs no new matrices, and leads to the bits of a world where it was there at first.
static void changes_are_cheap(void **state) {
    (void)state;
    const double added[3] = {0.0, 2.0, 0.0};
    pbs_world *early = heavy_world(PBS_SCHEME_NEWMARK), *late = heavy_world(PBS_SCHEME_NEWMARK);
    const pbs_body a = add_small_cube(early), b = add_small_cube(late);
    const struct saved_world still = save_world(late);
    assert_ok(pbs_body_set_gravity(early, a, 0.5, added));
    assert_ok(pbs_world_step(late, 0.01));
    assert_ok(pbs_world_restore(late, still.data, still.size));
    assert_ok(pbs_world_energy(late, &(pbs_energy){.struct_size = sizeof(pbs_energy)}));
    assert_ok(pbs_body_set_gravity(late, b, 2.0, origin));
    assert_ok(pbs_body_set_gravity(late, b, 0.5, added));
    for (int i = 0; i < 3; i++) {
        assert_ok(pbs_world_step(early, 0.01));
        assert_ok(pbs_world_step(late, 0.01));
    }
    assert_true(pbs_world_hash(early) == pbs_world_hash(late));
    free(still.data);
    pbs_world_destroy(early);
    pbs_world_destroy(late);
}

struct change {
    pbs_body body;
    double scale, acceleration[3];
};

static pbs_status change_gravity(pbs_world *world, void *context) {
    const struct change *change = context;
    return pbs_body_set_gravity(world, change->body, change->scale, change->acceleration);
}

static void refused_memory_changes_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    struct change change = {.body = add_small_cube(world), 0.5, {0.0, 3.0, 0.0}};
    assert_ok(pbs_world_step(world, 0.01));
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, change_gravity, &change, &refused));
    assert_int_equal(refused, 2);
    // Nothing more for others.
    change.scale = 3.0;
    assert_ok(refuse_until_success(&allocator, world, change_gravity, &change, &refused));
    assert_int_equal(refused, 0);
    pbs_world_destroy(world);
}

static void saved_worlds_have_it(void **state) {
    (void)state;
    const double added[3] = {1.0, 2.0, 3.0};
    pbs_world *world = heavy_world(PBS_SCHEME_GENERALIZED_ALPHA), *copy = new_world();
    const pbs_body first = add_small_cube(world), second = add_brick(world, 1);
    assert_ok(pbs_body_set_gravity(world, first, -0.5, added));
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_set_gravity(world, second, 0.5, NULL));
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(copy, saved.data, saved.size));
    for (int i = 0; i < 3; i++) {
        assert_ok(pbs_world_step(world, 0.01));
        assert_ok(pbs_world_step(copy, 0.01));
    }
    assert_true(pbs_world_hash(world) == pbs_world_hash(copy));
    assert_near(energy_of(copy).gravity, energy_of(world).gravity, 0.0, "potential");
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(copy);
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    pbs_world *world = heavy_world(PBS_SCHEME_IMPLICIT_EULER);
    const pbs_body cube = add_small_cube(world);
    const double wrong[3] = {0.0, 0.0, NAN};
    double scale = 7.0;
    assert_status(pbs_body_set_gravity(NULL, cube, 1.0, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_gravity(world, cube, INFINITY, NULL), PBS_ERROR_ARGUMENT);
    assert_message("scale is inf");
    assert_status(pbs_body_set_gravity(world, cube, 1.0, wrong), PBS_ERROR_ARGUMENT);
    assert_message("acceleration is");
    assert_status(pbs_body_gravity(NULL, cube, &scale, NULL), PBS_ERROR_ARGUMENT);
    assert_ok(pbs_body_gravity(world, cube, NULL, NULL));
    assert_ok(pbs_body_gravity(world, cube, &scale, NULL));
    assert_near(scale, 1.0, 0.0, "scale");
    assert_ok(pbs_body_destroy(world, cube));
    assert_status(pbs_body_set_gravity(world, cube, 1.0, NULL), PBS_ERROR_HANDLE);
    assert_status(pbs_body_gravity(world, cube, &scale, NULL), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fall_each_by_its_own),
        cmocka_unit_test(gravity_is_gravity),
        cmocka_unit_test(changes_are_cheap),
        cmocka_unit_test(refused_memory_changes_nothing),
        cmocka_unit_test(saved_worlds_have_it),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The scheme of a world, set and read without an integrator of the host's.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

static pbs_integrator_desc settings_in(const pbs_world *world) {
    pbs_integrator_desc d = {.struct_size = sizeof d};
    assert_ok(pbs_world_integrator_settings(world, &d));
    return d;
}

static void worlds_begin_with_implicit_euler(void **state) {
    (void)state;
    pbs_integrator_desc defaults;
    pbs_world_desc penalty;
    pbs_world *world = new_world();
    assert_int_equal(pbs_world_scheme(world), PBS_SCHEME_IMPLICIT_EULER);
    assert_ok(pbs_integrator_desc_init(&defaults, sizeof defaults, PBS_SCHEME_IMPLICIT_EULER));
    const pbs_integrator_desc d = settings_in(world);
    assert_memory_equal(&d, &defaults, sizeof d);
    pbs_world_destroy(world);
    assert_ok(pbs_world_desc_init(&penalty, sizeof penalty));
    penalty.contact = PBS_CONTACT_PENALTY;
    world = new_world_from(&penalty);
    assert_int_equal(pbs_world_scheme(world), PBS_SCHEME_VELOCITY_VERLET);
    pbs_world_destroy(world);
}

/// To the bit, as with an integrator that has the scheme's defaults.
static void schemes_move_as_integrators_do(void **state) {
    (void)state;
    static const double corner[3] = {0.0, 0.3, 0.0};
    for (int32_t scheme = PBS_SCHEME_IMPLICIT_EULER; scheme <= PBS_SCHEME_BDF2; scheme++) {
        uint64_t hashes[2];
        for (int i = 0; i < 2; i++) {
            pbs_world *world = new_world();
            add_cube(world, 2, 0.5, corner, NULL);
            if (i == 0) {
                use_scheme(world, scheme);
            } else {
                assert_ok(pbs_world_set_scheme(world, scheme));
            }
            assert_int_equal(pbs_world_scheme(world), scheme);
            for (int step = 0; step < 5; step++) {
                assert_true(pbs_world_step(world, 0.02) >= 0);
            }
            hashes[i] = pbs_world_hash(world);
            pbs_world_destroy(world);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

static void settings_are_those_that_were_given(void **state) {
    (void)state;
    struct test_allocator allocator;
    pbs_integrator_desc given;
    pbs_integrator *integrator;
    test_allocator_init(&allocator);
    assert_ok(pbs_integrator_desc_init(&given, sizeof given, PBS_SCHEME_OUTER_THETA));
    given.parameters[0] = 0.875;
    given.step_control.max = 0.5;
    given.allocator = test_allocator_hooks(&allocator);
    assert_ok(pbs_integrator_create(&given, &integrator));
    pbs_world *world = new_world(), *other = new_world();
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    given.allocator = (pbs_allocator){0};
    pbs_integrator_desc d = settings_in(world);
    assert_memory_equal(&d, &given, sizeof d);
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    d = settings_in(other);
    assert_memory_equal(&d, &given, sizeof d);
    assert_int_equal(pbs_world_scheme(other), PBS_SCHEME_OUTER_THETA);
    // A host changes one and hands it back.
    d.parameters[0] = 0.75;
    use_integrator(other, &d);
    assert_near(settings_in(other).parameters[0], 0.75, 0.0, "theta");
    // A scheme comes with its own defaults.
    assert_ok(pbs_world_set_scheme(other, PBS_SCHEME_OUTER_THETA));
    assert_near(settings_in(other).parameters[0], 0.6, 0.0, "theta");
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

static void wrong_schemes_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_world_desc penalty;
    pbs_integrator_desc d = {.struct_size = 8};
    assert_ok(pbs_world_set_scheme(world, PBS_SCHEME_BDF2));
    assert_status(pbs_world_set_scheme(world, -1), PBS_ERROR_ARGUMENT);
    assert_message("scheme is -1");
    assert_status(pbs_world_set_scheme(world, 99), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_set_scheme(NULL, PBS_SCHEME_BDF2), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_integrator_settings(world, &d), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_world_integrator_settings(world, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_integrator_settings(NULL, &d), PBS_ERROR_ARGUMENT);
    assert_int_equal(pbs_world_scheme(world), PBS_SCHEME_BDF2);
    assert_int_equal(pbs_world_scheme(NULL), -1);
    pbs_world_destroy(world);
    assert_ok(pbs_world_desc_init(&penalty, sizeof penalty));
    penalty.contact = PBS_CONTACT_PENALTY;
    world = new_world_from(&penalty);
    assert_status(pbs_world_set_scheme(world, PBS_SCHEME_BDF2), PBS_ERROR_ARGUMENT);
    assert_int_equal(pbs_world_scheme(world), PBS_SCHEME_VELOCITY_VERLET);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_begin_with_implicit_euler),
        cmocka_unit_test(schemes_move_as_integrators_do),
        cmocka_unit_test(settings_are_those_that_were_given),
        cmocka_unit_test(wrong_schemes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

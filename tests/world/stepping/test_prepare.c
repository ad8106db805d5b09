// pbs_world_prepare builds what the first step would, changes no bit of what steps give, and a
// refused allocation leaves a world that steps.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

/// It touches nothing, wherever the scene's colliders are.
static void add_loose_cube(pbs_world *world) {
    static const double corner[3] = {0.0, 6.0, 0.0};
    pbs_body body;
    pbs_contact_desc contact;
    assert_ok(cube_create(world, 2, 0.3, corner, NULL, &body));
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.mask = 0;
    assert_ok(pbs_body_set_contact(world, body, &contact));
}

/// Before the first step, twice in a row, and after a body came; all five scenes and both kinds of
/// contact that take them.
static void prepared_worlds_step_to_the_same_bits(void **state) {
    (void)state;
    static const int32_t kinds[] = {PBS_CONTACT_PROJECTION, PBS_CONTACT_BARRIER};
    for (int scene = 0; scene < SCENE_COUNT; scene++) {
        for (size_t k = 0; k < COUNT_OF(kinds); k++) {
            int built = 0, built_by_steps = 0;
            pbs_world *world = new_counting_world(kinds[k], &built);
            pbs_world *other = new_counting_world(kinds[k], &built_by_steps);
            if (scene_fill(world, scene) < 0) {
                // Affine bodies touch by barriers only.
                assert_int_equal(kinds[k], PBS_CONTACT_PROJECTION);
                pbs_world_destroy(world);
                pbs_world_destroy(other);
                continue;
            }
            assert_ok(scene_fill(other, scene));
            const uint64_t before = pbs_world_hash(world);
            assert_ok(pbs_world_prepare(world));
            assert_ok(pbs_world_prepare(world));
            assert_true(pbs_world_hash(world) == before);
            assert_int_equal(built, 1);
            assert_ok(scene_step(world, 5));
            assert_ok(scene_step(other, 5));
            assert_int_equal(built, 1);
            add_loose_cube(world);
            add_loose_cube(other);
            assert_ok(pbs_world_prepare(world));
            assert_int_equal(built, 2);
            assert_ok(scene_step(world, 5));
            assert_ok(scene_step(other, 5));
            assert_int_equal(built, 2);
            assert_int_equal(built_by_steps, 2);
            assert_true(pbs_world_hash(world) == pbs_world_hash(other));
            pbs_world_destroy(world);
            pbs_world_destroy(other);
        }
    }
}

static void what_cannot_be_prepared_is_a_status(void **state) {
    (void)state;
    assert_status(pbs_world_prepare(NULL), PBS_ERROR_ARGUMENT);
    pbs_world *world = new_world(), *other = new_world();
    assert_ok(pbs_world_prepare(world));
    assert_ok(scene_fill(world, 1));
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    const pbs_status status = pbs_world_prepare(other);
    assert_status(status, PBS_ERROR_MISSING_CALLBACK);
    assert_message("tag 77");
    assert_ok(pbs_world_register_callback(other, SPRING_TAG, spring_energy, NULL));
    assert_ok(pbs_world_prepare(other));
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

static pbs_status prepare(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_prepare(world);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_world *other = new_world();
    assert_ok(scene_fill(world, 2));
    assert_ok(scene_fill(other, 2));
    assert_ok(refuse_until_success(&allocator, world, prepare, NULL, NULL));
    assert_ok(scene_step(world, 3));
    assert_ok(scene_step(other, 3));
    assert_true(pbs_world_hash(world) == pbs_world_hash(other));
    pbs_world_destroy(world);
    pbs_world_destroy(other);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prepared_worlds_step_to_the_same_bits),
        cmocka_unit_test(what_cannot_be_prepared_is_a_status),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("world/prepare", tests, NULL, NULL);
}

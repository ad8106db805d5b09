// The same calls give the same bits: for any number of threads, for a host's job system that runs
// pieces in random order, and across a save and a restore.
// SPDX-License-Identifier: MIT
#include "support/host/jobs.h"
#include "support/world_testing.h"

static int step_count(void) {
    return testing_is_small() ? 20 : 100;
}

static pbs_world *new_scene(int index, int32_t threads, const pbs_tasks *tasks) {
    pbs_world_desc d;
    scene_settings(&d);
    d.threads = threads;
    if (tasks != NULL) {
        d.tasks = *tasks;
    }
    pbs_world *world = new_world_from(&d);
    if (index >= 0) {
        assert_ok(scene_fill(world, index));
    }
    return world;
}

static uint64_t hash_after(int index, int32_t threads, const pbs_tasks *tasks) {
    pbs_world *world = new_scene(index, threads, tasks);
    const uint64_t start = pbs_world_hash(world);
    assert_ok(scene_step(world, step_count()));
    const uint64_t hash = pbs_world_hash(world);
    assert_true(hash != start);
    pbs_world_destroy(world);
    return hash;
}

static void threads_change_no_bit(void **state) {
    (void)state;
    for (int index = 0; index < SCENE_COUNT; index++) {
        const uint64_t expected = hash_after(index, 1, NULL);
        for (int32_t threads = 2; threads <= 8; threads += threads == 2 ? 1 : 5) {
            assert_true(hash_after(index, threads, NULL) == expected);
        }
    }
}

static void random_order_of_pieces_changes_no_bit(void **state) {
    (void)state;
    for (int index = 0; index < SCENE_COUNT; index++) {
        const uint64_t expected = hash_after(index, 1, NULL);
        struct test_jobs jobs;
        const pbs_tasks serial = test_jobs_hooks(&jobs, 5 + (uint64_t)index, 1);
        assert_true(hash_after(index, 0, &serial) == expected);
        assert_true(jobs.loop_count > 0);
        const pbs_tasks threaded = test_jobs_hooks(&jobs, 9, 2);
        assert_true(hash_after(index, 0, &threaded) == expected);
    }
}

static void a_restored_world_goes_on_with_the_same_bits(void **state) {
    (void)state;
    for (int index = 0; index < SCENE_COUNT; index++) {
        const uint64_t expected = hash_after(index, 1, NULL);
        pbs_world *world = new_scene(index, 1, NULL);
        assert_ok(scene_step(world, step_count() / 2));
        const struct saved_world saved = save_world(world);

        // Into a fresh world with other threads; saving has not changed the old one.
        pbs_world *other = new_scene(-1, 2, NULL);
        assert_ok(pbs_world_register_callback(other, SPRING_TAG, spring_energy, NULL));
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        assert_true(pbs_world_hash(other) == pbs_world_hash(world));
        assert_ok(scene_step(other, step_count() - step_count() / 2));
        assert_true(pbs_world_hash(other) == expected);
        assert_ok(scene_step(world, step_count() - step_count() / 2));
        assert_true(pbs_world_hash(world) == expected);

        // And back in time, in the world that went on.
        assert_ok(pbs_world_register_callback(world, SPRING_TAG, spring_energy, NULL));
        assert_ok(pbs_world_restore(world, saved.data, saved.size));
        assert_ok(scene_step(world, step_count() - step_count() / 2));
        assert_true(pbs_world_hash(world) == expected);
        free(saved.data);
        pbs_world_destroy(other);
        pbs_world_destroy(world);
    }
}

/// Enough nodes (above 1024) for several domains, where threads have something to race for.
static void several_domains_change_no_bit(void **state) {
    (void)state;
    const double corner[3] = {0.0, 0.05, 0.0};
    uint64_t expected = 0;
    for (int32_t threads = 1; threads <= 3; threads++) {
        pbs_world *world = new_scene(-1, threads, NULL);
        pbs_solid_desc d;
        assert_ok(pbs_solid_desc_init(&d, sizeof d));
        d.damping = 0.01;
        add_ground(world);
        add_cube(world, 12, 1.0, corner, &d);
        assert_ok(scene_step(world, 8));
        expected = threads == 1 ? pbs_world_hash(world) : expected;
        assert_true(pbs_world_hash(world) == expected);
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(random_order_of_pieces_changes_no_bit),
        cmocka_unit_test(a_restored_world_goes_on_with_the_same_bits),
        cmocka_unit_test(several_domains_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

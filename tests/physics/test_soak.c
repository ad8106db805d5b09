// A pile of affine rings, soft cubes and cloth, stirred and then left alone: buffers grow while new
// peaks of contacts come, and then no step calls the allocator again. bench/soak goes on for ten
// thousand steps. (Of soft cubes alone, and with two threads:
// tests/world/contact_scenes/test_barrier_motion.c.)
// SPDX-License-Identifier: MIT
#include "scenes/torture/torture.h"
#include "scenes/torture/torture_check.h"
#include "support/world_testing.h"

static uint64_t calls(const struct test_allocator *allocator) {
    return allocator->allocate_count + allocator->release_count;
}

static void step(struct torture *scene, int count) {
    for (int s = 0; s < count; s++) {
        assert_ok(torture_step(scene));
    }
}

/// Thrown up one after another, ten steps each.
static void stir(struct torture *scene, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const double velocity[3] = {0.3, 1.5, k % 2 == 0 ? 0.2 : -0.2};
        assert_ok(torture_kick(scene, k % scene->body_count, velocity));
        step(scene, 10);
    }
}

static void a_pile_at_rest_calls_no_allocator(void **state) {
    (void)state;
    const bool small = testing_is_small();
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    struct torture_options options;
    torture_options_init(&options);
    options.world.allocator = test_allocator_hooks(&allocator);
    const struct torture_row *row = NULL;
    assert_true(torture_find("mixed", &row));
    struct torture scene;
    assert_ok(torture_create(row, &options, &scene));
    step(&scene, 30);
    stir(&scene, small ? 0 : 8);
    // The last body has come down, and buffers are as large as they need to be.
    step(&scene, small ? 20 : 200);
    const uint64_t before = calls(&allocator);
    const size_t bytes = allocator.bytes_in_use;
    step(&scene, small ? 10 : 60);
    assert_true(stats_of(scene.world).contact.active > 0);
    assert_true(calls(&allocator) == before && allocator.bytes_in_use == bytes);
    struct surface_check check;
    struct torture_findings found;
    surface_check_init(&check);
    assert_ok(torture_check_run(&check, &scene, &found));
    assert_true(torture_findings_are_clean(&found));
    surface_check_free(&check);
    torture_free(&scene);
    assert_int_equal(allocator.blocks_in_use, 0);
    assert_false(allocator.was_misused);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pile_at_rest_calls_no_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

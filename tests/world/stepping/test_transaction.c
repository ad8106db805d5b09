// If any allocation fails, the call returns a status, nothing leaks, and the world is unchanged and
// usable. Once a scene has warmed up, steps make no allocator calls.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

// --- the k-th allocation fails ---

static pbs_status create_solid(pbs_world *world, void *context) {
    (void)context;
    static const double corner[3] = {0.0, 1.0, 0.0};
    double young[48];
    for (int i = 0; i < 48; i++) {
        young[i] = 1e4;
    }
    pbs_solid_desc d;
    pbs_solid_desc_init(&d, sizeof d);
    d.tet_young = young;
    d.damping = 0.01;
    pbs_body body;
    return cube_create(world, 2, 0.3, corner, &d, &body);
}

static pbs_status create_springs(pbs_world *world, void *context) {
    (void)context;
    const double positions[6] = {0.0, 2.0, 0.0, 0.1, 2.0, 0.0};
    const double masses[2] = {1.0, 1.0};
    const uint32_t stencil[2] = {0, 1};
    pbs_custom_desc d;
    springs_describe(&d, 2, positions, masses, 1, stencil);
    d.no_gravity = 1;
    pbs_body body;
    return pbs_body_create_custom(world, &d, &body);
}

static pbs_status place_collider(pbs_world *world, void *context) {
    (void)context;
    pbs_collider_desc d;
    pbs_collider_desc_init(&d, sizeof d);
    d.position[1] = -3.0;
    pbs_collider collider;
    return pbs_collider_create(world, &d, &collider);
}

static pbs_status take_step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 0.01);
}

static pbs_status measure_energy(pbs_world *world, void *context) {
    (void)context;
    pbs_energy energy = {.struct_size = sizeof energy};
    return pbs_world_energy(world, &energy);
}

static pbs_status register_callback(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_register_callback(world, 3, spring_energy, NULL);
}

static pbs_status save(pbs_world *world, void *context) {
    struct saved_world *saved = context;
    size_t size = saved->size;
    return pbs_world_save(world, saved->data, &size);
}

static pbs_status restore(pbs_world *world, void *context) {
    const struct saved_world *saved = context;
    return pbs_world_restore(world, saved->data, saved->size);
}

static pbs_status create_until_success(struct test_allocator *allocator, pbs_world **world) {
    pbs_world_desc d;
    scene_settings(&d);
    d.threads = 2;
    d.allocator = test_allocator_hooks(allocator);
    for (uint64_t k = 0;; k++) {
        test_allocator_fail_after(allocator, k);
        const pbs_status status = pbs_world_create(&d, world);
        const bool failed = test_allocator_has_failed(allocator);
        test_allocator_fail_after(allocator, ALLOCATOR_NEVER);
        if (!failed) {
            return status;
        }
        assert_status(status, PBS_ERROR_MEMORY);
        assert_int_equal(allocator->blocks_in_use, 0);
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    // Calls that may fail for want of memory.
    static pbs_status (*const calls[])(pbs_world *, void *) = {
        create_solid, measure_energy, create_springs,    take_step,      place_collider,
        create_solid, take_step,      register_callback, measure_energy,
    };
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = NULL;
    assert_ok(create_until_success(&allocator, &world));
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        assert_ok(refuse_until_success(&allocator, world, calls[i], NULL, NULL));
    }
    struct saved_world saved = {0};
    assert_ok(pbs_world_save(world, NULL, &saved.size));
    saved.data = malloc(saved.size);
    assert_ok(refuse_until_success(&allocator, world, save, &saved, NULL));
    assert_ok(pbs_world_register_callback(world, SPRING_TAG, spring_energy, NULL));
    assert_ok(refuse_until_success(&allocator, world, restore, &saved, NULL));
    assert_ok(scene_step(world, 3));
    free(saved.data);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
    assert_int_equal(allocator.bytes_in_use, 0);
    assert_false(allocator.was_misused);
}

/// A solid whose vertices have masses too small for a double's full precision.
static pbs_status create_weightless(pbs_world *world) {
    static const double corner[3] = {0.0, 1.0, 0.0};
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.density = 1e-307;
    pbs_body body;
    return cube_create(world, 4, 0.3, corner, &d, &body);
}

/// Room made for a body that is refused in the end moves the nodes' arrays; what was built for the
/// bodies that are there must not look at the old ones.
static void refused_bodies_leave_a_built_world_alone(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int refuse = 0; refuse < 2; refuse++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        pbs_world *world = new_world_with(&allocator);
        assert_ok(scene_fill(world, 2));
        assert_ok(scene_step(world, 2));
        if (refuse) {
            assert_status(create_weightless(world), PBS_ERROR_ARGUMENT);
        }
        energy_of(world);
        assert_ok(scene_step(world, 2));
        hash[refuse] = pbs_world_hash(world);
        pbs_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// --- a host's callback says stop ---

/// The springs of the scenes for so many calls, then stop.
static int32_t stopping_spring(void *user, size_t stencil, const double *x, int32_t project,
                               double *value, double *gradient, double *hessian) {
    int *const calls_left = user;
    --*calls_left;
    return *calls_left == -1 ? -1
                             : spring_energy(NULL, stencil, x, project, value, gradient, hessian);
}

static void add_stopping_spring(pbs_world *world, int *calls_left) {
    const double positions[6] = {5.0, 0.0, 0.0, 5.3, 0.0, 0.0};
    const double masses[2] = {1.0, 1.0};
    const uint32_t stencil[2] = {0, 1};
    pbs_custom_desc d;
    springs_describe(&d, 2, positions, masses, 1, stencil);
    d.evaluate = stopping_spring;
    d.user = calls_left;
    d.tag = 1;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &d, &body));
}

static void add_dragged_cube(pbs_world *world) {
    static const double corner[3] = {0.0, 0.0, 0.0};
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.drag = 1.0;
    d.damping = 0.01;
    add_cube(world, 1, 0.3, corner, &d);
}

/// Whichever call of a step says stop, the step fails for that reason and nothing has moved; with
/// damping and drag in the scene too, whose losses are counted when the step is over.
static void every_stop_of_the_host_is_heard(void **state) {
    (void)state;
    int calls = 0;
    for (bool stopped = true; stopped; calls++) {
        int calls_left = calls;
        pbs_world *world = new_world();
        add_dragged_cube(world);
        add_stopping_spring(world, &calls_left);
        const uint64_t hash = pbs_world_hash(world);
        const pbs_status status = pbs_world_step(world, 0.1);
        stopped = calls_left < 0;
        assert_status(status, stopped ? PBS_ERROR_HOST : PBS_OK);
        assert_true((pbs_world_hash(world) == hash) == stopped);
        assert_true(calls_left >= -1);
        pbs_world_destroy(world);
    }
    assert_true(calls > 5);
}

// --- steady state ---

static uint64_t calls(const struct test_allocator *allocator) {
    return allocator->allocate_count + allocator->release_count;
}

/// From the second step on: contacts, pins at rest, energies, saving and reading come and go
/// without the allocator.
static void steady_steps_make_no_allocator_calls(void **state) {
    (void)state;
    for (int index = 0; index < SCENE_COUNT; index++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        pbs_world *world = new_world_with(&allocator);
        assert_ok(scene_fill(world, index));
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
        const uint64_t before = calls(&allocator);
        uint32_t most = 0, fewest = UINT32_MAX;
        for (int i = 0; i < 60; i++) {
            assert_ok(pbs_world_step(world, 1.0 / 60.0));
            const pbs_stats stats = stats_of(world);
            energy_of(world);
            assert_int_equal(stats.memory.allocator_calls, before);
            most = stats.contact.active > most ? stats.contact.active : most;
            fewest = stats.contact.active < fewest ? stats.contact.active : fewest;
        }
        assert_true(fewest == 0 && most > 0);
        assert_true(calls(&allocator) == before);
        pbs_world_destroy(world);
        assert_int_equal(allocator.bytes_in_use, 0);
    }
}

/// stats.bytes_in_use is the host's own count.
static void bytes_in_use_are_counted(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(scene_fill(world, 0));
    assert_ok(pbs_world_step(world, 0.01));
    assert_int_equal(stats_of(world).memory.bytes_in_use, allocator.bytes_in_use);
    pbs_world_destroy(world);
    assert_int_equal(allocator.bytes_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(refused_bodies_leave_a_built_world_alone),
        cmocka_unit_test(every_stop_of_the_host_is_heard),
        cmocka_unit_test(steady_steps_make_no_allocator_calls),
        cmocka_unit_test(bytes_in_use_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

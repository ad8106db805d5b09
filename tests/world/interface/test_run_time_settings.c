// Settings that a host reads and changes while a world exists. After a restore the lower of the
// host's limit and the saved one holds.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"
#include "world/refusal.h"

static const double origin[3] = {0.0, 0.0, 0.0};

static void settings_are_read_as_they_were_given(void **state) {
    (void)state;
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    d.newton_limit = 77;
    expert.linear_limit = 1234;
    d.divisions = 3;
    d.processor_independent = 1;
    d.velocity_tolerance = 1e-4;
    d.threads = 2;
    pbs_world *world = new_world_from(&d);
    const pbs_world_desc now = settings_of(world);
    const pbs_expert_desc expert_now = expert_settings_of(world);
    d.expert = NULL; // the world's own are read by a call of their own
    assert_memory_equal(&now, &d, sizeof d);
    assert_memory_equal(&expert_now, &expert, sizeof expert);
    const double gravity[3] = {1.0, 2.0, 3.0};
    assert_ok(pbs_world_set_gravity(world, gravity));
    assert_true(settings_of(world).gravity[2] == 3.0);
    pbs_world_destroy(world);
}

/// A step that fails at a limit lands when the host has raised it, and gives what a world with that
/// limit from the start gives.
static void a_failed_step_is_tried_with_other_limits(void **state) {
    (void)state;
    pbs_world_desc d;
    scene_settings(&d);
    d.divisions = 0;
    pbs_world *free = new_world_from(&d);
    d.newton_limit = 1;
    pbs_world *world = new_world_from(&d);
    assert_ok(scene_fill(world, 0));
    assert_ok(scene_fill(free, 0));
    // In free fall one iteration is enough, on the floor it is not.
    uint64_t before = pbs_world_hash(world);
    pbs_status status = PBS_OK;
    for (int i = 0; i < 100 && status == PBS_OK; i++) {
        before = pbs_world_hash(world);
        assert_true(pbs_world_hash(free) == before);
        status = pbs_world_step(world, 0.05);
        assert_ok(pbs_world_step(free, 0.05));
    }
    assert_int_equal(status, PBS_ERROR_CONVERGENCE);
    assert_true(pbs_world_hash(world) == before);
    d = settings_of(world);
    d.newton_limit = 500;
    assert_ok(pbs_world_set_settings(world, &d));
    assert_ok(pbs_world_step(world, 0.05));
    assert_true(pbs_world_hash(world) == pbs_world_hash(free));
    // And the other way round.
    d.newton_limit = 1;
    assert_ok(pbs_world_set_settings(world, &d));
    assert_status(pbs_world_step(world, 0.05), PBS_ERROR_CONVERGENCE);
    pbs_expert_desc expert = expert_settings_of(world);
    d.expert = &expert;
    expert.allow_unconverged = 1;
    assert_ok(pbs_world_set_settings(world, &d));
    assert_status(pbs_world_step(world, 0.05), PBS_NOT_CONVERGED);
    pbs_world_destroy(world);
    pbs_world_destroy(free);
}

/// Half a scene with some settings and half with others gives the same bits as a world that was
/// saved in between and restored where those others held from the start.
static void changed_settings_act_from_the_next_step_on(void **state) {
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        pbs_world_desc d;
        scene_settings(&d);
        d.contact = PBS_CONTACT_BARRIER;
        d.contact_distance = 0.01;
        pbs_world *world = new_world_from(&d);
        const double corner[3] = {0.0, 0.02, 0.0};
        add_ground(world);
        add_cube(world, 2, 0.3, corner, NULL);
        assert_ok(scene_step(world, 5));
        const uint64_t middle = pbs_world_hash(world);
        pbs_world_desc other = settings_of(world);
        pbs_expert_desc expert = expert_settings_of(world);
        other.expert = kind == 0 ? &expert : NULL;
        expert.preconditioner = kind == 0 ? PBS_PRECONDITIONER_TWO_LEVEL : expert.preconditioner;
        other.tolerance = kind == 1 ? 100.0 : other.tolerance;
        other.gravity[0] = kind == 2 ? 3.0 : 0.0;
        other.contact_stiffness = kind == 3 ? 1e6 : other.contact_stiffness;
        other.contact_distance = kind == 4 ? 0.015 : other.contact_distance;
        assert_ok(pbs_world_set_settings(world, &other));
        assert_true(pbs_world_hash(world) == middle);
        const struct saved_world saved = save_world(world);
        pbs_world *restored = new_world();
        assert_ok(pbs_world_restore(restored, saved.data, saved.size));
        assert_ok(scene_step(world, 5));
        assert_ok(scene_step(restored, 5));
        assert_true(pbs_world_hash(world) == pbs_world_hash(restored));
        // What is changed is felt, and what is not is not.
        pbs_world *usual = new_world_from(&d);
        add_ground(usual);
        add_cube(usual, 2, 0.3, corner, NULL);
        assert_ok(scene_step(usual, 10));
        assert_true((pbs_world_hash(usual) == pbs_world_hash(world)) == (kind == 5));
        if (kind == 0) {
            assert_int_equal(stats_of(world).linear.preconditioner, PBS_PRECONDITIONER_TWO_LEVEL);
        }
        free(saved.data);
        pbs_world_destroy(usual);
        pbs_world_destroy(restored);
        pbs_world_destroy(world);
    }
}

SPOIL(no_newton, pbs_world_desc *d, d->newton_limit = 0)
SPOIL(many_newton, pbs_world_desc *d, d->newton_limit = UINT32_MAX)
SPOIL(divisions, pbs_world_desc *d, d->divisions = 21)
SPOIL(tolerance, pbs_world_desc *d, d->relative_tolerance = NAN)
SPOIL(gravity, pbs_world_desc *d, d->gravity[1] = INFINITY)
SPOIL(contact, pbs_world_desc *d, d->contact = PBS_CONTACT_BARRIER)
SPOIL(distance, pbs_world_desc *d, d->contact_distance = -1.0)
SPOIL(size, pbs_world_desc *d, d->struct_size = 8)

SPOIL(no_linear, pbs_expert_desc *d, d->linear_limit = 0)
SPOIL(many_linear, pbs_expert_desc *d, d->linear_limit = UINT32_MAX)
SPOIL(method, pbs_expert_desc *d, d->method = 9)
SPOIL(length, pbs_expert_desc *d, d->step_length_limit = NAN)
SPOIL(expert_size, pbs_expert_desc *d, d->struct_size = 8)

static void bad_settings_change_nothing(void **state) {
    (void)state;
    static const struct refusal rows[] = {
        {no_newton, PBS_ERROR_ARGUMENT, "newton_limit is 0"},
        {many_newton, PBS_ERROR_ARGUMENT, "newton_limit is 4294967295, must be 1 to 1000000"},
        {divisions, PBS_ERROR_ARGUMENT, "divisions is 21, must be 0 to 20"},
        {tolerance, PBS_ERROR_ARGUMENT, "relative_tolerance is nan"},
        {gravity, PBS_ERROR_ARGUMENT, "gravity[1] is inf"},
        {contact, PBS_ERROR_ARGUMENT, "contact is 1, must stay 0"},
        {distance, PBS_ERROR_ARGUMENT, "contact_distance is -1"},
        {size, PBS_ERROR_STRUCT_SIZE, "struct_size is 8"},
    };
    pbs_world_desc first;
    scene_settings(&first);
    first.contact = PBS_CONTACT_PROJECTION;
    pbs_world *world = new_world_from(&first);
    add_cube(world, 1, 1.0, origin, NULL);
    const pbs_world_desc before = settings_of(world);
    const pbs_expert_desc before_expert = expert_settings_of(world);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_world_desc d = before;
        pbs_expert_desc expert = before_expert;
        d.expert = &expert;
        expert.forcing = 0.25;
        rows[i].spoil(&d);
        assert_status(pbs_world_set_settings(world, &d), rows[i].status);
        assert_message(rows[i].words);
        const pbs_world_desc now = settings_of(world);
        const pbs_expert_desc expert_now = expert_settings_of(world);
        assert_memory_equal(&now, &before, sizeof now);
        assert_memory_equal(&expert_now, &before_expert, sizeof expert_now);
    }
    pbs_world_desc d = before;
    assert_status(pbs_world_set_settings(NULL, &d), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_set_settings(world, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_settings(NULL, &d), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_settings(world, NULL), PBS_ERROR_ARGUMENT);
    d.struct_size = 4;
    assert_status(pbs_world_settings(world, &d), PBS_ERROR_STRUCT_SIZE);
    // The library's hooks stay, whatever the description says of them.
    d = before;
    d.threads = 4;
    d.allocator.allocate = (void *(*)(void *, size_t, size_t))(uintptr_t)1;
    assert_ok(pbs_world_set_settings(world, &d));
    assert_ok(scene_step(world, 2));
    assert_int_equal(settings_of(world).threads, before.threads);
    pbs_world_destroy(world);
}

/// Null leaves them as they are, what is pointed to is the caller's again after the call, and a bad
/// one changes nothing.
static void expert_settings_are_copied(void **state) {
    (void)state;
    static const struct refusal rows[] = {
        {no_linear, PBS_ERROR_ARGUMENT, "linear_limit is 0"},
        {many_linear, PBS_ERROR_ARGUMENT, "linear_limit is 4294967295, must be 1 to 100000000"},
        {method, PBS_ERROR_ARGUMENT, "method is 9"},
        {length, PBS_ERROR_ARGUMENT, "step_length_limit is nan"},
        {expert_size, PBS_ERROR_STRUCT_SIZE, "pbs_expert_desc.struct_size is 8"},
    };
    pbs_world *world = new_world();
    pbs_world_desc d = settings_of(world);
    assert_null(d.expert);
    pbs_expert_desc expert = expert_settings_of(world);
    d.expert = &expert;
    expert.linear_limit = 77;
    expert.step_length_limit = 3.0;
    assert_ok(pbs_world_set_settings(world, &d));
    const pbs_expert_desc set = expert;
    memset(&expert, 0x55, sizeof expert);
    d.expert = NULL;
    d.newton_limit = 9;
    assert_ok(pbs_world_set_settings(world, &d));
    assert_int_equal(settings_of(world).newton_limit, 9);
    pbs_expert_desc now = expert_settings_of(world);
    assert_memory_equal(&now, &set, sizeof now);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expert = set;
        expert.linear_limit = 78;
        d.expert = &expert;
        d.newton_limit = 10;
        rows[i].spoil(&expert);
        assert_status(pbs_world_set_settings(world, &d), rows[i].status);
        assert_message(rows[i].words);
        now = expert_settings_of(world);
        assert_memory_equal(&now, &set, sizeof now);
        assert_int_equal(settings_of(world).newton_limit, 9);
    }
    assert_status(pbs_world_expert_settings(NULL, &now), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_expert_settings(world, NULL), PBS_ERROR_ARGUMENT);
    now.struct_size = 4;
    assert_status(pbs_world_expert_settings(world, &now), PBS_ERROR_STRUCT_SIZE);
    pbs_world_destroy(world);
}

/// Each limit of a restored world is the lower one; everything else is the saved world's.
static void restored_limits_are_the_hosts(void **state) {
    (void)state;
    static const uint32_t saved_limits[] = {3, 300};
    static const uint32_t host_limits[] = {2, 20, 1000};
    for (size_t i = 0; i < COUNT_OF(saved_limits) * COUNT_OF(host_limits); i++) {
        const uint32_t saved_limit = saved_limits[i % COUNT_OF(saved_limits)];
        const uint32_t host_limit = host_limits[i / COUNT_OF(saved_limits)];
        const uint32_t lower = saved_limit < host_limit ? saved_limit : host_limit;
        pbs_world_desc d;
        pbs_expert_desc expert;
        scene_settings(&d);
        expert_settings(&expert, &d);
        d.newton_limit = saved_limit;
        expert.linear_limit = saved_limit + 1;
        d.divisions = saved_limit % 8;
        expert.forcing = 0.125;
        pbs_world *world = new_world_from(&d);
        add_cube(world, 1, 1.0, origin, NULL);
        const struct saved_world saved = save_world(world);
        scene_settings(&d);
        expert_settings(&expert, &d);
        d.newton_limit = host_limit;
        expert.linear_limit = host_limit + 1;
        d.divisions = 4;
        pbs_world *other = new_world_from(&d);
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        const pbs_world_desc now = settings_of(other);
        const pbs_expert_desc expert_now = expert_settings_of(other);
        assert_int_equal(now.newton_limit, lower);
        assert_int_equal(expert_now.linear_limit, lower + 1);
        assert_int_equal(now.divisions, saved_limit % 8 < 4 ? saved_limit % 8 : 4);
        assert_true(expert_now.forcing == 0.125);
        // The host may then say what it likes.
        d = now;
        d.newton_limit = 400;
        assert_ok(pbs_world_set_settings(other, &d));
        assert_int_equal(settings_of(other).newton_limit, 400);
        free(saved.data);
        pbs_world_destroy(other);
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_read_as_they_were_given),
        cmocka_unit_test(a_failed_step_is_tried_with_other_limits),
        cmocka_unit_test(changed_settings_act_from_the_next_step_on),
        cmocka_unit_test(bad_settings_change_nothing),
        cmocka_unit_test(expert_settings_are_copied),
        cmocka_unit_test(restored_limits_are_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

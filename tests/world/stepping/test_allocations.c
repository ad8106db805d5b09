// Memory in scenes with changing contacts, damping, and scripted obstacles and vertices. Once
// warmed up, steps make no allocator calls. If an allocation fails, alone or with all later ones,
// the call returns a status and the state is unchanged.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

static uint64_t calls(const struct test_allocator *allocator) {
    return allocator->allocate_count + allocator->release_count;
}

// --- a scene in motion ---

/// Settings of a world. Every buffer that depends on a setting is used with one of `choices`.
struct choice {
    int32_t threads, preconditioner, order, project, line_search;
};

static const struct choice choices[] = {
    {1, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, PBS_ORDER_NATURAL, 0, PBS_LINE_SEARCH_WOLFE},
    {2, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, PBS_ORDER_NESTED_DISSECTION, 1,
     PBS_LINE_SEARCH_BACKTRACKING},
    {2, PBS_PRECONDITIONER_BLOCK_JACOBI, PBS_ORDER_NATURAL, 0, PBS_LINE_SEARCH_WOLFE},
    {1, PBS_PRECONDITIONER_NONE, PBS_ORDER_NATURAL, 0, PBS_LINE_SEARCH_WOLFE},
    {2, PBS_PRECONDITIONER_CHOLESKY, PBS_ORDER_NATURAL, 0, PBS_LINE_SEARCH_WOLFE},
    {1, PBS_PRECONDITIONER_CHOLESKY_FLOAT, PBS_ORDER_NATURAL, 1, PBS_LINE_SEARCH_WOLFE},
};

struct lively {
    pbs_world *world;
    pbs_body cube, springs;
    pbs_collider plate;
};

/// A damped cube whose top is scripted and a host's springs; a plate comes up from below, presses
/// and leaves again.
static struct lively make_lively(struct test_allocator *allocator, const struct choice *choice) {
    struct lively s = {0};
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    d.allocator = test_allocator_hooks(allocator);
    d.threads = choice->threads;
    expert.preconditioner = choice->preconditioner;
    expert.preconditioner_order = choice->order;
    expert.project_hessian = choice->project;
    expert.line_search = choice->line_search;
    d.divisions = 4;
    s.world = new_world_from(&d);

    const double corner[3] = {-0.2, 0.0, -0.2};
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = 3e4;
    solid.damping = 0.01;
    solid.drag = 0.5;
    s.cube = add_cube(s.world, 3, 0.4, corner, &solid);

    const double positions[9] = {0.5, 0.1, 0.0, 0.6, 0.1, 0.0, 0.7, 0.1, 0.0};
    const double masses[3] = {0.1, 0.1, 0.1};
    const uint32_t stencils[4] = {0, 1, 1, 2}, pinned[1] = {0};
    pbs_custom_desc custom;
    springs_describe(&custom, 3, positions, masses, 2, stencils);
    assert_ok(pbs_body_create_custom(s.world, &custom, &s.springs));
    assert_ok(pbs_body_pin(s.world, s.springs, pinned, 1, PBS_AXIS_ALL));

    pbs_collider_desc plate;
    assert_ok(pbs_collider_desc_init(&plate, sizeof plate));
    plate.shape = PBS_SHAPE_BOX;
    plate.size[0] = plate.size[2] = 2.0;
    plate.size[1] = 0.1;
    plate.position[1] = -0.3;
    plate.friction = 0.4;
    assert_ok(pbs_collider_create(s.world, &plate, &s.plate));
    return s;
}

/// Scripts for the step from `index` to the next: the plate goes up and down every 20 steps, the
/// cube's top row sways.
static void script(const struct lively *s, int index) {
    const double phase = 2.0 * 3.14159265358979 * (index + 1) / 20.0;
    const double position[3] = {0.0, -0.3 + 0.15 * (1.0 - cos(phase)), 0.0};
    const double orientation[4] = {0.0, 0.0, 0.0, 1.0};
    assert_ok(pbs_collider_set_motion(s->world, s->plate, position, orientation));
    uint32_t vertices[4];
    double targets[12];
    for (uint32_t k = 0; k < 4; k++) {
        vertices[k] = 12 + k; // i = 0, j = 3: an edge of the top
        targets[3 * k] = -0.2 + 0.02 * sin(phase);
        targets[3 * k + 1] = 0.4;
        targets[3 * k + 2] = -0.2 + 0.4 * k / 3.0;
    }
    assert_ok(pbs_body_set_targets(s->world, s->cube, vertices, 4, targets));
}

static void read_everything(const struct lively *s) {
    float buffer[3 * 64];
    double stress[9 * 162];
    energy_of(s->world);
    for (int32_t channel = PBS_CHANNEL_POSITION; channel <= PBS_CHANNEL_CONTACT_FORCE; channel++) {
        assert_ok(pbs_body_read_f32(s->world, s->cube, channel, buffer, 12, 64));
    }
    assert_ok(pbs_body_element_stress(s->world, s->cube, stress, 162));
}

static void steps_with_contacts_coming_and_going_make_no_calls(void **state) {
    (void)state;
    for (size_t c = 0; c < COUNT_OF(choices); c++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        const struct lively s = make_lively(&allocator, &choices[c]);
        script(&s, 0);
        assert_true(pbs_world_step(s.world, 1.0 / 60.0) >= 0);
        const uint64_t before = calls(&allocator);
        int arrivals = 0, departures = 0;
        uint32_t contacts = 0;
        for (int i = 1; i < 60; i++) {
            script(&s, i);
            assert_true(pbs_world_step(s.world, 1.0 / 60.0) >= 0);
            read_everything(&s);
            const pbs_stats stats = stats_of(s.world);
            arrivals += contacts == 0 && stats.contact.active > 0;
            departures += contacts > 0 && stats.contact.active == 0;
            contacts = stats.contact.active;
            assert_true(calls(&allocator) == before);
        }
        assert_true(arrivals >= 2 && departures >= 2); // the plate came twice and left twice
        assert_true(energy_of(s.world).dissipated > 0.0);
        pbs_world_destroy(s.world);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
}

// --- refusals ---

static pbs_status restore(pbs_world *world, void *context) {
    const struct saved_world *saved = context;
    return pbs_world_restore(world, saved->data, saved->size);
}

static pbs_status step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 1.0 / 60.0);
}

/// A world in contact is restored into an empty one, which then steps; whatever was refused on the
/// way, alone or with all that follow, both worlds come to the same bits.
static void refusals_in_a_lively_scene(void **state) {
    (void)state;
    for (size_t c = 0; c < 2 * COUNT_OF(choices); c++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        allocator.fails_from_there = c % 2 == 1;
        const struct lively s = make_lively(&allocator, &choices[c / 2]);
        for (int i = 0; i < 10; i++) {
            script(&s, i);
            assert_true(pbs_world_step(s.world, 1.0 / 60.0) >= 0);
        }
        assert_true(stats_of(s.world).contact.active > 0);

        struct saved_world saved = save_world(s.world);
        uint64_t refused = 0;
        pbs_world *other = new_world_with(&allocator);
        assert_ok(pbs_world_register_callback(other, SPRING_TAG, spring_energy, NULL));
        assert_true(refuse_until_success(&allocator, other, restore, &saved, &refused) >= 0);
        assert_true(refused > 20);
        assert_true(pbs_world_hash(other) == pbs_world_hash(s.world));
        assert_true(refuse_until_success(&allocator, other, step, NULL, &refused) >= 0);
        assert_true(refused > 50);
        assert_true(pbs_world_step(s.world, 1.0 / 60.0) >= 0);
        assert_true(pbs_world_hash(other) == pbs_world_hash(s.world));
        free(saved.data);
        pbs_world_destroy(other);
        pbs_world_destroy(s.world);
        assert_int_equal(allocator.blocks_in_use, 0);
        assert_false(allocator.was_misused);
    }
}

static void integrators_use_the_hosts_memory(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    d.allocator = test_allocator_hooks(&allocator);
    pbs_integrator *integrator = NULL;
    test_allocator_fail_after(&allocator, 0);
    assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_MEMORY);
    assert_null(integrator);
    test_allocator_fail_after(&allocator, ALLOCATOR_NEVER);
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_int_equal(allocator.blocks_in_use, 1);
    pbs_integrator_destroy(integrator);
    assert_int_equal(allocator.blocks_in_use, 0);
    d.allocator.release = NULL;
    assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
    assert_message("allocator.release is null");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_with_contacts_coming_and_going_make_no_calls),
        cmocka_unit_test(refusals_in_a_lively_scene),
        cmocka_unit_test(integrators_use_the_hosts_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Events of pairs that begin and cease to touch: a ball that falls, rests and is lifted; bodies
// with every kind of contact; destroyed objects, restored worlds, failed steps and refusals.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

enum { ROWS = 16 };
static const double STEP = 1.0 / 100.0;

struct events {
    pbs_contact_event rows[ROWS];
    size_t count;
};

static struct events events_of(const pbs_world *world) {
    struct events out = {.count = ROWS};
    assert_ok(pbs_world_contact_events(world, out.rows, sizeof out.rows[0], &out.count));
    return out;
}

static pbs_world *make_world(int32_t contact, struct test_allocator *allocator) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -9.8;
    fixed_barrier(&d);
    d.contact = contact;
    if (allocator != NULL) {
        d.allocator = test_allocator_hooks(allocator);
    }
    pbs_world *world = new_world_from(&d);
    add_ground(world);
    return world;
}

static pbs_body add_ball(pbs_world *world, double height) {
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.material = PBS_MATERIAL_NEO_HOOKEAN;
    return add_cube(world, 1, 0.1, (double[3]){0.0, height, 0.0}, &solid);
}

static void lift(pbs_world *world, pbs_body body, double by) {
    const size_t count = pbs_body_vertex_count(world, body);
    double *x = malloc(3 * count * sizeof *x);
    memcpy(x, pbs_body_positions(world, body), 3 * count * sizeof *x);
    for (size_t i = 0; i < count; i++) {
        x[3 * i + 1] += by;
    }
    assert_ok(pbs_body_set_positions(world, body, x, count));
    free(x);
}

static void assert_event(const pbs_contact_event *row, int32_t kind, pbs_body a, pbs_body b,
                         pbs_collider c) {
    assert_int_equal(row->kind, kind);
    assert_true(row->bodies[0].id == a.id && row->bodies[1].id == b.id);
    assert_true(row->colliders[0].id == 0 && row->colliders[1].id == c.id);
    assert_int_equal(row->reserved, 0);
}

/// The contact begins in exactly one step, which is the first one after which contacts are listed,
/// and ends in the step after the body was lifted.
static void check_one_fall(int32_t contact) {
    pbs_world *world = make_world(contact, NULL);
    const pbs_body ball = add_ball(world, 0.02);
    const pbs_collider ground = pbs_world_collider_at(world, 0);
    size_t began = 0;
    for (int s = 0; s < 40; s++) {
        assert_ok(pbs_world_step(world, STEP));
        const struct events events = events_of(world);
        size_t contacts = 0;
        assert_ok(pbs_world_contacts(world, NULL, sizeof(pbs_contact), &contacts));
        if (began == 0 && contacts > 0) {
            assert_int_equal(events.count, 1);
            assert_event(&events.rows[0], PBS_PAIR_BEGAN, ball, (pbs_body){0}, ground);
        } else if (contacts > 0) {
            assert_int_equal(events.count, 0);
        }
        began += contacts > 0;
    }
    assert_true(began > 10);
    lift(world, ball, 0.5);
    assert_ok(pbs_world_step(world, STEP));
    const struct events events = events_of(world);
    assert_int_equal(events.count, 1);
    assert_event(&events.rows[0], PBS_PAIR_ENDED, ball, (pbs_body){0}, ground);
    assert_ok(pbs_world_step(world, STEP));
    assert_int_equal(events_of(world).count, 0);
    pbs_world_destroy(world);
}

static void a_fall_begins_once_and_ends_once(void **state) {
    (void)state;
    check_one_fall(PBS_CONTACT_BARRIER);
    check_one_fall(PBS_CONTACT_PROJECTION);
}

/// A stack of two on the ground: the pairs are sorted, bodies before colliders.
static pbs_world *make_stack(pbs_body bodies[2], struct test_allocator *allocator) {
    pbs_world *world = make_world(PBS_CONTACT_BARRIER, allocator);
    bodies[0] = add_ball(world, 0.0008);
    bodies[1] = add_ball(world, 0.1016);
    return world;
}

static void pairs_of_bodies_come_in_order(void **state) {
    (void)state;
    pbs_body bodies[2];
    pbs_world *world = make_stack(bodies, NULL);
    assert_int_equal(events_of(world).count, 0);
    assert_ok(pbs_world_advance(world, STEP));
    const struct events events = events_of(world);
    assert_int_equal(events.count, 2);
    assert_event(&events.rows[0], PBS_PAIR_BEGAN, bodies[0], bodies[1], (pbs_collider){0});
    assert_event(&events.rows[1], PBS_PAIR_BEGAN, bodies[0], (pbs_body){0},
                 pbs_world_collider_at(world, 0));
    pbs_world_destroy(world);
}

static void pairs_of_destroyed_sides_end(void **state) {
    (void)state;
    pbs_body bodies[2];
    pbs_world *world = make_stack(bodies, NULL);
    const pbs_collider ground = pbs_world_collider_at(world, 0);
    assert_ok(pbs_world_step(world, STEP));
    assert_ok(pbs_body_destroy(world, bodies[0]));
    // What the last step did does not change with it.
    assert_int_equal(events_of(world).count, 2);
    assert_ok(pbs_world_step(world, STEP));
    struct events events = events_of(world);
    assert_int_equal(events.count, 2);
    assert_event(&events.rows[0], PBS_PAIR_ENDED, bodies[0], bodies[1], (pbs_collider){0});
    assert_event(&events.rows[1], PBS_PAIR_ENDED, bodies[0], (pbs_body){0}, ground);
    // Also where nothing is left that moves: the other one falls by 0.1 m in 0.15 s, then goes too.
    for (int s = 0; s < 30; s++) {
        assert_ok(pbs_world_step(world, STEP));
    }
    assert_ok(pbs_body_destroy(world, bodies[1]));
    assert_ok(pbs_world_step(world, STEP));
    events = events_of(world);
    assert_int_equal(events.count, 1);
    assert_event(&events.rows[0], PBS_PAIR_ENDED, bodies[1], (pbs_body){0}, ground);
    assert_ok(pbs_world_step(world, STEP));
    assert_int_equal(events_of(world).count, 0);
    pbs_world_destroy(world);
}

/// A restored world has no events, and its next step lists nothing that touched before the save.
static void a_restored_world_lists_no_false_beginnings(void **state) {
    (void)state;
    pbs_body bodies[2];
    pbs_world *world = make_stack(bodies, NULL);
    pbs_world *other = new_world();
    assert_ok(pbs_world_step(world, STEP));
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    assert_int_equal(events_of(other).count, 0);
    assert_ok(pbs_world_step(world, STEP));
    assert_ok(pbs_world_step(other, STEP));
    assert_int_equal(events_of(world).count, 0);
    assert_int_equal(events_of(other).count, 0);
    // What touched before the save ends in the restored world too.
    lift(other, bodies[1], 0.5);
    assert_ok(pbs_world_step(other, STEP));
    const struct events events = events_of(other);
    assert_int_equal(events.count, 1);
    assert_event(&events.rows[0], PBS_PAIR_ENDED, bodies[0], bodies[1], (pbs_collider){0});
    free(saved.data);
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

/// A step that fails keeps the events of the step before, and the next one compares with that.
static void failed_steps_leave_events(void **state) {
    (void)state;
    pbs_body bodies[2];
    pbs_world *world = make_stack(bodies, NULL);
    int evaluations = 0;
    add_stopping_particle(world, &evaluations);
    evaluations = INT32_MAX;
    assert_ok(pbs_world_step(world, STEP));
    const struct events before = events_of(world);
    assert_int_equal(before.count, 2);
    evaluations = 1;
    assert_status(pbs_world_step(world, STEP), PBS_ERROR_HOST);
    const struct events after = events_of(world);
    assert_memory_equal(&before, &after, sizeof before);
    evaluations = INT32_MAX;
    assert_ok(pbs_world_step(world, STEP));
    assert_int_equal(events_of(world).count, 0);
    pbs_world_destroy(world);
}

// --- refusals ---

static void wrong_calls_are_refused(void **state) {
    (void)state;
    pbs_body bodies[2];
    pbs_world *world = make_stack(bodies, NULL);
    pbs_contact_event row;
    size_t count = 1;
    assert_ok(pbs_world_step(world, STEP));
    assert_status(pbs_world_contact_events(NULL, &row, sizeof row, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_contact_events(world, &row, sizeof row, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_contact_events(world, &row, sizeof row - 4, &count),
                  PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_world_contact_events(world, &row, sizeof row, &count), PBS_ERROR_CAPACITY);
    assert_int_equal(count, 2);
    count = 0;
    assert_ok(pbs_world_contact_events(world, NULL, sizeof row, &count));
    assert_int_equal(count, 2);
    pbs_world_destroy(world);
}

static pbs_status take_a_step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, STEP);
}

static void refused_allocations_change_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_body bodies[2];
    pbs_world *world = make_stack(bodies, &allocator);
    assert_ok(refuse_until_success(&allocator, world, take_a_step, NULL, NULL));
    assert_int_equal(events_of(world).count, 2);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fall_begins_once_and_ends_once),
        cmocka_unit_test(pairs_of_bodies_come_in_order),
        cmocka_unit_test(pairs_of_destroyed_sides_end),
        cmocka_unit_test(a_restored_world_lists_no_false_beginnings),
        cmocka_unit_test(failed_steps_leave_events),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(refused_allocations_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

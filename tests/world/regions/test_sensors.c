// Sensors: bodies that fall through them, bodies that surround them, particles; destroyed bodies
// and sensors, restored worlds, failed steps, refusals and memory.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

enum { ROWS = 16 };
static const double GRAVITY = 9.8;
static const double STEP = 1.0 / 50.0;

struct events {
    pbs_sensor_event rows[ROWS];
    size_t count;
};

static struct events events_of(const pbs_world *world) {
    struct events out = {.count = ROWS};
    assert_ok(pbs_world_sensor_events(world, out.rows, sizeof out.rows[0], &out.count));
    return out;
}

static pbs_world *make_world(struct test_allocator *allocator) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -GRAVITY;
    if (allocator != NULL) {
        d.allocator = test_allocator_hooks(allocator);
    }
    return new_world_from(&d);
}

static pbs_region_desc region_at(int32_t shape, double a, double b, double c, double y) {
    pbs_region_desc d;
    assert_ok(pbs_region_desc_init(&d, sizeof d));
    d.shape = shape;
    copy3((double[3]){a, b, c}, d.size);
    d.position[1] = y;
    return d;
}

static pbs_sensor add_sensor(pbs_world *world, const pbs_region_desc *d) {
    pbs_sensor out;
    assert_ok(pbs_sensor_create(world, d, &out));
    return out;
}

static pbs_body add_soft(pbs_world *world, double y) {
    return add_cube(world, 1, 0.2, (double[3]){-0.1, y, -0.1}, NULL);
}

static pbs_body add_stiff(pbs_world *world, double y) {
    struct box_surface surface;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&surface, (double[3]){0.2, 0.2, 0.2});
    box_surface_describe(&surface, &d);
    d.position[0] = 1.0;
    d.position[1] = y + 0.1;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static void assert_event(const pbs_sensor_event *row, int32_t kind, pbs_sensor sensor,
                         pbs_body body) {
    assert_int_equal(row->kind, kind);
    assert_true(row->sensor.id == sensor.id && row->body.id == body.id);
    assert_int_equal(row->reserved, 0);
}

/// Implicit Euler falls by g h^2 n (n + 1) / 2 in n steps.
static double fall(int steps) {
    return GRAVITY * STEP * STEP * 0.5 * steps * (steps + 1);
}

/// Cubes of 0.2 m whose lower sides start at 1 fall through a slab from 0.3 to 0.5: they enter in
/// the first step after which the lower side is at 0.5 or below, and leave when the upper side is
/// below 0.3. The sensor changes no bit of the fall.
static void falling_bodies_enter_and_leave(void **state) {
    (void)state;
    pbs_world *world = make_world(NULL);
    pbs_world *without = make_world(NULL);
    const pbs_body bodies[2] = {add_soft(world, 1.0), add_stiff(world, 1.0)};
    add_soft(without, 1.0);
    add_stiff(without, 1.0);
    const pbs_region_desc slab = region_at(PBS_SHAPE_BOX, 2.0, 0.1, 0.5, 0.4);
    const pbs_sensor sensor = add_sensor(world, &slab);
    int entered = 0;
    int left = 0;
    for (int n = 1; n <= 30; n++) {
        assert_ok(pbs_world_step(world, STEP));
        assert_ok(pbs_world_step(without, STEP));
        const double y = 1.0 - fall(n);
        const bool enters = y <= 0.5 && 1.0 - fall(n - 1) > 0.5;
        const bool leaves = y + 0.2 < 0.3 && 1.0 - fall(n - 1) + 0.2 >= 0.3;
        const struct events events = events_of(world);
        assert_int_equal(events.count, enters || leaves ? 2 : 0);
        for (size_t i = 0; i < events.count; i++) {
            assert_event(&events.rows[i], enters ? PBS_PAIR_BEGAN : PBS_PAIR_ENDED, sensor,
                         bodies[i]);
        }
        entered += enters;
        left += leaves;
    }
    assert_int_equal(entered, 1);
    assert_int_equal(left, 1);
    assert_true(pbs_world_hash(world) == pbs_world_hash(without));
    pbs_world_destroy(without);
    pbs_world_destroy(world);
}

/// A sensor deep inside a solid touches no triangle, and is enclosed. In front of a sheet, or where
/// groups differ, it is not.
static void sensors_inside_bodies_know(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 2, 2.0, (double[3]){-1.0, -1.0, -1.0}, NULL);
    add_sheet(world, 2, 2.0, (double[3]){-1.0, 1.5, -1.0}, NULL);
    pbs_region_desc d = region_at(PBS_SHAPE_SPHERE, 0.1, 0.0, 0.0, 0.3);
    const pbs_sensor inside = add_sensor(world, &d);
    d.position[1] = 1.3;
    add_sensor(world, &d);
    d.position[1] = 0.3;
    d.mask = 0;
    add_sensor(world, &d);
    d.mask = UINT32_MAX;
    d.group = 0;
    const pbs_sensor stranger = add_sensor(world, &d);
    assert_ok(pbs_world_step(world, STEP));
    struct events events = events_of(world);
    assert_int_equal(events.count, 1);
    assert_event(&events.rows[0], PBS_PAIR_BEGAN, inside, cube);
    // Settings change what is found from the next step on.
    d.group = UINT32_MAX;
    assert_ok(pbs_sensor_set_region(world, stranger, &d));
    d.position[1] = 9.0;
    assert_ok(pbs_sensor_set_region(world, inside, &d));
    pbs_region_desc now = {.struct_size = sizeof now};
    assert_ok(pbs_sensor_region(world, inside, &now));
    assert_memory_equal(&now, &d, sizeof d);
    assert_ok(pbs_world_step(world, STEP));
    events = events_of(world);
    assert_int_equal(events.count, 2);
    assert_event(&events.rows[0], PBS_PAIR_ENDED, inside, cube);
    assert_event(&events.rows[1], PBS_PAIR_BEGAN, stranger, cube);
    pbs_world_destroy(world);
}

/// A particle without surface enters with its position: 0.1 m of fall, after four steps.
static void particles_are_sensed(void **state) {
    (void)state;
    pbs_world *world = make_world(NULL);
    const double points[6] = {0.0, 0.0, 0.0, 0.0, 5.0, 0.0};
    const double masses[2] = {1.0, 1.0};
    const uint32_t springs[2] = {0, 1};
    pbs_springs_desc chain;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&chain, sizeof chain));
    chain.vertex_count = 2;
    chain.positions = points;
    chain.masses = masses;
    chain.spring_count = 1;
    chain.springs = springs;
    assert_ok(pbs_body_create_springs(world, &chain, &body));
    const pbs_region_desc d = region_at(PBS_SHAPE_CAPSULE, 0.05, 0.2, 0.0, -0.28);
    add_sensor(world, &d); // its top is at -0.03
    for (int n = 1; n <= 6; n++) {
        assert_ok(pbs_world_step(world, STEP));
        assert_int_equal(events_of(world).count, fall(n) >= 0.03 && fall(n - 1) < 0.03);
    }
    pbs_world_destroy(world);
}

// --- what comes and goes ---

static pbs_world *make_filled(struct test_allocator *allocator, pbs_sensor *sensor,
                              pbs_body bodies[2]) {
    pbs_world *world = make_world(allocator);
    bodies[0] = add_soft(world, 0.0);
    bodies[1] = add_stiff(world, 0.0);
    const pbs_region_desc d = region_at(PBS_SHAPE_CYLINDER, 3.0, 3.0, 0.0, 0.0);
    *sensor = add_sensor(world, &d);
    return world;
}

static void what_is_destroyed_leaves(void **state) {
    (void)state;
    pbs_sensor sensor;
    pbs_body bodies[2];
    pbs_world *world = make_filled(NULL, &sensor, bodies);
    assert_int_equal(pbs_world_sensor_count(world), 1);
    assert_true(pbs_sensor_is_valid(world, sensor));
    assert_ok(pbs_world_step(world, STEP));
    assert_int_equal(events_of(world).count, 2);
    assert_ok(pbs_body_destroy(world, bodies[0]));
    assert_ok(pbs_world_step(world, STEP));
    struct events events = events_of(world);
    assert_int_equal(events.count, 1);
    assert_event(&events.rows[0], PBS_PAIR_ENDED, sensor, bodies[0]);
    assert_ok(pbs_sensor_destroy(world, sensor));
    assert_false(pbs_sensor_is_valid(world, sensor));
    assert_int_equal(pbs_world_sensor_count(world), 0);
    assert_true(pbs_world_sensor_at(world, 0).id == 0);
    assert_ok(pbs_world_step(world, STEP));
    events = events_of(world);
    assert_int_equal(events.count, 1);
    assert_event(&events.rows[0], PBS_PAIR_ENDED, sensor, bodies[1]);
    assert_ok(pbs_world_step(world, STEP));
    assert_int_equal(events_of(world).count, 0);
    // The last body with a sensor that stays: also a step of nothing says so.
    const pbs_region_desc d = region_at(PBS_SHAPE_BOX, 9.0, 9.0, 9.0, 0.0);
    add_sensor(world, &d);
    assert_ok(pbs_world_step(world, STEP));
    assert_int_equal(events_of(world).count, 1);
    assert_ok(pbs_body_destroy(world, bodies[1]));
    assert_ok(pbs_world_step(world, STEP));
    events = events_of(world);
    assert_int_equal(events.count, 1);
    assert_int_equal(events.rows[0].kind, PBS_PAIR_ENDED);
    pbs_world_destroy(world);
}

/// A restored world has its sensors, and no body enters twice.
static void sensors_are_saved(void **state) {
    (void)state;
    pbs_sensor sensor;
    pbs_body bodies[2];
    pbs_world *world = make_filled(NULL, &sensor, bodies);
    assert_ok(pbs_world_step(world, STEP));
    const struct saved_world saved = save_world(world);
    pbs_world *other = new_world();
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    assert_int_equal(events_of(other).count, 0);
    assert_true(pbs_sensor_is_valid(other, sensor));
    assert_ok(pbs_world_step(other, STEP));
    assert_int_equal(events_of(other).count, 0);
    assert_ok(pbs_body_destroy(other, bodies[1]));
    assert_ok(pbs_world_step(other, STEP));
    const struct events events = events_of(other);
    assert_int_equal(events.count, 1);
    assert_event(&events.rows[0], PBS_PAIR_ENDED, sensor, bodies[1]);
    const struct saved_world again = save_world(other);
    assert_ok(pbs_world_restore(world, again.data, again.size));
    const struct saved_world third = save_world(world);
    assert_int_equal(third.size, again.size);
    assert_memory_equal(third.data, again.data, again.size);
    free(third.data);
    free(again.data);
    free(saved.data);
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

static void failed_steps_leave_events(void **state) {
    (void)state;
    pbs_sensor sensor;
    pbs_body bodies[2];
    pbs_world *world = make_filled(NULL, &sensor, bodies);
    int evaluations = INT32_MAX;
    add_stopping_particle(world, &evaluations);
    assert_ok(pbs_world_step(world, STEP));
    const struct events before = events_of(world);
    assert_true(before.count >= 2);
    evaluations = 1;
    assert_status(pbs_world_step(world, STEP), PBS_ERROR_HOST);
    const struct events after = events_of(world);
    assert_memory_equal(&before, &after, sizeof before);
    pbs_world_destroy(world);
}

// --- refusals ---

static void wrong_sensors_are_refused(void **state) {
    (void)state;
    pbs_sensor sensor;
    pbs_body bodies[2];
    pbs_world *world = make_filled(NULL, &sensor, bodies);
    const pbs_region_desc good = region_at(PBS_SHAPE_BOX, 1.0, 1.0, 1.0, 0.0);
    pbs_sensor out = {77};
    for (int i = 0; i < 7; i++) {
        pbs_region_desc d = good;
        d.shape = i == 0 ? PBS_SHAPE_HALF_SPACE : i == 1 ? PBS_SHAPE_TORUS : i == 2 ? -1 : d.shape;
        d.size[1] = i == 3 ? 0.0 : i == 4 ? NAN : d.size[1];
        d.position[0] = i == 5 ? INFINITY : d.position[0];
        d.orientation[0] = i == 6 ? 1.0 : d.orientation[0];
        assert_status(pbs_sensor_create(world, &d, &out), PBS_ERROR_ARGUMENT);
        assert_status(pbs_sensor_set_region(world, sensor, &d), PBS_ERROR_ARGUMENT);
    }
    assert_true(out.id == 77);
    pbs_region_desc d = good;
    pbs_sensor_event row;
    size_t count = 1;
    assert_status(pbs_sensor_create(NULL, &d, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_sensor_create(world, NULL, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_sensor_create(world, &d, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_sensor_set_region(world, (pbs_sensor){bodies[0].id}, &d), PBS_ERROR_HANDLE);
    assert_message("names a body");
    assert_status(pbs_sensor_region(world, (pbs_sensor){0}, &d), PBS_ERROR_HANDLE);
    assert_status(pbs_sensor_destroy(world, (pbs_sensor){bodies[0].id}), PBS_ERROR_HANDLE);
    assert_status(pbs_body_destroy(world, (pbs_body){sensor.id}), PBS_ERROR_HANDLE);
    assert_message("names a sensor");
    assert_ok(pbs_sensor_destroy(world, (pbs_sensor){0}));
    assert_false(pbs_sensor_is_valid(NULL, sensor));
    assert_int_equal(pbs_world_sensor_count(NULL), 0);
    d.struct_size = 8;
    assert_status(pbs_sensor_create(world, &d, &out), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_region_desc_init(NULL, sizeof d), PBS_ERROR_ARGUMENT);
    assert_ok(pbs_world_step(world, STEP));
    assert_status(pbs_world_sensor_events(NULL, &row, sizeof row, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_sensor_events(world, &row, sizeof row, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_sensor_events(world, &row, 4, &count), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_world_sensor_events(world, &row, sizeof row, &count), PBS_ERROR_CAPACITY);
    assert_int_equal(count, 2);
    pbs_world_destroy(world);
}

static pbs_status create_sensor(pbs_world *world, void *context) {
    return pbs_sensor_create(world, context, &(pbs_sensor){0});
}

static pbs_status take_a_step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, STEP);
}

static void refused_allocations_change_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_sensor sensor;
    pbs_body bodies[2];
    uint64_t refused = 0;
    pbs_world *world = make_filled(&allocator, &sensor, bodies);
    pbs_region_desc d = region_at(PBS_SHAPE_BOX, 1.0, 1.0, 1.0, 0.0);
    assert_ok(refuse_until_success(&allocator, world, create_sensor, &d, &refused));
    assert_true(refused > 0);
    assert_ok(refuse_until_success(&allocator, world, take_a_step, NULL, NULL));
    assert_int_equal(events_of(world).count, 4);
    // From now on steps take nothing, whatever enters and leaves.
    assert_ok(pbs_world_step(world, STEP));
    const uint64_t before = allocator.allocate_count;
    for (int n = 0; n < 10; n++) {
        d.position[1] = n % 2 == 0 ? 50.0 : 0.0;
        assert_ok(pbs_sensor_set_region(world, sensor, &d));
        assert_ok(pbs_world_step(world, STEP));
        assert_true(events_of(world).count > 0);
    }
    assert_true(allocator.allocate_count == before);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

/// Going back into the same world, whose solver stays, leaves no events of the step that is undone.
static void going_back_forgets_events(void **state) {
    (void)state;
    pbs_world *world = make_world(NULL);
    const pbs_region_desc region = region_at(PBS_SHAPE_BOX, 1.0, 0.5, 1.0, 0.0);
    add_soft(world, 0.52);
    add_sensor(world, &region);
    struct saved_world before = {.data = NULL};
    for (int i = 0; i < 20 && events_of(world).count == 0; i++) {
        free(before.data);
        before = save_world(world);
        assert_ok(pbs_world_step(world, STEP));
    }
    assert_int_equal(events_of(world).count, 1);
    assert_ok(pbs_world_restore(world, before.data, before.size));
    assert_int_equal(events_of(world).count, 0);
    assert_ok(pbs_world_step(world, STEP));
    assert_int_equal(events_of(world).count, 1);
    free(before.data);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_bodies_enter_and_leave),
        cmocka_unit_test(sensors_inside_bodies_know),
        cmocka_unit_test(particles_are_sensed),
        cmocka_unit_test(what_is_destroyed_leaves),
        cmocka_unit_test(sensors_are_saved),
        cmocka_unit_test(failed_steps_leave_events),
        cmocka_unit_test(wrong_sensors_are_refused),
        cmocka_unit_test(refused_allocations_change_nothing),
        cmocka_unit_test(going_back_forgets_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

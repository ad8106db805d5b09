// Bodies that are destroyed and created in any order. To the bit, the world is then one in which
// only the remaining bodies were created. Calls in between work in spite of the gaps.
// SPDX-License-Identifier: MIT
#include "support/random.h"
#include "support/world_testing.h"

enum { BODIES = 40 };

/// Adds a cube, a particle pair or an affine box. The number decides which, and where.
static pbs_body add_body(pbs_world *world, int number) {
    const double place[3] = {2.0 * number, 0.5 + 0.01 * number, 0.0};
    pbs_body body;
    if (number % 3 == 0) {
        return add_cube(world, 1 + (size_t)(number % 2), 0.3, place, NULL);
    }
    if (number % 3 == 1) {
        static const double masses[2] = {0.5, 0.25};
        const double x[6] = {place[0], place[1], 0.0, place[0] + 0.1, place[1], 0.2};
        pbs_springs_desc d;
        assert_ok(pbs_springs_desc_init(&d, sizeof d));
        d.vertex_count = 2;
        d.positions = x;
        d.masses = masses;
        assert_ok(pbs_body_create_springs(world, &d, &body));
        return body;
    }
    static const double sides[3] = {0.2, 0.3, 0.4};
    struct box_surface box;
    pbs_affine_desc d;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    memcpy(d.position, place, sizeof place);
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static pbs_world *barrier_world(void) {
    pbs_world_desc d;
    scene_settings(&d);
    d.contact = PBS_CONTACT_BARRIER;
    pbs_world *world = new_world_from(&d);
    add_ground(world);
    return world;
}

/// Bodies by their number, in order of creation, beside the world that holds them.
struct list {
    pbs_world *world;
    int numbers[2 * BODIES];
    pbs_body bodies[2 * BODIES];
    size_t count;
};

static void make(struct list *list, int number) {
    list->numbers[list->count] = number;
    list->bodies[list->count++] = add_body(list->world, number);
}

static void destroy(struct list *list, size_t index) {
    const pbs_body body = list->bodies[index];
    assert_ok(pbs_body_destroy(list->world, body));
    assert_false(pbs_body_is_valid(list->world, body));
    list->count--;
    for (size_t i = index; i < list->count; i++) {
        list->numbers[i] = list->numbers[i + 1];
        list->bodies[i] = list->bodies[i + 1];
    }
}

static void assert_order(const struct list *list) {
    assert_int_equal(pbs_world_body_count(list->world), list->count);
    for (size_t i = 0; i < list->count; i++) {
        assert_true(pbs_world_body_at(list->world, i).id == list->bodies[i].id);
    }
    assert_true(pbs_world_body_at(list->world, list->count).id == 0);
}

/// A world in which just those were made.
static pbs_world *fresh_world(const struct list *list) {
    pbs_world *world = barrier_world();
    for (size_t i = 0; i < list->count; i++) {
        add_body(world, list->numbers[i]);
    }
    return world;
}

static void assert_same_worlds(pbs_world *a, pbs_world *b) {
    assert_int_equal(stats_of(a).scene.nodes, stats_of(b).scene.nodes);
    assert_true(pbs_world_hash(a) == pbs_world_hash(b));
    const pbs_energy of_a = energy_of(a);
    const pbs_energy of_b = energy_of(b);
    assert_memory_equal(&of_a, &of_b, sizeof of_a);
}

/// Each of the first calls after bodies were destroyed meets the gaps first.
static void first_call(const struct list *list, pbs_world *fresh, int which) {
    const size_t last = list->count - 1;
    const pbs_body body = list->bodies[last];
    const pbs_body twin = pbs_world_body_at(fresh, last);
    const size_t count = pbs_body_vertex_count(list->world, body);
    if (which == 0) {
        const struct saved_world saved = save_world(list->world);
        pbs_world *restored = barrier_world();
        assert_ok(pbs_world_restore(restored, saved.data, saved.size));
        assert_same_worlds(restored, fresh);
        assert_same_bits(pbs_body_positions(restored, body), pbs_body_positions(fresh, twin),
                         3 * count);
        pbs_world_destroy(restored);
        free(saved.data);
    } else if (which == 1) {
        assert_same_worlds(list->world, fresh);
    } else if (which == 2) {
        // Pointers stay what they are while the world is only read.
        const double *x = pbs_body_positions(list->world, body);
        energy_of(list->world);
        pbs_world_hash(list->world);
        assert_ptr_equal(x, pbs_body_positions(list->world, body));
        assert_same_bits(x, pbs_body_positions(fresh, twin), 3 * count);
    } else if (which == 3) {
        float own[3 * 27], other[3 * 27];
        assert_ok(pbs_body_read_f32(list->world, body, PBS_CHANNEL_POSITION, own, 12, count));
        assert_ok(pbs_body_read_f32(fresh, twin, PBS_CHANNEL_POSITION, other, 12, count));
        assert_memory_equal(own, other, 12 * count);
    } else if (which == 4) {
        double v[3 * 27];
        for (size_t i = 0; i < 3 * count; i++) {
            v[i] = 0.5;
        }
        assert_ok(pbs_body_set_velocities(list->world, body, v, count));
        assert_ok(pbs_body_set_velocities(fresh, twin, v, count));
        assert_ok(pbs_body_pin_all(list->world, list->bodies[0]));
        assert_ok(pbs_body_pin_all(fresh, pbs_world_body_at(fresh, 0)));
    } else if (which == 6) {
        assert_ok(pbs_world_step(list->world, 0.01));
        assert_ok(pbs_world_step(fresh, 0.01));
    } else if (which == 5) {
        pbs_closest_desc near;
        pbs_surface_point own = {.struct_size = sizeof own}, other = own;
        assert_ok(pbs_closest_desc_init(&near, sizeof near));
        near.point[0] = 2.0 * list->numbers[last];
        near.point[1] = 9.0;
        assert_ok(pbs_world_closest(list->world, &near, &own));
        assert_ok(pbs_world_closest(fresh, &near, &other));
        assert_same_bits(own.point, other.point, 3);
        assert_true(own.body.id == 0 || pbs_body_is_valid(list->world, own.body));
    }
}

static void what_is_left_is_as_if_alone(void **state) {
    (void)state;
    for (int n = 0; n < 42; n++) {
        struct random random = random_seed((uint64_t)n);
        struct list list = {.world = barrier_world()};
        int number = 0;
        for (; number < BODIES; number++) {
            make(&list, number);
        }
        // From the front, from the back, from anywhere; some are made in between.
        for (int i = 0; i < 25; i++) {
            const size_t any = (size_t)random_index(&random, (uint32_t)list.count);
            destroy(&list, n % 3 == 0 ? 0 : n % 3 == 1 ? list.count - 1 : any);
            if (random_index(&random, 3) == 0) {
                make(&list, number++);
            }
            assert_order(&list);
        }
        pbs_world *fresh = fresh_world(&list);
        first_call(&list, fresh, n / 3 % 7);
        assert_same_worlds(list.world, fresh);
        for (int step = 0; step < 2; step++) {
            assert_ok(pbs_world_step(list.world, 0.01));
            assert_ok(pbs_world_step(fresh, 0.01));
        }
        assert_same_worlds(list.world, fresh);
        // After a step, and all of them.
        destroy(&list, list.count / 2);
        assert_order(&list);
        assert_ok(pbs_world_step(list.world, 0.01));
        while (list.count > 0) {
            destroy(&list, 0);
        }
        assert_order(&list);
        assert_int_equal(stats_of(list.world).scene.nodes, 0);
        assert_ok(pbs_world_step(list.world, 0.01));
        make(&list, 1);
        assert_ok(pbs_world_step(list.world, 0.01));
        pbs_world_destroy(fresh);
        pbs_world_destroy(list.world);
    }
}

/// Bodies that come and go at the same rate take the room of those that went.
static void coming_and_going_takes_no_more_room(void **state) {
    (void)state;
    struct list list = {.world = barrier_world()};
    for (int i = 0; i < BODIES; i++) {
        make(&list, i);
    }
    size_t most = 0;
    for (int i = 0; i < 40 * BODIES; i++) {
        make(&list, i % BODIES);
        destroy(&list, 0);
        const size_t bytes = stats_of(list.world).memory.bytes_in_use;
        if (i < 10 * BODIES) {
            most = bytes > most ? bytes : most;
        }
        assert_true(bytes <= most);
    }
    assert_order(&list);
    pbs_world_destroy(list.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_is_as_if_alone),
        cmocka_unit_test(coming_and_going_takes_no_more_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

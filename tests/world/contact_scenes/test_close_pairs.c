// What the host places closer than its contact distance: it stays where it is, moves as if nothing
// were near, and is caught where it comes closer.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "support/world_testing.h"

static const double FRAME = 1.0 / 60.0;
static const double GRAVITY = 9.81;
static const double EDGE = 0.1;
static const double DISTANCE = 5e-4; ///< m: 5e-3 edges

static pbs_world *make_world(double gravity) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -gravity;
    return new_world_from(&d);
}

static pbs_body add_box(pbs_world *world, const double size[3], const double position[3]) {
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, size);
    box_surface_describe(&box, &d);
    for (int k = 0; k < 3; k++) {
        d.position[k] = position[k];
    }
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static pbs_body add_small_box(pbs_world *world, double x, double y) {
    return add_box(world, (double[3]){EDGE, EDGE, EDGE}, (double[3]){x, y, 0.0});
}

static pbs_stats step(pbs_world *world) {
    const pbs_status status = pbs_world_step(world, FRAME);
    if (status < 0) {
        fail_msg("%s", pbs_last_error());
    }
    return stats_of(world);
}

static double fastest(const pbs_world *world, pbs_body body) {
    const double *v = pbs_body_velocities(world, body);
    double most = 0.0;
    for (size_t i = 0; i < 3 * pbs_body_vertex_count(world, body); i++) {
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

static void set_velocity(pbs_world *world, pbs_body body, double vx) {
    double v[3 * 8] = {0.0};
    for (size_t i = 0; i < 8; i++) {
        v[3 * i] = vx;
    }
    assert_ok(pbs_body_set_velocities(world, body, v, 8));
}

/// Three boxes in a row without gravity. Barriers at the whole distance would drive them apart, at
/// a tenth of it with 1 km/s where the scheme keeps energy.
static void what_is_placed_close_stays(void **state) {
    (void)state;
    static const int32_t schemes[] = {
        PBS_SCHEME_IMPLICIT_EULER,    PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2,
        PBS_SCHEME_GENERALIZED_ALPHA, PBS_SCHEME_A_1,  PBS_SCHEME_A_SEARCH};
    static const double gaps[] = {0.8, 0.4, 0.1, 1e-3};
    for (size_t k = 0; k < COUNT_OF(schemes) * COUNT_OF(gaps); k++) {
        const double gap = gaps[k % COUNT_OF(gaps)] * DISTANCE;
        pbs_world *world = make_world(0.0);
        pbs_body boxes[3];
        use_scheme(world, schemes[k / COUNT_OF(gaps)]);
        for (int i = 0; i < 3; i++) {
            boxes[i] = add_small_box(world, i * (EDGE + gap), 0.0);
        }
        assert_true(energy_of(world).contact == 0.0);
        for (int n = 0; n < 10; n++) {
            assert_int_equal(step(world).step.parts, 1);
        }
        for (int i = 0; i < 3; i++) {
            // Rounding of positions near 0.2 m, over the length of a step.
            assert_true(fastest(world, boxes[i]) < 1e-11);
        }
        pbs_world_destroy(world);
    }
}

/// A teleport of a body that has been stepped, and a collider that is created where a body is.
static void what_is_moved_close_stays(void **state) {
    (void)state;
    pbs_world *world = make_world(0.0);
    const pbs_body first = add_small_box(world, 0.0, 0.0);
    const pbs_body second = add_small_box(world, 1.0, 0.0);
    step(world);
    const double position[3] = {EDGE + 0.3 * DISTANCE, 0.0, 0.0};
    const double orientation[4] = {0.0, 0.0, 0.0, 1.0};
    assert_ok(pbs_body_set_pose(world, second, position, orientation));
    step(world);
    pbs_collider_desc d;
    pbs_collider wall;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.position[1] = -0.5 * EDGE - 0.2 * DISTANCE;
    assert_ok(pbs_collider_create(world, &d, &wall));
    for (int n = 0; n < 5; n++) {
        step(world);
    }
    assert_true(fastest(world, first) < 1e-12 && fastest(world, second) < 1e-12);
    pbs_world_destroy(world);
}

/// A peg between two walls, with friction: it falls as if they were not there, at all clearances.
/// Barriers that press from the start would hold it.
static void a_peg_falls_out_of_its_hole(void **state) {
    (void)state;
    static const double clearances[] = {1e-2, 1e-3, 1e-4};
    for (size_t k = 0; k < COUNT_OF(clearances); k++) {
        pbs_world *world = make_world(GRAVITY);
        for (int side = -1; side <= 1; side += 2) {
            pbs_collider_desc d;
            pbs_collider wall;
            assert_ok(pbs_collider_desc_init(&d, sizeof d));
            d.shape = PBS_SHAPE_BOX;
            d.size[0] = d.size[1] = d.size[2] = 0.5;
            d.position[0] = side * (0.5 + 0.5 * EDGE + clearances[k] * EDGE);
            d.friction = 0.1;
            assert_ok(pbs_collider_create(world, &d, &wall));
        }
        const pbs_body peg = add_small_box(world, 0.0, 0.0);
        pbs_contact_desc contact;
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.friction = 0.1;
        assert_ok(pbs_body_set_contact(world, peg, &contact));
        for (int n = 0; n < 6; n++) {
            step(world);
        }
        double position[3], orientation[4];
        assert_ok(pbs_body_pose(world, peg, position, orientation));
        // Implicit Euler: g h^2 (1 + 2 + .. + 6).
        const double fall = 21.0 * GRAVITY * FRAME * FRAME;
        assert_near(-position[1], fall, 1e-3 * fall, "fall, m");
        pbs_world_destroy(world);
    }
}

/// What falls onto something that it is close to touches it within its first step, which is taken
/// in eight parts, as friction is that of the contacts where a part begins. Then it lies.
static void the_first_touch_is_taken_in_parts(void **state) {
    (void)state;
    pbs_world *world = make_world(GRAVITY);
    add_ground(world);
    const pbs_body box = add_small_box(world, 0.0, 0.5 * EDGE + 0.4 * DISTANCE);
    assert_int_equal(step(world).step.parts, 8);
    pbs_stats stats = {0};
    for (int n = 0; n < 30; n++) {
        stats = step(world);
        assert_int_equal(stats.step.parts, 1);
    }
    assert_true(fastest(world, box) < 1e-6);
    assert_true(stats.contact.least_gap > 0.05 * DISTANCE &&
                stats.contact.least_gap < 0.4 * DISTANCE);
    pbs_world_destroy(world);
}

/// A pair that carries nothing gets its distance back as its sides part.
static void the_distance_grows_again(void **state) {
    (void)state;
    pbs_world *world = make_world(0.0);
    const pbs_body fixed = add_small_box(world, 0.0, 0.0);
    const pbs_body box = add_small_box(world, EDGE + 0.1 * DISTANCE, 0.0);
    assert_ok(pbs_body_pin_all(world, fixed));
    // 0.6 of the distance in a step, three times, and back by slow steps.
    set_velocity(world, box, 0.6 * DISTANCE / FRAME);
    for (int n = 0; n < 3; n++) {
        step(world);
    }
    set_velocity(world, box, -0.15 * DISTANCE / FRAME);
    double least = INFINITY;
    for (int n = 0; n < 20; n++) {
        step(world);
        pbs_contact rows[256];
        size_t count = COUNT_OF(rows);
        assert_ok(pbs_world_contacts(world, rows, sizeof *rows, &count));
        for (size_t i = 0; i < count; i++) {
            least = fmin(least, rows[i].gap);
        }
    }
    print_message("gap %g of the distance\n", least / DISTANCE);
    assert_true(least > 0.5 * DISTANCE && least < DISTANCE);
    pbs_world_destroy(world);
}

/// A world that is saved before its first step, between steps, and where what was close is gone.
static void restored_worlds_know_them(void **state) {
    (void)state;
    pbs_world *world = make_world(GRAVITY);
    add_ground(world);
    add_small_box(world, 0.0, 0.5 * EDGE + 0.4 * DISTANCE);
    add_small_box(world, EDGE + 0.2 * DISTANCE, 0.5 * EDGE + 0.3 * DISTANCE);
    const pbs_body last = add_small_box(world, -EDGE - 0.2 * DISTANCE, 0.5 * EDGE + 0.9 * DISTANCE);
    for (int n = 0; n < 6; n++) {
        const struct saved_world saved = save_world(world);
        pbs_world *other = new_world();
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        free(saved.data);
        assert_true(energy_of(world).contact == energy_of(other).contact);
        assert_int_equal(step(world).step.parts, step(other).step.parts);
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        pbs_world_destroy(other);
        if (n == 3) {
            assert_ok(pbs_body_destroy(world, last));
            add_small_box(world, -2.0 * EDGE, 0.5 * EDGE + 2.0 * DISTANCE);
        }
    }
    pbs_world_destroy(world);
}

static void close_pairs_allocate_nothing_later(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    add_small_box(world, 0.0, 0.0);
    add_small_box(world, EDGE + 0.3 * DISTANCE, 0.0);
    for (int n = 0; n < 5; n++) {
        step(world);
    }
    const uint64_t calls = stats_of(world).memory.allocator_calls;
    for (int n = 0; n < 5; n++) {
        step(world);
    }
    assert_true(stats_of(world).memory.allocator_calls == calls);
    pbs_world_destroy(world);
    assert_int_equal(allocator.bytes_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_placed_close_stays),
        cmocka_unit_test(what_is_moved_close_stays),
        cmocka_unit_test(a_peg_falls_out_of_its_hole),
        cmocka_unit_test(the_first_touch_is_taken_in_parts),
        cmocka_unit_test(the_distance_grows_again),
        cmocka_unit_test(restored_worlds_know_them),
        cmocka_unit_test(close_pairs_allocate_nothing_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

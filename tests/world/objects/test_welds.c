// Welds through the public API: their number, places and strengths, refusals, saving, and failed
// calls that change nothing.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include <math.h>

static const double SIDE = 0.1;

static pbs_world *new_weld_world(int32_t contact, struct test_allocator *allocator) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = contact;
    if (allocator != NULL) {
        d.allocator = test_allocator_hooks(allocator);
    }
    return new_world_from(&d);
}

static pbs_body add_chunk(pbs_world *world, double x, double y, double z) {
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    const double sides[3] = {SIDE, SIDE, SIDE};
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.position[0] = x;
    d.position[1] = y;
    d.position[2] = z;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static void add_grid(pbs_world *world, pbs_body bodies[27]) {
    for (int i = 0; i < 27; i++) {
        bodies[i] = add_chunk(world, SIDE * (i % 3), SIDE * (i / 3 % 3), SIDE * (i / 9));
    }
}

static pbs_weld_desc describe(const pbs_body *bodies, size_t count) {
    pbs_weld_desc d;
    assert_ok(pbs_weld_desc_init(&d, sizeof d));
    d.bodies = bodies;
    d.body_count = count;
    d.tensile_strength = 1e6;
    d.shear_strength = 2e6;
    return d;
}

static pbs_joint_desc weld_at(const pbs_world *world, size_t index) {
    pbs_joint_desc d = {.struct_size = sizeof d};
    assert_ok(pbs_joint_settings(world, pbs_world_joint_at(world, index), &d));
    return d;
}

/// 54 faces between 27 cubes, and nothing along edges and at corners.
static void a_grid_has_a_weld_for_each_inner_face(void **state) {
    (void)state;
    pbs_world *world = new_weld_world(PBS_CONTACT_BARRIER, NULL);
    pbs_body bodies[27];
    size_t count = 0;
    add_grid(world, bodies);
    const pbs_weld_desc d = describe(bodies, 27);
    assert_ok(pbs_joint_create_welds(world, &d, &count));
    assert_int_equal(count, 54);
    assert_int_equal(pbs_world_joint_count(world), 54);
    for (size_t i = 0; i < count; i++) {
        const pbs_joint_desc weld = weld_at(world, i);
        double a[3], b[3];
        assert_int_equal(weld.kind, PBS_JOINT_WELD);
        assert_near(weld.break_tension / (1e6 * SIDE * SIDE), 1.0, 1e-12, "tension");
        assert_near(weld.break_shear / (2e6 * SIDE * SIDE), 1.0, 1e-12, "shear");
        assert_near(weld.break_bending / (1e6 * SIDE * SIDE * SIDE / 6.0), 1.0, 1e-12, "bending");
        assert_near(weld.break_torsion / (2e6 * SIDE * SIDE * SIDE * sqrt(2.0) / 6.0), 1.0, 1e-12,
                    "torsion");
        // Both sides are at the middle of the face, half a side from either center.
        assert_ok(pbs_world_point_position(world, &weld.a, a));
        assert_ok(pbs_world_point_position(world, &weld.b, b));
        assert_small(testing_max_difference(a, b, 3), 1e-14, "gap");
        for (int k = 0; k < 3; k++) {
            assert_near(weld.a.place[k], 0.5 * SIDE * weld.axis[k], 1e-14, "place");
            assert_near(weld.b.place[k], -0.5 * SIDE * weld.axis[k], 1e-14, "place");
        }
    }
    // Barriers start from faces and edges that were together.
    assert_ok(pbs_world_step(world, 0.01));
    assert_int_equal(stats_of(world).contact.active, 0);
    pbs_world_destroy(world);
}

/// Each weld has a factor of its own, the same for the same seed; strengths of a weld scatter
/// together.
static void strengths_scatter_by_the_seed(void **state) {
    (void)state;
    double factors[3][54];
    for (int run = 0; run < 3; run++) {
        pbs_world *world = new_weld_world(PBS_CONTACT_PROJECTION, NULL);
        pbs_body bodies[27];
        add_grid(world, bodies);
        pbs_weld_desc d = describe(bodies, 27);
        d.weibull_modulus = 8.0;
        d.seed = run == 2 ? 6 : 5;
        assert_ok(pbs_joint_create_welds(world, &d, NULL));
        for (size_t i = 0; i < 54; i++) {
            const pbs_joint_desc weld = weld_at(world, i);
            factors[run][i] = weld.break_tension / (1e6 * SIDE * SIDE);
            assert_near(weld.break_shear / weld.break_tension, 2.0, 1e-12, "shear");
        }
        pbs_world_destroy(world);
    }
    double mean = 0.0;
    size_t different = 0;
    for (size_t i = 0; i < 54; i++) {
        assert_true(factors[0][i] == factors[1][i]);
        different += factors[0][i] != factors[2][i];
        mean += factors[0][i] / 54.0;
    }
    assert_int_equal(different, 54);
    // The standard deviation of modulus 8 is 0.15; three of those of the mean.
    assert_near(mean, 1.0, 3.0 * 0.15 / sqrt(54.0), "mean");
}

/// Solids are welded in the tetrahedra beside the face: a cube of 2 x 2 x 2 cells on a chunk.
static void solids_are_welded_too(void **state) {
    (void)state;
    pbs_world *world = new_weld_world(PBS_CONTACT_PROJECTION, NULL);
    const double corner[3] = {-0.5 * SIDE, 0.5 * SIDE, -0.5 * SIDE};
    const pbs_body bodies[2] = {add_chunk(world, 0.0, 0.0, 0.0),
                                add_cube(world, 2, SIDE, corner, NULL)};
    const pbs_weld_desc d = describe(bodies, 2);
    size_t count = 0;
    assert_ok(pbs_joint_create_welds(world, &d, &count));
    assert_int_equal(count, 1);
    const pbs_joint_desc weld = weld_at(world, 0);
    assert_int_equal(weld.b.kind, PBS_POINT_TET);
    assert_near(weld.break_tension / (1e6 * SIDE * SIDE), 1.0, 1e-12, "tension");
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

static void wrong_welds_are_refused(void **state) {
    (void)state;
    static const double corner[3] = {3.0, 0.0, 0.0};
    pbs_world *world = new_weld_world(PBS_CONTACT_PROJECTION, NULL);
    const pbs_body bodies[3] = {add_chunk(world, 0.0, 0.0, 0.0), add_chunk(world, SIDE, 0.0, 0.0),
                                add_sheet(world, 2, 1.0, corner, NULL)};
    const pbs_body twice[3] = {bodies[0], bodies[1], bodies[0]};
    pbs_weld_desc d;
    size_t count = 7;
    assert_status(pbs_weld_desc_init(NULL, sizeof d), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_create_welds(NULL, &d, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_joint_create_welds(world, NULL, &count), PBS_ERROR_ARGUMENT);
    d = describe(NULL, 2);
    assert_status(pbs_joint_create_welds(world, &d, &count), PBS_ERROR_ARGUMENT);
    d = describe(bodies, 3);
    assert_status(pbs_joint_create_welds(world, &d, &count), PBS_ERROR_ARGUMENT);
    assert_message("bodies[2]");
    d = describe(twice, 3);
    assert_status(pbs_joint_create_welds(world, &d, &count), PBS_ERROR_ARGUMENT);
    assert_message("twice");
    double *const numbers[] = {&d.distance, &d.least_area, &d.tensile_strength, &d.shear_strength,
                               &d.inset,    &d.tolerance,  &d.weibull_modulus,  &d.inset};
    for (int i = 0; i < 8; i++) {
        d = describe(bodies, 2);
        *numbers[i] = i == 7 ? NAN : -2.0;
        assert_status(pbs_joint_create_welds(world, &d, &count), PBS_ERROR_ARGUMENT);
    }
    const pbs_body gone[2] = {bodies[0], {bodies[1].id + 1000}};
    d = describe(gone, 2);
    assert_status(pbs_joint_create_welds(world, &d, &count), PBS_ERROR_HANDLE);
    assert_int_equal(count, 7);
    assert_int_equal(pbs_world_joint_count(world), 0);
    d = describe(NULL, 0);
    assert_ok(pbs_joint_create_welds(world, &d, &count));
    assert_int_equal(count, 0);
    // Strengths along an axis are of joints that have one.
    pbs_joint_desc ball;
    pbs_joint joint;
    assert_ok(pbs_joint_desc_init(&ball, sizeof ball));
    ball.b = (pbs_point){.struct_size = sizeof ball.b, .kind = PBS_POINT_LOCAL, .body = bodies[0]};
    ball.break_bending = 1.0;
    assert_status(pbs_joint_create(world, &ball, &joint), PBS_ERROR_ARGUMENT);
    assert_message("no axis");
    ball.kind = PBS_JOINT_WELD;
    ball.break_bending = 0.0;
    assert_status(pbs_joint_create(world, &ball, &joint), PBS_ERROR_ARGUMENT);
    assert_message("break_bending");
    pbs_world_destroy(world);
}

static void restored_welds_go_on_to_the_same_bits(void **state) {
    (void)state;
    pbs_world *world = new_weld_world(PBS_CONTACT_BARRIER, NULL), *other = new_world();
    pbs_body bodies[27];
    add_ground(world);
    for (int i = 0; i < 27; i++) {
        bodies[i] = add_chunk(world, SIDE * (i % 3), SIDE * (i / 3 % 3 + 0.6), SIDE * (i / 9));
    }
    pbs_weld_desc d = describe(bodies, 27);
    // They fall by a tenth of a side; what moves one of them off breaks its welds at once.
    d.tensile_strength = d.shear_strength = 1e4;
    d.weibull_modulus = 3.0;
    pbs_world_desc settings = settings_of(world);
    settings.gravity[1] = -9.81;
    assert_ok(pbs_world_set_settings(world, &settings));
    assert_ok(pbs_joint_create_welds(world, &d, NULL));
    double away[24];
    for (int i = 0; i < 24; i++) {
        away[i] = i % 3 == 0 ? 2.0 : 0.0;
    }
    assert_ok(pbs_body_set_velocities(world, bodies[26], away, 8));
    size_t broken = 0;
    for (int i = 0; i < 10 && broken == 0; i++) {
        assert_true(pbs_world_step(world, 0.01) >= 0);
        assert_ok(pbs_world_broken_joints(world, NULL, sizeof(pbs_broken_joint), &broken));
    }
    assert_true(broken > 0);
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    free(saved.data);
    assert_true(pbs_world_hash(world) == pbs_world_hash(other));
    for (int i = 0; i < 5; i++) {
        assert_true(pbs_world_step(world, 0.01) >= 0);
        assert_true(pbs_world_step(other, 0.01) >= 0);
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
    }
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

/// The foot of a wall may be pinned: its pieces are welded to each other as well, and stay together
/// once they are let go.
static void pinned_pieces_are_welded(void **state) {
    (void)state;
    pbs_world *world = new_weld_world(PBS_CONTACT_PROJECTION, NULL);
    const pbs_body bodies[2] = {add_chunk(world, 0.0, 0.0, 0.0), add_chunk(world, SIDE, 0.0, 0.0)};
    const double pull[3] = {0.1, 0.0, 0.0};
    pbs_joint_state weld = {.struct_size = sizeof weld};
    size_t count = 0;
    assert_ok(pbs_body_pin_all(world, bodies[0]));
    assert_ok(pbs_body_pin_all(world, bodies[1]));
    const pbs_weld_desc d = describe(bodies, 2);
    assert_ok(pbs_joint_create_welds(world, &d, &count));
    assert_int_equal(count, 1);
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_unpin_all(world, bodies[0]));
    assert_ok(pbs_body_unpin_all(world, bodies[1]));
    assert_ok(pbs_body_set_motion(world, bodies[1], pull, NULL));
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_joint_get_state(world, pbs_world_joint_at(world, 0), &weld));
    assert_small(weld.gap, 1e-8 * SIDE * sqrt(3.0), "gap");
    pbs_world_destroy(world);
}

static pbs_status create_welds(pbs_world *world, void *context) {
    return pbs_joint_create_welds(world, context, NULL);
}

static void refused_memory_leaves_the_world_as_it_was(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_weld_world(PBS_CONTACT_BARRIER, &allocator);
    const pbs_body bodies[3] = {add_chunk(world, 0.0, 0.0, 0.0), add_chunk(world, SIDE, 0.0, 0.0),
                                add_chunk(world, SIDE, SIDE, 0.0)};
    pbs_weld_desc d = describe(bodies, 3);
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, create_welds, &d, &refused));
    assert_true(refused > 5);
    assert_int_equal(pbs_world_joint_count(world), 2);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_has_a_weld_for_each_inner_face),
        cmocka_unit_test(strengths_scatter_by_the_seed),
        cmocka_unit_test(solids_are_welded_too),
        cmocka_unit_test(wrong_welds_are_refused),
        cmocka_unit_test(pinned_pieces_are_welded),
        cmocka_unit_test(restored_welds_go_on_to_the_same_bits),
        cmocka_unit_test(refused_memory_leaves_the_world_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

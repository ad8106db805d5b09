// Free bodies may be turned as rigid bodies between the iterations of a step. That does not change
// where steps end.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

static const double corner[3] = {0.0, 1.0, 0.0};

/// A stiff cube that spins by more than a radian a step while it falls.
static pbs_world *spinning_cube(int32_t alignment, int32_t contact, int32_t threads,
                                pbs_body *body) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    expert_settings(&expert, &d);
    d.gravity[1] = -9.81;
    d.contact = contact;
    d.threads = threads;
    expert.alignment = alignment;
    expert.initial_guess = PBS_GUESS_INERTIAL;
    d.newton_limit = 5000;
    d.relative_tolerance = 1e-9;
    d.velocity_tolerance = 0.0;
    pbs_world *world = new_world_from(&d);
    pbs_solid_desc like;
    assert_ok(pbs_solid_desc_init(&like, sizeof like));
    like.material = PBS_MATERIAL_STABLE_NEO_HOOKEAN;
    like.young = 1e7;
    *body = add_cube(world, 2, 0.3, corner, &like);
    double v[3 * 27];
    const double *x = pbs_body_positions(world, *body);
    assert_int_equal(pbs_body_vertex_count(world, *body), 27);
    for (size_t i = 0; i < 27; i++) {
        const double away[3] = {x[3 * i] - 0.15, x[3 * i + 1] - 1.15, x[3 * i + 2] - 0.15};
        const double turn[3] = {20.0, 30.0, -10.0};
        v[3 * i] = turn[1] * away[2] - turn[2] * away[1];
        v[3 * i + 1] = turn[2] * away[0] - turn[0] * away[2];
        v[3 * i + 2] = turn[0] * away[1] - turn[1] * away[0] + 2.0;
    }
    assert_ok(pbs_body_set_velocities(world, *body, v, 27));
    return world;
}

static void steps_end_where_they_end_without(void **state) {
    (void)state;
    const int32_t contacts[] = {PBS_CONTACT_PROJECTION, PBS_CONTACT_BARRIER};
    for (size_t k = 0; k < COUNT_OF(contacts); k++) {
        pbs_body body, other;
        pbs_world *with = spinning_cube(PBS_ALIGNMENT_FREE_BODIES, contacts[k], 1, &body);
        pbs_world *without = spinning_cube(PBS_ALIGNMENT_NEVER, contacts[k], 1, &other);
        for (int i = 0; i < 6; i++) {
            assert_ok(pbs_world_step(with, 1.0 / 24.0));
            assert_ok(pbs_world_step(without, 1.0 / 24.0));
        }
        // The reference force is 1e7 Pa times a square of 0.15 m, so gradients are below 1e-3 N;
        // against the least stiffness, of inertia, 1e-3 kg / h^2 of a corner, that is 1e-3 m at
        // worst and 1e-6 m where they spread over the body.
        assert_near(testing_max_difference(pbs_body_positions(with, body),
                                           pbs_body_positions(without, other), 81),
                    0.0, 1e-6, "place");
        pbs_world_destroy(with);
        pbs_world_destroy(without);
    }
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    pbs_body body;
    pbs_world *one = spinning_cube(PBS_ALIGNMENT_FREE_BODIES, PBS_CONTACT_PROJECTION, 1, &body);
    pbs_world *four = spinning_cube(PBS_ALIGNMENT_FREE_BODIES, PBS_CONTACT_PROJECTION, 4, &body);
    for (int i = 0; i < 3; i++) {
        assert_ok(pbs_world_step(one, 1.0 / 24.0));
        assert_ok(pbs_world_step(four, 1.0 / 24.0));
    }
    assert_true(pbs_world_hash(one) == pbs_world_hash(four));
    pbs_world_destroy(one);
    pbs_world_destroy(four);
}

/// It is read, changed, saved and restored as other settings are; and it is felt.
static void the_setting_stays(void **state) {
    (void)state;
    pbs_body body;
    pbs_world *world = spinning_cube(PBS_ALIGNMENT_FREE_BODIES, PBS_CONTACT_PROJECTION, 1, &body);
    pbs_world *usual = spinning_cube(PBS_ALIGNMENT_FREE_BODIES, PBS_CONTACT_PROJECTION, 1, &body);
    pbs_world_desc d = {.struct_size = sizeof d};
    pbs_expert_desc expert = expert_settings_of(world);
    assert_ok(pbs_world_settings(world, &d));
    d.expert = &expert;
    assert_int_equal(expert.alignment, PBS_ALIGNMENT_FREE_BODIES);
    expert.alignment = 2;
    assert_status(pbs_world_set_settings(world, &d), PBS_ERROR_ARGUMENT);
    assert_message("alignment is 2");
    expert.alignment = PBS_ALIGNMENT_NEVER;
    assert_ok(pbs_world_set_settings(world, &d));
    const struct saved_world saved = save_world(world);
    pbs_world *restored = new_world();
    assert_ok(pbs_world_restore(restored, saved.data, saved.size));
    assert_int_equal(expert_settings_of(restored).alignment, PBS_ALIGNMENT_NEVER);
    assert_ok(pbs_world_step(world, 1.0 / 24.0));
    assert_ok(pbs_world_step(restored, 1.0 / 24.0));
    assert_ok(pbs_world_step(usual, 1.0 / 24.0));
    assert_true(pbs_world_hash(world) == pbs_world_hash(restored));
    assert_true(pbs_world_hash(world) != pbs_world_hash(usual));
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(restored);
    pbs_world_destroy(usual);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_end_where_they_end_without),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(the_setting_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

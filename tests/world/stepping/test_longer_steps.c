// Steps that grow after an impact: what the short steps resolved of it may not go on in a long one.
// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"
#include "support/world_testing.h"

static const double STEP = 1.0 / 240.0;

/// What a block hits: ground that touches affine bodies by barriers, or solids by projection or by
/// penalties.
enum impact { BARRIERS, PROJECTION, PENALTIES };

static pbs_world *make_world(int32_t scheme, enum impact impact) {
    pbs_world_desc d;
    pbs_integrator_desc how;
    pbs_collider_desc c;
    pbs_collider ground;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = impact == BARRIERS ? PBS_CONTACT_BARRIER : PBS_CONTACT_PROJECTION;
    pbs_world *const world = new_world_from(&d);
    assert_ok(pbs_integrator_desc_init(&how, sizeof how, scheme));
    use_integrator(world, &how);
    assert_ok(pbs_collider_desc_init(&c, sizeof c));
    c.collision = impact == PENALTIES ? PBS_COLLISION_PENALTY : PBS_COLLISION_CONSTRAINT;
    assert_ok(pbs_collider_create(world, &c, &ground));
    return world;
}

/// A block of a kilogram whose lowest side is 1.5 mm above the ground, at 1 m/s.
static void add_block(pbs_world *world, enum impact impact) {
    static const double down[3] = {0.0, -1.0, 0.0};
    pbs_body body;
    if (impact == BARRIERS) {
        body = add_box(world, (double[]){0.1, 0.1, 0.1}, 1.0, (double[]){0.0, 0.0515, 0.0}, 1e7);
    } else {
        pbs_solid_desc d;
        assert_ok(pbs_solid_desc_init(&d, sizeof d));
        d.young = 1e7;
        body = add_cube(world, 1, 0.1, (double[]){0.0, 1.5e-3, 0.0}, &d);
    }
    assert_ok(pbs_body_set_motion(world, body, down, NULL));
}

/// Returns the most energy, over that of before, after steps of STEP / shorter until the block has
/// lost a tenth of its kinetic energy to the ground, and then 20 of STEP.
static double most_energy(int32_t scheme, enum impact impact, double shorter) {
    pbs_world *const world = make_world(scheme, impact);
    add_block(world, impact);
    const double start = energy_of(world).total;
    int n = 0;
    for (; n < 100 && energy_of(world).kinetic > 0.9 * start; n++) {
        assert_ok(pbs_world_step(world, STEP / shorter));
    }
    assert_true(n > 0 && n < 100);
    double most = 0.0;
    for (int k = 0; k < 20; k++) {
        assert_ok(pbs_world_step(world, STEP));
        most = fmax(most, energy_of(world).total / start);
    }
    pbs_world_destroy(world);
    return most;
}

/// For steps of a half to 1 / shortest of the long ones.
static void check(int32_t scheme, enum impact impact, double shortest, double allowed) {
    for (double shorter = 2.0; shorter <= shortest; shorter *= 2.0) {
        assert_small(most_energy(scheme, impact, shorter), allowed, "energy over that of before");
    }
}

/// Schemes that damp what they do not resolve. BDF2 went on with the change of velocity of the
/// short step: 153 times the energy with barriers, 152 with projection. The stop rule leaves a
/// hundredth.
static void schemes_that_damp_gain_no_energy(void **state) {
    (void)state;
    static const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_BDF2};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        check(schemes[s], BARRIERS, 32.0, 1.01);
        check(schemes[s], PROJECTION, 32.0, 1.01);
        check(schemes[s], PENALTIES, 32.0, 1.01);
    }
    check(PBS_SCHEME_SDIRK2, PROJECTION, 32.0, 1.01);
    check(PBS_SCHEME_TR_BDF2, PROJECTION, 32.0, 1.01); // 455 times
}

/// Trapezoidal, Newmark and theta methods find a_n anew where barriers press.
static void barriers_give_undamped_schemes_no_energy(void **state) {
    (void)state;
    static const int32_t schemes[] = {PBS_SCHEME_TRAPEZOIDAL, PBS_SCHEME_NEWMARK,
                                      PBS_SCHEME_OUTER_THETA, PBS_SCHEME_FIRST_ORDER_THETA,
                                      PBS_SCHEME_SECOND_ORDER_THETA};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        check(schemes[s], BARRIERS, 32.0, 1.01);
    }
}

/// Generalised-alpha rescaled the acceleration of before by the ratio of the steps, and so the mean
/// force of an impact: 5636 times the energy with barriers, 1009 with projection. It still gains in
/// impacts, at equal steps too, as its steps may end deep in a barrier that no stage has met; a
/// factor of 2 is for that. Steps of 1/32 end so deep that the next long one gains a hundredfold.
static void generalised_alpha_does_not_rescale_impacts(void **state) {
    (void)state;
    check(PBS_SCHEME_GENERALIZED_ALPHA, BARRIERS, 16.0, 2.0);
    check(PBS_SCHEME_GENERALIZED_ALPHA, PROJECTION, 32.0, 2.0);
    check(PBS_SCHEME_GENERALIZED_ALPHA, PENALTIES, 32.0, 2.0);
}

/// What contact did in the last step is known again after a restore.
static void a_restored_world_takes_the_same_step(void **state) {
    (void)state;
    for (int impact = BARRIERS; impact <= PENALTIES; impact++) {
        pbs_world *const world = make_world(PBS_SCHEME_BDF2, (enum impact)impact);
        add_block(world, (enum impact)impact);
        const double start = energy_of(world).total;
        while (energy_of(world).kinetic > 0.9 * start) {
            assert_ok(pbs_world_step(world, 0.25 * STEP));
        }
        const struct saved_world saved = save_world(world);
        pbs_world *const other = new_world();
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        assert_ok(pbs_world_step(world, STEP));
        assert_ok(pbs_world_step(other, STEP));
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        free(saved.data);
        pbs_world_destroy(other);
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_that_damp_gain_no_energy),
        cmocka_unit_test(barriers_give_undamped_schemes_no_energy),
        cmocka_unit_test(generalised_alpha_does_not_rescale_impacts),
        cmocka_unit_test(a_restored_world_takes_the_same_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

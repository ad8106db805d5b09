// call_limit bounds what a call does in all its stages, parts and attempts. A call that meets it
// fails and changes nothing or, where the host lets it, lands and lets nothing through.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

enum { LIMIT = 5, IN_A_STAGE = 2 };

static const double FRAME = 0.05, SHORTEST = 1e-5; // s

static pbs_world_desc barrier_settings(pbs_expert_desc *expert) {
    pbs_world_desc d;
    scene_settings(&d);
    expert_settings(expert, &d);
    d.contact = PBS_CONTACT_BARRIER;
    return d;
}

/// A stiff cube that falls onto the ground at 10 m/s. IN_A_STAGE iterations solve no stage, so that
/// parts are halved.
static pbs_world *falling_cube(const pbs_world_desc *d, int32_t scheme) {
    static const double corner[3] = {0.0, 0.2, 0.0};
    pbs_world *world = new_world_from(d);
    pbs_solid_desc solid;
    pbs_integrator_desc integrator;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = 1e7;
    pbs_body body;
    add_ground(world);
    assert_ok(cube_create(world, 2, 0.3, corner, &solid, &body));
    const double velocity[3] = {1.0, -10.0, 0.0}, spin[3] = {2.0, 1.0, 3.0};
    assert_ok(pbs_body_set_motion(world, body, velocity, spin));
    assert_ok(pbs_integrator_desc_init(&integrator, sizeof integrator, scheme));
    use_integrator(world, &integrator);
    return world;
}

static const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_BDF2, PBS_SCHEME_TR_BDF2};

static pbs_status advance(pbs_world *world) {
    return pbs_world_advance(world, FRAME);
}

static pbs_status step(pbs_world *world) {
    return pbs_world_step(world, FRAME);
}

static pbs_status (*const calls[])(pbs_world *world) = {step, advance};

static void a_call_that_meets_its_limit_changes_nothing(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT_OF(schemes); k++) {
        for (size_t c = 0; c < COUNT_OF(calls); c++) {
            pbs_expert_desc expert;
            pbs_world_desc d = barrier_settings(&expert);
            d.newton_limit = IN_A_STAGE;
            pbs_world *free = falling_cube(&d, schemes[k]);
            d.call_limit = LIMIT;
            pbs_world *world = falling_cube(&d, schemes[k]);
            const uint64_t before = pbs_world_hash(world);
            (void)calls[c](free);
            assert_true(stats_of(free).newton.iterations > LIMIT);
            assert_status(calls[c](world), PBS_ERROR_CONVERGENCE);
            assert_message("call_limit");
            assert_int_equal(stats_of(world).newton.iterations, LIMIT);
            // Each part that was halved had iterations of its own.
            assert_true(stats_of(world).step.divisions <= LIMIT / IN_A_STAGE);
            assert_true(pbs_world_hash(world) == before);
            // The limit is that of a call: what is easier lands in the next.
            d = settings_of(world);
            d.newton_limit = 500;
            d.call_limit = 0;
            assert_ok(pbs_world_set_settings(world, &d));
            assert_true(calls[c](world) >= 0);
            pbs_world_destroy(free);
            pbs_world_destroy(world);
        }
    }
}

/// What is left when the limit is met are guesses, which contact bounds. With divisions a part that
/// fails is halved as long as iterations are left, and lands otherwise.
static void where_steps_may_land_they_do(void **state) {
    (void)state;
    static const uint32_t limits[] = {1, 3, 3};
    for (size_t k = 0; k < COUNT_OF(schemes); k++) {
        for (size_t i = 0; i < COUNT_OF(limits); i++) {
            pbs_expert_desc expert;
            pbs_world_desc d = barrier_settings(&expert);
            expert.allow_unconverged = 1;
            d.call_limit = limits[i];
            d.divisions = i == 2 ? 3 : (uint32_t)PBS_AUTOMATIC;
            pbs_world *world = falling_cube(&d, schemes[k]);
            int unconverged = 0;
            for (int n = 0; n < 20; n++) {
                const pbs_status status = calls[n % 2](world);
                assert_true(status >= 0);
                unconverged += status == PBS_NOT_CONVERGED;
                const pbs_stats stats = stats_of(world);
                assert_true(stats.newton.iterations <= limits[i]);
                assert_true(stats.contact.least_gap > 0.0);
                assert_near(pbs_world_time(world), (n + 1) * FRAME, 1e-12, "s");
            }
            assert_true(unconverged > 0);
            pbs_world_destroy(world);
        }
    }
}

/// Controlled steps that are rejected are tried no further.
static void controlled_steps_end_there_too(void **state) {
    (void)state;
    for (int may_land = 0; may_land < 2; may_land++) {
        pbs_expert_desc expert;
        pbs_world_desc d = barrier_settings(&expert);
        expert.allow_unconverged = may_land;
        d.call_limit = LIMIT;
        pbs_world *world = falling_cube(&d, PBS_SCHEME_IMPLICIT_EULER);
        pbs_integrator_desc integrator;
        assert_ok(
            pbs_integrator_desc_init(&integrator, sizeof integrator, PBS_SCHEME_IMPLICIT_EULER));
        integrator.step_control.kind = PBS_STEP_DOUBLING;
        integrator.step_control.tolerance = 1e-4;
        integrator.step_control.min = SHORTEST;
        integrator.step_control.max = FRAME;
        integrator.step_control.initial = FRAME;
        use_integrator(world, &integrator);
        const uint64_t before = pbs_world_hash(world);
        const pbs_status status = advance(world);
        assert_true(may_land ? status >= 0 : status == PBS_ERROR_CONVERGENCE);
        assert_true(stats_of(world).newton.iterations <= LIMIT);
        // Nor do steps shrink to the shortest, of which the call would take thousands.
        assert_true(stats_of(world).step_control.accepted * 10.0 * SHORTEST < FRAME);
        assert_true(may_land || pbs_world_hash(world) == before);
        pbs_world_destroy(world);
    }
}

static void a_limit_that_is_not_met_changes_no_bit(void **state) {
    (void)state;
    pbs_expert_desc expert;
    pbs_world_desc d = barrier_settings(&expert);
    pbs_world *world = falling_cube(&d, PBS_SCHEME_BDF2);
    d.call_limit = UINT32_MAX;
    pbs_world *limited = falling_cube(&d, PBS_SCHEME_BDF2);
    for (int n = 0; n < 10; n++) {
        assert_true(step(world) >= 0);
        assert_true(step(limited) >= 0);
        assert_true(pbs_world_hash(world) == pbs_world_hash(limited));
    }
    pbs_world_destroy(world);
    pbs_world_destroy(limited);
}

static void restored_worlds_keep_the_limit_of_the_host(void **state) {
    (void)state;
    pbs_expert_desc expert;
    pbs_world_desc d = barrier_settings(&expert);
    d.call_limit = 7;
    pbs_world *world = new_world_from(&d);
    d.call_limit = 0;
    pbs_world *other = new_world_from(&d);
    const struct saved_world saved = save_world(other);
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_int_equal(settings_of(world).call_limit, 7);
    assert_int_equal(settings_of(other).call_limit, 0);
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_meets_its_limit_changes_nothing),
        cmocka_unit_test(where_steps_may_land_they_do),
        cmocka_unit_test(controlled_steps_end_there_too),
        cmocka_unit_test(a_limit_that_is_not_met_changes_no_bit),
        cmocka_unit_test(restored_worlds_keep_the_limit_of_the_host),
    };
    return cmocka_run_group_tests_name("world/call_limit", tests, NULL, NULL);
}

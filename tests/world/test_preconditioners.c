// Which preconditioner a world uses, as its statistics tell.
#include "support/world_testing.h"

/// A cube of 1 m that hangs by its face x = 0.
static pbs_world *hang_cube(const pbs_world_desc *d, size_t cells, double young) {
    pbs_world *world = new_world_from(d);
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = young;
    const pbs_body body = add_cube(world, cells, 1.0, (double[]){0.0, 0.0, 0.0}, &solid);
    for (uint32_t v = 0; v < (cells + 1) * (cells + 1); v++) {
        assert_ok(pbs_body_pin(world, body, &v, 1, PBS_AXIS_ALL));
    }
    return world;
}

/// After one step.
static pbs_stats step_cube(int32_t preconditioner, size_t cells, double young, double dt) {
    pbs_world_desc d;
    scene_settings(&d);
    d.preconditioner = preconditioner;
    pbs_world *world = hang_cube(&d, cells, young);
    assert_ok(pbs_world_step(world, dt));
    const pbs_stats stats = stats_of(world);
    assert_true(stats.linear_solves > 0);
    pbs_world_destroy(world);
    return stats;
}

/// Chosen by its number, each is what was used, and nothing was predicted.
static void the_chosen_one_is_told(void **state) {
    (void)state;
    for (int32_t id = 0; id <= PBS_PRECONDITIONER_CHOLESKY_FLOAT; id++) {
        if (id == PBS_PRECONDITIONER_AUTOMATIC) {
            continue;
        }
        const pbs_stats stats = step_cube(id, 4, 1e5, 1.0 / 60.0);
        assert_int_equal(stats.preconditioner_used, id);
        assert_int_equal(stats.coarse_unknowns > 0, id == PBS_PRECONDITIONER_TWO_LEVEL);
        assert_true(stats.predicted_iterations == 0.0);
    }
}

/// 1331 vertices, soft in short steps, then stiff in long ones.
static void the_automatic_choice_is_told(void **state) {
    (void)state;
    const pbs_stats easy = step_cube(PBS_PRECONDITIONER_AUTOMATIC, 10, 1e5, 1.0 / 240.0);
    assert_int_equal(easy.preconditioner_used, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY);
    assert_int_equal(easy.coarse_unknowns, 0);
    assert_true(easy.predicted_iterations > 0.0 && easy.predicted_iterations < 50.0);
    const pbs_stats hard = step_cube(PBS_PRECONDITIONER_AUTOMATIC, 10, 1e7, 1.0 / 30.0);
    assert_int_equal(hard.preconditioner_used, PBS_PRECONDITIONER_TWO_LEVEL);
    assert_true(hard.coarse_unknowns > 0 && hard.coarse_unknowns < 1331);
    assert_true(hard.predicted_iterations > 50.0);
}

/// An exact factor of contact and all depends on nothing but the matrix: restored between contacts
/// that come, a world goes on to the bit.
static void exact_factors_know_no_history(void **state) {
    (void)state;
    const int32_t ids[] = {PBS_PRECONDITIONER_CHOLESKY, PBS_PRECONDITIONER_CHOLESKY_FLOAT};
    for (size_t i = 0; i < 2; i++) {
        pbs_world_desc d;
        scene_settings(&d);
        d.preconditioner = ids[i];
        pbs_world *world = new_world_from(&d);
        assert_ok(scene_fill(world, 0));
        for (int part = 0; part < 4; part++) {
            assert_ok(scene_step(world, 3));
            const struct saved_world saved = save_world(world);
            pbs_world *restored = new_world();
            assert_ok(pbs_world_restore(restored, saved.data, saved.size));
            assert_ok(scene_step(world, 3));
            assert_ok(scene_step(restored, 3));
            assert_true(pbs_world_hash(world) == pbs_world_hash(restored));
            pbs_world_destroy(restored);
            free(saved.data);
        }
        assert_true(stats_of(world).linear_solves > 0);
        pbs_world_destroy(world);
    }
}

/// Linearized steps and plain Newton's method as well.
static void other_methods_tell_too(void **state) {
    (void)state;
    pbs_world_desc d;
    scene_settings(&d);
    d.preconditioner = PBS_PRECONDITIONER_TWO_LEVEL;
    pbs_world *linear = hang_cube(&d, 3, 1e5);
    pbs_integrator_desc how;
    pbs_integrator *linearized = NULL;
    assert_ok(pbs_integrator_desc_init(&how, sizeof how, PBS_SCHEME_IMPLICIT_EULER));
    how.linearized = 1;
    assert_ok(pbs_integrator_create(&how, &linearized));
    assert_ok(pbs_world_set_integrator(linear, linearized));
    d.method = PBS_METHOD_PLAIN_NEWTON;
    pbs_world *const worlds[2] = {linear, hang_cube(&d, 3, 1e5)};
    for (int i = 0; i < 2; i++) {
        assert_ok(pbs_world_step(worlds[i], 1.0 / 60.0));
        assert_int_equal(stats_of(worlds[i]).preconditioner_used, PBS_PRECONDITIONER_TWO_LEVEL);
        assert_true(stats_of(worlds[i]).coarse_unknowns > 0);
        pbs_world_destroy(worlds[i]);
    }
    pbs_integrator_destroy(linearized);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chosen_one_is_told),
        cmocka_unit_test(exact_factors_know_no_history),
        cmocka_unit_test(the_automatic_choice_is_told),
        cmocka_unit_test(other_methods_tell_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

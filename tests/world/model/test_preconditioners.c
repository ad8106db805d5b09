// Which preconditioner a world uses, as its statistics report it.
// SPDX-License-Identifier: MIT
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
static pbs_stats step_cube(int32_t preconditioner, size_t cells, double young, double dt,
                           double forcing) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    expert.forcing = forcing;
    expert.preconditioner = preconditioner;
    pbs_world *world = hang_cube(&d, cells, young);
    assert_ok(pbs_world_step(world, dt));
    const pbs_stats stats = stats_of(world);
    assert_true(stats.linear.solves > 0);
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
        const pbs_stats stats = step_cube(id, 4, 1e5, 1.0 / 60.0, 0.0);
        assert_int_equal(stats.linear.preconditioner, id);
        assert_int_equal(stats.linear.coarse_unknowns > 0, id == PBS_PRECONDITIONER_TWO_LEVEL);
        assert_true(stats.linear.predicted_iterations == 0.0);
    }
}

/// 64 and 343 nodes take an exact factor. 1331, soft in short steps, are least work for block
/// Jacobi; stiff in long ones, solved accurately, they are too much for it, and something else goes
/// on.
static void the_automatic_choice_is_told(void **state) {
    (void)state;
    for (size_t cells = 3; cells <= 6; cells += 3) {
        const pbs_stats few = step_cube(PBS_PRECONDITIONER_AUTOMATIC, cells, 1e5, 1.0 / 60.0, 0.0);
        assert_int_equal(few.linear.preconditioner, PBS_PRECONDITIONER_CHOLESKY);
        assert_int_equal(few.linear.reason, PBS_SOLVER_FEW_NODES);
    }
    const pbs_stats easy = step_cube(PBS_PRECONDITIONER_AUTOMATIC, 10, 1e5, 1.0 / 240.0, 0.0);
    assert_int_equal(easy.linear.preconditioner, PBS_PRECONDITIONER_BLOCK_JACOBI);
    assert_int_equal(easy.linear.coarse_unknowns, 0);
    assert_true(easy.linear.factor_work > 0.0 && easy.linear.two_level_work > 0.0);
    const pbs_stats hard = step_cube(PBS_PRECONDITIONER_AUTOMATIC, 10, 1e7, 1.0 / 30.0, 1e-9);
    assert_int_not_equal(hard.linear.preconditioner, PBS_PRECONDITIONER_BLOCK_JACOBI);
    // Either it was given up in this solve, or in one before it.
    if (hard.linear.reason != PBS_SOLVER_SWITCHED) {
        assert_int_equal(hard.linear.reason, PBS_SOLVER_CHEAPEST);
        assert_true(hard.linear.block_jacobi_work >
                    fmin(hard.linear.factor_work, hard.linear.two_level_work));
    }
}

/// An exact factor of contact and all depends on nothing but the matrix: restored between contacts
/// that come, a world goes on to the bit.
static void exact_factors_know_no_history(void **state) {
    (void)state;
    const int32_t ids[] = {PBS_PRECONDITIONER_CHOLESKY, PBS_PRECONDITIONER_CHOLESKY_FLOAT};
    for (size_t i = 0; i < 2; i++) {
        pbs_world_desc d;
        pbs_expert_desc expert;
        scene_settings(&d);
        expert_settings(&expert, &d);
        expert.preconditioner = ids[i];
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
        assert_true(stats_of(world).linear.solves > 0);
        pbs_world_destroy(world);
    }
}

enum { SHEET_NODES = 625 };

/// A stiff sheet that falls on the ground edge first, solved so accurately that block
/// Jacobi is given up and tried again.
static pbs_world *fall_edge_first(void) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    d.contact = PBS_CONTACT_BARRIER;
    expert.forcing = 1e-7;
    pbs_world *world = new_world_from(&d);
    pbs_shell_desc shell;
    assert_ok(pbs_shell_desc_init(&shell, sizeof shell));
    shell.young = 1e8;
    add_ground(world);
    const pbs_body sheet = add_sheet(world, 24, 0.5, (double[]){0.0, 0.01, 0.0}, &shell);
    double x[3 * SHEET_NODES];
    memcpy(x, pbs_body_positions(world, sheet), sizeof x);
    for (size_t i = 0; i < SHEET_NODES; i++) {
        x[3 * i + 1] += 0.6 * x[3 * i];
        x[3 * i] *= 0.8;
    }
    assert_ok(pbs_body_set_positions(world, sheet, x, SHEET_NODES));
    return world;
}

/// What is remembered of solves is saved: a restored world chooses alike, to the bit. It has given
/// up block Jacobi and taken another at once before the end.
static void the_choice_is_saved(void **state) {
    (void)state;
    pbs_world *world = fall_edge_first();
    uint32_t reasons = 0, turned = 0;
    for (int part = 0; part < 5; part++) {
        const struct saved_world saved = save_world(world);
        pbs_world *restored = new_world();
        assert_ok(pbs_world_restore(restored, saved.data, saved.size));
        for (int i = 0; i < 4; i++) {
            assert_ok(scene_step(world, 1));
            assert_ok(scene_step(restored, 1));
            const pbs_stats stats = stats_of(world);
            assert_true(pbs_world_hash(world) == pbs_world_hash(restored));
            assert_int_equal(stats_of(restored).linear.preconditioner, stats.linear.preconditioner);
            assert_int_equal(stats_of(restored).linear.reason, stats.linear.reason);
            reasons |= UINT32_C(1) << stats.linear.reason;
            turned += stats.linear.switched_solves;
        }
        free(saved.data);
        pbs_world_destroy(restored);
    }
    assert_true((reasons & UINT32_C(1) << PBS_SOLVER_CHEAPEST) != 0 && turned > 0);
    pbs_world_destroy(world);
}

/// A step that fails leaves what is remembered as it was.
static void failed_steps_teach_nothing(void **state) {
    (void)state;
    pbs_world *world = fall_edge_first(), *failing = fall_edge_first();
    for (int part = 0; part < 4; part++) {
        pbs_world_desc own, strict;
        assert_ok(pbs_world_desc_init(&own, sizeof own));
        assert_ok(pbs_world_settings(failing, &own));
        strict = own;
        strict.newton_limit = 1;
        strict.divisions = 0;
        assert_ok(pbs_world_set_settings(failing, &strict));
        assert_status(pbs_world_step(failing, 0.05), PBS_ERROR_CONVERGENCE);
        assert_ok(pbs_world_set_settings(failing, &own));
        assert_ok(scene_step(world, 4));
        assert_ok(scene_step(failing, 4));
        assert_true(pbs_world_hash(world) == pbs_world_hash(failing));
    }
    pbs_world_destroy(world);
    pbs_world_destroy(failing);
}

/// Linearized steps and plain Newton's method as well.
static void other_methods_tell_too(void **state) {
    (void)state;
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    expert.preconditioner = PBS_PRECONDITIONER_TWO_LEVEL;
    pbs_world *linear = hang_cube(&d, 3, 1e5);
    pbs_integrator_desc how;
    pbs_integrator *linearized = NULL;
    assert_ok(pbs_integrator_desc_init(&how, sizeof how, PBS_SCHEME_IMPLICIT_EULER));
    how.linearized = 1;
    assert_ok(pbs_integrator_create(&how, &linearized));
    assert_ok(pbs_world_set_integrator(linear, linearized));
    expert.method = PBS_METHOD_PLAIN_NEWTON;
    pbs_world *const worlds[2] = {linear, hang_cube(&d, 3, 1e5)};
    for (int i = 0; i < 2; i++) {
        assert_ok(pbs_world_step(worlds[i], 1.0 / 60.0));
        assert_int_equal(stats_of(worlds[i]).linear.preconditioner, PBS_PRECONDITIONER_TWO_LEVEL);
        assert_true(stats_of(worlds[i]).linear.coarse_unknowns > 0);
        pbs_world_destroy(worlds[i]);
    }
    pbs_integrator_destroy(linearized);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chosen_one_is_told),
        cmocka_unit_test(exact_factors_know_no_history),
        cmocka_unit_test(the_automatic_choice_is_told),
        cmocka_unit_test(the_choice_is_saved),
        cmocka_unit_test(failed_steps_teach_nothing),
        cmocka_unit_test(other_methods_tell_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

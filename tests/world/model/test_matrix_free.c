// Peridynamic bodies that leave some of their bonds out of the matrix. Steps agree with those
// with the whole matrix: with every preconditioner, during fracture and during contact. Threads and
// saved worlds change no bit, and a warmed-up step allocates nothing.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include "base/matrix3/math3.h"

enum { SIDE = 8, PARTICLES = SIDE * SIDE * SIDE };

struct run {
    int32_t matrix, preconditioner, threads;
    int32_t scheme;  ///< PBS_SCHEME_*
    bool linearized; ///< with a step control
    struct test_allocator *allocator;
};

static void set_integrator(pbs_world *world, const struct run *run) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, run->scheme));
    d.linearized = run->linearized;
    d.step_control.max = run->linearized ? 5e-3 : d.step_control.max;
    if (run->linearized) {
        d.step_control.kind = PBS_STEP_FORCE_ERROR;
        d.step_control.tolerance = 1e-4;
        d.step_control.initial = 1e-3;
    }
    use_integrator(world, &d);
}

/// A block clamped at one side whose other side is thrown down on a floor; most bonds break at
/// the clamp.
static pbs_world *make_world(const struct run *run, pbs_body *body) {
    pbs_world_desc settings;
    pbs_expert_desc expert;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    expert_settings(&expert, &settings);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.gravity[2] = -9.81;
    expert.assembly = run->matrix;
    expert.preconditioner = run->preconditioner;
    settings.threads = run->threads;
    expert.project_hessian = PBS_HESSIAN_SEMIDEFINITE;
    settings.relative_tolerance = 1e-9;
    settings.velocity_tolerance = 0.0;
    if (run->allocator != NULL) {
        settings.allocator = test_allocator_hooks(run->allocator);
    }
    pbs_world *world = new_world_from(&settings);
    pbs_peridynamic_desc d;
    const double box[6] = {0.0, 0.0, 0.0, 0.8, 0.8, 0.8};
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.box = box;
    d.spacing = 0.1;
    d.young = 2e5;
    d.critical_stretch = 0.04;
    assert_ok(pbs_body_create_peridynamic(world, &d, body));
    double v[3 * PARTICLES] = {0.0};
    uint32_t pinned[SIDE * SIDE];
    size_t count = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        if (i % SIDE == 0) {
            pinned[count++] = i;
        } else {
            v[3 * i + 2] = -0.4 * (i % SIDE);
        }
    }
    assert_ok(pbs_body_set_velocities(world, *body, v, PARTICLES));
    assert_ok(pbs_body_pin(world, *body, pinned, count, PBS_AXIS_ALL));
    pbs_collider_desc floor;
    pbs_collider collider;
    assert_ok(pbs_collider_desc_init(&floor, sizeof floor));
    floor.shape = PBS_SHAPE_HALF_SPACE;
    floor.position[2] = 0.03;
    floor.orientation[0] = floor.orientation[3] = sqrt(0.5); // its normal from y to z
    assert_ok(pbs_collider_create(world, &floor, &collider));
    set_integrator(world, run);
    return world;
}

static size_t count_broken(const pbs_world *world, pbs_body body) {
    const uint32_t *pairs = NULL;
    size_t count = 0;
    size_t broken = 0;
    assert_ok(pbs_body_bonds(world, body, &pairs, &count));
    const uint8_t *is_broken = pbs_body_broken(world, body);
    for (size_t i = 0; i < count; i++) {
        broken += is_broken[i];
    }
    return broken;
}

/// Of bodies that are the first of their worlds.
static double largest_difference(const pbs_world *a, pbs_body p, const pbs_world *b, pbs_body q) {
    double most = 0.0;
    for (size_t i = 0; i < 3 * PARTICLES; i++) {
        most = fmax(most, fabs(pbs_body_positions(a, p)[i] - pbs_body_positions(b, q)[i]));
    }
    return most;
}

/// To 1e-9 of the forces both; the same bonds break, and what is left of 3 cm of motion differs by
/// less than 1e-8 m.
static void steps_are_those_with_a_matrix(void **state) {
    (void)state;
    const int32_t preconditioners[] = {
        PBS_PRECONDITIONER_AUTOMATIC, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY,
        PBS_PRECONDITIONER_TWO_LEVEL, PBS_PRECONDITIONER_MULTIGRID, PBS_PRECONDITIONER_CHOLESKY};
    for (size_t p = 0; p < COUNT_OF(preconditioners); p++) {
        struct run run = {
            PBS_ASSEMBLY_FULL, preconditioners[p], 1, PBS_SCHEME_IMPLICIT_EULER, false, NULL};
        pbs_body body;
        pbs_body other;
        pbs_world *whole = make_world(&run, &body);
        run.matrix = PBS_ASSEMBLY_MATRIX_FREE;
        pbs_world *parts = make_world(&run, &other);
        for (int i = 0; i < 8; i++) {
            assert_ok(pbs_world_step(whole, 4e-3));
            assert_ok(pbs_world_step(parts, 4e-3));
        }
        assert_true(count_broken(whole, body) > 100);
        assert_int_equal(count_broken(whole, body), count_broken(parts, other));
        assert_small(largest_difference(whole, body, parts, other), 1e-8, "positions");
        assert_true(stats_of(parts).linear.iterations > 0);
        pbs_world_destroy(whole);
        pbs_world_destroy(parts);
    }
}

/// Pulls the side that is not clamped, all at once in one load step.
static void pull_away(pbs_world *world, pbs_body body, double way) {
    uint32_t pulled[SIDE * SIDE];
    double targets[3 * SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        pulled[i] = i * SIDE + SIDE - 1;
        memcpy(targets + 3 * (size_t)i, pbs_body_positions(world, body) + 3 * (size_t)pulled[i],
               3 * sizeof *targets);
        targets[3 * i] += way;
    }
    assert_ok(pbs_body_set_targets(world, body, pulled, SIDE * SIDE, targets));
    assert_ok(pbs_world_step(world, 1.0));
}

/// Equilibria in which bonds break too, of a block that is pulled apart and hangs in gravity: what
/// holds its clamped side is the same to a millionth of the largest.
static void equilibria_are_those_with_a_matrix(void **state) {
    (void)state;
    static double forces[2][3 * PARTICLES];
    struct run run = {
        PBS_ASSEMBLY_FULL, PBS_PRECONDITIONER_AUTOMATIC, 1, PBS_SCHEME_QUASI_STATIC, false, NULL};
    pbs_body body;
    pbs_body other;
    pbs_world *whole = make_world(&run, &body);
    run.matrix = PBS_ASSEMBLY_MATRIX_FREE;
    pbs_world *parts = make_world(&run, &other);
    for (int i = 0; i < 3; i++) {
        double most = 0.0;
        pull_away(whole, body, 0.01);
        pull_away(parts, other, 0.01);
        assert_int_equal(count_broken(whole, body), count_broken(parts, other));
        assert_small(largest_difference(whole, body, parts, other), 1e-7, "positions");
        assert_ok(pbs_body_constraint_forces(whole, body, forces[0], NULL, PARTICLES));
        assert_ok(pbs_body_constraint_forces(parts, other, forces[1], NULL, PARTICLES));
        for (size_t k = 0; k < 3 * PARTICLES; k++) {
            most = fmax(most, fabs(forces[0][k]));
        }
        for (size_t k = 0; k < 3 * PARTICLES; k++) {
            assert_near(forces[1][k], forces[0][k], 1e-6 * most, "held");
        }
    }
    assert_true(count_broken(whole, body) > 1000);
    pbs_world_destroy(whole);
    pbs_world_destroy(parts);
}

/// The step control sees the same linearisation: it takes the same steps. Each is solved to a
/// twentieth of the step tolerance, 1e-4 m.
static void linearized_steps_are_controlled_alike(void **state) {
    (void)state;
    struct run run = {
        PBS_ASSEMBLY_FULL, PBS_PRECONDITIONER_AUTOMATIC, 1, PBS_SCHEME_NEWMARK, true, NULL};
    pbs_body body;
    pbs_body other;
    pbs_world *whole = make_world(&run, &body);
    run.matrix = PBS_ASSEMBLY_MATRIX_FREE;
    pbs_world *parts = make_world(&run, &other);
    assert_ok(pbs_world_advance(whole, 0.02));
    assert_ok(pbs_world_advance(parts, 0.02));
    const pbs_stats a = stats_of(whole);
    const pbs_stats b = stats_of(parts);
    assert_true(a.step_control.accepted > 3);
    assert_int_equal(a.step_control.accepted, b.step_control.accepted);
    assert_int_equal(a.step_control.rejected, b.step_control.rejected);
    assert_small(largest_difference(whole, body, parts, other), 1e-5, "positions");
    pbs_world_destroy(whole);
    pbs_world_destroy(parts);
}

/// The near matrix alone would say .45 of it. Estimates differ by the vectors that they start from,
/// in the order of the rows.
static void stable_steps_know_all_bonds(void **state) {
    (void)state;
    struct run run = {PBS_ASSEMBLY_FULL,
                      PBS_PRECONDITIONER_AUTOMATIC,
                      1,
                      PBS_SCHEME_VELOCITY_VERLET,
                      false,
                      NULL};
    pbs_body body;
    pbs_body other;
    pbs_world *whole = make_world(&run, &body);
    run.matrix = PBS_ASSEMBLY_MATRIX_FREE;
    pbs_world *parts = make_world(&run, &other);
    assert_ok(pbs_world_step(whole, 1e-3));
    assert_ok(pbs_world_step(parts, 1e-3));
    const double step = stats_of(whole).step.stable_step;
    assert_true(step > 0.0);
    assert_near(stats_of(parts).step.stable_step, step, 0.05 * step, "stable step");
    pbs_world_destroy(whole);
    pbs_world_destroy(parts);
}

static void assert_same_state(const pbs_world *a, pbs_body p, const pbs_world *b, pbs_body q) {
    assert_memory_equal(pbs_body_positions(a, p), pbs_body_positions(b, q),
                        3 * PARTICLES * sizeof(double));
    assert_memory_equal(pbs_body_velocities(a, p), pbs_body_velocities(b, q),
                        3 * PARTICLES * sizeof(double));
}

static void threads_change_no_bit(void **state) {
    (void)state;
    struct run run = {PBS_ASSEMBLY_MATRIX_FREE,
                      PBS_PRECONDITIONER_TWO_LEVEL,
                      1,
                      PBS_SCHEME_IMPLICIT_EULER,
                      false,
                      NULL};
    pbs_body body;
    pbs_body other;
    pbs_world *one = make_world(&run, &body);
    run.threads = 3;
    pbs_world *three = make_world(&run, &other);
    for (int i = 0; i < 5; i++) {
        assert_ok(pbs_world_step(one, 4e-3));
        assert_ok(pbs_world_step(three, 4e-3));
    }
    assert_same_state(one, body, three, other);
    pbs_world_destroy(one);
    pbs_world_destroy(three);
}

/// The other world's settings come with it.
static void a_restored_world_goes_on_to_the_bit(void **state) {
    (void)state;
    struct run run = {PBS_ASSEMBLY_MATRIX_FREE,
                      PBS_PRECONDITIONER_AUTOMATIC,
                      1,
                      PBS_SCHEME_IMPLICIT_EULER,
                      false,
                      NULL};
    pbs_body body;
    pbs_world *world = make_world(&run, &body);
    for (int i = 0; i < 4; i++) {
        assert_ok(pbs_world_step(world, 4e-3));
    }
    assert_true(count_broken(world, body) > 0);
    size_t size = 0;
    assert_ok(pbs_world_save(world, NULL, &size));
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(pbs_world_save(world, bytes, &size));
    run.matrix = PBS_ASSEMBLY_FULL;
    pbs_body other;
    pbs_world *restored = make_world(&run, &other);
    assert_ok(pbs_world_restore(restored, bytes, size));
    assert_int_equal(expert_settings_of(restored).assembly, PBS_ASSEMBLY_MATRIX_FREE);
    for (int i = 0; i < 4; i++) {
        assert_ok(pbs_world_step(world, 4e-3));
        assert_ok(pbs_world_step(restored, 4e-3));
    }
    assert_same_state(world, body, restored, body);
    free(bytes);
    pbs_world_destroy(world);
    pbs_world_destroy(restored);
}

static void warmed_up_steps_allocate_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const struct run run = {PBS_ASSEMBLY_MATRIX_FREE,
                            PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY,
                            1,
                            PBS_SCHEME_IMPLICIT_EULER,
                            false,
                            &allocator};
    pbs_body body;
    pbs_world *world = make_world(&run, &body);
    assert_ok(pbs_world_step(world, 4e-3));
    const uint64_t calls = allocator.allocate_count;
    for (int i = 0; i < 3; i++) {
        assert_ok(pbs_world_step(world, 1e-4));
    }
    assert_int_equal(allocator.allocate_count, calls);
    pbs_world_destroy(world);
}

static pbs_status step_once(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 4e-3);
}

/// Whatever is refused of the order of pairs, products and preconditioners, in the first step and
/// in one in which bonds break.
static void every_allocation_may_fail(void **state) {
    (void)state;
    const int32_t preconditioners[] = {PBS_PRECONDITIONER_AUTOMATIC, PBS_PRECONDITIONER_TWO_LEVEL,
                                       PBS_PRECONDITIONER_MULTIGRID, PBS_PRECONDITIONER_CHOLESKY};
    const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_NEWMARK,
                               PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_IMPLICIT_EULER};
    for (size_t p = 0; p < (testing_is_small() ? 2 : COUNT_OF(preconditioners)); p++) {
        struct test_allocator allocator;
        uint64_t refused = 0;
        test_allocator_init(&allocator);
        const struct run run = {
            PBS_ASSEMBLY_MATRIX_FREE, preconditioners[p], 1, schemes[p], false, &allocator};
        pbs_body body;
        pbs_body other;
        pbs_world *world = make_world(&run, &body);
        struct run plain = run;
        plain.allocator = NULL;
        pbs_world *whole = make_world(&plain, &other);
        for (int i = 0; i < 4; i++) {
            assert_true(refuse_until_success(&allocator, world, step_once, NULL, &refused) >= 0);
            assert_true(i > 0 || refused > 50);
            assert_true(pbs_world_step(whole, 4e-3) >= 0);
        }
        assert_true(count_broken(world, body) > 0);
        assert_same_state(world, body, whole, other);
        pbs_world_destroy(world);
        pbs_world_destroy(whole);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_with_a_matrix),
        cmocka_unit_test(equilibria_are_those_with_a_matrix),
        cmocka_unit_test(linearized_steps_are_controlled_alike),
        cmocka_unit_test(stable_steps_know_all_bonds),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_restored_world_goes_on_to_the_bit),
        cmocka_unit_test(warmed_up_steps_allocate_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

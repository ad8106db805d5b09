// Directions: the forcing term, the choice between d, -d and steepest descent, truncation,
// indefinite matrices and the length clamp, on diagonal matrices where every answer is known.
// SPDX-License-Identifier: MIT
#include "linear/preconditioner.h"
#include "minimize/search/direction.h"
#include "scenes/linear/matrix_fixture.h"
#include "pbs/world.h"
#include "sparse/assembly.h"
#include "support/testing.h"

enum { NODES = 8, SIZE = 3 * NODES };

struct system {
    struct memory memory;
    struct assembly assembly;
    struct bsr matrix;
    struct preconditioner preconditioner;
    struct pcg_workspace workspace;
    double gradient[SIZE], direction[SIZE];
};

static const struct direction_options exact = {.tolerance = 1e-30,
                                               .forcing = 1e-12,
                                               .loosest = 0.5,
                                               .length_limit = 1e6,
                                               .iteration_limit = 1000};

/// diag(first, second, second, ...).
static void create(struct system *s, double first, double second, int32_t preconditioner) {
    *s = (struct system){0};
    memory_init(&s->memory, &(pbs_allocator){0});
    assert_ok(assembly_build(&s->memory, NODES, 1, NULL, 0, &s->assembly));
    s->matrix = s->assembly.pattern;
    assert_int_equal(s->matrix.block_count, NODES);
    s->matrix.values = memory_allocate(&s->memory, 9 * s->assembly.block_slot_count,
                                       sizeof(double));
    for (size_t k = 0; k < SIZE; k++) {
        s->matrix.values[9 * (k / 3) + 4 * (k % 3)] = k == 0 ? first : second;
        s->gradient[k] = 1.0 + (double)k;
    }
    assert_ok(preconditioner_create(&s->memory, preconditioner, &s->matrix, ORDER_NATURAL,
                                    &s->preconditioner));
    assert_ok(s->preconditioner.table->factor(s->preconditioner.state, NULL, PROBLEM(&s->matrix)));
    assert_ok(pcg_reserve(&s->memory, &s->workspace, NODES));
}

static struct direction_result compute(struct system *s, const struct direction_options *options) {
    return direction_compute(NULL, PROBLEM(&s->matrix), &s->preconditioner, s->gradient, options,
                             &s->workspace, s->direction);
}

static void destroy(struct system *s) {
    pcg_free(&s->memory, &s->workspace);
    preconditioner_destroy(&s->memory, &s->preconditioner);
    memory_release(&s->memory, s->matrix.values);
    assembly_free(&s->memory, &s->assembly);
    assert_int_equal(s->memory.bytes_in_use, 0);
}

static void test_forcing(void **state) {
    (void)state;
    const struct direction_options o = {.tolerance = 1e-4, .forcing = 2.0, .loosest = 0.5};
    assert_true(direction_forcing(&o, 100.0) == 0.5);
    assert_near(direction_forcing(&o, 1e-2), 0.2, 1e-15, "sigma sqrt(|g|)");
    assert_near(direction_forcing(&o, 1e-9), 0.02, 1e-15, "sigma sqrt(tau)");
}

static void test_choice(void **state) {
    (void)state;
    assert_int_equal(direction_choose(-0.02, 1.0, 1.0), DIRECTION_NEWTON);
    assert_int_equal(direction_choose(0.02, 1.0, 1.0), DIRECTION_REVERSED);
    assert_int_equal(direction_choose(-0.005, 1.0, 1.0), DIRECTION_GRADIENT);
    assert_int_equal(direction_choose(0.005, 1.0, 1.0), DIRECTION_GRADIENT);
    assert_int_equal(direction_choose(NAN, NAN, 1.0), DIRECTION_GRADIENT);
    assert_int_equal(direction_choose(-INFINITY, INFINITY, 1.0), DIRECTION_GRADIENT);
}

static void test_newton_direction(void **state) {
    (void)state;
    for (int32_t id = 0; id < 3; id++) {
        struct system s;
        create(&s, 10.0, 4.0, id);
        const struct direction_result result = compute(&s, &exact);
        assert_int_equal(result.kind, DIRECTION_NEWTON);
        assert_false(result.indefinite);
        assert_false(result.clamped);
        double slope = 0.0;
        for (size_t k = 0; k < SIZE; k++) {
            assert_near(s.direction[k], -s.gradient[k] / (k == 0 ? 10.0 : 4.0), 1e-10, "-H^-1 g");
            slope += s.direction[k] * s.gradient[k];
        }
        assert_near(result.slope, slope, 1e-10 * fabs(slope), "slope");
        destroy(&s);
    }
}

static void test_ill_conditioned_newton_direction_is_kept(void **state) {
    (void)state;
    struct system s;
    create(&s, 1e-8, 1.0, PBS_PRECONDITIONER_BLOCK_JACOBI);
    s.gradient[0] = 1e-3;
    const struct direction_result result = compute(&s, &exact);
    // d = (-1e5, ...): the cosine with -g is 1e-2 / 24, below kappa, and yet d is the way.
    assert_int_equal(result.kind, DIRECTION_NEWTON);
    assert_near(s.direction[0], -1e5, 1e-3, "long component");
    destroy(&s);
}

static void test_negative_curvature_still_gives_descent(void **state) {
    (void)state;
    for (int32_t id = 0; id < 3; id++) {
        const double second[] = {1.0, -1.0};
        for (size_t i = 0; i < COUNT_OF(second); i++) {
            struct system s;
            create(&s, -50.0, second[i], id);
            const struct direction_result result = compute(&s, &exact);
            assert_true(result.indefinite || result.kind == DIRECTION_GRADIENT);
            assert_true(result.slope < 0.0);
            destroy(&s);
        }
    }
}

/// Truncated at negative curvature, a direction so nearly along the contours is no way down: the
/// factor is of another matrix, which such a direction takes.
static void test_truncated_directions_need_a_slope(void **state) {
    (void)state;
    struct system s;
    create(&s, 1e-8, 1.0, PBS_PRECONDITIONER_BLOCK_JACOBI);
    s.gradient[0] = 1e-3;
    // p = M^-1 g has p_0 = 1e5 and p . H p = -1e-5 1e10 + 4899.
    s.matrix.values[0] = -1e-5;
    const struct direction_result result = compute(&s, &exact);
    assert_true(result.indefinite);
    assert_int_equal(result.kind, DIRECTION_GRADIENT);
    for (size_t k = 1; k < SIZE; k++) {
        // g_0^2 is 2e-10 of |g|^2.
        assert_near(s.direction[k], -s.gradient[k], 1e-8, "the Cauchy step of the unit matrix");
    }
    destroy(&s);
}

/// As long as the curvature says, whatever its sign; without curvature -g itself.
static void test_steepest_descent_is_downhill_on_any_matrix(void **state) {
    (void)state;
    const double curvature[] = {4.0, -4.0, 0.0};
    for (size_t i = 0; i < COUNT_OF(curvature); i++) {
        struct system s;
        create(&s, curvature[i], curvature[i], PBS_PRECONDITIONER_NONE);
        direction_steepest(NULL, PROBLEM(&s.matrix), s.gradient, s.workspace.ap, s.direction);
        for (size_t k = 0; k < SIZE; k++) {
            const double expected = -s.gradient[k] / (curvature[i] != 0.0 ? 4.0 : 1.0);
            assert_near(s.direction[k], expected, 1e-14, "steepest descent");
        }
        destroy(&s);
    }
}

static void test_clamp(void **state) {
    (void)state;
    struct system s;
    create(&s, 1.0, 1.0, PBS_PRECONDITIONER_NONE);
    struct direction_options options = exact;
    options.length_limit = 0.25;
    const struct direction_result result = compute(&s, &options);
    assert_true(result.clamped);
    double square = 0.0;
    for (size_t k = 0; k < SIZE; k++) {
        square += s.direction[k] * s.direction[k];
    }
    assert_near(sqrt(square), 0.25, 1e-15, "length");
    destroy(&s);
}

static void test_without_a_factor_it_is_the_cauchy_step(void **state) {
    (void)state;
    struct system s;
    create(&s, 5.0, 5.0, PBS_PRECONDITIONER_NONE);
    const struct direction_result result = direction_compute(
        NULL, PROBLEM(&s.matrix), NULL, s.gradient, &exact, &s.workspace, s.direction);
    assert_int_equal(result.kind, DIRECTION_GRADIENT);
    assert_int_equal(result.linear_iterations, 0);
    for (size_t k = 0; k < SIZE; k++) {
        assert_near(s.direction[k], -s.gradient[k] / 5.0, 1e-14, "minimum along -g");
    }
    destroy(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forcing),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_newton_direction),
        cmocka_unit_test(test_ill_conditioned_newton_direction_is_kept),
        cmocka_unit_test(test_negative_curvature_still_gives_descent),
        cmocka_unit_test(test_truncated_directions_need_a_slope),
        cmocka_unit_test(test_steepest_descent_is_downhill_on_any_matrix),
        cmocka_unit_test(test_clamp),
        cmocka_unit_test(test_without_a_factor_it_is_the_cauchy_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

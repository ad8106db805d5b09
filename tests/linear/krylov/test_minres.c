// MINRES on symmetric matrices with eigenvalues of both signs: the residual it claims is the true
// one, and n steps suffice.
// SPDX-License-Identifier: MIT
#include "base/lanes/vector.h"
#include "linear/krylov/minres.h"
#include "scenes/linear/matrix_fixture.h"
#include "pbs/world.h"
#include "support/numerics/random_matrix.h"
#include "support/testing.h"

enum { NODES = 40, SIZE = 3 * NODES };

struct system {
    struct random_matrix matrix;
    struct preconditioner preconditioner;
    struct minres_workspace workspace;
    double storage[8][SIZE];
};

/// A chain of nodes with random symmetric blocks; shift on the diagonal.
static void create(struct system *s, struct random *random, double shift, int32_t preconditioner) {
    *s = (struct system){0};
    uint32_t nodes[2 * (NODES - 1)];
    for (uint32_t i = 0; i + 1 < NODES; i++) {
        nodes[2 * i] = i;
        nodes[2 * i + 1] = i + 1;
    }
    const struct stencils set = {NODES - 1, 2, nodes};
    random_matrix_create(&s->matrix, random, NODES, 2, &set);
    for (uint32_t r = 0; r < NODES; r++) {
        double *const d = s->matrix.a.values + 9 * s->matrix.a.row_start[r];
        for (int k = 0; k < 9; k += 4) {
            d[k] += shift;
        }
    }
    assert_ok(preconditioner_create(&s->matrix.memory, preconditioner, &s->matrix.a, ORDER_NATURAL,
                                    &s->preconditioner));
    assert_ok(
        s->preconditioner.table->factor(s->preconditioner.state, NULL, PROBLEM(&s->matrix.a)));
    for (int i = 0; i < 3; i++) {
        s->workspace.v[i] = s->storage[i];
        s->workspace.w[i] = s->storage[3 + i];
    }
    s->workspace.z[0] = s->storage[6];
    s->workspace.z[1] = s->storage[7];
}

static void destroy(struct system *s) {
    preconditioner_destroy(&s->matrix.memory, &s->preconditioner);
    random_matrix_destroy(&s->matrix);
}

static double residual(const struct system *s, const double *b, const double *x) {
    double r[SIZE];
    bsr_multiply(NULL, &s->matrix.a, x, r);
    vector_add_scaled(NULL, SIZE, -1.0, b, r);
    return vector_norm(NULL, SIZE, r) / vector_norm(NULL, SIZE, b);
}

static void test_solves_indefinite_systems(void **state) {
    (void)state;
    struct random random = random_seed(21);
    const double shifts[] = {0.0, 0.7, -2.0, 6.0};
    for (int32_t id = 0; id < 3; id++) {
        for (size_t i = 0; i < COUNT_OF(shifts); i++) {
            struct system s;
            create(&s, &random, shifts[i], id);
            double b[SIZE], x[SIZE];
            random_fill(&random, -1.0, 1.0, b, SIZE);
            const struct minres_options options = {1e-10, 20 * SIZE};
            const struct minres_result result = minres_solve(
                NULL, PROBLEM(&s.matrix.a), &s.preconditioner, b, &options, &s.workspace, x);
            assert_true(result.converged);
            assert_true(result.relative_residual <= 1e-10);
            // The claim is in the norm of the preconditioner, whose condition number is below 1e4
            // here.
            assert_small(residual(&s, b, x), 1e-8, "residual");
            destroy(&s);
        }
    }
}

static void test_claimed_residual_is_the_true_one(void **state) {
    (void)state;
    struct random random = random_seed(22);
    struct system s;
    create(&s, &random, 0.5, PBS_PRECONDITIONER_NONE);
    double b[SIZE], x[SIZE];
    random_fill(&random, -1.0, 1.0, b, SIZE);
    double before = 1.0;
    for (uint32_t n = 1; n <= 30; n++) {
        const struct minres_options options = {0.0, n};
        const struct minres_result result = minres_solve(
            NULL, PROBLEM(&s.matrix.a), &s.preconditioner, b, &options, &s.workspace, x);
        assert_int_equal(result.iterations, n);
        assert_near(residual(&s, b, x), result.relative_residual, 1e-12, "claim");
        // Its defining property.
        assert_true(result.relative_residual <= before);
        before = result.relative_residual;
    }
    destroy(&s);
}

static void test_zero_gives_zero(void **state) {
    (void)state;
    struct random random = random_seed(23);
    struct system s;
    create(&s, &random, 0.0, PBS_PRECONDITIONER_NONE);
    const double b[SIZE] = {0};
    double x[SIZE];
    random_fill(&random, -1.0, 1.0, x, SIZE);
    const struct minres_options options = {1e-10, 10};
    const struct minres_result result = minres_solve(NULL, PROBLEM(&s.matrix.a), &s.preconditioner,
                                                     b, &options, &s.workspace, x);
    assert_true(result.converged);
    assert_int_equal(result.iterations, 0);
    assert_true(vector_norm(NULL, SIZE, x) == 0.0);
    destroy(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves_indefinite_systems),
        cmocka_unit_test(test_claimed_residual_is_the_true_one),
        cmocka_unit_test(test_zero_gives_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Constraints in the sparse matrix beside the dense formula Q^T H Q + C + s (I - Q).
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "minimize/newton/constrained_hessian.h"
#include "support/numerics/random_matrix.h"
#include "support/testing.h"

enum { NODES = 30, SIZE = 3 * NODES };

struct system {
    struct random_matrix matrix;
    struct block_columns columns;
};

/// Random stencils of four nodes and random symmetric values.
static void create(struct system *s, struct random *random, uint32_t domains) {
    uint32_t nodes[4 * NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[4 * i] = i;
        for (uint32_t k = 1; k < 4; k++) {
            nodes[4 * i + k] = (i + k * (1 + (uint32_t)random_index(random, 6))) % NODES;
            for (uint32_t j = 0; j < k; j++) {
                if (nodes[4 * i + j] == nodes[4 * i + k]) {
                    nodes[4 * i + k] = (nodes[4 * i + k] + 1) % NODES;
                    j = UINT32_MAX; // look again from the first
                }
            }
        }
    }
    const struct stencils set = {NODES, 4, nodes};
    random_matrix_create(&s->matrix, random, NODES, domains, &set);
    assert_ok(block_columns_build(&s->matrix.memory, &s->matrix.a, &s->columns));
}

static void destroy(struct system *s) {
    block_columns_free(&s->matrix.memory, &s->columns);
    random_matrix_destroy(&s->matrix);
}

static void to_dense(const struct system *s, double dense[SIZE * SIZE]) {
    memset(dense, 0, SIZE * SIZE * sizeof *dense);
    for (size_t r = 0; r < NODES; r++) {
        for (size_t k = s->matrix.a.row_start[r]; k < s->matrix.a.row_start[r + 1]; k++) {
            const size_t c = s->matrix.a.column[k];
            for (size_t ij = 0; ij < 9; ij++) {
                const size_t i = 3 * r + ij / 3;
                const size_t j = 3 * c + ij % 3;
                dense[i * SIZE + j] = dense[j * SIZE + i] = s->matrix.a.values[9 * k + ij];
            }
        }
    }
}

/// A projector onto a plane, a line or a point, or the one of a held axis, and a curvature in its
/// range.
static void random_constraint(struct random *random, uint32_t node, struct projection_active *out) {
    double r[9];
    random_rotation(random, r);
    const size_t rank = random_index(random, 3);
    *out = (struct projection_active){.node = node};
    double h[9];
    random_fill(random, -1.0, 1.0, h, 9);
    double left[9];
    for (size_t ij = 0; ij < 9; ij++) {
        for (size_t k = 0; k < rank; k++) {
            out->tangent[ij] += r[3 * (ij / 3) + k] * r[3 * (ij % 3) + k];
        }
    }
    h[3] = h[1];
    h[6] = h[2];
    h[7] = h[5];
    multiply33(out->tangent, h, left);
    multiply33(left, out->tangent, out->curvature);
}

static void multiply(const double *a, const double *b, double *out) {
    for (size_t i = 0; i < SIZE; i++) {
        for (size_t j = 0; j < SIZE; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < SIZE; k++) {
                sum += a[i * SIZE + k] * b[k * SIZE + j];
            }
            out[i * SIZE + j] = sum;
        }
    }
}

static void test_congruence_is_the_dense_formula(void **state) {
    (void)state;
    struct random random = random_seed(11);
    static double before[SIZE * SIZE], after[SIZE * SIZE], q[SIZE * SIZE];
    static double left[SIZE * SIZE], expected[SIZE * SIZE];
    for (uint32_t domains = 1; domains < 5; domains++) {
        struct system s = {0};
        create(&s, &random, domains);
        struct projection_active active[NODES];
        size_t count = 0;
        for (uint32_t i = 0; i < NODES; i += 1 + (uint32_t)random_index(&random, 3)) {
            random_constraint(&random, i, &active[count++]);
        }
        to_dense(&s, before);
        constrain_hessian(NULL, &s.matrix.assembly.layout, &s.columns, active, count, &s.matrix.a);
        to_dense(&s, after);

        memset(q, 0, sizeof q);
        for (size_t i = 0; i < SIZE; i++) {
            q[i * SIZE + i] = 1.0;
        }
        for (size_t a = 0; a < count; a++) {
            const size_t row = 3 * (size_t)s.matrix.assembly.layout.row[active[a].node];
            for (size_t ij = 0; ij < 9; ij++) {
                q[(row + ij / 3) * SIZE + row + ij % 3] = active[a].tangent[ij];
            }
        }
        multiply(q, before, left);
        multiply(left, q, expected);
        for (size_t a = 0; a < count; a++) {
            const size_t row = 3 * (size_t)s.matrix.assembly.layout.row[active[a].node];
            double largest = 0.0;
            for (size_t ij = 0; ij < 9; ij++) {
                largest = fmax(largest, fabs(before[(row + ij / 3) * SIZE + row + ij % 3]));
            }
            for (size_t ij = 0; ij < 9; ij++) {
                expected[(row + ij / 3) * SIZE + row + ij % 3] += active[a].curvature[ij] +
                                                                  largest *
                                                                      ((ij % 4 == 0 ? 1.0 : 0.0) -
                                                                       active[a].tangent[ij]);
            }
        }
        // Sums of at most nine products of numbers up to 1.
        assert_small(testing_max_difference(after, expected, SIZE * SIZE), 1e-14, "congruence");
        destroy(&s);
    }
}

static void test_direction_is_projected(void **state) {
    (void)state;
    struct random random = random_seed(12);
    struct system s = {0};
    create(&s, &random, 3);
    struct projection_active active;
    random_constraint(&random, 4, &active);
    double d[SIZE], expected[SIZE];
    random_fill(&random, -1.0, 1.0, d, SIZE);
    memcpy(expected, d, sizeof d);
    const size_t row = 3 * (size_t)s.matrix.assembly.layout.row[4];
    multiply3(active.tangent, d + row, expected + row);
    constrain_direction(&s.matrix.assembly.layout, &active, 1, d);
    assert_same_bits(d, expected, SIZE);
    destroy(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_congruence_is_the_dense_formula),
        cmocka_unit_test(test_direction_is_projected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

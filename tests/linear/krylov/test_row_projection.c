// Velocities that equations allow: they hold, and no nearer velocities do.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/matrix3/math3.h"
#include "linear/krylov/row_projection.h"
#include "support/random.h"
#include "support/testing.h"

enum { NODES = 12, SIZE = 3 * NODES, ROWS = 9, WIDTH = 4 };

struct fixture {
    uint32_t node[ROWS * WIDTH];
    double entries[3 * ROWS * WIDTH], mass[NODES];
    struct node_row rows[ROWS];
};

/// The last row but one repeats the first, and the last is 0.
static void setup(struct fixture *f) {
    struct random random = random_seed(2);
    random_fill(&random, 0.1, 10.0, f->mass, NODES);
    random_fill(&random, -1.0, 1.0, f->entries, COUNT_OF(f->entries));
    for (uint32_t r = 0; r < ROWS; r++) {
        const size_t count = 1 + r % WIDTH;
        for (uint32_t k = 0; k < WIDTH; k++) {
            f->node[WIDTH * r + k] = (5 * r + 7 * k) % NODES;
        }
        f->rows[r] = (struct node_row){count, f->node + (size_t)WIDTH * r,
                                       f->entries + 3 * (size_t)WIDTH * r};
    }
    f->rows[ROWS - 2] = f->rows[0];
    memset(f->entries + 3 * (size_t)WIDTH * (ROWS - 1), 0, 3 * WIDTH * sizeof(double));
}

static double energy(const struct fixture *f, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < NODES; i++) {
        sum += f->mass[i] * dot3(a + 3 * i, b + 3 * i);
    }
    return sum;
}

static void project(const struct fixture *f, const double added[ROWS], double a[SIZE]) {
    double residual[ROWS], direction[ROWS], product[ROWS], impulse[ROWS], nodes[SIZE];
    struct row_projection projection = {.rows = f->rows,
                                        .count = ROWS,
                                        .active_count = ROWS - 1,
                                        .mass = f->mass,
                                        .residual = residual,
                                        .direction = direction,
                                        .product = product,
                                        .impulse = impulse,
                                        .node_product = nodes};
    node_rows_multiply(f->rows, ROWS, a, residual);
    for (size_t r = 0; r < ROWS; r++) {
        residual[r] += added[r];
    }
    row_projection_apply(&projection, a);
}

/// J a = 0, and what is taken away is orthogonal, by mass, to all that equations allow.
static void what_is_left_is_allowed_and_nearest(void **state) {
    (void)state;
    struct fixture f;
    struct random random = random_seed(9);
    const double nothing[ROWS] = {0.0};
    double a[SIZE], before[SIZE], taken[SIZE], other[SIZE], rates[ROWS];
    setup(&f);
    random_fill(&random, -1.0, 1.0, before, SIZE);
    random_fill(&random, -1.0, 1.0, other, SIZE);
    memcpy(a, before, sizeof a);
    project(&f, nothing, a);
    project(&f, nothing, other);
    node_rows_multiply(f.rows, ROWS, a, rates);
    for (size_t r = 0; r < ROWS; r++) {
        assert_small(fabs(rates[r]), 1e-12, "row");
    }
    for (size_t k = 0; k < SIZE; k++) {
        taken[k] = before[k] - a[k];
    }
    assert_true(energy(&f, taken, taken) > 0.1);
    assert_small(fabs(energy(&f, taken, a)), 1e-11, "orthogonal to what is left");
    assert_small(fabs(energy(&f, taken, other)), 1e-11, "orthogonal to what else is allowed");
}

/// With the second part of an acceleration J a + b = 0 holds; both rows that are the same have the
/// same b.
static void accelerations_have_a_second_part(void **state) {
    (void)state;
    struct fixture f;
    struct random random = random_seed(10);
    double a[SIZE], added[ROWS], rates[ROWS];
    setup(&f);
    random_fill(&random, -1.0, 1.0, a, SIZE);
    random_fill(&random, -1.0, 1.0, added, ROWS);
    added[ROWS - 2] = added[0];
    added[ROWS - 1] = 0.0;
    project(&f, added, a);
    node_rows_multiply(f.rows, ROWS, a, rates);
    for (size_t r = 0; r < ROWS; r++) {
        assert_near(rates[r], -added[r], 1e-12, "row");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_is_allowed_and_nearest),
        cmocka_unit_test(accelerations_have_a_second_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

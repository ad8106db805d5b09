// Compares the contact matrix with a dense sum of its stencils.
// SPDX-License-Identifier: MIT
#include "linear/problem.h"

#include <stdlib.h>

#include "linear/linear_cases.h"

enum { STENCILS = 400, WIDTH = 4 };

struct case_data {
    struct memory memory;
    struct fixture fixture;
    uint32_t *rows;
    double *blocks;
    struct contact_matrix c;
};

static uint32_t random_below(uint64_t *state, uint32_t limit) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % limit);
}

/// Stencils of four different rows with blocks k w w^T; every second one shares rows with the one
/// before.
static void fill_stencils(struct case_data *s, size_t count, uint64_t seed) {
    const uint32_t n = s->fixture.matrix.row_count;
    uint64_t state = seed;
    for (size_t e = 0; e < count; e++) {
        uint32_t *rows = s->rows + e * WIDTH;
        const uint32_t first = e % 2 == 1 ? rows[-2] : random_below(&state, n);
        double w[3 * WIDTH];
        for (uint32_t a = 0; a < WIDTH; a++) {
            rows[a] = (first + a * (1 + random_below(&state, n / WIDTH - 1))) % n;
            for (uint32_t k = 0; k < a; k++) {
                while (rows[k] == rows[a]) {
                    rows[a] = (rows[a] + 1) % n;
                    k = 0;
                }
            }
        }
        for (int i = 0; i < 3 * WIDTH; i++) {
            w[i] = random_below(&state, 2001) / 1000.0 - 1.0;
        }
        for (int i = 0; i < 9 * WIDTH * WIDTH; i++) {
            s->blocks[9 * e * WIDTH * WIDTH + (size_t)i] = w[i / (3 * WIDTH)] * w[i % (3 * WIDTH)];
        }
    }
}

static void setup(struct case_data *s, uint32_t domain_count) {
    memory_init(&s->memory, NULL);
    s->fixture = make_fixture(&s->memory, 8, domain_count);
    s->rows = memory_allocate(&s->memory, STENCILS * WIDTH, sizeof *s->rows);
    s->blocks = memory_allocate(&s->memory, 9 * STENCILS * WIDTH * WIDTH, sizeof *s->blocks);
    s->c = (struct contact_matrix){0};
}

static void teardown(struct case_data *s) {
    contact_matrix_free(&s->memory, &s->c);
    memory_release(&s->memory, s->rows);
    memory_release(&s->memory, s->blocks);
    fixture_free(&s->memory, &s->fixture);
    assert_int_equal(s->memory.bytes_in_use, 0);
}

static pbs_status build(struct case_data *s, size_t count) {
    const struct contact_stencils set = {count, WIDTH, s->rows, s->blocks};
    return contact_matrix_build(&s->memory, &s->fixture.assembly.layout, &set, 1, &s->c);
}

/// y += C x, stencil by stencil.
static void add_slowly(const struct case_data *s, size_t count, const double *x, double *y) {
    for (size_t e = 0; e < count; e++) {
        const uint32_t *rows = s->rows + e * WIDTH;
        const double *block = s->blocks + 9 * e * WIDTH * WIDTH;
        for (size_t i = 0; i < 3 * WIDTH; i++) {
            for (size_t j = 0; j < 3 * WIDTH; j++) {
                y[3 * (size_t)rows[i / 3] + i % 3] += block[i * 3 * WIDTH + j] *
                                                      x[3 * (size_t)rows[j / 3] + j % 3];
            }
        }
    }
}

static void product_is_the_sum_of_stencils(void **state) {
    (void)state;
    for (uint32_t domains = 1; domains <= 8; domains += 7) {
        struct case_data s;
        setup(&s, domains);
        const size_t n = 3 * (size_t)s.fixture.matrix.row_count;
        double *x = random_vector(&s.memory, n, 1);
        double *found = random_vector(&s.memory, n, 2);
        double *expected = random_vector(&s.memory, n, 2);
        const size_t counts[] = {STENCILS, 0, 1, STENCILS / 2, STENCILS};
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            fill_stencils(&s, counts[k], 17 + k);
            assert_int_equal(build(&s, counts[k]), PBS_OK);
            const struct linear_problem problem = {.a = &s.fixture.matrix, .c = &s.c};
            problem_multiply(NULL, &problem, x, found);
            bsr_multiply(NULL, &s.fixture.matrix, x, expected);
            double scale = 0.0;
            for (size_t i = 0; i < n; i++) {
                scale = fmax(scale, fabs(expected[i]));
            }
            add_slowly(&s, counts[k], x, expected);
            for (size_t i = 0; i < n; i++) {
                // A row has fewer than 100 products in both matrices.
                assert_true(fabs(found[i] - expected[i]) <= 100.0 * 0x1p-52 * (scale + 100.0));
            }
        }
        memory_release(&s.memory, x);
        memory_release(&s.memory, found);
        memory_release(&s.memory, expected);
        teardown(&s);
    }
}

static void diagonal_blocks_are_those_of_the_rows(void **state) {
    (void)state;
    struct case_data s;
    setup(&s, 2);
    fill_stencils(&s, STENCILS, 5);
    assert_int_equal(build(&s, STENCILS), PBS_OK);
    const size_t n = 3 * (size_t)s.fixture.matrix.row_count;
    double *unit = memory_allocate(&s.memory, n, sizeof *unit);
    double *column = memory_allocate(&s.memory, n, sizeof *column);
    for (uint32_t i = 0; i < s.c.row_count; i++) {
        const size_t row = s.c.row[i];
        assert_true(i == 0 || s.c.row[i - 1] < row);
        for (size_t e = 0; e < 3; e++) {
            memset(column, 0, n * sizeof *column);
            unit[3 * row + e] = 1.0;
            add_slowly(&s, STENCILS, unit, column);
            unit[3 * row + e] = 0.0;
            for (size_t r = 0; r < 3; r++) {
                assert_true(fabs(contact_matrix_diagonal(&s.c, i)[3 * r + e] -
                                 column[3 * row + r]) <= 1e-12);
            }
        }
    }
    memory_release(&s.memory, unit);
    memory_release(&s.memory, column);
    teardown(&s);
}

/// Changing contacts cause no allocation once there have been as many before.
static void rebuilding_allocates_nothing(void **state) {
    (void)state;
    struct case_data s;
    setup(&s, 2);
    fill_stencils(&s, STENCILS, 3);
    assert_int_equal(build(&s, STENCILS), PBS_OK);
    const uint64_t calls = s.memory.call_count;
    for (size_t count = 0; count <= STENCILS; count += 50) {
        assert_int_equal(build(&s, count), PBS_OK);
    }
    assert_int_equal(s.memory.call_count, calls);
    teardown(&s);
}

static void without_memory_the_matrix_is_empty(void **state) {
    (void)state;
    pbs_status status = PBS_ERROR_MEMORY;
    for (size_t k = 0; status != PBS_OK; k++) {
        struct case_data s;
        setup(&s, 2);
        fill_stencils(&s, STENCILS, 3);
        struct failing failing = {.fail_at = k};
        const pbs_allocator allocator = {failing_allocate, failing_release, &failing};
        struct memory memory;
        memory_init(&memory, &allocator);
        const struct contact_stencils set = {STENCILS, WIDTH, s.rows, s.blocks};
        status = contact_matrix_build(&memory, &s.fixture.assembly.layout, &set, 1, &s.c);
        assert_true(status == PBS_OK ||
                    (status == PBS_ERROR_MEMORY && s.c.row_count == 0 && k < 20));
        contact_matrix_free(&memory, &s.c);
        assert_int_equal(failing.alive, 0);
        teardown(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_is_the_sum_of_stencils),
        cmocka_unit_test(diagonal_blocks_are_those_of_the_rows),
        cmocka_unit_test(rebuilding_allocates_nothing),
        cmocka_unit_test(without_memory_the_matrix_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

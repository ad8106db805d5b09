// The systems that solvers are compared on are what they say: contacts couple free rows that are
// not coupled already, and the assembled matrix of the peers is H0 + C on the free nodes.
// SPDX-License-Identifier: MIT
#include "linear_cases.h"

#include "measure/scalar_csr.h"
#include "scenes/linear/linear_scene.h"

static struct memory memory;

/// In place, since its problem points into it.
static void build(const char *name, struct linear_scene *scene) {
    assert_int_equal(linear_scene_build(&memory, linear_case_find(name), 6, "", scene), PBS_OK);
}

static void test_contacts(void **state) {
    (void)state;
    struct linear_scene scene;
    build("hard-contact-10", &scene);
    assert_int_equal(scene.contacts.count, 34); // a tenth of 343 nodes
    for (size_t s = 0; s < scene.contacts.count; s++) {
        const uint32_t *row = scene.contacts.rows + 4 * s;
        for (int i = 0; i < 4; i++) {
            assert_false(scene.fixture.held[row[i]]);
            if (i > 0) {
                const uint32_t low = row[0] < row[i] ? row[0] : row[i];
                assert_int_equal(
                    bsr_find(&scene.fixture.matrix, low, row[0] < row[i] ? row[i] : row[0]),
                    SIZE_MAX);
            }
        }
        // Rank 1, positive, and without a force when all four move together.
        const double *block = scene.contacts.blocks + 144 * s;
        double trace = 0.0;
        for (int i = 0; i < 12; i++) {
            trace += block[13 * i];
        }
        for (int i = 0; i < 12; i++) {
            for (int j = 0; j < 12; j++) {
                const double minor = block[13 * i] * block[13 * j] -
                                     block[12 * i + j] * block[12 * j + i];
                assert_true(fabs(minor) <= 1e-14 * trace * trace);
            }
            for (int d = 0; d < 3; d++) {
                const double *line = block + 12 * i + d;
                assert_true(fabs(line[0] + line[3] + line[6] + line[9]) <= 1e-14 * trace);
            }
        }
    }
    linear_scene_free(&memory, &scene);
}

static void test_assembled(void **state) {
    (void)state;
    struct linear_scene scene;
    build("hard-contact-2-random", &scene);
    struct scalar_csr csr;
    assert_int_equal(scalar_csr_build(&memory, &scene.fixture, scene.problem.c, &csr), PBS_OK);
    const uint32_t row_count = scene.fixture.matrix.row_count;
    assert_int_equal(csr.node_count, row_count - scene.problem.restriction_count);
    double *rows = memory_allocate(&memory, 6 * (size_t)row_count, sizeof *rows);
    double *x = memory_allocate(&memory, 2 * (size_t)csr.matrix.size, sizeof *x);
    double *product = x + csr.matrix.size;
    for (int32_t i = 0; i < csr.matrix.size; i++) {
        x[i] = sin(i);
    }
    scalar_csr_to_rows(&csr, row_count, x, rows);
    problem_multiply(NULL, &scene.problem, rows, rows + 3 * (size_t)row_count);
    scalar_csr_from_rows(&csr, rows + 3 * (size_t)row_count, product);
    for (int32_t i = 0; i < csr.matrix.size; i++) {
        double sum = 0.0;
        double scale = 0.0;
        for (int32_t k = csr.matrix.row_start[i]; k < csr.matrix.row_start[i + 1]; k++) {
            const int32_t before = k > csr.matrix.row_start[i] ? csr.matrix.column[k - 1] : -1;
            assert_true(csr.matrix.column[k] > before);
            const double term = csr.matrix.value[k] * x[csr.matrix.column[k]];
            sum += term;
            scale += fabs(term);
        }
        // Two sums of some 60 terms in different orders.
        assert_true(fabs(sum - product[i]) <= 1e-14 * scale);
    }
    memory_release(&memory, rows);
    memory_release(&memory, x);
    scalar_csr_free(&memory, &csr);
    linear_scene_free(&memory, &scene);
    assert_int_equal(memory.bytes_in_use, 0);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_assembled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

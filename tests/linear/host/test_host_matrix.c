// The matrix that a host's solver gets, against products with the one it was made from: all
// forms and triangles, contacts that come, stay, move and go.
// SPDX-License-Identifier: MIT
#include "linear/host/host_matrix.h"

#include "linear/linear_cases.h"
#include "support/host/refusals.h"

enum { WIDTH = 4, STENCILS = 30 };

static struct memory memory;

struct contacts {
    uint32_t rows[STENCILS * WIDTH];
    double blocks[STENCILS * 9 * WIDTH * WIDTH];
    struct contact_matrix c;
};

static double random_entry(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

/// Blocks k w w^T on four different rows each; what is on a row, and so the pattern, follows from
/// `seed` alone, the values from `values`.
static void make_contacts(struct contacts *s, const struct bsr *a, size_t count, uint64_t seed,
                          uint64_t values) {
    for (size_t e = 0; e < count; e++) {
        const uint32_t stride = 1 + (uint32_t)(fabs(random_entry(&seed)) * (a->row_count / WIDTH));
        const uint32_t first = (uint32_t)(fabs(random_entry(&seed)) * (a->row_count - 1));
        double w[3 * WIDTH];
        for (uint32_t k = 0; k < WIDTH; k++) {
            s->rows[e * WIDTH + k] = (first + k * (stride < 2 ? 1 : stride - 1)) % a->row_count;
        }
        for (int i = 0; i < 3 * WIDTH; i++) {
            w[i] = random_entry(&values);
        }
        for (int i = 0; i < 9 * WIDTH * WIDTH; i++) {
            s->blocks[e * 9 * WIDTH * WIDTH + (size_t)i] = w[i / (3 * WIDTH)] * w[i % (3 * WIDTH)];
        }
    }
    const struct contact_stencils set = {count, WIDTH, s->rows, s->blocks};
    assert_int_equal(contact_matrix_build(&memory, a->layout, &set, 1, &s->c), PBS_OK);
}

// --- what a host would do with it ---

struct entries {
    const pbs_matrix *m;
    const double *x;
    double *y;
    size_t outside; ///< entries that do not belong to the triangle
};

static void use_entry(struct entries *e, size_t row, size_t column, double value) {
    e->y[row] += value * e->x[column];
    const int32_t triangle = e->m->triangle;
    if (triangle != PBS_TRIANGLE_BOTH && row != column) {
        e->y[column] += value * e->x[row];
    }
    e->outside += (triangle == PBS_TRIANGLE_UPPER && column < row) ||
                  (triangle == PBS_TRIANGLE_LOWER && column > row);
}

static void use_block(struct entries *e, size_t row, size_t column, const double *block) {
    for (size_t r = 0; r < 3; r++) {
        for (size_t c = 0; c < 3; c++) {
            // Of a block on the diagonal, which is whole, one triangle.
            const bool twice = e->m->triangle != PBS_TRIANGLE_BOTH && row == column &&
                               (e->m->triangle == PBS_TRIANGLE_UPPER ? c < r : c > r);
            if (!twice) {
                use_entry(e, 3 * row + r, 3 * column + c, block[3 * r + c]);
            }
        }
    }
}

static void multiply(const pbs_matrix *m, const double *x, double *y) {
    struct entries e = {.m = m, .x = x, .y = y};
    memset(y, 0, 3 * (size_t)m->node_count * sizeof *y);
    for (int32_t i = 0; i < m->row_count; i++) {
        bool has_diagonal = false;
        for (int32_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            assert_true(k == m->row_start[i] || m->column[k - 1] < m->column[k]);
            assert_in_range(m->column[k], 0, m->row_count - 1);
            has_diagonal = has_diagonal || m->column[k] == i;
            if (m->form == PBS_MATRIX_CSR) {
                use_entry(&e, (size_t)i, (size_t)m->column[k], m->values[k]);
            } else {
                use_block(&e, (size_t)i, (size_t)m->column[k], m->values + 9 * (size_t)k);
            }
        }
        assert_true(has_diagonal);
    }
    assert_int_equal(m->row_start[m->row_count], m->entry_count);
    assert_int_equal(e.outside, 0);
}

/// The product in node order against the library's own in row order. Rounding: a row has some 50
/// entries of 100 times the size of what is left of their sum at most.
static void check_product(const struct linear_problem *problem, const pbs_matrix *m) {
    const struct layout *layout = problem->a->layout;
    const size_t n = 3 * (size_t)problem->a->row_count;
    double *x = random_vector(&memory, n, 3);
    double *by_row = random_vector(&memory, n, 4);
    double *y = random_vector(&memory, n, 5);
    double *expected = random_vector(&memory, n, 6);
    for (size_t i = 0; i < n; i++) {
        by_row[i] = x[3 * (size_t)layout->node[i / 3] + i % 3];
    }
    problem_multiply(NULL, problem, by_row, expected);
    multiply(m, x, y);
    double worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double found = y[3 * (size_t)layout->node[i / 3] + i % 3];
        worst = fmax(worst, fabs(found - expected[i]));
        largest = fmax(largest, fabs(expected[i]));
    }
    assert_true(largest > 0.0 && worst <= 1e-13 * largest);
    memory_release(&memory, x);
    memory_release(&memory, by_row);
    memory_release(&memory, y);
    memory_release(&memory, expected);
}

static bool build_and_fill(const struct linear_problem *problem, int32_t form, int32_t triangle,
                           struct host_matrix *m) {
    bool changed = false;
    assert_int_equal(host_matrix_build(&memory, problem, form, triangle, m, &changed), PBS_OK);
    assert_null(m->view.values);
    assert_int_equal(host_matrix_fill(m, NULL, problem), PBS_OK);
    assert_non_null(m->view.values);
    return changed;
}

static void products_agree(void **state) {
    (void)state;
    static struct contacts contacts;
    struct fixture f = make_fixture(&memory, 7, 3);
    struct linear_problem problem = {.a = &f.matrix, .c = &contacts.c};
    for (int variant = 0; variant < 6; variant++) {
        const int32_t form = variant % 2, triangle = variant / 2;
        struct host_matrix m = {0};
        make_contacts(&contacts, &f.matrix, 0, 1, 1);
        assert_true(build_and_fill(&problem, form, triangle, &m));
        check_product(&problem, &m.view);
        const int32_t alone = m.view.entry_count;
        // Contacts come; the same with other forces; others; gone; said to be none at all.
        make_contacts(&contacts, &f.matrix, STENCILS, 1, 1);
        assert_true(build_and_fill(&problem, form, triangle, &m));
        check_product(&problem, &m.view);
        assert_true(m.view.entry_count > alone);
        make_contacts(&contacts, &f.matrix, STENCILS, 1, 2);
        const uint64_t calls = memory.call_count;
        assert_false(build_and_fill(&problem, form, triangle, &m));
        assert_int_equal(memory.call_count, calls);
        check_product(&problem, &m.view);
        make_contacts(&contacts, &f.matrix, STENCILS, 2, 2);
        assert_true(build_and_fill(&problem, form, triangle, &m));
        check_product(&problem, &m.view);
        make_contacts(&contacts, &f.matrix, 0, 1, 1);
        assert_true(build_and_fill(&problem, form, triangle, &m));
        check_product(&problem, &m.view);
        assert_int_equal(m.view.entry_count, alone);
        problem.c = NULL;
        assert_false(build_and_fill(&problem, form, triangle, &m));
        problem.c = &contacts.c;
        host_matrix_free(&memory, &m);
    }
    contact_matrix_free(&memory, &contacts.c);
    fixture_free(&memory, &f);
}

/// What a form and a triangle hold, by count: n nodes, u blocks in the upper triangle.
static void sizes_are_those_of_the_form(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 4, 2);
    const struct linear_problem problem = {.a = &f.matrix};
    const int32_t n = (int32_t)f.matrix.row_count, u = (int32_t)f.matrix.block_count;
    const int32_t both = 2 * u - n;
    const int32_t expected[3][2] = {{9 * both, both}, {9 * u - 3 * n, u}, {9 * u - 3 * n, u}};
    for (int32_t triangle = 0; triangle < 3; triangle++) {
        for (int32_t form = 0; form < 2; form++) {
            struct host_matrix m = {0};
            build_and_fill(&problem, form, triangle, &m);
            assert_int_equal(m.view.struct_size, sizeof m.view);
            assert_int_equal(m.view.form, form);
            assert_int_equal(m.view.triangle, triangle);
            assert_int_equal(m.view.node_count, n);
            assert_int_equal(m.view.row_count, form == PBS_MATRIX_CSR ? 3 * n : n);
            assert_int_equal(m.view.entry_count, expected[triangle][form]);
            host_matrix_free(&memory, &m);
        }
    }
    fixture_free(&memory, &f);
}

static void positions_are_in_node_order(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 4, 2);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *positions = random_vector(&memory, n, 8);
    struct linear_problem problem = {.a = &f.matrix, .positions = positions};
    struct host_matrix m = {0};
    for (int twice = 0; twice < 2; twice++) {
        bool changed = false;
        assert_int_equal(
            host_matrix_build(&memory, &problem, PBS_MATRIX_CSR, PBS_TRIANGLE_BOTH, &m, &changed),
            PBS_OK);
        for (size_t i = 0; i < n; i++) {
            const size_t node = f.matrix.layout->node[i / 3];
            assert_true(m.view.positions[3 * node + i % 3] == positions[i]);
            positions[i] += 1.0; // the nodes move, the pattern stays
        }
    }
    problem.positions = NULL;
    build_and_fill(&problem, PBS_MATRIX_CSR, PBS_TRIANGLE_BOTH, &m);
    assert_null(m.view.positions);
    host_matrix_free(&memory, &m);
    memory_release(&memory, positions);
    fixture_free(&memory, &f);
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 9, 4);
    const struct linear_problem problem = {.a = &f.matrix};
    struct host_matrix reference = {0}, m = {0};
    build_and_fill(&problem, PBS_MATRIX_CSR, PBS_TRIANGLE_BOTH, &reference);
    build_and_fill(&problem, PBS_MATRIX_CSR, PBS_TRIANGLE_BOTH, &m);
    const size_t count = (size_t)m.view.entry_count;
    for (int variant = 0; variant < TASK_VARIANTS; variant++) {
        struct tasks *tasks = make_tasks(&memory, variant);
        memset(m.values, 0, count * sizeof *m.values);
        assert_int_equal(host_matrix_fill(&m, tasks, &problem), PBS_OK);
        assert_memory_equal(m.view.values, reference.view.values, count * sizeof *m.values);
        tasks_destroy(&memory, tasks);
    }
    host_matrix_free(&memory, &m);
    host_matrix_free(&memory, &reference);
    fixture_free(&memory, &f);
}

static void entries_that_are_not_finite_are_not_handed_over(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 4, 2);
    const struct linear_problem problem = {.a = &f.matrix};
    struct host_matrix m = {0};
    build_and_fill(&problem, PBS_MATRIX_BLOCK_CSR, PBS_TRIANGLE_UPPER, &m);
    const double bad[2] = {NAN, -INFINITY};
    for (size_t k = 0; k < 9 * f.matrix.block_count; k += 37) {
        const double kept = f.values[k];
        f.values[k] = bad[k % 2];
        assert_int_equal(host_matrix_fill(&m, NULL, &problem), PBS_ERROR_CONVERGENCE);
        assert_non_null(strstr(pbs_last_error(), "is not finite"));
        f.values[k] = kept;
    }
    assert_int_equal(host_matrix_fill(&m, NULL, &problem), PBS_OK);
    host_matrix_free(&memory, &m);
    fixture_free(&memory, &f);
}

/// 2^31 entries and more are refused before anything is allocated or read.
static void indices_of_32_bits_are_not_overrun(void **state) {
    (void)state;
    const struct bsr huge = {.row_count = 1 << 26, .block_count = (size_t)0x42000000};
    const struct bsr many_rows = {.row_count = 0x2b000000, .block_count = (size_t)0x2b000000};
    const struct bsr *const too_large[2] = {&huge, &many_rows};
    for (size_t k = 0; k < 2; k++) {
        const struct linear_problem problem = {.a = too_large[k]};
        struct host_matrix m = {0};
        bool changed = false;
        assert_int_equal(host_matrix_build(&memory, &problem, PBS_MATRIX_BLOCK_CSR,
                                           PBS_TRIANGLE_BOTH, &m, &changed),
                         PBS_ERROR_ARGUMENT);
        assert_non_null(strstr(pbs_last_error(), "32-bit indices"));
        assert_null(m.block_start);
    }
}

static pbs_status build_in(struct memory *limited, const void *context) {
    const struct linear_problem *problem = context;
    struct host_matrix m = {0};
    bool changed = false;
    pbs_status status = host_matrix_build(limited, problem, PBS_MATRIX_CSR, PBS_TRIANGLE_LOWER, &m,
                                          &changed);
    assert_true(changed && m.is_built == (status == PBS_OK));
    host_matrix_free(limited, &m);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    static struct contacts contacts;
    struct fixture f = make_fixture(&memory, 3, 1);
    make_contacts(&contacts, &f.matrix, 3, 1, 1);
    const struct linear_problem problem = {.a = &f.matrix, .c = &contacts.c};
    assert_refusals_are_statuses(build_in, &problem, 20);
    contact_matrix_free(&memory, &contacts.c);
    fixture_free(&memory, &f);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree),
        cmocka_unit_test(sizes_are_those_of_the_form),
        cmocka_unit_test(positions_are_in_node_order),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(entries_that_are_not_finite_are_not_handed_over),
        cmocka_unit_test(indices_of_32_bits_are_not_overrun),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

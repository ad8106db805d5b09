// One suite for all preconditioners, in both orders of elimination: what the conjugate gradients,
// and whoever builds on them, may rely on.
// SPDX-License-Identifier: MIT
#include "linear_cases.h"

#include <float.h>

static struct memory memory;

typedef void (*check_fn)(const struct preconditioner_table *table, enum preconditioner_order order);

static void for_all(check_fn check) {
    size_t count = 0;
    for (; preconditioner_tables[count]; count++) {
        check(preconditioner_tables[count], ORDER_NATURAL);
        check(preconditioner_tables[count], ORDER_NESTED_DISSECTION);
    }
    assert_true(count >= 3);
}

static struct preconditioner create(const struct preconditioner_table *table, const struct bsr *a,
                                    enum preconditioner_order order) {
    struct preconditioner p;
    assert_int_equal(preconditioner_create(&memory, table->id, a, order, &p), PBS_OK);
    assert_ptr_equal(p.table, table);
    assert_int_equal(table->factor(p.state, NULL, PROBLEM(a)), PBS_OK);
    return p;
}

/// Makes x a residual that can come after the preconditioner's start.
static void deflate(const struct preconditioner *p, const struct bsr *a, double *x) {
    const size_t n = 3 * (size_t)a->row_count;
    double *start = memory_allocate(&memory, n, sizeof *start);
    double *product = memory_allocate(&memory, n, sizeof *product);
    if (preconditioner_start(p, NULL, x, start)) {
        fixture_multiply(a, start, product);
        for (size_t i = 0; i < n; i++) {
            x[i] -= product[i];
        }
    }
    memory_release(&memory, start);
    memory_release(&memory, product);
}

/// x . M^-1 y = y . M^-1 x to rounding, and x . M^-1 x > 0, for vectors of all kinds.
static void check_definite(const struct preconditioner *p, const struct bsr *a) {
    const size_t n = 3 * (size_t)a->row_count;
    double *x = random_vector(&memory, n, 1);
    double *y = random_vector(&memory, n, 2);
    double *mx = random_vector(&memory, n, 3);
    double *my = random_vector(&memory, n, 4);
    for (int trial = 0; trial < 4; trial++) {
        if (trial == 1) {
            for (size_t i = 0; i < n; i++) {
                x[i] = 1.0;
            }
        } else if (trial == 2) {
            memset(x, 0, n * sizeof *x);
            x[n / 2] = 1.0;
        } else if (trial == 3) {
            for (size_t i = 0; i < n; i++) {
                x[i] = i % 2 == 0 ? 1e6 * y[i] : -1e-6;
            }
        }
        deflate(p, a, x);
        deflate(p, a, y);
        p->table->apply(p->state, NULL, x, mx);
        p->table->apply(p->state, NULL, y, my);
        const double xx = dot(n, x, mx);
        const double yy = dot(n, y, my);
        assert_true(xx > 0.0 && yy > 0.0);
        // |x . M^-1 y| <= sqrt(xx yy); both are the same but for rounding, in float for all but
        // two, which grows with the root of the factor's condition number (below 1e4 here).
        const bool is_double = p->table->id == PBS_PRECONDITIONER_NONE ||
                               p->table->id == PBS_PRECONDITIONER_BLOCK_JACOBI;
        const double rounding = is_double ? DBL_EPSILON : FLT_EPSILON;
        assert_true(fabs(dot(n, x, my) - dot(n, y, mx)) <= 100.0 * rounding * sqrt(xx * yy));
    }
    memory_release(&memory, x);
    memory_release(&memory, y);
    memory_release(&memory, mx);
    memory_release(&memory, my);
}

static void is_definite(const struct preconditioner_table *table, enum preconditioner_order order) {
    for (uint32_t domains = 1; domains <= 5; domains += 2) {
        struct fixture f = make_fixture(&memory, 5, domains);
        struct preconditioner p = create(table, &f.matrix, order);
        check_definite(&p, &f.matrix);
        preconditioner_destroy(&memory, &p);
        fixture_free(&memory, &f);
    }
}

static void definite_for_definite_matrices(void **state) {
    (void)state;
    for_all(is_definite);
}

/// From slightly indefinite to negative definite, and with unprojected Hessians.
static void survives_indefinite(const struct preconditioner_table *table,
                                enum preconditioner_order order) {
    const double parts[] = {0.1, 0.5, 1.0, 3.0};
    for (size_t i = 0; i < 4; i++) {
        struct fixture_desc desc = fixture_hard(5);
        desc.indefinite = true;
        desc.domain_count = 2;
        struct fixture f;
        assert_int_equal(fixture_build(&memory, &desc, &f), PBS_OK);
        shift_diagonal(&f.matrix, -parts[i] * mean_diagonal(&f.matrix));
        struct preconditioner p = create(table, &f.matrix, order);
        check_definite(&p, &f.matrix);
        preconditioner_destroy(&memory, &p);
        fixture_free(&memory, &f);
    }
}

static void definite_for_indefinite_matrices(void **state) {
    (void)state;
    for_all(survives_indefinite);
}

static void is_deterministic(const struct preconditioner_table *table,
                             enum preconditioner_order order) {
    struct fixture f = make_fixture(&memory, 8, 5);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *r = random_vector(&memory, n, 1);
    double *expected = random_vector(&memory, n, 2);
    double *found = random_vector(&memory, n, 3);
    struct preconditioner reference = create(table, &f.matrix, order);
    table->apply(reference.state, NULL, r, expected);
    for (int variant = 0; variant < TASK_VARIANTS; variant++) {
        struct tasks *tasks = make_tasks(&memory, variant);
        struct preconditioner p;
        assert_int_equal(preconditioner_create(&memory, table->id, &f.matrix, order, &p), PBS_OK);
        assert_int_equal(table->factor(p.state, tasks, PROBLEM(&f.matrix)), PBS_OK);
        memset(found, 0x7f, n * sizeof *found);
        table->apply(p.state, tasks, r, found);
        assert_memory_equal(expected, found, n * sizeof *found);
        preconditioner_destroy(&memory, &p);
        tasks_destroy(&memory, tasks);
    }
    for (uint32_t d = 0; d < 5 && table->apply_domain; d++) {
        memset(found, 0x7f, n * sizeof *found);
        table->apply_domain(reference.state, d, r, found);
        const size_t first = 3 * (size_t)f.assembly.layout.domain_start[d];
        const size_t end = 3 * (size_t)f.assembly.layout.domain_start[d + 1];
        assert_memory_equal(expected + first, found + first, (end - first) * sizeof *found);
    }
    preconditioner_destroy(&memory, &reference);
    memory_release(&memory, r);
    memory_release(&memory, expected);
    memory_release(&memory, found);
    fixture_free(&memory, &f);
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    for_all(is_deterministic);
}

/// Nothing of an earlier matrix stays behind, not even a shift, and no allocator is called.
static void factors_again(const struct preconditioner_table *table,
                          enum preconditioner_order order) {
    struct fixture f = make_fixture(&memory, 5, 2);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *r = random_vector(&memory, n, 1);
    double *expected = random_vector(&memory, n, 2);
    double *found = random_vector(&memory, n, 3);
    struct preconditioner p = create(table, &f.matrix, order);
    table->apply(p.state, NULL, r, expected);
    const double shift = table->shift(p.state);
    const uint64_t calls = memory.call_count;
    const double amount = mean_diagonal(&f.matrix);
    shift_diagonal(&f.matrix, -amount);
    assert_int_equal(table->factor(p.state, NULL, PROBLEM(&f.matrix)), PBS_OK);
    table->apply(p.state, NULL, r, found);
    memory_release(&memory, NULL);
    assert_int_equal(memory.call_count, calls);
    struct fixture again = make_fixture(&memory, 5, 2);
    assert_int_equal(table->factor(p.state, NULL, PROBLEM(&again.matrix)), PBS_OK);
    table->apply(p.state, NULL, r, found);
    assert_memory_equal(expected, found, n * sizeof *found);
    assert_true(table->shift(p.state) == shift);
    preconditioner_destroy(&memory, &p);
    memory_release(&memory, r);
    memory_release(&memory, expected);
    memory_release(&memory, found);
    fixture_free(&memory, &f);
    fixture_free(&memory, &again);
}

static void factoring_again_forgets_and_allocates_nothing(void **state) {
    (void)state;
    for_all(factors_again);
}

/// With it, conjugate gradients find the answer of a dense solver.
static void solves(const struct preconditioner_table *table, enum preconditioner_order order) {
    struct fixture_desc desc = fixture_hard(4);
    desc.young = 1e5;
    desc.domain_count = 3;
    struct fixture f;
    assert_int_equal(fixture_build(&memory, &desc, &f), PBS_OK);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    double *x = random_vector(&memory, n, 1);
    double *expected = random_vector(&memory, n, 2);
    struct pcg_workspace w = {0};
    assert_int_equal(pcg_reserve(&memory, &w, f.matrix.row_count), PBS_OK);
    struct preconditioner p = create(table, &f.matrix, order);
    const struct pcg_options options = {1e-10, 2000, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result result = pcg_solve(NULL, PROBLEM(&f.matrix), &p, f.rhs, &options, &w,
                                               x);
    assert_int_equal(result.outcome, PCG_CONVERGED);
    assert_true(true_residual(&memory, &f.matrix, f.rhs, x) <= 1e-10 * (1.0 + 1e-6));
    dense_solve(&memory, &f.matrix, f.rhs, expected);
    double error = 0.0;
    for (size_t i = 0; i < n; i++) {
        error += (x[i] - expected[i]) * (x[i] - expected[i]);
    }
    // |error| / |x| <= condition * residual, and the condition of this matrix is below 1e5.
    assert_true(sqrt(error / dot(n, expected, expected)) < 1e5 * 1e-10);
    preconditioner_destroy(&memory, &p);
    pcg_free(&memory, &w);
    memory_release(&memory, x);
    memory_release(&memory, expected);
    fixture_free(&memory, &f);
}

static void agrees_with_dense_solver(void **state) {
    (void)state;
    for_all(solves);
}

static void takes_tiny(const struct preconditioner_table *table, enum preconditioner_order order) {
    for (uint32_t n = 1; n <= 5; n++) {
        for (uint32_t domains = 1; domains <= n; domains++) {
            struct small_matrix m = small_create(&memory, n, domains, NULL, 0);
            for (uint32_t i = 0; i < n; i++) {
                small_set_scalar(&m, i, i, i == 3 ? 0.0 : 2.0 + i);
            }
            struct preconditioner p = create(table, &m.a, order);
            check_definite(&p, &m.a);
            preconditioner_destroy(&memory, &p);
            small_free(&memory, &m);
        }
    }
}

/// One node; nodes without couplings; a node whose block is zero.
static void tiny_matrices(void **state) {
    (void)state;
    for_all(takes_tiny);
}

static void names_the_row(const struct preconditioner_table *table,
                          enum preconditioner_order order) {
    if (table->id == PBS_PRECONDITIONER_NONE) {
        return;
    }
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        struct fixture f = make_fixture(&memory, 3, 2);
        struct preconditioner p = create(table, &f.matrix, order);
        f.values[9 * (size_t)f.matrix.row_start[17] + 4] = bad[i];
        assert_int_equal(table->factor(p.state, NULL, PROBLEM(&f.matrix)), PBS_ERROR_CONVERGENCE);
        char name[32];
        snprintf(name, sizeof name, "node %u:", f.assembly.layout.node[17]);
        assert_non_null(strstr(pbs_last_error(), name));
        preconditioner_destroy(&memory, &p);
        fixture_free(&memory, &f);
    }
}

static void what_is_not_finite_is_refused_by_name(void **state) {
    (void)state;
    for_all(names_the_row);
}

static void survives_failures(const struct preconditioner_table *table,
                              enum preconditioner_order order) {
    struct fixture f = make_fixture(&memory, 4, 3);
    bool succeeded = false;
    for (size_t k = 0; !succeeded; k++) {
        struct failing failing = {.fail_at = k};
        const pbs_allocator allocator = {failing_allocate, failing_release, &failing};
        struct memory limited;
        memory_init(&limited, &allocator);
        struct preconditioner p;
        const pbs_status status = preconditioner_create(&limited, table->id, &f.matrix, order, &p);
        succeeded = status == PBS_OK;
        if (!succeeded) {
            assert_int_equal(status, PBS_ERROR_MEMORY);
            assert_null(p.table);
        }
        preconditioner_destroy(&limited, &p);
        assert_int_equal(failing.alive, 0);
        assert_true(k < 1000);
    }
    fixture_free(&memory, &f);
}

static void every_failing_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    for_all(survives_failures);
}

static void ids_are_found(void **state) {
    (void)state;
    for (size_t i = 0; preconditioner_tables[i]; i++) {
        assert_ptr_equal(preconditioner_find(preconditioner_tables[i]->id),
                         preconditioner_tables[i]);
    }
    assert_null(preconditioner_find(4711));
    struct preconditioner p;
    assert_int_equal(preconditioner_create(&memory, 4711, NULL, ORDER_NATURAL, &p),
                     PBS_ERROR_ARGUMENT);
    assert_non_null(strstr(pbs_last_error(), "4711"));
    preconditioner_destroy(&memory, &p);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definite_for_definite_matrices),
        cmocka_unit_test(definite_for_indefinite_matrices),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(factoring_again_forgets_and_allocates_nothing),
        cmocka_unit_test(agrees_with_dense_solver),
        cmocka_unit_test(tiny_matrices),
        cmocka_unit_test(what_is_not_finite_is_refused_by_name),
        cmocka_unit_test(every_failing_allocation_leaves_nothing_behind),
        cmocka_unit_test(ids_are_found),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

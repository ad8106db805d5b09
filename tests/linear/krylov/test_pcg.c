// Conjugate gradients: exactness in few iterations, the early return on indefiniteness (OPT
// section 3.1) and honest outcomes. Iteration counts are in bench/counts.csv.
// SPDX-License-Identifier: MIT
#include "linear/linear_cases.h"

static struct memory memory;

struct problem {
    const struct bsr *a;
    struct preconditioner m;
    struct pcg_workspace w;
    double *x;
};

static struct problem make_problem(const struct bsr *a, int32_t id) {
    struct problem p = {.a = a};
    assert_int_equal(preconditioner_create(&memory, id, a, ORDER_NATURAL, &p.m), PBS_OK);
    assert_int_equal(p.m.table->factor(p.m.state, NULL, PROBLEM(a)), PBS_OK);
    assert_int_equal(pcg_reserve(&memory, &p.w, a->row_count), PBS_OK);
    p.x = random_vector(&memory, 3 * (size_t)a->row_count, 99);
    return p;
}

static void free_problem(struct problem *p) {
    preconditioner_destroy(&memory, &p->m);
    pcg_free(&memory, &p->w);
    memory_release(&memory, p->x);
}

static struct pcg_result solve(struct problem *p, const double *b, double tolerance,
                               uint32_t limit) {
    const struct pcg_options options = {tolerance, limit, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    return pcg_solve(NULL, PROBLEM(p->a), &p->m, b, &options, &p->w, p->x);
}

/// As many iterations as there are different eigenvalues.
static void few_eigenvalues_take_few_iterations(void **state) {
    (void)state;
    struct small_matrix m = small_create(&memory, 50, 3, NULL, 0);
    for (uint32_t i = 0; i < 50; i++) {
        small_set_scalar(&m, i, i, (double[]){1.0, 7.0, 19.0, 100.0}[i % 4]);
    }
    struct problem p = make_problem(&m.a, PBS_PRECONDITIONER_NONE);
    double *b = random_vector(&memory, 150, 1);
    const struct pcg_result result = solve(&p, b, 1e-12, 100);
    assert_int_equal(result.outcome, PCG_CONVERGED);
    assert_int_equal(result.iterations, 4);
    free_problem(&p);
    p = make_problem(&m.a, PBS_PRECONDITIONER_BLOCK_JACOBI);
    assert_int_equal(solve(&p, b, 1e-12, 100).iterations, 1);
    free_problem(&p);
    memory_release(&memory, b);
    small_free(&memory, &m);
}

static void zero_right_hand_side_gives_zero(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 3, 2);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY);
    memset(f.rhs, 0, n * sizeof *f.rhs);
    const struct pcg_result result = solve(&p, f.rhs, 1e-6, 100);
    assert_int_equal(result.outcome, PCG_CONVERGED);
    assert_int_equal(result.iterations, 0);
    assert_true(result.relative_residual == 0.0);
    for (size_t i = 0; i < n; i++) {
        assert_true(p.x[i] == 0.0);
    }
    free_problem(&p);
    fixture_free(&memory, &f);
}

/// Whatever the matrix: x . b > 0, which makes -x a downhill direction where b is the gradient.
static void indefinite_matrices_give_descent_directions(void **state) {
    (void)state;
    const int32_t ids[] = {PBS_PRECONDITIONER_NONE, PBS_PRECONDITIONER_BLOCK_JACOBI,
                           PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY};
    const double parts[] = {0.003, 0.03, 0.3, 3.0};
    for (size_t k = 0; k < 12; k++) {
        struct fixture f = make_fixture(&memory, 6, 3);
        const size_t n = 3 * (size_t)f.matrix.row_count;
        shift_diagonal(&f.matrix, -parts[k / 3] * mean_diagonal(&f.matrix));
        struct problem p = make_problem(&f.matrix, ids[k % 3]);
        double *b = random_vector(&memory, n, k);
        const struct pcg_result result = solve(&p, b, 1e-12, 5000);
        assert_int_equal(result.outcome, PCG_INDEFINITE);
        assert_true(dot(n, p.x, b) > 0.0);
        if (result.iterations == 1) {
            double *z = random_vector(&memory, n, 1);
            p.m.table->apply(p.m.state, NULL, b, z);
            assert_memory_equal(p.x, z, n * sizeof *z);
            memory_release(&memory, z);
        }
        // The least shift is met late, the largest at once.
        assert_true(k / 3 != 3 || result.iterations == 1);
        assert_true(k != 0 || result.iterations > 1);
        memory_release(&memory, b);
        free_problem(&p);
        fixture_free(&memory, &f);
    }
}

static void apply_minus_one(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct problem *p = state;
    (void)tasks;
    for (size_t i = 0; i < 3 * p->w.capacity; i++) {
        z[i] = -r[i];
    }
}

/// A preconditioner that is not positive definite gives b itself, never a way up or nothing.
static void indefinite_preconditioners_give_the_right_hand_side(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 4, 2);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_NONE);
    struct preconditioner_table minus_one = *p.m.table;
    minus_one.apply = apply_minus_one;
    minus_one.apply_domain = NULL;
    const struct preconditioner m = {&minus_one, &p};
    const struct pcg_options options = {1e-8, 100, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result result = pcg_solve(NULL, PROBLEM(&f.matrix), &m, f.rhs, &options, &p.w,
                                               p.x);
    assert_int_equal(result.outcome, PCG_INDEFINITE);
    assert_int_equal(result.iterations, 1);
    assert_memory_equal(p.x, f.rhs, n * sizeof *p.x);
    free_problem(&p);
    fixture_free(&memory, &f);
}

/// The iterate of an early return is the one that a solve stopped one iteration before returns.
static void early_return_gives_the_last_iterate(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 6, 2);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    shift_diagonal(&f.matrix, -0.003 * mean_diagonal(&f.matrix));
    struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_NONE);
    struct problem q = make_problem(&f.matrix, PBS_PRECONDITIONER_NONE);
    double *b = random_vector(&memory, n, 5);
    const struct pcg_result first = solve(&p, b, 1e-12, 5000);
    assert_int_equal(first.outcome, PCG_INDEFINITE);
    assert_true(first.iterations > 1);
    const struct pcg_result second = solve(&q, b, 1e-12, first.iterations - 1);
    assert_int_equal(second.outcome, PCG_ITERATION_LIMIT);
    assert_memory_equal(p.x, q.x, n * sizeof *b);
    memory_release(&memory, b);
    free_problem(&p);
    free_problem(&q);
    fixture_free(&memory, &f);
}

static void limit_is_kept_and_said(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 5, 2);
    struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_BLOCK_JACOBI);
    double before = 2.0;
    for (uint32_t limit = 0; limit <= 20; limit += 5) {
        const struct pcg_result result = solve(&p, f.rhs, 1e-12, limit);
        assert_int_equal(result.outcome, PCG_ITERATION_LIMIT);
        assert_int_equal(result.iterations, limit);
        const double residual = true_residual(&memory, &f.matrix, f.rhs, p.x);
        assert_true(fabs(residual - result.relative_residual) < 1e-9);
        before = residual;
    }
    assert_true(before > 1e-12);
    free_problem(&p);
    fixture_free(&memory, &f);
}

/// Below what rounding allows no residual is claimed that is not there.
static void impossible_tolerance_is_owned_up_to(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 6, 2);
    struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY);
    const struct pcg_result result = solve(&p, f.rhs, 1e-20, 5000);
    assert_int_equal(result.outcome, PCG_STAGNATED);
    const double residual = true_residual(&memory, &f.matrix, f.rhs, p.x);
    assert_true(residual > 1e-20);
    // What was reported is what the plain product finds, up to the rounding of one product.
    assert_true(fabs(residual - result.relative_residual) < 0.5 * residual + 1e-13);
    free_problem(&p);
    fixture_free(&memory, &f);
}

static void not_a_number_ends_the_solve(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 3, 2);
    struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_BLOCK_JACOBI);
    f.values[40] = NAN;
    assert_int_equal(solve(&p, f.rhs, 1e-6, 100).outcome, PCG_INDEFINITE);
    free_problem(&p);
    fixture_free(&memory, &f);
}

/// A right-hand side whose square no double holds, or that is not a number, is no silent success.
static void right_hand_sides_beyond_doubles_are_told(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 3, 2);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_BLOCK_JACOBI);
    const double factors[] = {1e-200, 1e200, NAN, INFINITY};
    double *b = random_vector(&memory, n, 1);
    for (size_t k = 0; k < 4; k++) {
        b[n / 2] = 0.5;
        for (size_t i = 0; i < n && k < 2; i++) {
            b[i] *= factors[k];
        }
        b[n / 2] *= factors[k];
        const struct pcg_result result = solve(&p, b, 1e-6, 100);
        assert_int_equal(result.outcome, PCG_STAGNATED);
        assert_true(isnan(result.relative_residual));
        assert_memory_equal(p.x, b, n * sizeof *b);
        for (size_t i = 0; i < n; i++) {
            b[i] = 0.25;
        }
    }
    memory_release(&memory, b);
    free_problem(&p);
    fixture_free(&memory, &f);
}

/// A preconditioner that turns against the iteration: stagnation, not an indefinite matrix, and the
/// iterate is kept.
struct turning {
    const struct problem *p;
    int calls;
};

static void apply_turning(const void *state, struct tasks *tasks, const double *r, double *z) {
    struct turning *t = (struct turning *)(uintptr_t)state;
    (void)tasks;
    t->calls++;
    for (size_t i = 0; i < 3 * t->p->w.capacity; i++) {
        z[i] = t->calls > 5 ? -1e30 * r[i] : r[i];
    }
}

static void preconditioners_that_lose_hold_stagnate(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 4, 2);
    struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_NONE);
    struct preconditioner_table table = *p.m.table;
    table.apply = apply_turning;
    table.apply_domain = NULL;
    struct turning turning = {&p, 0};
    const struct preconditioner m = {&table, &turning};
    const struct pcg_options options = {1e-8, 100, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result result = pcg_solve(NULL, PROBLEM(&f.matrix), &m, f.rhs, &options, &p.w,
                                               p.x);
    assert_int_equal(result.outcome, PCG_STAGNATED);
    assert_int_equal(result.iterations, 6);
    const double residual = true_residual(&memory, &f.matrix, f.rhs, p.x);
    assert_true(fabs(residual - result.relative_residual) <= 1e-9);
    free_problem(&p);
    fixture_free(&memory, &f);
}

/// Where there is no curvature but for rounding, there is no step of 1 / rounding.
static void singular_directions_are_not_followed(void **state) {
    (void)state;
    struct small_matrix m = small_create(&memory, 3, 1, NULL, 0);
    small_set_scalar(&m, 0, 0, 1.0);
    small_set_scalar(&m, 1, 1, 2.0);
    small_set_scalar(&m, 2, 2, 1e-18);
    struct problem p = make_problem(&m.a, PBS_PRECONDITIONER_NONE);
    const double b[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct pcg_result result = solve(&p, b, 1e-8, 100);
    assert_int_equal(result.outcome, PCG_INDEFINITE);
    assert_true(dot(9, p.x, b) > 0.0 && dot(9, p.x, p.x) < 1e4);
    free_problem(&p);
    small_free(&memory, &m);
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 9, 6);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    struct problem reference = make_problem(&f.matrix, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY);
    const struct pcg_options options = {1e-6, 500, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result expected = pcg_solve(NULL, PROBLEM(&f.matrix), &reference.m, f.rhs,
                                                 &options, &reference.w, reference.x);
    assert_int_equal(expected.outcome, PCG_CONVERGED);
    for (int variant = 0; variant < TASK_VARIANTS; variant++) {
        struct tasks *tasks = make_tasks(&memory, variant);
        struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY);
        const uint64_t calls = memory.call_count;
        const struct pcg_result result = pcg_solve(tasks, PROBLEM(&f.matrix), &p.m, f.rhs, &options,
                                                   &p.w, p.x);
        assert_int_equal(memory.call_count, calls);
        assert_int_equal(result.iterations, expected.iterations);
        assert_true(result.relative_residual == expected.relative_residual);
        assert_memory_equal(p.x, reference.x, n * sizeof *p.x);
        free_problem(&p);
        tasks_destroy(&memory, tasks);
    }
    free_problem(&reference);
    fixture_free(&memory, &f);
}

/// A preconditioner that needs the whole residual takes another way through the iteration; the
/// answer is the same.
static void preconditioner_without_domains(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 5, 3);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    struct problem p = make_problem(&f.matrix, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY);
    const struct pcg_result expected = solve(&p, f.rhs, 1e-8, 500);
    double *x = random_vector(&memory, n, 1);
    memcpy(x, p.x, n * sizeof *x);
    struct preconditioner_table whole = *p.m.table;
    whole.apply_domain = NULL;
    const struct preconditioner m = {&whole, p.m.state};
    const struct pcg_options options = {1e-8, 500, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result result = pcg_solve(NULL, PROBLEM(&f.matrix), &m, f.rhs, &options, &p.w,
                                               p.x);
    assert_int_equal(result.iterations, expected.iterations);
    assert_memory_equal(x, p.x, n * sizeof *x);
    memory_release(&memory, x);
    free_problem(&p);
    fixture_free(&memory, &f);
}

static double as_stiff_everywhere(const void *state) {
    (void)state;
    return 0.0;
}

/// What is left of a residual may be of soft nodes, which have far to go: the soft node of two is
/// 1e-14 times as stiff, and its 1e-10 of the load is a millionth of the energy, of which 1e-8 may
/// be left. Preconditioned twice as stiff as it is, half of its way is left after one iteration.
static void small_residuals_of_soft_nodes_count(void **state) {
    (void)state;
    static const double stiffness[2] = {1.0, 1e-14}, preconditioned[2] = {1.0, 2e-14},
                        load[2] = {1.0, 1e-10};
    struct small_matrix a = small_create(&memory, 2, 1, NULL, 0);
    struct small_matrix m = small_create(&memory, 2, 1, NULL, 0);
    double b[6];
    for (uint32_t i = 0; i < 2; i++) {
        small_set_scalar(&a, i, i, stiffness[i]);
        small_set_scalar(&m, i, i, preconditioned[i]);
        double *const at = b + 3 * (size_t)a.assembly.layout.row[i];
        at[0] = at[1] = at[2] = load[i];
    }
    struct problem p = make_problem(&m.a, PBS_PRECONDITIONER_BLOCK_JACOBI);
    struct preconditioner_table exact = *p.m.table;
    exact.contrast = as_stiff_everywhere;
    const struct preconditioner exactly = {&exact, p.m.state};
    const struct pcg_options options = {1e-4, 100, PCG_PRECONDITIONED, 0.0, 0.0, 0.0};
    const struct pcg_result result = pcg_solve(NULL, PROBLEM(&a.a), &exactly, b, &options, &p.w,
                                               p.x);
    assert_int_equal(result.outcome, PCG_CONVERGED);
    // sqrt(1e-8 / 1e-6)
    const double soft = p.x[3 * (size_t)a.assembly.layout.row[1]],
                 exact_soft = load[1] / stiffness[1];
    assert_true(fabs(soft - exact_soft) <= 0.1 * exact_soft);
    free_problem(&p);
    small_free(&memory, &m);
    small_free(&memory, &a);
}

/// A solver inside the solver: conjugate gradients stopped after a number of iterations that
/// changes from call to call, so that no fixed matrix stands for it.
struct inner {
    struct problem p;
    double tolerance; ///< what the first call was told
    int calls, gives_up_at;
    bool stops, stood_in;
};

static pbs_status inner_solve(void *state, struct tasks *tasks, const double *r, double tolerance,
                              double *z) {
    struct inner *s = state;
    if (s->stops) {
        return PBS_ERROR_HOST;
    }
    if (s->calls == s->gives_up_at && !s->stood_in) {
        s->stood_in = true;
        return PBS_ERROR_CONVERGENCE;
    }
    if (s->calls == 0) {
        s->tolerance = tolerance;
    }
    const struct pcg_options options = {1e-12, 1 + (uint32_t)s->calls % 7, PCG_EUCLIDEAN, 0.0, 0.0,
                                        0.0};
    s->calls++;
    pcg_solve(tasks, PROBLEM(s->p.a), &s->p.m, r, &options, &s->p.w, z);
    return PBS_OK;
}

static struct preconditioner_table inner_table(void) {
    return (struct preconditioner_table){.name = "inner", .solve = inner_solve};
}

/// A truncated iteration as preconditioner never needs more outer iterations than the inner one
/// alone; each call is told what is still needed.
static void solvers_that_differ_from_call_to_call(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 8, 3);
    struct problem alone = make_problem(&f.matrix, PBS_PRECONDITIONER_BLOCK_JACOBI);
    const struct pcg_result expected = solve(&alone, f.rhs, 1e-8, 5000);
    struct inner inner = {.p = make_problem(&f.matrix, PBS_PRECONDITIONER_BLOCK_JACOBI),
                          .gives_up_at = -1};
    const struct preconditioner_table table = inner_table();
    const struct preconditioner m = {&table, &inner};
    const struct pcg_options options = {1e-8, 5000, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result result = pcg_solve(NULL, PROBLEM(&f.matrix), &m, f.rhs, &options,
                                               &alone.w, alone.x);
    assert_int_equal(result.outcome, PCG_CONVERGED);
    assert_true(true_residual(&memory, &f.matrix, f.rhs, alone.x) <= 1.001e-8);
    // With the formula for a fixed preconditioner: not in 5000.
    assert_true(result.iterations <= expected.iterations);
    assert_true(fabs(inner.tolerance - 1e-8) < 1e-20);
    assert_int_equal(inner.calls, result.iterations); // none after the last
    free_problem(&alone);
    free_problem(&inner.p);
    fixture_free(&memory, &f);
}

/// Where something stands in the solve begins anew, as if the failure had never been; otherwise it
/// is over.
static void solvers_that_give_up(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 5, 2);
    const size_t n = 3 * (size_t)f.matrix.row_count;
    struct inner inner = {.p = make_problem(&f.matrix, PBS_PRECONDITIONER_BLOCK_JACOBI),
                          .gives_up_at = -1};
    struct problem outer = make_problem(&f.matrix, PBS_PRECONDITIONER_NONE);
    double *x = random_vector(&memory, n, 1);
    const struct preconditioner_table table = inner_table();
    const struct preconditioner m = {&table, &inner};
    const struct pcg_options options = {1e-8, 5000, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result expected = pcg_solve(NULL, PROBLEM(&f.matrix), &m, f.rhs, &options,
                                                 &outer.w, x);
    for (int k = 0; k < 15; k += 7) { // multiples of the period of its iteration counts
        inner = (struct inner){.p = inner.p, .gives_up_at = k};
        const struct pcg_result result = pcg_solve(NULL, PROBLEM(&f.matrix), &m, f.rhs, &options,
                                                   &outer.w, outer.x);
        assert_int_equal(result.outcome, PCG_CONVERGED);
        assert_int_equal(result.iterations, expected.iterations + (uint32_t)k);
        assert_memory_equal(x, outer.x, n * sizeof *x);
    }
    inner = (struct inner){.p = inner.p, .stops = true};
    const struct pcg_result stopped = pcg_solve(NULL, PROBLEM(&f.matrix), &m, f.rhs, &options,
                                                &outer.w, outer.x);
    assert_int_equal(stopped.outcome, PCG_GIVEN_UP);
    assert_int_equal(stopped.status, PBS_ERROR_HOST);
    free_problem(&outer);
    free_problem(&inner.p);
    memory_release(&memory, x);
    fixture_free(&memory, &f);
}

static void reserve_grows_and_frees(void **state) {
    (void)state;
    struct pcg_workspace w = {0};
    assert_int_equal(pcg_reserve(&memory, &w, 10), PBS_OK);
    const uint64_t calls = memory.call_count;
    assert_int_equal(pcg_reserve(&memory, &w, 7), PBS_OK);
    assert_int_equal(memory.call_count, calls);
    assert_int_equal(pcg_reserve(&memory, &w, 20), PBS_OK);
    assert_int_equal(w.capacity, 20);
    pcg_free(&memory, &w);
    for (size_t k = 0; k < 4; k++) {
        struct failing failing = {.fail_at = k};
        const pbs_allocator allocator = {failing_allocate, failing_release, &failing};
        struct memory limited;
        memory_init(&limited, &allocator);
        struct pcg_workspace none = {0};
        assert_int_equal(pcg_reserve(&limited, &none, 10), PBS_ERROR_MEMORY);
        assert_int_equal(failing.alive, 0);
        assert_null(none.r);
    }
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_eigenvalues_take_few_iterations),
        cmocka_unit_test(zero_right_hand_side_gives_zero),
        cmocka_unit_test(indefinite_matrices_give_descent_directions),
        cmocka_unit_test(indefinite_preconditioners_give_the_right_hand_side),
        cmocka_unit_test(early_return_gives_the_last_iterate),
        cmocka_unit_test(limit_is_kept_and_said),
        cmocka_unit_test(impossible_tolerance_is_owned_up_to),
        cmocka_unit_test(not_a_number_ends_the_solve),
        cmocka_unit_test(right_hand_sides_beyond_doubles_are_told),
        cmocka_unit_test(preconditioners_that_lose_hold_stagnate),
        cmocka_unit_test(singular_directions_are_not_followed),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(preconditioner_without_domains),
        cmocka_unit_test(small_residuals_of_soft_nodes_count),
        cmocka_unit_test(solvers_that_differ_from_call_to_call),
        cmocka_unit_test(solvers_that_give_up),
        cmocka_unit_test(reserve_grows_and_frees),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

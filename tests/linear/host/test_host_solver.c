// A host's solver in front of another preconditioner: contacts that change the pattern, and what
// stands in when the host gives way. Worlds with one are in world/test_linear_solver.c.
// SPDX-License-Identifier: MIT
#include "linear/host/host_solver.h"

#include "linear/linear_cases.h"
#include "support/host/refusals.h"

static struct memory memory;

/// Divides by the diagonal of block CSR, full storage.
struct host {
    int analyze_calls, solve_calls, refuses_at;
    int32_t entry_count;
    const pbs_matrix *matrix;
};

static int32_t analyze(void *user, const pbs_matrix *pattern) {
    struct host *host = user;
    host->analyze_calls++;
    host->entry_count = pattern->entry_count;
    return 0;
}

static int32_t factor(void *user, const pbs_matrix *matrix) {
    struct host *host = user;
    host->matrix = matrix;
    return matrix->entry_count == host->entry_count ? 0 : -1;
}

static int32_t solve(void *user, const double *b, double *x, double relative_tolerance) {
    struct host *host = user;
    const pbs_matrix *m = host->matrix;
    (void)relative_tolerance;
    if (host->solve_calls++ == host->refuses_at) {
        return 1;
    }
    for (int32_t i = 0; i < m->node_count; i++) {
        int32_t k = m->row_start[i];
        while (m->column[k] != i) {
            k++;
        }
        for (int32_t r = 0; r < 3; r++) {
            x[3 * i + r] = b[3 * i + r] / m->values[9 * (size_t)k + (size_t)(4 * r)];
        }
    }
    return 0;
}

static pbs_linear_solver table(struct host *host) {
    return (pbs_linear_solver){.struct_size = sizeof(pbs_linear_solver),
                               .form = PBS_MATRIX_BLOCK_CSR,
                               .user = host,
                               .analyze = analyze,
                               .factor = factor,
                               .solve = solve};
}

struct case_data {
    struct fixture f;
    struct host host;
    struct preconditioner m;
    struct pcg_workspace w;
    struct contact_matrix c;
    double *x;
};

static void setup(struct case_data *s) {
    *s = (struct case_data){.f = make_fixture(&memory, 5, 2), .host = {.refuses_at = -1}};
    assert_int_equal(preconditioner_create(&memory, PBS_PRECONDITIONER_BLOCK_JACOBI, &s->f.matrix,
                                           ORDER_NATURAL, &s->m),
                     PBS_OK);
    const pbs_linear_solver functions = table(&s->host);
    assert_int_equal(host_solver_wrap(&memory, &functions, &s->f.matrix, &s->m), PBS_OK);
    assert_int_equal(pcg_reserve(&memory, &s->w, s->f.matrix.row_count), PBS_OK);
    s->x = random_vector(&memory, 3 * (size_t)s->f.matrix.row_count, 1);
}

static void teardown(struct case_data *s) {
    preconditioner_destroy(&memory, &s->m);
    pcg_free(&memory, &s->w);
    contact_matrix_free(&memory, &s->c);
    memory_release(&memory, s->x);
    fixture_free(&memory, &s->f);
}

static struct pcg_result solve_problem(struct case_data *s, const struct linear_problem *problem) {
    const struct pcg_options options = {1e-8, 5000, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    assert_int_equal(s->m.table->factor(s->m.state, NULL, problem), PBS_OK);
    return pcg_solve(NULL, problem, &s->m, s->f.rhs, &options, &s->w, s->x);
}

/// One contact between two rows, a spring across the y axis.
static void set_contact(struct case_data *s, uint32_t row, uint32_t other, double stiffness) {
    const uint32_t rows[2] = {row, other};
    double block[36] = {0};
    block[7] = block[28] = stiffness;
    block[10] = block[25] = -stiffness;
    const struct contact_stencils set = {1, 2, rows, block};
    assert_int_equal(contact_matrix_build(&memory, s->f.matrix.layout, &set, 1, &s->c), PBS_OK);
}

static double residual(const struct case_data *s, const struct linear_problem *problem) {
    const size_t n = 3 * (size_t)s->f.matrix.row_count;
    double *r = random_vector(&memory, n, 1);
    problem_multiply(NULL, problem, s->x, r);
    for (size_t i = 0; i < n; i++) {
        r[i] -= s->f.rhs[i];
    }
    const double norm = sqrt(dot(n, r, r) / dot(n, s->f.rhs, s->f.rhs));
    memory_release(&memory, r);
    return norm;
}

static void contacts_change_the_pattern(void **state) {
    (void)state;
    struct case_data s;
    setup(&s);
    const struct linear_problem problem = {.a = &s.f.matrix, .c = &s.c};
    const uint32_t last = s.f.matrix.row_count - 1;
    const struct {
        uint32_t row, other;
        double stiffness;
        int analyze_calls;
    } steps[] = {{0, last, 1e5, 2}, {0, last, 3e6, 2}, {1, last, 1e5, 3}, {1, last, 0.0, 3}};
    assert_int_equal(solve_problem(&s, &problem).outcome, PCG_CONVERGED);
    assert_int_equal(s.host.analyze_calls, 1);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        set_contact(&s, steps[k].row, steps[k].other, steps[k].stiffness);
        assert_int_equal(solve_problem(&s, &problem).outcome, PCG_CONVERGED);
        assert_true(residual(&s, &problem) <= 1.001e-8);
        assert_int_equal(s.host.analyze_calls, steps[k].analyze_calls);
    }
    const struct linear_problem alone = {.a = &s.f.matrix};
    assert_int_equal(solve_problem(&s, &alone).outcome, PCG_CONVERGED);
    assert_int_equal(s.host.analyze_calls, 4);
    assert_int_equal(host_solver_drain_counts(&s.m).refusals, 0);
    teardown(&s);
}

/// What stands in is reported in the host's place; -1 is the host itself.
static void what_is_used_is_told(void **state) {
    (void)state;
    struct case_data s;
    setup(&s);
    const struct linear_problem problem = {.a = &s.f.matrix};
    solve_problem(&s, &problem);
    assert_int_equal(preconditioner_describe(&s.m).used, -1);
    s.host.refuses_at = s.host.solve_calls + 2;
    assert_int_equal(solve_problem(&s, &problem).outcome, PCG_CONVERGED);
    assert_int_equal(preconditioner_describe(&s.m).used, PBS_PRECONDITIONER_BLOCK_JACOBI);
    solve_problem(&s, &problem);
    assert_int_equal(preconditioner_describe(&s.m).used, -1);
    teardown(&s);
}

static pbs_status factor_nothing(void *state, struct tasks *tasks,
                                 const struct linear_problem *problem) {
    (void)state;
    (void)tasks;
    (void)problem;
    return status_fail(PBS_ERROR_CONVERGENCE, "no factor");
}

/// The host refuses a right-hand side, and the other has no factor of that matrix: that is the
/// status, and nothing is solved with an older one.
static void nothing_may_be_left_to_stand_in(void **state) {
    (void)state;
    struct case_data s;
    setup(&s);
    const struct linear_problem problem = {.a = &s.f.matrix};
    preconditioner_destroy(&memory, &s.m);
    assert_int_equal(preconditioner_create(&memory, PBS_PRECONDITIONER_BLOCK_JACOBI, &s.f.matrix,
                                           ORDER_NATURAL, &s.m),
                     PBS_OK);
    struct preconditioner_table without_factor = *s.m.table;
    without_factor.factor = factor_nothing;
    s.m.table = &without_factor;
    const pbs_linear_solver functions = table(&s.host);
    assert_int_equal(host_solver_wrap(&memory, &functions, &s.f.matrix, &s.m), PBS_OK);
    for (int k = 0; k < 8; k += 4) {
        s.host.refuses_at = s.host.solve_calls + k;
        const struct pcg_result result = solve_problem(&s, &problem);
        assert_int_equal(result.outcome, PCG_GIVEN_UP);
        assert_int_equal(result.status, PBS_ERROR_CONVERGENCE);
        assert_string_equal(pbs_last_error(), "no factor");
        assert_int_equal(host_solver_drain_counts(&s.m).refusals, 1);
        assert_int_equal(preconditioner_describe(&s.m).used, -1);
        assert_int_equal(solve_problem(&s, &problem).outcome, PCG_CONVERGED);
    }
    teardown(&s);
}

static bool has_started;
static size_t start_size; ///< unknowns

static bool start_somewhere(const void *state, struct tasks *tasks, const double *b, double *x) {
    (void)state;
    (void)tasks;
    has_started = true;
    for (size_t i = 0; i < start_size; i++) {
        x[i] = i < 30 ? 1e-9 * b[i] : 0.0;
    }
    return true;
}

/// Whenever the host gives way, the other preconditioner starts the solve as if it had been alone.
static void what_stands_in_has_its_start(void **state) {
    (void)state;
    struct case_data s;
    setup(&s);
    const struct linear_problem problem = {.a = &s.f.matrix};
    preconditioner_destroy(&memory, &s.m);
    assert_int_equal(preconditioner_create(&memory, PBS_PRECONDITIONER_BLOCK_JACOBI, &s.f.matrix,
                                           ORDER_NATURAL, &s.m),
                     PBS_OK);
    struct preconditioner_table with_start = *s.m.table;
    with_start.start = start_somewhere;
    with_start.apply_domain = NULL;
    start_size = 3 * (size_t)s.f.matrix.row_count;
    s.m.table = &with_start;
    const struct pcg_result expected = solve_problem(&s, &problem);
    assert_true(has_started);
    const pbs_linear_solver functions = table(&s.host);
    assert_int_equal(host_solver_wrap(&memory, &functions, &s.f.matrix, &s.m), PBS_OK);
    for (int k = 0; k < 20; k += 4) {
        s.host.solve_calls = 0;
        s.host.refuses_at = k;
        has_started = false;
        host_solver_drain_counts(&s.m);
        const struct pcg_result result = solve_problem(&s, &problem);
        assert_int_equal(result.outcome, PCG_CONVERGED);
        assert_true(has_started && residual(&s, &problem) <= 1.001e-8);
        const struct host_solver_counts counts = host_solver_drain_counts(&s.m);
        assert_int_equal(counts.solves, k);
        assert_int_equal(counts.refusals, 1);
        // The host's are products too; rounding may cost an iteration.
        assert_in_range(result.iterations, expected.iterations + (uint32_t)k - 2,
                        expected.iterations + (uint32_t)k + 2);
    }
    teardown(&s);
}

static pbs_status wrap_in(struct memory *limited, const void *context) {
    const struct bsr *a = context;
    struct host host = {0};
    const pbs_linear_solver functions = table(&host);
    struct preconditioner m = {0};
    pbs_status status = preconditioner_create(limited, PBS_PRECONDITIONER_NONE, a, ORDER_NATURAL,
                                              &m);
    if (status == PBS_OK) {
        const struct preconditioner before = m;
        status = host_solver_wrap(limited, &functions, a, &m);
        assert_true((status == PBS_OK) == (m.state != before.state));
    }
    preconditioner_destroy(limited, &m);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 3, 1);
    assert_refusals_are_statuses(wrap_in, &f.matrix, 30);
    fixture_free(&memory, &f);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_change_the_pattern),
        cmocka_unit_test(what_is_used_is_told),
        cmocka_unit_test(nothing_may_be_left_to_stand_in),
        cmocka_unit_test(what_stands_in_has_its_start),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Matrices H0 + C + F of whose F there are only products: the product is that of the sum, with
// restrictions on all of it; preconditioners, made from H0 + C, stay symmetric and definite;
// conjugate gradients end at the solution for H, and threads change no bit.
// SPDX-License-Identifier: MIT
#include "problem_cases.h"

static struct memory memory;

enum { PAIRS = 400 };

/// F: springs n n^T between any two rows.
struct far_springs {
    const struct linear_problem *problem;
    uint32_t rows[PAIRS][2];
    double push[PAIRS][3]; ///< sqrt(stiffness) n
    const double *x;       ///< of the product
};

static void begin_springs(void *self, struct tasks *tasks, const double *x) {
    (void)tasks;
    ((struct far_springs *)self)->x = x;
}

/// Sums over the springs in their order, whichever domain asks.
static void add_springs(const void *self, uint32_t domain, double *y) {
    const struct far_springs *f = self;
    const double *x = f->x;
    const uint32_t *start = f->problem->a->layout->domain_start;
    for (int p = 0; p < PAIRS; p++) {
        const double *a = x + 3 * (size_t)f->rows[p][0];
        const double *b = x + 3 * (size_t)f->rows[p][1];
        const double *n = f->push[p];
        const double stretch = n[0] * (b[0] - a[0]) + n[1] * (b[1] - a[1]) + n[2] * (b[2] - a[2]);
        for (int end = 0; end < 2; end++) {
            const uint32_t row = f->rows[p][end];
            for (size_t i = 0; i < 3 && row >= start[domain] && row < start[domain + 1]; i++) {
                y[3 * (size_t)row + i] += (end == 0 ? -n[i] : n[i]) * stretch;
            }
        }
    }
}

struct operator_case {
    struct problem_case base;
    struct far_springs springs;
    struct product_operator f;
};

/// With contacts, or with restrictions besides those of the held face: the minimiser's contacts
/// know of restrictions, the fixture's do not.
static void make_case(uint32_t cells, double density, struct operator_case *out) {
    const struct problem_desc desc = {.cells = cells,
                                      .domain_count = 3,
                                      .every = density > 0.0 ? 0 : 5,
                                      .contacts = {density, 1e2, 1e4}};
    make_problem_case(&memory, &desc, &out->base);
    const uint32_t rows = out->base.fixture.matrix.row_count;
    const double scale = sqrt(0.2 * mean_diagonal(&out->base.fixture.matrix));
    double *random = random_vector(&memory, 5 * (size_t)PAIRS, 3);
    for (size_t p = 0; p < PAIRS; p++) {
        for (size_t e = 0; e < 2; e++) {
            const double part = 0.5 * (random[5 * p + e] + 1.0);
            out->springs.rows[p][e] = (uint32_t)(part * rows) % rows;
        }
        for (size_t i = 0; i < 3; i++) {
            out->springs.push[p][i] = scale * random[5 * p + 2 + i];
        }
    }
    memory_release(&memory, random);
    out->springs.problem = &out->base.problem;
    out->f = (struct product_operator){.self = &out->springs,
                                       .multiply = begin_springs,
                                       .add_domain = add_springs,
                                       .blocks = 100.0};
    out->base.problem.f = &out->f;
    out->base.problem.tolerance = 1e-8;
}

static void free_case(struct operator_case *c) {
    free_problem_case(&memory, &c->base);
}

/// x <- Q x at restricted rows.
static void restrict_vector(const struct linear_problem *problem, double *x) {
    for (size_t i = 0; i < problem->restriction_count; i++) {
        const double *q = problem->restrictions[i].tangent;
        double *at = x + 3 * (size_t)problem->restrictions[i].row;
        const double u[3] = {at[0], at[1], at[2]};
        for (int k = 0; k < 3; k++) {
            at[k] = q[3 * k] * u[0] + q[3 * k + 1] * u[1] + q[3 * k + 2] * u[2];
        }
    }
}

/// y = (H0 + C) x + Q F Q x, plainly.
static void multiply_all(struct operator_case *c, const double *x, double *y) {
    const struct linear_problem *problem = &c->base.problem;
    const size_t n = c->base.size;
    double *free = memory_allocate(&memory, n, sizeof *free);
    double *force = memory_allocate(&memory, n, sizeof *force);
    assert_true(free && force);
    memcpy(free, x, n * sizeof *x);
    restrict_vector(problem, free);
    begin_springs(&c->springs, NULL, free);
    for (uint32_t d = 0; d < problem->a->layout->domain_count; d++) {
        add_springs(&c->springs, d, force);
    }
    restrict_vector(problem, force);
    multiply_plainly(problem, x, y);
    for (size_t i = 0; i < n; i++) {
        y[i] += force[i];
    }
    memory_release(&memory, free);
    memory_release(&memory, force);
}

static double *vector_of(const struct operator_case *c, uint64_t seed) {
    double *x = random_vector(&memory, c->base.size, seed);
    restrict_vector(&c->base.problem, x);
    return x;
}

static double relative_difference(size_t n, const double *x, const double *y) {
    double difference = 0.0;
    for (size_t i = 0; i < n; i++) {
        difference += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sqrt(difference / dot(n, y, y));
}

static void the_product_is_that_of_the_sum_with_restrictions_on_all_of_it(void **state) {
    (void)state;
    for (int contacts = 0; contacts < 2; contacts++) {
        struct operator_case c;
        make_case(4, contacts ? 0.1 : 0.0, &c);
        double *x = vector_of(&c, 1);
        double *y = memory_allocate(&memory, c.base.size, sizeof *y);
        double *plain = memory_allocate(&memory, c.base.size, sizeof *plain);
        problem_multiply(NULL, &c.base.problem, x, y);
        multiply_all(&c, x, plain);
        // Rounding of sums of a hundred products, of which contact's are 1e4 times as large.
        assert_true(relative_difference(c.base.size, y, plain) < 1e-14);
        // F makes a difference.
        problem_multiply_assembled(NULL, &c.base.problem, x, y);
        assert_true(relative_difference(c.base.size, y, plain) > 1e-9);
        memory_release(&memory, x);
        memory_release(&memory, y);
        memory_release(&memory, plain);
        free_case(&c);
    }
}

static const int32_t kinds[] = {
    PBS_PRECONDITIONER_NONE,      PBS_PRECONDITIONER_BLOCK_JACOBI,
    PBS_PRECONDITIONER_TWO_LEVEL, PBS_PRECONDITIONER_MULTIGRID,
    PBS_PRECONDITIONER_CHOLESKY,  PBS_PRECONDITIONER_CHOLESKY_FLOAT,
    PBS_PRECONDITIONER_AUTOMATIC, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static struct preconditioner prepare(const struct operator_case *c, int32_t kind,
                                     struct tasks *tasks) {
    struct preconditioner m;
    assert_int_equal(preconditioner_create(&memory, kind, c->base.problem.a, ORDER_NATURAL, &m),
                     PBS_OK);
    assert_int_equal(m.table->factor(m.state, tasks, &c->base.problem), PBS_OK);
    return m;
}

/// Without symmetry conjugate gradients are nothing. Two levels keep H Z in float, and a float
/// factor knows seven digits: of the two products of 2e3 numbers that differ by no more than 1e-5.
static void preconditioners_stay_symmetric_and_definite(void **state) {
    (void)state;
    for (int contacts = 0; contacts < 2; contacts++) {
        struct operator_case c;
        make_case(4, contacts ? 0.1 : 0.0, &c);
        double *u = vector_of(&c, 11);
        double *v = vector_of(&c, 12);
        double *mu = memory_allocate(&memory, c.base.size, sizeof *mu);
        double *mv = memory_allocate(&memory, c.base.size, sizeof *mv);
        for (size_t k = 0; k < KINDS; k++) {
            struct preconditioner m = prepare(&c, kinds[k], NULL);
            const struct preconditioner *worker = preconditioner_worker(&m);
            worker->table->apply(worker->state, NULL, u, mu);
            worker->table->apply(worker->state, NULL, v, mv);
            const double uu = dot(c.base.size, u, mu);
            const double vv = dot(c.base.size, v, mv);
            assert_true(uu > 0.0 && vv > 0.0);
            assert_true(fabs(dot(c.base.size, u, mv) - dot(c.base.size, v, mu)) <
                        1e-5 * sqrt(uu * vv));
            // Nothing to start from: all of the residual goes through F.
            assert_false(preconditioner_start(worker, NULL, u, mv));
            preconditioner_destroy(&memory, &m);
        }
        memory_release(&memory, u);
        memory_release(&memory, v);
        memory_release(&memory, mu);
        memory_release(&memory, mv);
        free_case(&c);
    }
}

/// Springs of a fifth of the diagonal at 400 places: H is between H0 + C and a few times that, with
/// as many eigenvalues apart as there are springs; 80 iterations are enough for what has an exact
/// factor of H0 + C.
static void conjugate_gradients_end_at_the_solution(void **state) {
    (void)state;
    for (int contacts = 0; contacts < 2; contacts++) {
        struct operator_case c;
        make_case(5, contacts ? 0.05 : 0.0, &c);
        double *b = vector_of(&c, 21);
        double *x = memory_allocate(&memory, c.base.size, sizeof *x);
        double *hx = memory_allocate(&memory, c.base.size, sizeof *hx);
        struct pcg_workspace w = {0};
        assert_int_equal(pcg_reserve(&memory, &w, c.base.problem.a->row_count), PBS_OK);
        for (size_t k = 1; k < KINDS; k++) {
            struct preconditioner m = prepare(&c, kinds[k], NULL);
            const struct pcg_options options = {.relative_tolerance = 1e-8,
                                                .iteration_limit = 3000};
            const struct pcg_result result = pcg_solve(NULL, &c.base.problem, &m, b, &options, &w,
                                                       x);
            assert_int_equal(result.outcome, PCG_CONVERGED);
            if (kinds[k] == PBS_PRECONDITIONER_CHOLESKY) {
                assert_in_range(result.iterations, 2, 80);
            }
            multiply_all(&c, x, hx);
            assert_true(relative_difference(c.base.size, hx, b) < 1.1e-8);
            preconditioner_destroy(&memory, &m);
        }
        pcg_free(&memory, &w);
        memory_release(&memory, b);
        memory_release(&memory, x);
        memory_release(&memory, hx);
        free_case(&c);
    }
}

static void threads_change_no_bit(void **state) {
    (void)state;
    struct operator_case c;
    make_case(5, 0.05, &c);
    double *b = vector_of(&c, 31);
    double *x[2];
    struct pcg_workspace w = {0};
    assert_int_equal(pcg_reserve(&memory, &w, c.base.problem.a->row_count), PBS_OK);
    for (uint32_t run = 0; run < 2; run++) {
        struct tasks *tasks = NULL;
        assert_int_equal(tasks_create(&memory, NULL, 1 + 2 * (int32_t)run, &tasks), PBS_OK);
        x[run] = memory_allocate(&memory, c.base.size, sizeof **x);
        struct preconditioner m = prepare(&c, PBS_PRECONDITIONER_TWO_LEVEL, tasks);
        const struct pcg_options options = {.relative_tolerance = 1e-8, .iteration_limit = 3000};
        pcg_solve(tasks, &c.base.problem, &m, b, &options, &w, x[run]);
        preconditioner_destroy(&memory, &m);
        tasks_destroy(&memory, tasks);
    }
    assert_memory_equal(x[0], x[1], c.base.size * sizeof **x);
    pcg_free(&memory, &w);
    memory_release(&memory, b);
    memory_release(&memory, x[0]);
    memory_release(&memory, x[1]);
    free_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_that_of_the_sum_with_restrictions_on_all_of_it),
        cmocka_unit_test(preconditioners_stay_symmetric_and_definite),
        cmocka_unit_test(conjugate_gradients_end_at_the_solution),
        cmocka_unit_test(threads_change_no_bit),
    };
    memory_init(&memory, NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

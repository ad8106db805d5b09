// Hessians of springs that are not assembled: near blocks and products together are the assembled
// matrix, stretched, compressed and with broken springs; symmetric, and the same bits for any
// number of threads.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/evaluate.h"
#include "energy/springs/springs.h"
#include "support/random.h"

static struct memory memory;

enum { SIDE = 9, NODES = SIDE * SIDE * SIDE, MOST = 61 * NODES };
static const double REACH = 1.8;

/// All pairs of a lattice of spacing 1 no further apart than 3, jittered.
struct lattice {
    uint32_t nodes[2 * MOST];
    double stiffness[MOST], rest[MOST], damping[MOST], x[3 * NODES];
    uint8_t broken[MOST];
    double reach[NODES], factor[NODES];
    size_t count;
};

static void add_pairs(struct lattice *l, int node) {
    const int at[3] = {node % SIDE, node / SIDE % SIDE, node / SIDE / SIDE};
    for (int other = node + 1; other < NODES; other++) {
        const int d[3] = {other % SIDE - at[0], other / SIDE % SIDE - at[1],
                          other / SIDE / SIDE - at[2]};
        const int square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square <= 9) {
            l->nodes[2 * l->count] = (uint32_t)node;
            l->nodes[2 * l->count + 1] = (uint32_t)other;
            l->rest[l->count] = sqrt(square);
            l->stiffness[l->count] = 1.0 / l->rest[l->count];
            l->count++;
        }
    }
}

static struct lattice *make_lattice(void) {
    struct lattice *l = memory_allocate(&memory, 1, sizeof *l);
    assert_non_null(l);
    struct random random = random_seed(17);
    random_fill(&random, -0.2, 0.2, l->x, 3 * NODES);
    for (int node = 0; node < NODES; node++) {
        const int at[3] = {node % SIDE, node / SIDE % SIDE, node / SIDE / SIDE};
        for (int k = 0; k < 3; k++) {
            l->x[3 * node + k] += 1.05 * at[k];
        }
        l->reach[node] = REACH;
        l->factor[node] = 4.0 + 0.01 * node;
        add_pairs(l, node);
    }
    for (size_t i = 0; i < l->count; i += 13) {
        l->broken[i] = 1;
    }
    return l;
}

/// A term with its assembly and blocks.
struct matrix {
    struct springs *springs;
    struct term term;
    struct assembly assembly;
    struct bsr h;
    struct linear_problem problem;
};

static void make_matrix(const struct lattice *l, bool assembled, bool project, struct tasks *tasks,
                        struct matrix *m) {
    const struct springs_near near = {l->reach, l->factor};
    const struct springs_input input = {.count = l->count,
                                        .nodes = l->nodes,
                                        .stiffness = l->stiffness,
                                        .rest_lengths = l->rest,
                                        .damping = l->damping,
                                        .broken = l->broken,
                                        .near = assembled ? NULL : &near};
    assert_ok(springs_create(&memory, &input, &m->springs));
    m->term = springs_term(m->springs);
    assert_ok(assembly_build(&memory, NODES, 3, &m->term.stencils, 1, &m->assembly));
    assert_ok(m->term.table->bind(m->term.self, &memory, m->assembly.terms));
    // Some break, and some break and heal, after all is arranged.
    for (size_t i = 5; i < l->count; i += 41) {
        springs_set_broken(m->springs, i, true);
        if (i % 2 == 0 && i % 13 != 0) {
            springs_set_broken(m->springs, i, false);
        }
    }
    m->h = m->assembly.pattern;
    m->h.values = memory_allocate(&memory, 9 * m->assembly.block_slot_count, sizeof(double));
    struct terms_scratch scratch = {0};
    assert_ok(terms_reserve(&memory, &m->assembly, &scratch));
    const struct evaluation evaluation = {.what = EVALUATE_HESSIAN, .x = l->x, .project = project};
    struct terms_result result = {.blocks = m->h.values, .scratch = &scratch};
    assert_int_equal(terms_evaluate(tasks, &m->assembly, &m->term, 1, &evaluation, &result),
                     EVALUATE_OK);
    terms_release(&memory, &scratch);
    m->problem = (struct linear_problem){.a = &m->h,
                                         .f = terms_products(tasks, &m->term, 1, &evaluation)};
}

static void free_matrix(struct matrix *m) {
    memory_release(&memory, m->h.values);
    assembly_free(&memory, &m->assembly);
    m->term.table->destroy(m->term.self, &memory);
}

/// y = H x, both by node.
static void multiply(struct tasks *tasks, const struct matrix *m, const double *x, double *y) {
    double *rows = memory_allocate(&memory, 6 * (size_t)NODES, sizeof *rows);
    assembly_to_rows(tasks, &m->assembly, x, rows);
    problem_multiply(tasks, &m->problem, rows, rows + 3 * (size_t)NODES);
    assembly_to_nodes(tasks, &m->assembly, rows + 3 * (size_t)NODES, y);
    memory_release(&memory, rows);
}

static double *random_vector(uint64_t seed) {
    double *x = memory_allocate(&memory, 3 * (size_t)NODES, sizeof *x);
    struct random random = random_seed(seed);
    random_fill(&random, -1.0, 1.0, x, 3 * NODES);
    return x;
}

static double inner(const double *x, const double *y) {
    double sum = 0.0;
    for (size_t i = 0; i < 3 * (size_t)NODES; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// Of 122 products of either sign, near ones seven times as large and taken back: 1e-14 of |y|.
static void blocks_and_products_are_the_assembled_matrix(void **state) {
    (void)state;
    struct lattice *l = make_lattice();
    double *x = random_vector(1);
    double *y = random_vector(2);
    double *expected = random_vector(3);
    for (int project = 0; project < 2; project++) {
        struct matrix whole;
        struct matrix parts;
        make_matrix(l, true, project, NULL, &whole);
        make_matrix(l, false, project, NULL, &parts);
        assert_null(whole.problem.f);
        assert_non_null(parts.problem.f);
        assert_true(parts.h.block_count < whole.h.block_count / 3);
        multiply(NULL, &whole, x, expected);
        multiply(NULL, &parts, x, y);
        double difference = 0.0;
        for (size_t i = 0; i < 3 * (size_t)NODES; i++) {
            difference += (y[i] - expected[i]) * (y[i] - expected[i]);
        }
        assert_small(sqrt(difference / inner(expected, expected)), 1e-14, "product");
        free_matrix(&whole);
        free_matrix(&parts);
    }
    memory_release(&memory, x);
    memory_release(&memory, y);
    memory_release(&memory, expected);
    memory_release(&memory, l);
}

static void products_are_symmetric(void **state) {
    (void)state;
    struct lattice *l = make_lattice();
    double *u = random_vector(4);
    double *v = random_vector(5);
    double *hu = random_vector(6);
    double *hv = random_vector(7);
    struct matrix m;
    make_matrix(l, false, true, NULL, &m);
    multiply(NULL, &m, u, hu);
    multiply(NULL, &m, v, hv);
    const double size = sqrt(inner(u, u) * inner(hv, hv));
    assert_small(fabs(inner(u, hv) - inner(v, hu)) / size, 1e-15, "asymmetry");
    free_matrix(&m);
    memory_release(&memory, u);
    memory_release(&memory, v);
    memory_release(&memory, hu);
    memory_release(&memory, hv);
    memory_release(&memory, l);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    struct lattice *l = make_lattice();
    double *x = random_vector(8);
    double *y[2] = {random_vector(9), random_vector(10)};
    for (int run = 0; run < 2; run++) {
        struct tasks *tasks = NULL;
        struct matrix m;
        assert_ok(tasks_create(&memory, NULL, 1 + 2 * run, &tasks));
        make_matrix(l, false, false, tasks, &m);
        multiply(tasks, &m, x, y[run]);
        free_matrix(&m);
        tasks_destroy(&memory, tasks);
    }
    assert_memory_equal(y[0], y[1], 3 * (size_t)NODES * sizeof **y);
    memory_release(&memory, x);
    memory_release(&memory, y[0]);
    memory_release(&memory, y[1]);
    memory_release(&memory, l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_products_are_the_assembled_matrix),
        cmocka_unit_test(products_are_symmetric),
        cmocka_unit_test(threads_change_no_bit),
    };
    memory_init(&memory, NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

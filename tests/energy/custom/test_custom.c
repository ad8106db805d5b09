// A host's energy through the seam: where its answers land, in which order it sees nodes, and what
// each kind of answer does.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/cube_fixture.h"
#include "energy/custom/custom.h"
#include "support/numerics/derivatives.h"

#include <pthread.h>

enum { WIDTH = 3 };

/// What the host answers, and what it saw.
struct host {
    size_t refuse_stencil; ///< SIZE_MAX: none
    int32_t refusal;
    double spoil; ///< added to the value of that stencil
    size_t calls;
    pthread_t thread;
    bool saw_other_thread;
};

/// sum_i c_i x_i + (first . second) (1 + third_z): its nodes play different roles, and its Hessian
/// is indefinite.
static int32_t roles(void *user, size_t stencil, const double *x, int32_t project, double *value,
                     double *gradient, double *hessian) {
    struct host *host = user;
    const double product = x[0] * x[3] + x[1] * x[4] + x[2] * x[5];
    (void)project;
    host->calls++;
    host->saw_other_thread |= !pthread_equal(host->thread, pthread_self());
    if (stencil == host->refuse_stencil && host->refusal != 0) {
        return host->refusal;
    }
    if (value != NULL) {
        *value = product * (1.0 + x[8]) + (stencil == host->refuse_stencil ? host->spoil : 0.0);
    }
    for (int i = 0; gradient != NULL && i < 9; i++) {
        gradient[i] = i < 6 ? x[(i + 3) % 6] * (1.0 + x[8]) : i == 8 ? product : 0.0;
    }
    if (hessian != NULL) {
        memset(hessian, 0, 81 * sizeof *hessian);
        for (int i = 0; i < 6; i++) {
            const int other = (i + 3) % 6;
            hessian[9 * i + other] = 1.0 + x[8];
            hessian[9 * i + 8] = x[other];
            hessian[9 * 8 + i] = x[other];
        }
    }
    return 0;
}

struct setting {
    struct cube cube;
    struct custom *custom;
    struct term term;
    struct host host;
    uint32_t *nodes;
    double *x;
};

/// Triples of nodes from the cube's tetrahedra, taken in an order that is not ascending.
static void setting_make(struct setting *s, bool is_concurrent, uint32_t domain_count) {
    struct random random = random_seed(12);
    cube_make(&s->cube, 2);
    s->host = (struct host){.refuse_stencil = SIZE_MAX, .thread = pthread_self()};
    s->nodes = calloc(WIDTH * s->cube.tet_count, sizeof *s->nodes);
    for (size_t t = 0; t < s->cube.tet_count; t++) {
        for (size_t a = 0; a < WIDTH; a++) {
            s->nodes[WIDTH * t + a] = s->cube.tets[4 * t + (a * 3 + t) % 4];
        }
    }
    const struct custom_input input = {.width = WIDTH,
                                       .stencil_count = s->cube.tet_count,
                                       .nodes = s->nodes,
                                       .evaluate = roles,
                                       .user = &s->host,
                                       .is_concurrent = is_concurrent};
    assert_ok(custom_create(&s->cube.memory, &input, &s->custom));
    s->term = custom_term(s->custom);
    cube_assemble(&s->cube, &s->term, 1, domain_count);
    s->x = calloc(3 * s->cube.node_count, sizeof *s->x);
    random_fill(&random, -1.0, 1.0, s->x, 3 * s->cube.node_count);
}

static void setting_free(struct setting *s) {
    free(s->nodes);
    free(s->x);
    custom_destroy(s->custom, &s->cube.memory);
    cube_free(&s->cube);
}

static int setting_evaluate(struct setting *s, uint32_t what, bool project) {
    const struct evaluation evaluation = {.what = what, .x = s->x, .project = project};
    return cube_evaluate(&s->cube, &s->term, 1, &evaluation);
}

static double total_value(void *context, const double *x) {
    struct setting *s = context;
    const struct evaluation evaluation = {.what = EVALUATE_VALUE, .x = x};
    cube_evaluate(&s->cube, &s->term, 1, &evaluation);
    return s->cube.result.value;
}

static void total_gradient(void *context, const double *x, double *gradient) {
    struct setting *s = context;
    const struct evaluation evaluation = {.what = EVALUATE_GRADIENT, .x = x};
    cube_evaluate(&s->cube, &s->term, 1, &evaluation);
    memcpy(gradient, s->cube.result.gradient, 3 * s->cube.node_count * sizeof *gradient);
}

static void total_hessian(void *context, const double *x, double *hessian) {
    struct setting *s = context;
    const struct evaluation evaluation = {.what = EVALUATE_HESSIAN, .x = x};
    const size_t size = 3 * s->cube.node_count;
    const struct assembly *assembly = &s->cube.assembly;
    cube_evaluate(&s->cube, &s->term, 1, &evaluation);
    memset(hessian, 0, size * size * sizeof *hessian);
    for (uint32_t row = 0; row < s->cube.node_count; row++) {
        for (size_t b = assembly->pattern.row_start[row]; b < assembly->pattern.row_start[row + 1];
             b++) {
            const size_t i = 3 * (size_t)assembly->layout.node[row];
            const size_t j = 3 * (size_t)assembly->layout.node[assembly->pattern.column[b]];
            for (size_t k = 0; k < 9; k++) {
                hessian[size * (i + k / 3) + j + k % 3] = s->cube.result.blocks[9 * b + k];
                hessian[size * (j + k % 3) + i + k / 3] = s->cube.result.blocks[9 * b + k];
            }
        }
    }
}

/// The energy is a cubic, for which the differences are exact: only rounding, 1e-16 / 1e-2 times
/// the sum, remains.
static void test_lands_where_it_should(void **state) {
    (void)state;
    for (uint32_t domain_count = 1; domain_count <= 4; domain_count++) {
        struct setting s;
        setting_make(&s, true, domain_count);
        const struct derivatives_function function = {3 * s.cube.node_count, total_value,
                                                      total_gradient, total_hessian, &s};
        assert_small(derivatives_gradient_error(&function, s.x, 1e-2), 1e-12, "gradient");
        assert_small(derivatives_hessian_error(&function, s.x, 1e-2), 1e-12, "Hessian");
        setting_free(&s);
    }
}

static void test_answers(void **state) {
    const uint32_t all = EVALUATE_VALUE | EVALUATE_GRADIENT | EVALUATE_HESSIAN;
    struct setting s;
    (void)state;
    setting_make(&s, false, 3);
    assert_int_equal(setting_evaluate(&s, all, false), EVALUATE_OK);
    assert_int_equal(s.host.calls, s.cube.tet_count);
    s.host.refuse_stencil = 17;
    s.host.refusal = 3;
    assert_int_equal(setting_evaluate(&s, all, false), EVALUATE_RECOVERABLE);
    assert_true(s.cube.result.value == (double)INFINITY);
    s.host.refusal = -2;
    assert_int_equal(setting_evaluate(&s, all, false), EVALUATE_STOP);
    s.host.refusal = 0;
    s.host.spoil = (double)NAN;
    assert_int_equal(setting_evaluate(&s, all, false), EVALUATE_RECOVERABLE);
    s.host.spoil = (double)INFINITY;
    assert_int_equal(setting_evaluate(&s, EVALUATE_VALUE, false), EVALUATE_RECOVERABLE);
    setting_free(&s);
}

/// Nothing more is asked after a refusal.
static void test_refusal_ends_the_questions(void **state) {
    struct setting s;
    (void)state;
    setting_make(&s, false, 3);
    setting_evaluate(&s, EVALUATE_VALUE, false);
    s.host.calls = 0;
    s.host.refuse_stencil = s.cube.assembly.terms[0].stencil[0];
    s.host.refusal = 1;
    setting_evaluate(&s, EVALUATE_VALUE, false);
    assert_int_equal(s.host.calls, 1);
    setting_free(&s);
}

static void test_stays_on_the_calling_thread(void **state) {
    struct setting s;
    struct tasks *tasks = NULL;
    (void)state;
    setting_make(&s, false, 8);
    assert_ok(tasks_create(&s.cube.memory, NULL, 4, &tasks));
    const struct evaluation evaluation = {.what = EVALUATE_VALUE | EVALUATE_GRADIENT, .x = s.x};
    for (int run = 0; run < 20; run++) {
        terms_evaluate(tasks, &s.cube.assembly, &s.term, 1, &evaluation, &s.cube.result);
    }
    assert_false(s.host.saw_other_thread);
    assert_int_equal(s.host.calls, 20 * s.cube.tet_count);
    tasks_destroy(&s.cube.memory, tasks);
    setting_free(&s);
}

/// Asked to project, the assembled matrix has no negative curvature although the host's blocks do.
static void test_projects_for_the_host(void **state) {
    struct setting s;
    struct random random = random_seed(13);
    (void)state;
    setting_make(&s, true, 2);
    const size_t size = 3 * s.cube.node_count;
    double *v = calloc(size, sizeof *v);
    double *product = calloc(size, sizeof *product);
    struct bsr matrix = s.cube.assembly.pattern;
    matrix.values = s.cube.result.blocks;
    int negative[2] = {0, 0};
    for (int trial = 0; trial < 200; trial++) {
        const bool project = trial % 2;
        setting_evaluate(&s, EVALUATE_HESSIAN, project);
        random_fill(&random, -1.0, 1.0, v, size);
        bsr_multiply(NULL, &matrix, v, product);
        double curvature = 0.0;
        for (size_t i = 0; i < size; i++) {
            curvature += v[i] * product[i];
        }
        negative[project] += curvature < 0.0;
    }
    assert_int_equal(negative[1], 0);
    assert_true(negative[0] > 10);
    free(v);
    free(product);
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lands_where_it_should),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_refusal_ends_the_questions),
        cmocka_unit_test(test_stays_on_the_calling_thread),
        cmocka_unit_test(test_projects_for_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

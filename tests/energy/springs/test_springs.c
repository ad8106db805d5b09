// Springs: derivatives beside differences and closed forms, projection, springs without length.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "energy/cube_fixture.h"
#include "energy/springs/springs.h"
#include "support/host/refusals.h"

enum { NODES = 11, SPRINGS = 29 };

struct network {
    uint32_t nodes[2 * SPRINGS];
    double stiffness[SPRINGS], rest[SPRINGS], damping[SPRINGS], x[3 * NODES];
    struct springs_input input;
};

/// Random springs, half of them compressed.
static void make_network(struct network *n, uint64_t seed) {
    struct random random = random_seed(seed);
    random_fill(&random, -1.0, 1.0, n->x, 3 * NODES);
    random_fill(&random, 0.5, 2.0, n->stiffness, SPRINGS);
    random_fill(&random, 0.2, 2.0, n->rest, SPRINGS);
    random_fill(&random, 0.0, 0.1, n->damping, SPRINGS);
    for (uint32_t s = 0; s < SPRINGS; s++) {
        n->nodes[2 * s] = s % NODES;
        n->nodes[2 * s + 1] = (s % NODES + 1 + s / NODES) % NODES;
    }
    n->input = (struct springs_input){.count = SPRINGS,
                                      .nodes = n->nodes,
                                      .stiffness = n->stiffness,
                                      .rest_lengths = n->rest,
                                      .damping = n->damping};
}

static struct term make_term(struct cube *cube, const struct springs_input *input, size_t nodes,
                             uint32_t domain_count) {
    struct springs *springs = NULL;
    cube_make_nodes(cube, nodes);
    assert_ok(springs_create(&cube->memory, input, &springs));
    const struct term term = springs_term(springs);
    cube_bind(cube, &term, 1, domain_count);
    return term;
}

static void free_term(struct cube *cube, const struct term *term) {
    term->table->destroy(term->self, &cube->memory);
    cube_free(cube);
}

/// Differences of step 1e-3 leave about 1e-12 h^4 / l^4 and 1e-13 of rounding.
static void derivatives_agree_with_differences(void **state) {
    (void)state;
    for (uint32_t domain_count = 1; domain_count <= 3; domain_count++) {
        struct network n;
        struct cube cube;
        make_network(&n, domain_count);
        const struct term term = make_term(&cube, &n.input, NODES, domain_count);
        struct cube_function f = {.cube = &cube, .term = &term};
        const struct derivatives_function d = cube_derivatives(&f);
        assert_small(derivatives_gradient_error(&d, n.x, 1e-3), 1e-9, "gradient");
        assert_small(derivatives_hessian_error(&d, n.x, 1e-3), 1e-8, "Hessian");
        double expected = 0.0;
        double net[3] = {0.0, 0.0, 0.0};
        double gradient[3 * NODES];
        for (size_t s = 0; s < SPRINGS; s++) {
            double l[3];
            for (size_t k = 0; k < 3; k++) {
                l[k] = n.x[3 * n.nodes[2 * s + 1] + k] - n.x[3 * n.nodes[2 * s] + k];
            }
            const double e = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) - n.rest[s];
            expected += 0.5 * n.stiffness[s] * e * e;
        }
        assert_near(d.value(&f, n.x), expected, 1e-14 * expected * SPRINGS, "value");
        d.gradient(&f, n.x, gradient);
        for (size_t i = 0; i < 3 * NODES; i++) {
            net[i % 3] += gradient[i];
        }
        assert_small(fabs(net[0]) + fabs(net[1]) + fabs(net[2]), 1e-13, "sum of forces");
        free_term(&cube, &term);
    }
}

/// One spring along x of k = 3, l0 = 2, at length l: across it the Hessian is k (1 - l0 / l).
static void check_single(double l, bool project, double across) {
    const uint32_t nodes[2] = {0, 1};
    const double k = 3.0;
    const double rest = 2.0;
    const double damping = 0.25;
    const double x[6] = {0.5, 0.0, 0.0, 0.5 + l, 0.0, 0.0};
    const struct springs_input input = {
        .count = 1, .nodes = nodes, .stiffness = &k, .rest_lengths = &rest, .damping = &damping};
    struct cube cube;
    const struct term term = make_term(&cube, &input, 2, 1);
    for (int weighted = 0; weighted < 2; weighted++) {
        struct cube_function f = {
            .cube = &cube, .term = &term, .project = project, .damping_weights = weighted};
        double h[36];
        cube_function_hessian(&f, x, h);
        for (size_t i = 0; i < 36; i++) {
            const size_t row = i / 6;
            const size_t column = i % 6;
            const double size = row % 3 == 0 ? k : across;
            const double sign = row / 3 == column / 3 ? 1.0 : -1.0;
            const double expected = row % 3 == column % 3 ? sign * size : 0.0;
            assert_near(h[i], weighted ? damping * expected : expected, 1e-15 * (k + fabs(across)),
                        "entry");
        }
    }
    free_term(&cube, &term);
}

static void projection_drops_what_compression_takes_away(void **state) {
    (void)state;
    check_single(4.0, false, 1.5);
    check_single(4.0, true, 1.5);
    check_single(1.0, false, -3.0);
    check_single(1.0, true, 0.0);
}

/// Both ends at one place: the spring has energy and no direction to pull in.
static void springs_without_length_are_finite(void **state) {
    (void)state;
    const uint32_t nodes[4] = {0, 1, 1, 2};
    const double k[2] = {3.0, 5.0};
    const double rest[2] = {2.0, 0.0};
    const double damping[2] = {0.0, 0.0};
    const double x[9] = {1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0};
    const struct springs_input input = {
        .count = 2, .nodes = nodes, .stiffness = k, .rest_lengths = rest, .damping = damping};
    struct cube cube;
    const struct term term = make_term(&cube, &input, 3, 1);
    struct cube_function f = {.cube = &cube, .term = &term};
    double gradient[9];
    double h[81];
    assert_near(cube_function_value(&f, x), 6.0, 0.0, "value");
    cube_function_gradient(&f, x, gradient);
    cube_function_hessian(&f, x, h);
    for (int i = 0; i < 9; i++) {
        assert_near(gradient[i], 0.0, 0.0, "force");
    }
    assert_near(h[80], 5.0, 0.0, "a spring of rest length zero is stiff in all directions");
    assert_true(isfinite(h[0]));
    free_term(&cube, &term);
}

/// The strain of one, as the library has it.
static double strain_of(const struct network *n, size_t s) {
    double l[3];
    for (size_t k = 0; k < 3; k++) {
        l[k] = n->x[3 * n->nodes[2 * s + 1] + k] - n->x[3 * n->nodes[2 * s] + k];
    }
    return (sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) - n->rest[s]) / n->rest[s];
}

/// Half of all strains are beyond the limit, and one spring in five never breaks.
static void marks_are_those_beyond_their_limits(void **state) {
    (void)state;
    for (uint32_t domain_count = 1; domain_count <= 3; domain_count++) {
        struct network n;
        struct cube cube;
        double limits[SPRINGS];
        make_network(&n, 10 + domain_count);
        for (size_t s = 0; s < SPRINGS; s++) {
            limits[s] = s % 5 == 0 ? INFINITY : 0.1 * (double)(s % 3);
        }
        n.input.limits = limits;
        const struct term term = make_term(&cube, &n.input, NODES, domain_count);
        struct springs *springs = term.self;
        assert_true(springs_have_limits(springs));
        springs_mark_overloaded(springs, NULL, domain_count, n.x);
        const uint8_t *marks = springs_overloaded(springs);
        assert_non_null(marks);
        size_t marked = 0;
        for (size_t s = 0; s < SPRINGS; s++) {
            assert_int_equal(marks[s], strain_of(&n, s) > limits[s]);
            marked += marks[s];
        }
        assert_true(marked > 3 && marked < SPRINGS - 5);
        // An evaluation at the end of an explicit step says the same; broken ones are not listed.
        for (size_t s = 0; s < SPRINGS; s++) {
            springs_set_broken(springs, s, marks[s] != 0);
        }
        springs_mark_overloaded(springs, NULL, domain_count, n.x);
        assert_null(springs_overloaded(springs));
        free_term(&cube, &term);
    }
}

/// A network with broken springs is one without them, at once and after it was made whole and
/// broken again.
static void broken_springs_do_nothing(void **state) {
    (void)state;
    struct network n;
    struct cube cubes[2];
    struct network rest;
    uint8_t broken[SPRINGS];
    make_network(&n, 3);
    make_network(&rest, 3);
    rest.input.count = 0;
    for (size_t s = 0; s < SPRINGS; s++) {
        broken[s] = s % 3 == 1;
        if (!broken[s]) {
            const size_t to = rest.input.count++;
            rest.nodes[2 * to] = n.nodes[2 * s];
            rest.nodes[2 * to + 1] = n.nodes[2 * s + 1];
            rest.stiffness[to] = n.stiffness[s];
            rest.rest[to] = n.rest[s];
        }
    }
    n.input.broken = broken;
    const struct term term = make_term(&cubes[0], &n.input, NODES, 1);
    const struct term fewer = make_term(&cubes[1], &rest.input, NODES, 1);
    struct springs *springs = term.self;
    for (int round = 0; round < 2; round++) {
        struct cube_function f[2] = {{.cube = &cubes[0], .term = &term},
                                     {.cube = &cubes[1], .term = &fewer}};
        double gradients[2][3 * NODES];
        double hessians[2][9 * NODES * NODES];
        for (int i = 0; i < 2; i++) {
            cube_function_gradient(&f[i], n.x, gradients[i]);
            cube_function_hessian(&f[i], n.x, hessians[i]);
        }
        const double value = cube_function_value(&f[1], n.x);
        assert_near(cube_function_value(&f[0], n.x), value, 1e-14 * value, "value");
        for (size_t i = 0; i < 3 * NODES; i++) {
            assert_near(gradients[0][i], gradients[1][i], 1e-13, "force");
        }
        for (size_t i = 0; i < 9 * NODES * NODES; i++) {
            assert_near(hessians[0][i], hessians[1][i], 1e-13, "Hessian");
        }
        uint64_t before = 0;
        uint64_t after = 0;
        term.table->uncoupled(term.self, &before);
        for (size_t s = 0; s < SPRINGS; s++) {
            assert_int_equal(springs_is_broken(springs, s), broken[s]);
            springs_set_broken(springs, s, false);
            springs_set_broken(springs, s, broken[s]);
        }
        const uint8_t *gone = term.table->uncoupled(term.self, &after);
        assert_memory_equal(gone, broken, SPRINGS);
        assert_true(after > before);
    }
    free_term(&cubes[0], &term);
    free_term(&cubes[1], &fewer);
}

static pbs_status create_and_bind(struct memory *memory, const void *context) {
    struct springs *springs = NULL;
    RETURN_IF_FAILED(springs_create(memory, context, &springs));
    const struct term term = springs_term(springs);
    const struct stencils stencils = term.stencils;
    struct assembly assembly;
    pbs_status status = assembly_build(memory, NODES, 1, &stencils, 1, &assembly);
    if (status >= 0) {
        status = term.table->bind(term.self, memory, &assembly.terms[0]);
        assembly_free(memory, &assembly);
    }
    term.table->destroy(term.self, memory);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct network n;
    double limits[SPRINGS] = {0.0};
    make_network(&n, 5);
    n.input.limits = limits;
    assert_refusals_are_statuses(create_and_bind, &n.input, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(projection_drops_what_compression_takes_away),
        cmocka_unit_test(springs_without_length_are_finite),
        cmocka_unit_test(marks_are_those_beyond_their_limits),
        cmocka_unit_test(broken_springs_do_nothing),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

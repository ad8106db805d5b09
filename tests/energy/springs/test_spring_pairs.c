// Very many springs in the order of pairs: value and gradient beside sums by hand, the same bits
// for any vectors, threads and order of the springs, forces that balance to the last bit, marks of
// what is beyond its limit, springs that broke.
// SPDX-License-Identifier: MIT
#include "energy/springs/spring_pairs.h"
#include "base/matrix3/matrix3_widths.h"
#include "energy/springs/spring_pairs_widths.h"
#include "energy/springs/springs.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

#include "energy/cube_fixture.h"

enum { SIDE = 12, NODES = SIDE * SIDE * SIDE, MOST = 20 * NODES };

/// A lattice, stretched a little everywhere, each node with springs to those after it within two
/// spacings; some more at random.
struct network {
    struct memory memory;
    size_t count;
    uint32_t nodes[2 * MOST];
    double stiffness[MOST], rest[MOST], limits[MOST], x[3 * NODES];
    uint8_t broken[MOST];
    struct spring_pairs_input input;
};

static double distance(const double *x, uint32_t i, uint32_t j) {
    double sum = 0.0;
    for (size_t k = 0; k < 3; k++) {
        const double d = x[3 * (size_t)j + k] - x[3 * (size_t)i + k];
        sum += d * d;
    }
    return sqrt(sum);
}

static void add_spring(struct network *n, struct random *random, uint32_t i, uint32_t j) {
    const size_t s = n->count++;
    n->nodes[2 * s] = i;
    n->nodes[2 * s + 1] = j;
    n->stiffness[s] = random_uniform(random, 0.5, 2.0);
    n->rest[s] = distance(n->x, i, j);
    n->limits[s] = s % 5 == 0 ? INFINITY : random_uniform(random, 0.0, 0.1);
}

static struct network *make_network(size_t more) {
    struct network *n = calloc(1, sizeof *n);
    struct random random = random_seed(7);
    assert_non_null(n);
    memory_init(&n->memory, NULL);
    for (int i = 0; i < NODES; i++) {
        n->x[3 * i] = i % SIDE;
        n->x[3 * i + 1] = i / SIDE % SIDE;
        n->x[3 * i + 2] = i / SIDE / SIDE;
    }
    for (uint32_t i = 0; i < NODES; i++) {
        for (uint32_t j = i + 1; j < NODES && j < i + 2 * SIDE * SIDE + 3 * SIDE; j++) {
            if (distance(n->x, i, j) <= 2.0) {
                add_spring(n, &random, i, j);
            }
        }
    }
    for (size_t s = 0; s < more; s++) {
        const uint32_t i = (uint32_t)random_index(&random, NODES);
        add_spring(n, &random, i, (i + 1 + (uint32_t)random_index(&random, NODES - 1)) % NODES);
    }
    for (size_t i = 0; i < 3 * NODES; i++) {
        n->x[i] *= 1.02 + 0.02 * random_uniform(&random, -1.0, 1.0);
    }
    n->input = (struct spring_pairs_input){.count = n->count,
                                           .nodes = n->nodes,
                                           .stiffness = n->stiffness,
                                           .rest_lengths = n->rest,
                                           .broken = n->broken,
                                           .limits = n->limits};
    return n;
}

static double sum_by_hand(const struct network *n, double gradient[3 * NODES]) {
    double value = 0.0;
    memset(gradient, 0, 3 * NODES * sizeof *gradient);
    for (size_t s = 0; s < n->count; s++) {
        const uint32_t i = n->nodes[2 * s];
        const uint32_t j = n->nodes[2 * s + 1];
        const double length = distance(n->x, i, j);
        const double extension = length - n->rest[s];
        const double stiffness = n->broken[s] ? 0.0 : n->stiffness[s];
        value += 0.5 * stiffness * extension * extension;
        for (size_t k = 0; k < 3 && length > 0.0; k++) {
            const double d = n->x[3 * (size_t)j + k] - n->x[3 * (size_t)i + k];
            gradient[3 * (size_t)i + k] -= stiffness * extension / length * d;
            gradient[3 * (size_t)j + k] += stiffness * extension / length * d;
        }
    }
    return value;
}

struct result {
    double value, gradient[3 * NODES], node_values[NODES];
};

static void evaluate(struct spring_pairs *springs, const double *x, int32_t threads, bool marks,
                     struct result *r) {
    struct memory memory;
    struct tasks *tasks = NULL;
    const struct evaluation evaluation = {.what = EVALUATE_VALUE | EVALUATE_GRADIENT, .x = x};
    memset(r, 0, sizeof *r);
    struct evaluation_sums sums = {.gradient = r->gradient, .node_values = r->node_values};
    memory_init(&memory, NULL);
    assert_ok(tasks_create(&memory, NULL, threads, &tasks));
    spring_pairs_evaluate(springs, tasks, &evaluation, marks, &sums);
    tasks_destroy(&memory, tasks);
    r->value = sums.value;
}

static void assert_as_by_hand(const struct network *n, struct spring_pairs *springs) {
    struct result *r = calloc(2, sizeof *r);
    assert_non_null(r);
    evaluate(springs, n->x, 1, true, r);
    const double value = sum_by_hand(n, r[1].gradient);
    double by_node = 0.0;
    assert_near(r->value, value, 1e-12 * value, "value");
    for (size_t i = 0; i < 3 * NODES; i++) {
        // Quanta of 2^-51 of the strongest, 8 N; and some 40 springs a node of at most 1 N.
        assert_near(r->gradient[i], r[1].gradient[i], 1e-12, "gradient");
    }
    for (size_t i = 0; i < NODES; i++) {
        by_node += r->node_values[i];
    }
    assert_near(by_node, value, 1e-12 * value, "values by node");
    free(r);
}

static void end(struct network *n, struct spring_pairs *springs) {
    spring_pairs_free(springs, &n->memory);
    assert_int_equal(n->memory.bytes_in_use, 0);
    free(n);
}

static void values_and_gradients_are_those_by_hand(void **state) {
    (void)state;
    for (size_t more = 0; more <= 1000; more += 500) {
        struct spring_pairs springs;
        struct network *n = make_network(more);
        for (size_t s = 0; s < n->count; s++) {
            n->broken[s] = s % 7 == 3;
        }
        assert_ok(spring_pairs_create(&n->memory, &n->input, &springs));
        assert_as_by_hand(n, &springs);
        // Two nodes at one place do not pull at each other.
        memcpy(n->x + 3, n->x, 3 * sizeof *n->x);
        assert_as_by_hand(n, &springs);
        end(n, &springs);
    }
}

static void assert_balance(const struct result *r, double allowed) {
    for (size_t k = 0; k < 3; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < NODES; i++) {
            sum += r->gradient[3 * i + k];
        }
        assert_small(fabs(sum), allowed, "sum of forces");
    }
}

/// Forces are whole quanta, so their sum over all nodes is 0, whatever the order; with springs of
/// very different strengths only to rounding.
static void forces_balance_to_the_last_bit(void **state) {
    (void)state;
    struct network *n = make_network(300);
    struct result *r = calloc(1, sizeof *r);
    struct spring_pairs springs;
    assert_non_null(r);
    assert_ok(spring_pairs_create(&n->memory, &n->input, &springs));
    evaluate(&springs, n->x, 1, false, r);
    assert_balance(r, 0.0);
    spring_pairs_free(&springs, &n->memory);
    n->stiffness[0] = 1e-9;
    assert_ok(spring_pairs_create(&n->memory, &n->input, &springs));
    assert_true(springs.rounder == 0.0);
    evaluate(&springs, n->x, 1, false, r);
    assert_balance(r, 1e-9);
    free(r);
    end(n, &springs);
}

/// The same network with its springs in another order, their ends exchanged, and its nodes
/// numbered backwards.
static void turn_around(const struct network *n, struct network *other) {
    memory_init(&other->memory, NULL);
    other->count = n->count;
    for (size_t i = 0; i < NODES; i++) {
        memcpy(other->x + 3 * (NODES - 1 - i), n->x + 3 * i, 3 * sizeof *n->x);
    }
    for (size_t s = 0; s < n->count; s++) {
        const size_t t = s * 7919 % n->count;
        other->nodes[2 * t] = NODES - 1 - n->nodes[2 * s + s % 2];
        other->nodes[2 * t + 1] = NODES - 1 - n->nodes[2 * s + 1 - s % 2];
        other->stiffness[t] = n->stiffness[s];
        other->rest[t] = n->rest[s];
        other->limits[t] = n->limits[s];
    }
    other->input = n->input;
    other->input.nodes = other->nodes;
    other->input.stiffness = other->stiffness;
    other->input.rest_lengths = other->rest;
    other->input.broken = other->broken;
    other->input.limits = other->limits;
}

static void no_order_shows(void **state) {
    (void)state;
    struct network *n = make_network(301);
    struct network *other = calloc(1, sizeof *other);
    struct result *r = calloc(2, sizeof *r);
    struct spring_pairs springs;
    struct spring_pairs turned;
    assert_non_null(other);
    assert_non_null(r);
    assert_true(n->count % 7919 != 0);
    turn_around(n, other);
    assert_ok(spring_pairs_create(&n->memory, &n->input, &springs));
    assert_ok(spring_pairs_create(&other->memory, &other->input, &turned));
    evaluate(&springs, n->x, 1, false, &r[0]);
    evaluate(&turned, other->x, 2, false, &r[1]);
    for (size_t i = 0; i < NODES; i++) {
        assert_same_bits(r[0].gradient + 3 * i, r[1].gradient + 3 * (NODES - 1 - i), 3);
    }
    free(r);
    end(other, &turned);
    end(n, &springs);
}

static void threads_compute_the_same_bits(void **state) {
    (void)state;
    struct network *n = make_network(0);
    struct result *r = calloc(2, sizeof *r);
    struct spring_pairs springs;
    assert_non_null(r);
    n->stiffness[0] = 1e-9; // no exact sums
    assert_ok(spring_pairs_create(&n->memory, &n->input, &springs));
    assert_true(springs.layout.slab_count >= 4);
    evaluate(&springs, n->x, 1, false, &r[0]);
    evaluate(&springs, n->x, 3, false, &r[1]);
    assert_memory_equal(&r[0], &r[1], sizeof r[0]);
    free(r);
    end(n, &springs);
}

/// Vectors of four and of two, also where sums are not exact.
static void all_vectors_compute_the_same_bits(void **state) {
    (void)state;
#if defined(PBS_HAS_CLONES)
    if (!has_avx2()) {
        skip();
    }
#endif
    for (int round = 0; round < 2; round++) {
        struct network *n = make_network(200);
        struct result *r = calloc(1, sizeof *r);
        struct spring_pairs springs;
        assert_non_null(r);
        n->stiffness[0] = round == 0 ? 1.0 : 1e-9;
        assert_ok(spring_pairs_create(&n->memory, &n->input, &springs));
        evaluate(&springs, n->x, 1, false, r);
        const size_t size = 3 * springs.layout.stride;
        double *sums = calloc(2 * size, sizeof *sums);
        double *values = calloc(springs.layout.slab_count, sizeof *values);
        assert_non_null(sums);
        assert_non_null(values);
        for (size_t width = 0; width < 2; width++) {
            memset(springs.gradient, 0, size * sizeof *springs.gradient);
            for (size_t slab = 0; slab < springs.layout.slab_count; slab++) {
                (width == 0 ? spring_pairs_four : spring_pairs_two)(&springs, slab, true, true);
                assert_true(width == 0 || values[slab] == springs.values[slab]);
                values[slab] = springs.values[slab];
            }
            memcpy(sums + width * size, springs.gradient, size * sizeof *sums);
        }
        assert_same_bits(sums, sums + size, size);
        free(sums);
        free(values);
        free(r);
        end(n, &springs);
    }
}

// --- breaking ---

static void set_mark(void *context, uint32_t spring) {
    ((uint8_t *)context)[spring]++;
}

/// What is marked is beyond its limit; the rest is not, nor what broke or was marked before.
static void marks_are_those_beyond_their_limits(void **state) {
    (void)state;
    struct network *n = make_network(100);
    struct result *r = calloc(1, sizeof *r);
    struct spring_pairs springs;
    assert_non_null(r);
    assert_ok(spring_pairs_create(&n->memory, &n->input, &springs));
    for (int round = 0; round < 3; round++) {
        uint8_t *marks = calloc(n->count, 1);
        size_t marked = 0;
        assert_non_null(marks);
        evaluate(&springs, n->x, 2, true, r);
        // Another evaluation, as of a line search, leaves marks alone.
        double zero[3 * NODES] = {0.0};
        evaluate(&springs, zero, 1, false, r);
        spring_pairs_each_marked(&springs, set_mark, marks);
        for (size_t s = 0; s < n->count; s++) {
            const double length = distance(n->x, n->nodes[2 * s], n->nodes[2 * s + 1]);
            const bool over = !n->broken[s] && length - n->rest[s] > n->limits[s] * n->rest[s];
            assert_int_equal(marks[s], over);
            marked += over;
            if (over && (round == 0 ? s % 2 == 0 : true)) {
                n->broken[s] = 1;
                spring_pairs_set(&springs, (uint32_t)s, 0.0, n->rest[s]);
            }
        }
        assert_true(round < 2 ? marked > 100 : marked == 0);
        assert_as_by_hand(n, &springs);
        free(marks);
    }
    // Whole again.
    for (size_t s = 0; s < n->count; s++) {
        spring_pairs_set(&springs, (uint32_t)s, n->stiffness[s], n->rest[s]);
    }
    memset(n->broken, 0, sizeof n->broken);
    assert_as_by_hand(n, &springs);
    free(r);
    end(n, &springs);
}

/// The term: what evaluations in steps say is what each domain says for itself.
static void the_term_agrees_with_its_domains(void **state) {
    (void)state;
    struct network *n = make_network(100);
    struct springs *springs = NULL;
    struct cube cube;
    double *damping = calloc(n->count, sizeof *damping);
    assert_non_null(damping);
    const struct springs_input input = {.count = n->count,
                                        .nodes = n->nodes,
                                        .stiffness = n->stiffness,
                                        .rest_lengths = n->rest,
                                        .damping = damping,
                                        .broken = n->broken,
                                        .limits = n->limits};
    cube_make_nodes(&cube, NODES);
    assert_ok(springs_create(&cube.memory, &input, &springs));
    const struct term term = springs_term(springs);
    assert_true(term.has_own_order);
    cube_bind(&cube, &term, 1, 3);
    struct cube_function f = {.cube = &cube, .term = &term};
    const struct derivatives_function d = cube_derivatives(&f);
    double *gradient = calloc(6 * NODES, sizeof *gradient);
    assert_non_null(gradient);
    const double value = sum_by_hand(n, gradient);
    assert_near(d.value(&f, n->x), value, 1e-12 * value, "value");
    d.gradient(&f, n->x, gradient + 3 * NODES);
    for (size_t i = 0; i < 3 * NODES; i++) {
        assert_near(gradient[3 * NODES + i], gradient[i], 1e-12, "gradient");
    }
    double sum = 0.0;
    for (uint32_t domain = 0; domain < 3; domain++) {
        const struct evaluation evaluation = {.what = EVALUATE_VALUE, .x = n->x};
        struct evaluation_sums sums = {0};
        (void)term.table->evaluate(term.self, &cube.assembly, cube.assembly.terms, domain,
                                   &evaluation, &sums);
        sum += sums.value;
    }
    assert_near(sum, value, 1e-12 * value, "value of the domains");
    springs_mark_overloaded(springs, NULL, 3, n->x);
    const uint8_t *marks = springs_overloaded(springs);
    assert_non_null(marks);
    for (size_t s = 0; s < n->count; s++) {
        const double length = distance(n->x, n->nodes[2 * s], n->nodes[2 * s + 1]);
        assert_int_equal(marks[s], length - n->rest[s] > n->limits[s] * n->rest[s]);
        springs_set_broken(springs, s, marks[s] != 0);
    }
    springs_mark_overloaded(springs, NULL, 3, n->x);
    assert_null(springs_overloaded(springs));
    free(gradient);
    free(damping);
    term.table->destroy(term.self, &cube.memory);
    cube_free(&cube);
    free(n);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct network *n = make_network(0);
    const struct springs_input input = {.count = n->count,
                                        .nodes = n->nodes,
                                        .stiffness = n->stiffness,
                                        .rest_lengths = n->rest,
                                        .damping = n->rest,
                                        .limits = n->limits};
    bool has_failed = true;
    for (uint64_t k = 0; has_failed; k++) {
        struct test_allocator allocator;
        struct memory memory;
        struct springs *springs = NULL;
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        memory_init(&memory, &hooks);
        test_allocator_fail_after(&allocator, k);
        const pbs_status status = springs_create(&memory, &input, &springs);
        has_failed = test_allocator_has_failed(&allocator);
        assert_int_equal(status, has_failed ? PBS_ERROR_MEMORY : PBS_OK);
        assert_true(has_failed == (springs == NULL));
        if (springs != NULL) {
            const struct term term = springs_term(springs);
            term.table->destroy(springs, &memory);
        }
        assert_int_equal(memory.bytes_in_use, 0);
    }
    free(n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_gradients_are_those_by_hand),
        cmocka_unit_test(forces_balance_to_the_last_bit),
        cmocka_unit_test(no_order_shows),
        cmocka_unit_test(threads_compute_the_same_bits),
        cmocka_unit_test(all_vectors_compute_the_same_bits),
        cmocka_unit_test(marks_are_those_beyond_their_limits),
        cmocka_unit_test(the_term_agrees_with_its_domains),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// METIS is asked once about equal graphs. A component has the order that METIS gives it alone, in
// the numbers that its nodes have in the whole graph.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/known_orders.h"

#include "sparse/ordering/metis_bridge.h"
#include "support/host/refusals.h"
#include "support/testing.h"

static struct memory memory;

enum { SIDE = 9, GRID = SIDE * SIDE, RING = 40, GRIDS = 3, COUNT = GRIDS * GRID + RING };

/// Lists the pairs of a square grid of nodes first, first + stride, ...; returns how many.
static size_t add_grid(uint32_t first, uint32_t stride, uint32_t *pairs) {
    size_t n = 0;
    for (uint32_t i = 0; i < GRID; i++) {
        const bool has_next[2] = {i % SIDE + 1 < SIDE, i + SIDE < GRID};
        const uint32_t next[2] = {i + 1, i + SIDE};
        for (int k = 0; k < 2; k++) {
            if (has_next[k]) {
                pairs[2 * n] = first + stride * i;
                pairs[2 * n + 1] = first + stride * next[k];
                n++;
            }
        }
    }
    return n;
}

static struct graph make_graph(uint32_t node_count, const uint32_t *pairs, size_t pair_count) {
    struct graph graph;
    const struct stencils set = {.count = pair_count, .width = 2, .nodes = pairs};
    assert_ok(graph_build(&memory, node_count, &set, 1, &graph));
    return graph;
}

static struct graph one_grid(void) {
    uint32_t pairs[4 * GRID];
    const size_t count = add_grid(0, 1, pairs);
    return make_graph(GRID, pairs, count);
}

/// Grids whose nodes are numbered by turns, then a ring.
static struct graph grids_and_ring(void) {
    uint32_t pairs[4 * GRIDS * GRID + 2 * RING];
    size_t n = 0;
    for (uint32_t g = 0; g < GRIDS; g++) {
        n += add_grid(g, GRIDS, pairs + 2 * n);
    }
    for (uint32_t i = 0; i < RING; i++, n++) {
        pairs[2 * n] = GRIDS * GRID + i;
        pairs[2 * n + 1] = GRIDS * GRID + (i + 1) % RING;
    }
    return make_graph(COUNT, pairs, n);
}

static void components_are_dissected_as_alone(void **state) {
    (void)state;
    struct graph all = grids_and_ring(), one = one_grid();
    struct known_orders known = {0};
    uint32_t order[COUNT], alone[GRID];
    assert_ok(known_orders_dissect(&memory, &known, &all, order));
    assert_ok(metis_dissect(&memory, &one, alone));
    for (uint32_t g = 0; g < GRIDS; g++) {
        for (uint32_t i = 0; i < GRID; i++) {
            assert_int_equal(order[g * GRID + i], g + GRIDS * alone[i]);
        }
    }
    bool seen[RING] = {false};
    for (uint32_t i = GRIDS * GRID; i < COUNT; i++) {
        assert_true(order[i] >= GRIDS * GRID && !seen[order[i] - GRIDS * GRID]);
        seen[order[i] - GRIDS * GRID] = true;
    }
    assert_int_equal(known.count, 2);
    known_orders_free(&memory, &known);
    graph_free(&memory, &all);
    graph_free(&memory, &one);
}

/// Another number of parts is another question; so is a graph that differs by one edge.
static void equal_questions_are_asked_once(void **state) {
    (void)state;
    struct graph one = one_grid();
    uint32_t pairs[4 * GRID + 2];
    size_t count = add_grid(0, 1, pairs);
    pairs[2 * count] = 0;
    pairs[2 * count++ + 1] = GRID - 1;
    struct graph other = make_graph(GRID, pairs, count);
    struct known_orders known = {0};
    uint32_t part[GRID], again[GRID];
    const struct {
        const struct graph *graph;
        uint32_t parts;
        size_t known;
    } questions[] = {{&one, 3, 1}, {&one, 3, 1}, {&one, 4, 2}, {&other, 3, 3}, {&one, 4, 3}};
    for (size_t q = 0; q < COUNT_OF(questions); q++) {
        assert_ok(
            known_orders_partition(&memory, &known, questions[q].graph, questions[q].parts, part));
        assert_ok(metis_partition(&memory, questions[q].graph, questions[q].parts, again));
        assert_memory_equal(part, again, sizeof part);
        assert_int_equal(known.count, questions[q].known);
    }
    known_orders_free(&memory, &known);
    graph_free(&memory, &one);
    graph_free(&memory, &other);
}

static void graphs_without_edges_keep_their_order(void **state) {
    (void)state;
    struct graph graph = make_graph(3, NULL, 0);
    struct known_orders known = {0};
    uint32_t order[3];
    assert_ok(known_orders_dissect(&memory, &known, &graph, order));
    assert_true(order[0] == 0 && order[1] == 1 && order[2] == 2);
    known_orders_free(&memory, &known);
    graph_free(&memory, &graph);
}

static pbs_status dissect(struct memory *with, const void *context) {
    struct known_orders known = {0};
    uint32_t order[COUNT];
    const pbs_status status = known_orders_dissect(with, &known, context, order);
    known_orders_free(with, &known);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct graph all = grids_and_ring();
    assert_refusals_are_statuses(dissect, &all, 60);
    graph_free(&memory, &all);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_dissected_as_alone),
        cmocka_unit_test(equal_questions_are_asked_once),
        cmocka_unit_test(graphs_without_edges_keep_their_order),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

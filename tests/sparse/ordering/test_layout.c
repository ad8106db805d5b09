// The order of the nodes is a permutation, domain by domain, and reproducible, for graphs of every
// kind.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/layout.h"
#include "support/testing.h"

static struct memory memory;

static void check_permutation(const struct layout *layout, uint32_t node_count) {
    assert_int_equal(layout->node_count, node_count);
    for (uint32_t n = 0; n < node_count; n++) {
        assert_true(layout->row[n] < node_count);
        assert_int_equal(layout->node[layout->row[n]], n);
    }
    assert_int_equal(layout->domain_start[0], 0);
    assert_int_equal(layout->domain_start[layout->domain_count], node_count);
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        assert_true(layout->domain_start[d] <= layout->domain_start[d + 1]);
        for (uint32_t i = layout->domain_start[d]; i < layout->domain_start[d + 1]; i++) {
            assert_int_equal(layout_domain_of(layout, i), d);
        }
    }
}

/// Edges of a grid of side x side nodes, numbered with the given multiplier.
static uint32_t *grid_pairs(uint32_t side, uint32_t multiplier, size_t *count) {
    const uint32_t n = side * side;
    uint32_t *pairs = memory_allocate(&memory, 4 * (size_t)n, sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t steps[2] = {1, side};
        for (int s = 0; s < 2; s++) {
            if (s == 0 ? i % side + 1 < side : i + side < n) {
                pairs[2 * *count] = (uint32_t)((uint64_t)i * multiplier % n);
                pairs[2 * (*count)++ + 1] = (uint32_t)((uint64_t)(i + steps[s]) * multiplier % n);
            }
        }
    }
    return pairs;
}

static void grid_is_ordered_into_balanced_domains(void **state) {
    (void)state;
    size_t count = 0;
    // 2887 is prime to 60^2, so this shuffles the numbers.
    uint32_t *pairs = grid_pairs(60, 2887, &count);
    const struct stencils set = {count, 2, pairs};
    struct layout layout;
    assert_ok(layout_build(&memory, 3600, 5, &set, 1, &layout));
    check_permutation(&layout, 3600);
    for (uint32_t d = 0; d < 5; d++) {
        // METIS guarantees a load of at most 1.03 times the mean.
        assert_in_range(layout.domain_start[d + 1] - layout.domain_start[d], 1, 742);
    }
    layout_free(&memory, &layout);
    memory_release(&memory, pairs);
}

/// A ring of positions. Every third has one node that belongs to it and every fifth has three,
/// which are far away in the list and coupled to the next position only.
static void what_belongs_to_a_place_has_the_rows_behind_it(void **state) {
    (void)state;
    enum { PLACES = 3000, NODES = PLACES + PLACES / 3 + 3 * (PLACES / 5) };
    uint8_t kind[NODES] = {0};
    uint32_t place[NODES];
    uint32_t pairs[2 * NODES];
    uint32_t others[PLACES] = {0};
    uint32_t n = PLACES;
    for (uint32_t p = 0; p < PLACES; p++) {
        place[p] = p;
        pairs[2 * p] = p;
        pairs[2 * p + 1] = (p + 1) % PLACES;
    }
    for (uint32_t p = PLACES; p-- > 0;) {
        for (others[p] = 0; others[p] < (p % 3 == 0 ? 1U : 0U) + (p % 5 == 0 ? 3U : 0U); n++) {
            kind[n] = others[p] % 2 == 0 ? NODE_ROTATION : NODE_HANDLE;
            place[n] = p;
            pairs[2 * n] = n;
            pairs[2 * n + 1] = (p + 1) % PLACES;
            others[p]++;
        }
    }
    assert_int_equal(n, NODES);
    const struct stencils set = {NODES, 2, pairs};
    const struct node_kinds kinds = {kind, place};
    struct graph graph;
    struct layout layout;
    assert_ok(graph_build(&memory, NODES, &set, 1, &graph));
    assert_ok(layout_from_graph(&memory, &graph, &kinds, 4, &layout));
    check_permutation(&layout, NODES);
    for (uint32_t p = 0; p < PLACES; p++) {
        const uint32_t row = layout.row[p];
        assert_true(layout_is_position(&layout, row));
        for (uint32_t i = 1; i <= others[p]; i++) {
            const uint32_t node = layout.node[row + i];
            assert_int_equal(place[node], p);
            assert_int_equal(layout.kind[row + i], kind[node]);
            assert_int_equal(layout_domain_of(&layout, row + i), layout_domain_of(&layout, row));
        }
    }
    layout_free(&memory, &layout);
    graph_free(&memory, &graph);
}

static void cuthill_mckee_finds_a_small_bandwidth(void **state) {
    (void)state;
    size_t count = 0;
    uint32_t *pairs = grid_pairs(30, 607, &count);
    const struct stencils set = {count, 2, pairs};
    struct layout layout;
    assert_ok(layout_build(&memory, 900, 0, &set, 1, &layout));
    check_permutation(&layout, 900);
    // Levels from a corner are diagonals of at most 30 nodes; neighbors are in adjacent levels.
    for (size_t k = 0; k < count; k++) {
        const int64_t distance = (int64_t)layout.row[pairs[2 * k]] -
                                 (int64_t)layout.row[pairs[2 * k + 1]];
        assert_true(distance < 60 && distance > -60);
    }
    layout_free(&memory, &layout);
    memory_release(&memory, pairs);
}

/// Neighbours in a chain are adjacent rows for any numbering: the order begins at an end. Also with
/// the largest number of domains.
static void chains_are_followed_from_end_to_end(void **state) {
    (void)state;
    enum { LENGTH = 1000 };
    uint32_t *pairs = memory_allocate(&memory, 2 * LENGTH, sizeof *pairs);
    for (uint32_t i = 0; i + 1 < LENGTH; i++) {
        // 377 is prime to 1000, and 0 is in the middle.
        pairs[2 * i] = (i + LENGTH / 2) * 377 % LENGTH;
        pairs[2 * i + 1] = (i + 1 + LENGTH / 2) * 377 % LENGTH;
    }
    const struct stencils set = {LENGTH - 1, 2, pairs};
    struct layout layout;
    assert_ok(layout_build(&memory, LENGTH, 1, &set, 1, &layout));
    for (uint32_t i = 0; i + 1 < LENGTH; i++) {
        const uint32_t a = layout.row[pairs[2 * i]], b = layout.row[pairs[2 * i + 1]];
        assert_int_equal(a > b ? a - b : b - a, 1);
    }
    layout_free(&memory, &layout);
    assert_ok(layout_build(&memory, LENGTH, LAYOUT_DOMAIN_LIMIT, &set, 1, &layout));
    check_permutation(&layout, LENGTH);
    layout_free(&memory, &layout);
    assert_status(layout_build(&memory, LENGTH, LAYOUT_DOMAIN_LIMIT + 1, &set, 1, &layout),
                  PBS_ERROR_ARGUMENT);
    memory_release(&memory, pairs);
}

static void equal_input_gives_equal_order(void **state) {
    (void)state;
    size_t count = 0;
    uint32_t *pairs = grid_pairs(50, 7, &count);
    const struct stencils set = {count, 2, pairs};
    struct layout first;
    assert_ok(layout_build(&memory, 2500, 6, &set, 1, &first));
    for (int i = 0; i < 3; i++) {
        struct layout again;
        assert_ok(layout_build(&memory, 2500, 6, &set, 1, &again));
        assert_memory_equal(first.row, again.row, 2500 * sizeof *first.row);
        layout_free(&memory, &again);
    }
    layout_free(&memory, &first);
    memory_release(&memory, pairs);
}

static void pieces_and_isolated_nodes_are_fine(void **state) {
    (void)state;
    size_t count = 0;
    uint32_t *pairs = grid_pairs(20, 3, &count);
    // Two grids and 200 isolated nodes.
    uint32_t *both = memory_allocate(&memory, 4 * count, sizeof *both);
    for (size_t i = 0; i < 2 * count; i++) {
        both[i] = pairs[i];
        both[2 * count + i] = pairs[i] + 500;
    }
    const struct stencils set = {2 * count, 2, both};
    for (uint32_t domains = 1; domains <= 9; domains++) {
        struct layout layout;
        assert_ok(layout_build(&memory, 1100, domains, &set, 1, &layout));
        check_permutation(&layout, 1100);
        layout_free(&memory, &layout);
    }
    memory_release(&memory, both);
    memory_release(&memory, pairs);
}

static void tiny_problems_are_fine(void **state) {
    (void)state;
    const uint32_t line[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7};
    for (uint32_t n = 0; n <= 8; n++) {
        const struct stencils set = {n > 1 ? n - 1 : 0, 2, line};
        for (uint32_t domains = 0; domains <= 10; domains++) {
            struct layout layout;
            assert_ok(layout_build(&memory, n, domains, &set, 1, &layout));
            check_permutation(&layout, n);
            layout_free(&memory, &layout);
        }
    }
}

static void bad_stencils_are_named(void **state) {
    (void)state;
    const uint32_t beyond[] = {0, 1, 1, 3};
    const uint32_t twice[] = {0, 1, 2, 2};
    struct layout layout;
    struct stencils set = {2, 2, beyond};
    assert_status(layout_build(&memory, 3, 1, &set, 1, &layout), PBS_ERROR_ARGUMENT);
    assert_message("node 3");
    set.nodes = twice;
    assert_status(layout_build(&memory, 3, 1, &set, 1, &layout), PBS_ERROR_ARGUMENT);
    assert_message("node 2 twice");
    set.width = STENCIL_WIDTH_LIMIT + 1;
    assert_status(layout_build(&memory, 3, 1, &set, 1, &layout), PBS_ERROR_ARGUMENT);
    assert_message("width 13");
    assert_status(layout_build(&memory, 3, LAYOUT_DOMAIN_LIMIT + 1, NULL, 0, &layout),
                  PBS_ERROR_ARGUMENT);
    assert_null(layout.row);
}

/// A node with very many neighbors: a star.
static void hub_is_fine(void **state) {
    (void)state;
    const uint32_t n = 20000;
    uint32_t *pairs = memory_allocate(&memory, 2 * (size_t)n, sizeof *pairs);
    for (uint32_t i = 1; i < n; i++) {
        pairs[2 * (i - 1)] = i;
        pairs[2 * (i - 1) + 1] = 0;
    }
    const struct stencils set = {n - 1, 2, pairs};
    struct layout layout;
    assert_ok(layout_build(&memory, n, 0, &set, 1, &layout));
    check_permutation(&layout, n);
    layout_free(&memory, &layout);
    memory_release(&memory, pairs);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_is_ordered_into_balanced_domains),
        cmocka_unit_test(what_belongs_to_a_place_has_the_rows_behind_it),
        cmocka_unit_test(cuthill_mckee_finds_a_small_bandwidth),
        cmocka_unit_test(chains_are_followed_from_end_to_end),
        cmocka_unit_test(equal_input_gives_equal_order),
        cmocka_unit_test(pieces_and_isolated_nodes_are_fine),
        cmocka_unit_test(tiny_problems_are_fine),
        cmocka_unit_test(bad_stencils_are_named),
        cmocka_unit_test(hub_is_fine),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

// Orders are permutations, and their fill is that of the exact minimum degree, which is found by
// carrying out the eliminations.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/minimum_degree.h"

#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

enum { MOST = 640, MOST_NAMED = 8 * MOST };

static struct memory memory;

struct graph {
    uint32_t count;
    uint32_t start[MOST + 1];
    uint32_t neighbor[MOST_NAMED];
    bool joined[MOST][MOST];
};

static struct graph graph;

static void clear(uint32_t count) {
    graph.count = count;
    memset(graph.joined, 0, sizeof graph.joined);
}

static void join(uint32_t a, uint32_t b) {
    if (a != b) {
        graph.joined[a][b] = graph.joined[b][a] = true;
    }
}

/// Ways to list the edges of the graph.
enum naming { LOWER_END, UPPER_END, BOTH_ENDS, TWICE_WITH_LOOPS, NAMINGS };

static void write_rows(enum naming naming) {
    uint32_t named = 0;
    for (uint32_t a = 0; a < graph.count; a++) {
        graph.start[a] = named;
        for (uint32_t b = 0; b < graph.count; b++) {
            const bool is_named = naming == LOWER_END ? b > a : naming == UPPER_END ? b < a : true;
            const uint32_t times = naming == TWICE_WITH_LOOPS ? 2 : 1;
            for (uint32_t k = 0; k < times && graph.joined[a][b] && is_named; k++) {
                assert_true(named < MOST_NAMED);
                graph.neighbor[named++] = b;
            }
        }
        if (naming == TWICE_WITH_LOOPS) {
            assert_true(named < MOST_NAMED);
            graph.neighbor[named++] = a;
        }
    }
    graph.start[graph.count] = named;
}

/// Computes the order and asserts that it is a permutation.
static void order_graph(const uint32_t *weight, struct minimum_degree *m, uint32_t *order) {
    assert_ok(
        minimum_degree_order(&memory, graph.count, graph.start, graph.neighbor, weight, m, order));
    bool seen[MOST] = {false};
    for (uint32_t i = 0; i < graph.count; i++) {
        assert_true(order[i] < graph.count && !seen[order[i]]);
        seen[order[i]] = true;
    }
}

static bool (*copy_edges(void))[MOST] {
    bool(*edges)[MOST] = malloc(sizeof graph.joined);
    assert_non_null(edges);
    memcpy(edges, graph.joined, sizeof graph.joined);
    return edges;
}

/// Eliminates a vertex: connects its neighbours with each other and removes it. weight null: 1
/// each. Returns the number of entries below the diagonal in the vertex's columns of the factor.
static size_t eliminate(bool (*edges)[MOST], const uint32_t *weight, uint32_t v) {
    uint32_t around[MOST];
    uint32_t count = 0;
    size_t rows = 0;
    for (uint32_t i = 0; i < graph.count; i++) {
        if (edges[v][i]) {
            around[count++] = i;
            rows += weight ? weight[i] : 1;
            edges[v][i] = edges[i][v] = false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            edges[around[i]][around[j]] = i != j;
        }
    }
    const size_t own = weight ? weight[v] : 1;
    return own * rows + own * (own - 1) / 2;
}

static size_t count_entries(const uint32_t *weight, const uint32_t *order) {
    bool(*edges)[MOST] = copy_edges();
    size_t entries = 0;
    for (uint32_t k = 0; k < graph.count; k++) {
        entries += eliminate(edges, weight, order[k]);
    }
    free(edges);
    return entries;
}

static size_t count_edges(void) {
    size_t count = 0;
    for (uint32_t a = 0; a < graph.count; a++) {
        for (uint32_t b = 0; b < a; b++) {
            count += graph.joined[a][b];
        }
    }
    return count;
}

/// Returns the fill of the exact minimum degree order: always eliminate the vertex of smallest
/// degree, the first one if several are equal.
static size_t count_exact_entries(const uint32_t *weight) {
    bool(*edges)[MOST] = copy_edges();
    bool is_out[MOST] = {false};
    size_t entries = 0;
    for (uint32_t k = 0; k < graph.count; k++) {
        uint32_t best = 0;
        size_t least = SIZE_MAX;
        for (uint32_t v = 0; v < graph.count; v++) {
            size_t degree = 0;
            for (uint32_t i = 0; i < graph.count && !is_out[v]; i++) {
                degree += edges[v][i] ? (weight ? weight[i] : 1) : 0;
            }
            if (!is_out[v] && degree < least) {
                least = degree;
                best = v;
            }
        }
        is_out[best] = true;
        entries += eliminate(edges, weight, best);
    }
    free(edges);
    return entries;
}

static void make_random(struct random *random, uint32_t count, uint32_t edges) {
    clear(count);
    for (uint32_t i = 0; i < edges; i++) {
        join((uint32_t)random_index(random, count), (uint32_t)random_index(random, count));
    }
}

/// A grid of side x side x layers vertices, shuffled; is_wide: with diagonal neighbours.
static void make_grid(struct random *random, uint32_t side, uint32_t layers, bool is_wide) {
    const uint32_t count = side * side * layers;
    size_t number[MOST];
    random_permutation(random, number, count);
    clear(count);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b < a; b++) {
            const int x = abs((int)(a % side) - (int)(b % side));
            const int y = abs((int)(a / side % side) - (int)(b / side % side));
            const int z = abs((int)(a / side / side) - (int)(b / side / side));
            if (is_wide ? x <= 1 && y <= 1 && z <= 1 : x + y + z == 1) {
                join((uint32_t)number[a], (uint32_t)number[b]);
            }
        }
    }
}

static void test_trees_do_not_fill(void **state) {
    (void)state;
    enum { PATH, STAR, BINARY, ANY, FOREST, KINDS };
    struct random random = random_seed(1);
    struct minimum_degree m = {0};
    uint32_t order[MOST];
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint32_t count = 1; count < 300; count += 1 + count / 3) {
            size_t number[MOST];
            random_permutation(&random, number, count);
            clear(count);
            for (uint32_t i = 1; i < count; i++) {
                const uint32_t parent = kind == PATH     ? i - 1
                                        : kind == STAR   ? 0
                                        : kind == BINARY ? (i - 1) / 2
                                                         : (uint32_t)random_index(&random, i);
                if (kind != FOREST || i % 5 > 0) {
                    join((uint32_t)number[i], (uint32_t)number[parent]);
                }
            }
            for (int naming = 0; naming < NAMINGS; naming++) {
                write_rows((enum naming)naming);
                order_graph(NULL, &m, order);
                assert_int_equal(count_entries(NULL, order), count_edges());
            }
        }
    }
    minimum_degree_free(&memory, &m);
    assert_int_equal(memory.bytes_in_use, 0);
}

/// No edges; all edges; and full vertices, which are connected to all others. Full vertices are one
/// variable, which is not eliminated before only as many others are left, which are then connected.
static void test_extreme_graphs(void **state) {
    (void)state;
    struct minimum_degree m = {0};
    uint32_t order[MOST];
    assert_ok(minimum_degree_order(&memory, 0, NULL, NULL, NULL, &m, order));
    assert_int_equal(memory.bytes_in_use, 0);
    clear(50);
    write_rows(BOTH_ENDS);
    order_graph(NULL, &m, order);
    for (uint32_t full = 0; full <= 50; full += 10) {
        clear(50);
        for (uint32_t a = 0; a < full; a++) {
            for (uint32_t b = 0; b < 50; b++) {
                join(a, b);
            }
        }
        write_rows(LOWER_END);
        order_graph(NULL, &m, order);
        assert_true(count_entries(NULL, order) <= count_edges() + full * (full - 1) / 2);
    }
    minimum_degree_free(&memory, &m);
}

/// The bounds rarely exceed the degrees. The choice between equal degrees changes the entries of
/// one graph by some percent in either direction, which averages out over many graphs.
static void test_fills_as_the_exact_degree(void **state) {
    (void)state;
    struct random random = random_seed(2);
    struct minimum_degree m = {0};
    uint32_t order[MOST];
    uint32_t weight[MOST];
    for (int weighted = 0; weighted < 2; weighted++) {
        size_t entries = 0;
        size_t exact = 0;
        for (uint32_t k = 0; k < 120; k++) {
            const uint32_t count = 20 + 2 * (k % 40);
            make_random(&random, count, count * (1 + k % 3));
            for (uint32_t i = 0; i < count; i++) {
                weight[i] = 1 + (uint32_t)random_index(&random, 3);
            }
            write_rows((enum naming)(k % NAMINGS));
            order_graph(weighted ? weight : NULL, &m, order);
            entries += count_entries(weighted ? weight : NULL, order);
            exact += count_exact_entries(weighted ? weight : NULL);
        }
        assert_true((double)entries < 1.02 * (double)exact);
    }
    minimum_degree_free(&memory, &m);
}

/// A grid has many equal degrees, so single orders vary more. George (SIAM J. Numer. Anal. 10,
/// 1973): nested dissection of n x n vertices gives 31/4 n^2 log2(n) entries to leading order; row
/// by row gives n^3.
static void test_fills_grids_little(void **state) {
    (void)state;
    struct random random = random_seed(3);
    struct minimum_degree m = {0};
    uint32_t order[MOST];
    for (int kind = 0; kind < 4; kind++) {
        const bool is_flat = kind < 2;
        make_grid(&random, is_flat ? 24 : 8, is_flat ? 1 : 8, kind % 2 == 1);
        write_rows(LOWER_END);
        order_graph(NULL, &m, order);
        const double entries = (double)count_entries(NULL, order);
        assert_true(entries < 1.1 * (double)count_exact_entries(NULL));
        assert_true(!is_flat || entries < 7.75 * 24 * 24 * log2(24));
    }
    minimum_degree_free(&memory, &m);
}

/// In a ring of four, eliminating a heavy vertex connects the two light ones, and vice versa.
static void test_heavy_vertices_are_not_joined(void **state) {
    (void)state;
    struct minimum_degree m = {0};
    uint32_t order[MOST];
    clear(4);
    for (uint32_t i = 0; i < 4; i++) {
        join(i, (i + 1) % 4);
    }
    write_rows(LOWER_END);
    for (uint32_t heavy = 0; heavy < 2; heavy++) {
        uint32_t weight[4] = {1, 1, 1, 1};
        weight[heavy] = weight[heavy + 2] = 10;
        order_graph(weight, &m, order);
        assert_int_equal(order[0] % 2, heavy);
        assert_int_equal(order[1] % 2, heavy);
    }
    minimum_degree_free(&memory, &m);
}

/// The result does not depend on earlier orders, and needs no allocation.
static void test_repeats(void **state) {
    (void)state;
    struct random random = random_seed(4);
    struct minimum_degree fresh = {0};
    struct minimum_degree used = {0};
    uint32_t order[MOST];
    uint32_t again[MOST];
    make_grid(&random, 24, 1, false);
    write_rows(LOWER_END);
    order_graph(NULL, &used, order);
    make_random(&random, 200, 500);
    write_rows(LOWER_END);
    order_graph(NULL, &fresh, order);
    const uint64_t calls = memory.call_count;
    for (int k = 0; k < 2; k++) {
        order_graph(NULL, k == 0 ? &used : &fresh, again);
        assert_memory_equal(order, again, 200 * sizeof *order);
    }
    assert_int_equal(memory.call_count, calls);
    minimum_degree_free(&memory, &fresh);
    minimum_degree_free(&memory, &used);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void test_survives_lack_of_memory(void **state) {
    (void)state;
    struct random random = random_seed(5);
    uint32_t order[MOST];
    make_random(&random, 100, 300);
    write_rows(LOWER_END);
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    const pbs_allocator hooks = test_allocator_hooks(&allocator);
    struct memory limited;
    memory_init(&limited, &hooks);
    struct minimum_degree m = {0};
    for (uint64_t k = 0; k < 3; k++) {
        test_allocator_fail_after(&allocator, k);
        assert_status(
            minimum_degree_order(&limited, 100, graph.start, graph.neighbor, NULL, &m, order),
            PBS_ERROR_MEMORY);
        minimum_degree_free(&limited, &m);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
    test_allocator_fail_after(&allocator, 3);
    assert_ok(minimum_degree_order(&limited, 100, graph.start, graph.neighbor, NULL, &m, order));
    minimum_degree_free(&limited, &m);
    assert_int_equal(allocator.blocks_in_use, 0);
    assert_false(allocator.was_misused);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_do_not_fill),
        cmocka_unit_test(test_extreme_graphs),
        cmocka_unit_test(test_fills_as_the_exact_degree),
        cmocka_unit_test(test_fills_grids_little),
        cmocka_unit_test(test_heavy_vertices_are_not_joined),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

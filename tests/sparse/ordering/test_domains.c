// Domains are cut between bodies: small ones share a domain, and only large ones are divided.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/domains.h"
#include "support/host/refusals.h"
#include "support/testing.h"

static struct memory memory;

enum { MOST_NODES = 40000 };

/// Chains of the given lengths, whose nodes are numbered by turns.
struct chains {
    uint32_t count, node_count;
    uint32_t of[MOST_NODES]; ///< chain of each node
    struct graph graph;
};

static void link_chains(const uint32_t *length, uint32_t count, struct chains *out) {
    *out = (struct chains){.count = count};
    uint32_t *const last = memory_allocate(&memory, count, sizeof *last);
    uint32_t *const filled = memory_allocate(&memory, count, sizeof *filled);
    uint32_t *const pairs = memory_allocate(&memory, 2 * (size_t)MOST_NODES, sizeof *pairs);
    size_t pair_count = 0;
    for (bool any = true; any;) {
        any = false;
        for (uint32_t c = 0; c < count; c++) {
            if (filled[c] < length[c]) {
                any = true;
                if (filled[c]++ > 0) {
                    pairs[2 * pair_count] = last[c];
                    pairs[2 * pair_count++ + 1] = out->node_count;
                }
                out->of[out->node_count] = c;
                last[c] = out->node_count++;
            }
        }
    }
    const struct stencils set = {pair_count, 2, pairs};
    assert_ok(graph_build(&memory, out->node_count, &set, 1, &out->graph));
    memory_release(&memory, pairs);
    memory_release(&memory, filled);
    memory_release(&memory, last);
}

static struct chains chains;
static uint32_t domain[MOST_NODES], again[MOST_NODES];

static uint32_t divide(const uint32_t *length, uint32_t count) {
    uint32_t found = 0, repeated = 0;
    link_chains(length, count, &chains);
    assert_ok(domains_divide(&memory, &chains.graph, NULL, domain, &found));
    assert_ok(domains_divide(&memory, &chains.graph, NULL, again, &repeated));
    graph_free(&memory, &chains.graph);
    assert_int_equal(repeated, found);
    assert_memory_equal(domain, again, chains.node_count * sizeof *domain);
    for (uint32_t n = 0; n < chains.node_count; n++) {
        assert_true(domain[n] < found);
    }
    return found;
}

/// Returns how many domains have nodes of a chain; *shared: some have those of another.
static uint32_t domains_of(uint32_t chain, uint32_t found, bool *shared) {
    uint8_t own[LAYOUT_DOMAIN_LIMIT] = {0};
    uint8_t other[LAYOUT_DOMAIN_LIMIT] = {0};
    for (uint32_t n = 0; n < chains.node_count; n++) {
        (chains.of[n] == chain ? own : other)[domain[n]] = 1;
    }
    uint32_t count = 0;
    *shared = false;
    for (uint32_t d = 0; d < found; d++) {
        count += own[d];
        *shared = *shared || (own[d] != 0 && other[d] != 0);
    }
    return count;
}

static void domains_of_what_is_connected_depend_on_its_size_alone(void **state) {
    (void)state;
    const uint32_t expected[][2] = {{0, 1},       {1023, 1},     {1024, 2},  {4095, 2},
                                    {4096, 4},    {16383, 4},    {16384, 8}, {131071, 8},
                                    {131072, 16}, {1u << 25, 16}};
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        assert_int_equal(layout_domain_count(expected[i][0]), expected[i][1]);
    }
    const uint32_t length[] = {1, 700, 5000};
    const uint32_t domains[] = {1, 1, 4};
    for (size_t i = 0; i < COUNT_OF(length); i++) {
        assert_int_equal(divide(&length[i], 1), domains[i]);
    }
}

static void a_body_that_is_not_small_has_its_own(void **state) {
    (void)state;
    const uint32_t length[] = {300, 3, 64, 63, 100, 1, 2};
    const uint32_t found = divide(length, COUNT_OF(length));
    // 300, 64 and 100 alone; 3 with 63, which are enough; 1 with 2.
    assert_int_equal(found, 5);
    for (uint32_t c = 0; c < COUNT_OF(length); c++) {
        bool shared = false;
        assert_int_equal(domains_of(c, found, &shared), 1);
        assert_int_equal(shared, length[c] < 64);
    }
}

/// Pieces are as large as those of one body of all nodes: 20,000 nodes would be divided into 8.
static void a_large_body_beside_small_ones_is_divided(void **state) {
    (void)state;
    const uint32_t length[] = {10000, 6000, 900, 2950, 100, 50};
    const uint32_t expected[] = {4, 2, 1, 1, 1, 1};
    const uint32_t found = divide(length, COUNT_OF(length));
    for (uint32_t c = 0; c < COUNT_OF(length); c++) {
        bool shared = false;
        assert_int_equal(domains_of(c, found, &shared), expected[c]);
        assert_int_equal(shared, length[c] < 200); // a hundredth of all nodes
    }
}

static void there_are_never_too_many(void **state) {
    (void)state;
    static uint32_t length[MOST_NODES];
    const uint32_t each[] = {1, 4, 64, 130, 1500};
    for (size_t i = 0; i < COUNT_OF(each); i++) {
        const uint32_t count = MOST_NODES / each[i];
        for (uint32_t c = 0; c < count; c++) {
            length[c] = each[i];
        }
        const uint32_t found = divide(length, count);
        assert_in_range(found, 16, LAYOUT_DOMAIN_LIMIT);
    }
}

/// 30 bodies of one node each that stand for 4 of the problem's, as affine bodies do.
static void nodes_count_by_what_they_stand_for(void **state) {
    (void)state;
    uint32_t length[30], weight[30], found = 0;
    for (uint32_t c = 0; c < 30; c++) {
        length[c] = 1;
        weight[c] = 4;
    }
    link_chains(length, 30, &chains);
    assert_ok(domains_divide(&memory, &chains.graph, weight, domain, &found));
    assert_int_equal(found, 2);
    for (uint32_t n = 0; n < 30; n++) {
        assert_int_equal(domain[n], n / 16);
    }
    graph_free(&memory, &chains.graph);
}

static pbs_status divide_chains(struct memory *limited, const void *context) {
    (void)context;
    uint32_t found = 0;
    return domains_divide(limited, &chains.graph, NULL, domain, &found);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    const uint32_t length[] = {3000, 200, 10};
    link_chains(length, COUNT_OF(length), &chains);
    assert_refusals_are_statuses(divide_chains, NULL, 20);
    graph_free(&memory, &chains.graph);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(domains_of_what_is_connected_depend_on_its_size_alone),
        cmocka_unit_test(a_body_that_is_not_small_has_its_own),
        cmocka_unit_test(a_large_body_beside_small_ones_is_divided),
        cmocka_unit_test(there_are_never_too_many),
        cmocka_unit_test(nodes_count_by_what_they_stand_for),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

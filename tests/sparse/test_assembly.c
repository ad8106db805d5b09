// Compares the assembly through groups and slots with direct sums, and tests failures of memory.
// SPDX-License-Identifier: MIT
#include "base/lanes/lanes.h"
#include "sparse/assembly.h"
#include "support/host/refusals.h"
#include "support/random.h"
#include "support/testing.h"

static struct memory memory;

static struct random random_numbers;

static uint32_t random_below(uint32_t bound) {
    return (uint32_t)random_index(&random_numbers, bound);
}

/// Stencils of distinct nodes that are close in number, so that domains have an interior.
static uint32_t *random_stencils(uint32_t node_count, size_t count, uint32_t width) {
    uint32_t *nodes = memory_allocate(&memory, count * width, sizeof *nodes);
    for (size_t s = 0; s < count; s++) {
        const uint32_t base = random_below(node_count);
        for (uint32_t a = 0; a < width; a++) {
            bool fresh = false;
            while (!fresh) {
                const uint32_t node = (base + random_below(3 * width)) % node_count;
                fresh = true;
                for (uint32_t b = 0; b < a; b++) {
                    fresh &= nodes[s * width + b] != node;
                }
                nodes[s * width + a] = node;
            }
        }
    }
    return nodes;
}

/// Small integers, so that sums are exact in any order: the contribution of a stencil to entry i of
/// local pair (a, b), symmetric in the sense H_ba = H_ab^T.
static double block_value(size_t term, uint32_t stencil, uint32_t a, uint32_t b, uint32_t i) {
    const uint32_t row = 3 * a + i / 3;
    const uint32_t column = 3 * b + i % 3;
    const uint32_t low = row < column ? row : column;
    const uint32_t high = row < column ? column : row;
    return (double)((term + 1) * (stencil % 97 + 1) + 31 * low + 7 * high);
}

static double vector_value(size_t term, uint32_t stencil, uint32_t a, uint32_t i) {
    return (double)((term + 2) * (stencil % 89) + 5 * a + i);
}

static void write_lane(const struct assembly *assembly, size_t term, size_t group, uint32_t lane,
                       double *gradient, double *blocks) {
    const struct stencil_groups *g = &assembly->terms[term];
    const uint32_t stencil = g->stencil[group * LANES + lane];
    const bool valid = stencil != UINT32_MAX;
    uint32_t pair = 0;
    for (uint32_t a = 0; a < g->width; a++) {
        const uint32_t local_a = g->local[(group * g->width + a) * LANES + lane];
        double *to = gradient + 3 * (size_t)g->vector_slot[(group * g->width + a) * LANES + lane];
        for (uint32_t i = 0; i < 3; i++) {
            to[i] += valid ? vector_value(term, stencil, local_a, i) : 1e300;
        }
        for (uint32_t b = a; b < g->width; b++, pair++) {
            const uint32_t local_b = g->local[(group * g->width + b) * LANES + lane];
            double *block = blocks +
                            9 * (size_t)
                                    g->block_slot[(group * g->pair_count + pair) * LANES + lane];
            for (uint32_t i = 0; i < 9; i++) {
                block[i] += valid ? block_value(term, stencil, local_a, local_b, i) : 1e300;
            }
        }
    }
}

static void assemble(const struct assembly *assembly, double *gradient, double *blocks) {
    const uint32_t domain_count = assembly->layout.domain_count;
    // Backwards, since the order must not matter.
    for (uint32_t d = domain_count; d-- > 0;) {
        assembly_clear_vector(assembly, d, gradient);
        assembly_clear_blocks(assembly, d, blocks);
        for (size_t t = 0; t < assembly->term_count; t++) {
            const struct stencil_groups *g = &assembly->terms[t];
            for (size_t group = g->domain_group[d]; group < g->domain_group[d + 1]; group++) {
                for (uint32_t lane = 0; lane < LANES; lane++) {
                    write_lane(assembly, t, group, lane, gradient, blocks);
                }
            }
        }
    }
    for (uint32_t d = domain_count; d-- > 0;) {
        assembly_gather_vector(assembly, d, gradient);
        assembly_gather_blocks(assembly, d, blocks);
    }
}

/// Dense sums by node.
static void add_by_hand(const struct stencils *sets, size_t set_count, uint32_t n, double *gradient,
                        double *dense) {
    for (size_t t = 0; t < set_count; t++) {
        for (uint32_t s = 0; s < sets[t].count; s++) {
            const uint32_t *nodes = sets[t].nodes + (size_t)s * sets[t].width;
            for (uint32_t a = 0; a < sets[t].width; a++) {
                for (uint32_t i = 0; i < 3; i++) {
                    gradient[3 * (size_t)nodes[a] + i] += vector_value(t, s, a, i);
                }
                for (uint32_t b = 0; b < sets[t].width; b++) {
                    for (uint32_t i = 0; i < 9; i++) {
                        dense[(3 * (size_t)nodes[a] + i / 3) * 3 * n + 3 * (size_t)nodes[b] +
                              i % 3] += block_value(t, s, a, b, i);
                    }
                }
            }
        }
    }
}

static void compare_with_dense(const struct assembly *assembly, const double *blocks,
                               const double *dense) {
    const struct bsr *a = &assembly->pattern;
    const size_t n = a->row_count;
    for (uint32_t row = 0; row < n; row++) {
        for (uint32_t column = row; column < n; column++) {
            const size_t k = bsr_find(a, row, column);
            const size_t first = 3 * (size_t)assembly->layout.node[row];
            const size_t second = 3 * (size_t)assembly->layout.node[column];
            for (size_t i = 0; i < 9; i++) {
                const double expected = dense[(first + i / 3) * 3 * n + second + i % 3];
                const double found = k == SIZE_MAX ? 0.0 : blocks[9 * k + i];
                assert_true(found == expected);
            }
        }
    }
}

static void assembly_equals_adding_by_hand(void **state) {
    (void)state;
    const uint32_t n = 120;
    uint32_t *tets = random_stencils(n, 301, 4);
    uint32_t *springs = random_stencils(n, 50, 2);
    uint32_t *hinges = random_stencils(n, 17, 8);
    uint32_t *pins = random_stencils(n, 9, 1);
    const struct stencils sets[] = {
        {301, 4, tets}, {50, 2, springs}, {17, 8, hinges}, {9, 1, pins}, {0, 3, NULL}};
    double *gradient = memory_allocate(&memory, 3 * (size_t)n, sizeof *gradient);
    double *dense = memory_allocate(&memory, 9 * (size_t)n * n, sizeof *dense);
    add_by_hand(sets, 5, n, gradient, dense);
    for (uint32_t domains = 1; domains <= 9; domains += 2) {
        struct assembly assembly;
        assert_ok(assembly_build(&memory, n, domains, sets, 5, &assembly));
        double *found = memory_allocate(&memory, 3 * assembly.vector_slot_count, sizeof *found);
        double *blocks = memory_allocate(&memory, 9 * assembly.block_slot_count, sizeof *blocks);
        for (int repeat = 0; repeat < 2; repeat++) {
            assemble(&assembly, found, blocks);
            for (size_t i = 0; i < 3 * (size_t)n; i++) {
                assert_true(found[i] == gradient[i]);
            }
            compare_with_dense(&assembly, blocks, dense);
        }
        memory_release(&memory, found);
        memory_release(&memory, blocks);
        assembly_free(&memory, &assembly);
    }
    memory_release(&memory, gradient);
    memory_release(&memory, dense);
    memory_release(&memory, tets);
    memory_release(&memory, springs);
    memory_release(&memory, hinges);
    memory_release(&memory, pins);
}

/// Every stencil is in exactly one lane, in the domain of its lowest row, with nodes ascending by
/// row, and writes to that domain's slots only.
static void groups_keep_their_promises(void **state) {
    (void)state;
    const uint32_t n = 400;
    uint32_t *tets = random_stencils(n, 1003, 4);
    const struct stencils set = {1003, 4, tets};
    struct assembly a;
    assert_ok(assembly_build(&memory, n, 6, &set, 1, &a));
    const struct stencil_groups *g = &a.terms[0];
    uint8_t seen[1003] = {0};
    for (uint32_t d = 0; d < 6; d++) {
        for (size_t i = g->domain_group[d] * (size_t)LANES;
             i < g->domain_group[d + 1] * (size_t)LANES; i++) {
            const size_t at = i / LANES * 4 * LANES + i % LANES;
            const uint32_t stencil = g->stencil[i];
            assert_int_equal(layout_domain_of(&a.layout, a.layout.row[g->node[at]]), d);
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t slot = g->vector_slot[at + k * LANES];
                const uint32_t node = g->node[at + k * LANES];
                assert_true(
                    slot < n
                        ? slot == node && layout_domain_of(&a.layout, a.layout.row[node]) == d
                        : slot >= a.domain_vector_slot[d] && slot < a.domain_vector_slot[d + 1]);
                if (stencil != UINT32_MAX) {
                    assert_int_equal(node, tets[4 * stencil + g->local[at + k * LANES]]);
                } else {
                    assert_int_equal(slot, a.domain_vector_slot[d]);
                }
                assert_true(k == 0 ||
                            a.layout.row[g->node[at + (k - 1) * LANES]] < a.layout.row[node]);
            }
            if (stencil != UINT32_MAX) {
                assert_int_equal(seen[stencil]++, 0);
            }
        }
    }
    for (size_t s = 0; s < 1003; s++) {
        assert_int_equal(seen[s], 1);
    }
    assembly_free(&memory, &a);
    memory_release(&memory, tets);
}

static void rows_and_nodes_are_inverse(void **state) {
    (void)state;
    const uint32_t n = 100;
    uint32_t *tets = random_stencils(n, 200, 4);
    const struct stencils set = {200, 4, tets};
    struct assembly a;
    assert_ok(assembly_build(&memory, n, 3, &set, 1, &a));
    double by_node[300];
    double by_row[300];
    double back[300];
    for (uint32_t i = 0; i < 300; i++) {
        by_node[i] = i;
    }
    assembly_to_rows(NULL, &a, by_node, by_row);
    for (uint32_t i = 0; i < 300; i++) {
        assert_true(by_row[3 * a.layout.row[i / 3] + i % 3] == by_node[i]);
    }
    assembly_to_nodes(NULL, &a, by_row, back);
    assert_memory_equal(by_node, back, sizeof back);
    assembly_free(&memory, &a);
    memory_release(&memory, tets);
}

static pbs_status build(struct memory *small, const void *sets) {
    struct assembly a;
    const pbs_status status = assembly_build(small, 200, 4, sets, 2, &a);
    assert_true(status == PBS_OK || a.terms == NULL);
    assembly_free(small, &a);
    return status;
}

static void every_failing_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    uint32_t *tets = random_stencils(200, 400, 4);
    uint32_t *springs = random_stencils(200, 40, 2);
    const struct stencils sets[] = {{400, 4, tets}, {40, 2, springs}};
    assert_refusals_are_statuses(build, sets, 1000);
    memory_release(&memory, tets);
    memory_release(&memory, springs);
}

int main(void) {
    random_numbers = random_seed(1);
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembly_equals_adding_by_hand),
        cmocka_unit_test(groups_keep_their_promises),
        cmocka_unit_test(rows_and_nodes_are_inverse),
        cmocka_unit_test(every_failing_allocation_leaves_nothing_behind),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

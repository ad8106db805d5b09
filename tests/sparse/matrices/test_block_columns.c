// Compares what is derived from a pattern (the blocks of every column, the graph of a range of
// rows) with a search through the whole pattern.
// SPDX-License-Identifier: MIT
#include "sparse/matrices/block_columns.h"

#include "scenes/linear/matrix_fixture.h"
#include "support/host/allocator.h"
#include "support/testing.h"

static struct memory memory;

static struct fixture make_fixture(uint32_t cells, uint32_t domain_count) {
    struct fixture_desc desc = fixture_hard(cells);
    desc.domain_count = domain_count;
    desc.deformed = false;
    struct fixture f;
    assert_ok(fixture_build(&memory, &desc, &f));
    return f;
}

static void test_columns_list_all_blocks_above_the_diagonal(void **state) {
    (void)state;
    for (uint32_t domains = 1; domains <= 7; domains += 3) {
        struct fixture f = make_fixture(4, domains);
        const struct bsr *a = &f.matrix;
        struct block_columns columns;
        assert_ok(block_columns_build(&memory, a, &columns));
        assert_int_equal(columns.start[0], 0);
        for (uint32_t column = 0; column < a->row_count; column++) {
            uint32_t at = columns.start[column];
            for (uint32_t row = 0; row < column; row++) {
                const size_t block = bsr_find(a, row, column);
                if (block != SIZE_MAX) {
                    assert_true(at < columns.start[column + 1]);
                    assert_int_equal(columns.block[at++], block);
                }
            }
            assert_int_equal(at, columns.start[column + 1]);
        }
        block_columns_free(&memory, &columns);
        fixture_free(&memory, &f);
    }
}

static void check_graph(const struct bsr *a, uint32_t first, uint32_t end) {
    struct graph graph;
    assert_ok(bsr_row_graph(&memory, a, first, end, &graph));
    assert_int_equal(graph.node_count, end - first);
    assert_int_equal(graph.start[0], 0);
    for (uint32_t row = first; row < end; row++) {
        size_t at = graph.start[row - first];
        for (uint32_t other = first; other < end; other++) {
            const uint32_t low = row < other ? row : other;
            const uint32_t high = row < other ? other : row;
            if (low != high && bsr_find(a, low, high) != SIZE_MAX) {
                assert_true(at < graph.start[row - first + 1]);
                assert_int_equal(graph.neighbor[at++], other - first);
            }
        }
        assert_int_equal(at, graph.start[row - first + 1]);
    }
    graph_free(&memory, &graph);
}

static void test_graph_of_any_range_of_rows(void **state) {
    (void)state;
    struct fixture f = make_fixture(4, 3);
    const uint32_t rows = f.matrix.row_count;
    const uint32_t *domain = f.matrix.layout->domain_start;
    const uint32_t ranges[][2] = {{0, rows}, {domain[1], domain[2]}, {domain[2], rows},
                                  {0, 1},    {rows - 1, rows},       {17, 61},
                                  {5, 5}};
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        check_graph(&f.matrix, ranges[i][0], ranges[i][1]);
    }
    fixture_free(&memory, &f);
}

static void test_failing_allocations_leave_nothing_behind(void **state) {
    (void)state;
    struct fixture f = make_fixture(2, 1);
    for (uint64_t k = 0; k < 5; k++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        struct memory limited;
        memory_init(&limited, &hooks);
        struct block_columns columns;
        struct graph graph;
        test_allocator_fail_after(&allocator, k % 2);
        assert_status(block_columns_build(&limited, &f.matrix, &columns), PBS_ERROR_MEMORY);
        block_columns_free(&limited, &columns);
        test_allocator_fail_after(&allocator, k % 3);
        assert_status(bsr_row_graph(&limited, &f.matrix, 0, f.matrix.row_count, &graph),
                      PBS_ERROR_MEMORY);
        graph_free(&limited, &graph);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
    fixture_free(&memory, &f);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_list_all_blocks_above_the_diagonal),
        cmocka_unit_test(test_graph_of_any_range_of_rows),
        cmocka_unit_test(test_failing_allocations_leave_nothing_behind),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}

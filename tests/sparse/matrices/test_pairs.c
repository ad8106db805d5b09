// The sorted lists of src/sparse/matrices/pairs.h are compared with what qsort makes of them.
// SPDX-License-Identifier: MIT
#include "sparse/matrices/pairs.h"

#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

static struct memory memory;

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// Sorts with qsort and removes duplicates. Returns the number of pairs left.
static size_t reference_sort(uint64_t *list, size_t count) {
    qsort(list, count, sizeof *list, compare);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || list[i] != list[i - 1]) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

/// Returns a random number from 0 to limit, inclusive.
static uint32_t random_up_to(struct random *random, uint32_t limit) {
    return limit == UINT32_MAX ? (uint32_t)random_bits(random)
                               : (uint32_t)random_index(random, (size_t)limit + 1);
}

static void test_sorts_and_removes_duplicates(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 2, 3, 255, 256, 257, 2000};
    const uint32_t limits[] = {0, 1, 40, 255, 256, 70000, UINT32_MAX};
    struct random random = random_seed(1);
    struct pairs pairs = {0};
    for (size_t k = 0; k < COUNT_OF(counts) * COUNT_OF(limits) * 2; k++) {
        const size_t count = counts[k % COUNT_OF(counts)];
        const uint32_t last_row = limits[k / COUNT_OF(counts) % COUNT_OF(limits)];
        const uint32_t last_column = k % 2 == 0 ? last_row : 3;
        uint64_t *expected = memory_allocate(&memory, count, sizeof *expected);
        assert_ok(pairs_reserve(&memory, count, &pairs));
        pairs.count = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t row = random_up_to(&random, last_row);
            const uint32_t column = random_up_to(&random, last_column);
            pairs_add(&pairs, row, column);
            expected[i] = (uint64_t)row << 32 | column;
        }
        const size_t kept = reference_sort(expected, count);
        pairs_sort(&pairs);
        assert_int_equal(pairs.count, kept);
        assert_memory_equal(pairs.pair, expected, kept * sizeof *expected);
        memory_release(&memory, expected);
    }
    pairs_free(&memory, &pairs);
    assert_int_equal(memory.bytes_in_use, 0);
}

/// Some rows are empty, among them the first and the last.
static void test_compresses_rows(void **state) {
    (void)state;
    static const uint32_t list[][2] = {{5, 7}, {1, 9}, {5, 7}, {1, 0}, {3, 3}, {1, 4294967295u}};
    struct pairs pairs = {0};
    assert_ok(pairs_reserve(&memory, COUNT_OF(list), &pairs));
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        pairs_add(&pairs, list[i][0], list[i][1]);
    }
    pairs_sort(&pairs);
    uint32_t start[9];
    uint32_t column[COUNT_OF(list)];
    pairs_compress(&pairs, 8, start, column);
    const uint32_t expected_start[9] = {0, 0, 3, 3, 4, 4, 5, 5, 5};
    const uint32_t expected_column[5] = {0, 9, 4294967295u, 3, 7};
    assert_memory_equal(start, expected_start, sizeof start);
    assert_memory_equal(column, expected_column, sizeof expected_column);
    pairs.count = 0;
    pairs_compress(&pairs, 2, start, column);
    assert_true(start[0] == 0 && start[1] == 0 && start[2] == 0);
    pairs_free(&memory, &pairs);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void test_capacity_is_kept(void **state) {
    (void)state;
    struct pairs pairs = {0};
    assert_ok(pairs_reserve(&memory, 100, &pairs));
    const uint64_t calls = memory.call_count;
    for (size_t count = 0; count <= 100; count += 10) {
        assert_ok(pairs_reserve(&memory, count, &pairs));
    }
    assert_int_equal(memory.call_count, calls);
    pairs_free(&memory, &pairs);
    for (uint64_t k = 0; k < 2; k++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        struct memory limited;
        memory_init(&limited, &hooks);
        test_allocator_fail_after(&allocator, k);
        assert_status(pairs_reserve(&limited, 100, &pairs), PBS_ERROR_MEMORY);
        pairs_free(&limited, &pairs);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts_and_removes_duplicates),
        cmocka_unit_test(test_compresses_rows),
        cmocka_unit_test(test_capacity_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Blocks are aligned, zeroed, counted and released with their size; a failure changes nothing.
// SPDX-License-Identifier: MIT
#include "base/runtime/memory.h"

#include "base/config.h"
#include "support/host/allocator.h"
#include "support/testing.h"

struct fixture {
    struct test_allocator allocator;
    struct memory memory;
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    test_allocator_init(&fixture->allocator);
    const pbs_allocator hooks = test_allocator_hooks(&fixture->allocator);
    memory_init(&fixture->memory, &hooks);
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    const bool clean = fixture->allocator.blocks_in_use == 0 && !fixture->allocator.was_misused &&
                       fixture->memory.bytes_in_use == 0;
    free(fixture);
    return clean ? 0 : -1;
}

static bool is_zero(const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void blocks_are_aligned_and_zeroed(void **state) {
    struct fixture *fixture = *state;
    const size_t sizes[] = {1, 7, 63, 64, 65, 1000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        char *block = memory_allocate(&fixture->memory, 3, sizes[i]);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % CACHE_LINE, 0);
        assert_true(is_zero(block, 3 * sizes[i]));
        memset(block, 1, 3 * sizes[i]);
        memory_release(&fixture->memory, block);
    }
}

static void nothing_is_a_valid_block(void **state) {
    struct fixture *fixture = *state;
    void *block = memory_allocate(&fixture->memory, 0, sizeof(double));
    assert_non_null(block);
    memory_release(&fixture->memory, block);
    memory_release(&fixture->memory, NULL);
    assert_int_equal(fixture->memory.call_count, 2);
}

static void bytes_and_calls_are_counted(void **state) {
    struct fixture *fixture = *state;
    void *a = memory_allocate(&fixture->memory, 100, 8);
    assert_in_range(fixture->memory.bytes_in_use, 800, 1000);
    assert_int_equal(fixture->memory.bytes_in_use, fixture->allocator.bytes_in_use);
    void *b = memory_allocate(&fixture->memory, 1, 1);
    assert_int_equal(fixture->memory.bytes_in_use, fixture->allocator.bytes_in_use);
    memory_release(&fixture->memory, a);
    memory_release(&fixture->memory, b);
    assert_int_equal(fixture->memory.call_count, 4);
    assert_int_equal(fixture->memory.bytes_in_use, 0);
}

static void a_product_that_overflows_is_refused(void **state) {
    struct fixture *fixture = *state;
    const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8 + 1, SIZE_MAX / 8, (SIZE_MAX - 64) / 8};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        status_fail(PBS_ERROR_HOST, "another");
        assert_null(memory_allocate(&fixture->memory, counts[i], 8));
        assert_message("more than can be addressed");
    }
    assert_int_equal(fixture->allocator.allocate_count, 0);
}

static void a_refusal_says_how_much_was_wanted(void **state) {
    struct fixture *fixture = *state;
    test_allocator_fail_after(&fixture->allocator, 0);
    assert_null(memory_allocate(&fixture->memory, 4, 64));
    assert_message("320 bytes");
    assert_int_equal(fixture->memory.bytes_in_use, 0);
}

static void *allocate_misaligned(void *user, size_t size, size_t alignment) {
    char **block = user;
    *block = malloc(size + 2 * alignment);
    return *block + alignment - (uintptr_t)*block % alignment + 8;
}

static void release_misaligned(void *user, void *pointer, size_t size) {
    char **block = user;
    (void)pointer;
    (void)size;
    free(*block);
    *block = NULL;
}

static void a_misaligned_block_is_given_back(void **state) {
    (void)state;
    char *block = NULL;
    const pbs_allocator hooks = {allocate_misaligned, release_misaligned, &block};
    struct memory memory;
    memory_init(&memory, &hooks);
    assert_null(memory_allocate(&memory, 1, 8));
    assert_message("not aligned");
    assert_null(block);
}

static void without_hooks_the_c_library_serves(void **state) {
    (void)state;
    const pbs_allocator empty = {0};
    struct memory memory;
    memory_init(&memory, &empty);
    char *block = memory_allocate(&memory, 1000, 1);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % CACHE_LINE, 0);
    memory_release(&memory, block);
    memory_init(&memory, NULL);
    block = memory_allocate(&memory, 1, 1);
    assert_non_null(block);
    memory_release(&memory, block);
}

static void reserved_arrays_grow_and_keep_their_content(void **state) {
    struct fixture *fixture = *state;
    int32_t *numbers = NULL;
    size_t capacity = 0;
    for (int32_t i = 0; i < 10000; i++) {
        assert_ok(
            memory_reserve(&fixture->memory, &numbers, &capacity, (size_t)i + 1, sizeof *numbers));
        assert_int_equal(numbers[i], 0);
        numbers[i] = i;
    }
    for (int32_t i = 0; i < 10000; i++) {
        assert_int_equal(numbers[i], i);
    }
    // Growth by half: 10000 is reached within log(10000) / log(1.5) = 23 steps, plus a few steps of
    // one element.
    assert_in_range(fixture->allocator.allocate_count, 10, 30);
    memory_release(&fixture->memory, numbers);
}

static void enough_is_left_alone(void **state) {
    struct fixture *fixture = *state;
    double *numbers = NULL;
    size_t capacity = 0;
    assert_ok(memory_reserve(&fixture->memory, &numbers, &capacity, 100, sizeof *numbers));
    assert_int_equal(capacity, 100);
    const double *before = numbers;
    const uint64_t calls = fixture->memory.call_count;
    for (size_t count = 0; count <= 100; count++) {
        assert_ok(memory_reserve(&fixture->memory, &numbers, &capacity, count, sizeof *numbers));
    }
    assert_ptr_equal(numbers, before);
    assert_int_equal(fixture->memory.call_count, calls);
    memory_release(&fixture->memory, numbers);
}

static void a_reserve_that_fails_changes_nothing(void **state) {
    struct fixture *fixture = *state;
    double *numbers = NULL;
    size_t capacity = 0;
    assert_ok(memory_reserve(&fixture->memory, &numbers, &capacity, 10, sizeof *numbers));
    numbers[9] = 7.0;
    double *before = numbers;
    test_allocator_fail_after(&fixture->allocator, 0);
    assert_status(memory_reserve(&fixture->memory, &numbers, &capacity, 11, sizeof *numbers),
                  PBS_ERROR_MEMORY);
    assert_status(memory_reserve(&fixture->memory, &numbers, &capacity, SIZE_MAX, sizeof *numbers),
                  PBS_ERROR_MEMORY);
    assert_ptr_equal(numbers, before);
    assert_int_equal(capacity, 10);
    assert_true(numbers[9] == 7.0);
    memory_release(&fixture->memory, numbers);
}

static void every_failing_call_is_survived(void **state) {
    struct fixture *fixture = *state;
    bool failed = true;
    for (uint64_t k = 0; failed; k++) {
        void *blocks[5] = {NULL};
        test_allocator_fail_after(&fixture->allocator, k);
        for (size_t i = 0; i < COUNT_OF(blocks); i++) {
            blocks[i] = memory_allocate(&fixture->memory, i, 100);
            assert_true((blocks[i] == NULL) == (i == k));
        }
        failed = test_allocator_has_failed(&fixture->allocator);
        for (size_t i = 0; i < COUNT_OF(blocks); i++) {
            memory_release(&fixture->memory, blocks[i]);
        }
        assert_int_equal(fixture->allocator.blocks_in_use, 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(blocks_are_aligned_and_zeroed),
        TEST(nothing_is_a_valid_block),
        TEST(bytes_and_calls_are_counted),
        TEST(a_product_that_overflows_is_refused),
        TEST(a_refusal_says_how_much_was_wanted),
        TEST(a_misaligned_block_is_given_back),
        TEST(without_hooks_the_c_library_serves),
        TEST(reserved_arrays_grow_and_keep_their_content),
        TEST(enough_is_left_alone),
        TEST(a_reserve_that_fails_changes_nothing),
        TEST(every_failing_call_is_survived),
    };
    return cmocka_run_group_tests_name("base/memory", tests, NULL, NULL);
}

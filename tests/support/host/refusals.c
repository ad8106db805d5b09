// Refused allocations; see refusals.h.
// SPDX-License-Identifier: MIT
#include "support/host/refusals.h"

#include "support/host/allocator.h"
#include "support/testing.h"

void assert_refusals_are_statuses(pbs_status (*call)(struct memory *memory, const void *context),
                                  const void *context, uint64_t limit) {
    pbs_status status = PBS_ERROR_MEMORY;
    for (uint64_t k = 0; status != PBS_OK; k++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        test_allocator_fail_after(&allocator, k);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        struct memory memory;
        memory_init(&memory, &hooks);
        status = call(&memory, context);
        assert_true(status == PBS_OK || status == PBS_ERROR_MEMORY);
        assert_int_equal(memory.bytes_in_use, 0);
        assert_int_equal(allocator.bytes_in_use, 0);
        assert_int_equal(allocator.blocks_in_use, 0);
        assert_false(allocator.was_misused);
        assert_true(k < limit);
    }
}

// An allocator that counts, checks what it is given back, and fails where it is told to.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_ALLOCATOR_H
#define PBS_SUPPORT_ALLOCATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "pbs/base.h"

#define ALLOCATOR_NEVER UINT64_MAX

struct test_allocator {
    atomic_uint_least64_t allocate_count; ///< calls, the refused ones included
    atomic_uint_least64_t release_count;
    atomic_size_t bytes_in_use;
    atomic_size_t blocks_in_use;
    atomic_bool was_misused; ///< a size on release that is not the one on allocation, or a foreign
                             ///< pointer
    uint64_t fail_at;        ///< the call, counted from 0, that returns null; ALLOCATOR_NEVER: none
    bool fails_from_there;   ///< all later calls return null too
};

void test_allocator_init(struct test_allocator *allocator);

/// The next call but k is refused: 0 means the very next one.
void test_allocator_fail_after(struct test_allocator *allocator, uint64_t k);

/// Whether the call that was to fail has been reached.
bool test_allocator_has_failed(const struct test_allocator *allocator);

/// For a world's description; the allocator must outlive it.
pbs_allocator test_allocator_hooks(struct test_allocator *allocator);

#endif

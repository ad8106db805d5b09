// Each block carries its size and a mark in front of it, so that a wrong release is noticed.
// SPDX-License-Identifier: MIT
#include "support/host/allocator.h"

#include <stdlib.h>
#include <string.h>

#define MARK       UINT64_C(0x70627374657374ab)
#define MIN_HEADER 64

struct block_header {
    uint64_t mark;
    size_t size;
    void *origin;
};

static void *allocate(void *user, size_t size, size_t alignment) {
    struct test_allocator *allocator = user;
    const uint64_t call = atomic_fetch_add(&allocator->allocate_count, 1);
    const bool fails = allocator->fails_from_there ? call >= allocator->fail_at
                                                   : call == allocator->fail_at;
    if (fails || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return NULL;
    }
    const size_t header = alignment > MIN_HEADER ? alignment : MIN_HEADER;
    char *origin = malloc(size + header + alignment);
    if (origin == NULL) {
        return NULL;
    }
    const size_t excess = (size_t)((uintptr_t)(origin + header) % alignment);
    char *block = origin + header + (excess == 0 ? 0 : alignment - excess);
    // Not zero, so that whoever relies on zeroed memory is found out.
    memset(block, 0xa5, size);
    const struct block_header written = {.mark = MARK, .size = size, .origin = origin};
    memcpy(block - sizeof written, &written, sizeof written);
    atomic_fetch_add(&allocator->bytes_in_use, size);
    atomic_fetch_add(&allocator->blocks_in_use, 1);
    return block;
}

static void release(void *user, void *pointer, size_t size) {
    struct test_allocator *allocator = user;
    struct block_header header;
    memcpy(&header, (char *)pointer - sizeof header, sizeof header);
    if (header.mark != MARK || header.size != size) {
        atomic_store(&allocator->was_misused, true);
        return;
    }
    memset((char *)pointer - sizeof header, 0, sizeof header);
    // Not as it was, so that whoever still reads it is found out.
    memset(pointer, 0x5a, size);
    atomic_fetch_add(&allocator->release_count, 1);
    atomic_fetch_sub(&allocator->bytes_in_use, size);
    atomic_fetch_sub(&allocator->blocks_in_use, 1);
    free(header.origin);
}

void test_allocator_init(struct test_allocator *allocator) {
    memset(allocator, 0, sizeof *allocator);
    allocator->fail_at = ALLOCATOR_NEVER;
}

void test_allocator_fail_after(struct test_allocator *allocator, uint64_t k) {
    allocator->fail_at = k == ALLOCATOR_NEVER ? ALLOCATOR_NEVER
                                              : atomic_load(&allocator->allocate_count) + k;
}

bool test_allocator_has_failed(const struct test_allocator *allocator) {
    return atomic_load(&allocator->allocate_count) > allocator->fail_at;
}

pbs_allocator test_allocator_hooks(struct test_allocator *allocator) {
    return (pbs_allocator){.allocate = allocate, .release = release, .user = allocator};
}

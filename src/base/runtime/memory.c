// Each block is preceded by one cache line that stores its size, so that the host's release
// function gets the size and the bytes in use can be counted.
// SPDX-License-Identifier: MIT
#include "base/runtime/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/config.h"

struct header {
    size_t size; ///< bytes of the whole block including this line
};

static void *library_allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    return aligned_alloc(alignment, size);
}

static void library_release(void *user, void *pointer, size_t size) {
    (void)user;
    (void)size;
    free(pointer);
}

void memory_init(struct memory *memory, const pbs_allocator *allocator) {
    *memory = (struct memory){.allocator = {library_allocate, library_release, NULL}};
    if (allocator != NULL && allocator->allocate != NULL && allocator->release != NULL) {
        memory->allocator = *allocator;
    }
}

static void release_block(struct memory *memory, void *block, size_t size) {
    memory->call_count++;
    memory->allocator.release(memory->allocator.user, block, size);
}

void *memory_allocate(struct memory *memory, size_t count, size_t size) {
    // The header and rounding up to whole cache lines, which aligned_alloc requires, need up to two
    // more lines.
    if (size != 0 && count > (SIZE_MAX - 2 * CACHE_LINE) / size) {
        status_fail(PBS_ERROR_MEMORY, "%zu elements of %zu bytes are more than can be addressed",
                    count, size);
        return NULL;
    }
    const size_t lines = (count * size + CACHE_LINE - 1) / CACHE_LINE;
    const size_t total = (lines + 1) * CACHE_LINE;
    memory->call_count++;
    char *block = memory->allocator.allocate(memory->allocator.user, total, CACHE_LINE);
    if (block == NULL) {
        status_fail(PBS_ERROR_MEMORY,
                    "out of memory: the allocator refused %zu bytes, %zu are in use", total,
                    memory->bytes_in_use);
        return NULL;
    }
    if ((uintptr_t)block % CACHE_LINE != 0) {
        status_fail(PBS_ERROR_MEMORY, "the allocator returned %p, which is not aligned to %d bytes",
                    (void *)block, CACHE_LINE);
        release_block(memory, block, total);
        return NULL;
    }
    memset(block, 0, total);
    ((struct header *)(void *)block)->size = total;
    memory->bytes_in_use += total;
    return block + CACHE_LINE;
}

void *memory_copy(struct memory *memory, const void *source, size_t count, size_t size) {
    void *copy = memory_allocate(memory, count, size);
    if (copy != NULL && count > 0) {
        memcpy(copy, source, count * size);
    }
    return copy;
}

void memory_release(struct memory *memory, void *pointer) {
    if (pointer == NULL) {
        return;
    }
    char *block = (char *)pointer - CACHE_LINE;
    const size_t total = ((struct header *)(void *)block)->size;
    memory->bytes_in_use -= total;
    release_block(memory, block, total);
}

/// Returns 1.5 times the capacity, but at least `count`.
static size_t grown_capacity(size_t capacity, size_t count) {
    const size_t half = capacity / 2;
    if (capacity > SIZE_MAX - half || capacity + half < count) {
        return count;
    }
    return capacity + half;
}

pbs_status memory_reserve(struct memory *memory, void *address, size_t *capacity, size_t count,
                          size_t size) {
    // The type of the pointer variable is unknown here, so its bytes are copied.
    void *old;
    memcpy(&old, address, sizeof old);
    if (old != NULL && count <= *capacity) {
        return PBS_OK;
    }
    const size_t new_capacity = grown_capacity(*capacity, count);
    void *block = memory_allocate(memory, new_capacity, size);
    if (block == NULL) {
        return PBS_ERROR_MEMORY;
    }
    if (old != NULL) {
        memcpy(block, old, *capacity * size);
        memory_release(memory, old);
    }
    memcpy(address, &block, sizeof block);
    *capacity = new_capacity;
    return PBS_OK;
}

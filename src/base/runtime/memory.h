// Memory from the host's allocator, with counts of bytes and calls. Every block stores its size and
// starts on a cache line.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_RUNTIME_MEMORY_H
#define PBS_BASE_RUNTIME_MEMORY_H

#include "base/runtime/status.h"

struct memory {
    pbs_allocator allocator;
    size_t bytes_in_use;
    uint64_t call_count; ///< number of allocations and releases; constant once buffers have reached
                         ///< their size
};

/// Initialises with the host's allocator, or with the C library's if allocator or one of its
/// functions is null.
void memory_init(struct memory *memory, const pbs_allocator *allocator);

/// Allocates count * size bytes, zeroed and aligned to CACHE_LINE. Returns null on overflow or
/// failure, with the message of PBS_ERROR_MEMORY set. A count of zero gives a valid block.
void *memory_allocate(struct memory *memory, size_t count, size_t size);

/// Allocates a block and copies count elements into it.
void *memory_copy(struct memory *memory, const void *source, size_t count, size_t size);

/// Frees a block. Does nothing for null.
void memory_release(struct memory *memory, void *pointer);

/// Ensures that the block at *address has a capacity of at least `count` elements. address is the
/// address of a pointer variable, whose value may be null. Growing is geometric; it preserves the
/// first *capacity elements and zeroes the new ones. Never shrinks. On failure nothing changes.
pbs_status memory_reserve(struct memory *memory, void *address, size_t *capacity, size_t count,
                          size_t size);

#endif

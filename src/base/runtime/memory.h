// Memory through the host's allocator, counted. Blocks remember their size; all start on a cache
// line.
#ifndef PBS_BASE_RUNTIME_MEMORY_H
#define PBS_BASE_RUNTIME_MEMORY_H

#include "base/runtime/status.h"

struct memory {
    pbs_allocator allocator;
    size_t bytes_in_use;
    uint64_t call_count; ///< allocations and releases made so far: constant in steady state
};

/// Takes the host's allocator, or the C library's where its members are null.
void memory_init(struct memory *memory, const pbs_allocator *allocator);

/// count * size bytes, zeroed, aligned to CACHE_LINE. Null with PBS_ERROR_MEMORY as the message on
/// overflow or failure. A count of zero gives a valid block.
void *memory_allocate(struct memory *memory, size_t count, size_t size);

/// A copy of count elements in such a block.
void *memory_copy(struct memory *memory, const void *source, size_t count, size_t size);

/// Null is fine.
void memory_release(struct memory *memory, void *pointer);

/// Makes the block behind *address (address: the address of a pointer variable, which may hold
/// null) hold at least `count` elements; keeps its first *capacity elements, zeroes the rest. Grows
/// geometrically, never shrinks; on failure nothing changes.
pbs_status memory_reserve(struct memory *memory, void *address, size_t *capacity, size_t count,
                          size_t size);

#endif

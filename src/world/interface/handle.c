// See handle.h.
// SPDX-License-Identifier: MIT
#include "world/interface/handle.h"

#include <string.h>

#include "base/runtime/clock.h"

#define LOW_BITS(count) ((UINT64_C(1) << (count)) - 1)

static const char *const names_another[] = {"names a body", "names a collider", "names a joint",
                                            "names a sensor"};
static const char *const kind_names[] = {"body", "collider", "joint", "sensor"};

pbs_status handle_reserve(struct handle_table *table, struct memory *memory, size_t count) {
    if (table->slot_count + count > LOW_BITS(HANDLE_SLOT_BITS)) {
        return status_fail(PBS_ERROR_MEMORY,
                           "the world has %zu slots for objects, which is the limit",
                           table->slot_count);
    }
    RETURN_IF_FAILED(memory_reserve(memory, &table->slots, &table->slot_capacity,
                                    table->slot_count + count, sizeof *table->slots));
    // Unused entries at the front are used before the list grows.
    if (table->first > table->count) {
        memmove(table->order, table->order + table->first, table->count * sizeof *table->order);
        table->first = 0;
    }
    return memory_reserve(memory, &table->order, &table->order_capacity,
                          table->first + table->count + count, sizeof *table->order);
}

pbs_status handle_reserve_slots(struct handle_table *table, struct memory *memory, size_t count) {
    if (count >= LOW_BITS(HANDLE_SLOT_BITS)) {
        return status_fail(PBS_ERROR_FORMAT, "%zu slots for objects are above the limit", count);
    }
    RETURN_IF_FAILED(
        memory_reserve(memory, &table->slots, &table->slot_capacity, count, sizeof *table->slots));
    RETURN_IF_FAILED(
        memory_reserve(memory, &table->order, &table->order_capacity, count, sizeof *table->order));
    for (size_t i = 0; i < count; i++) {
        table->slots[i] = (struct handle_slot){.generation = 1};
    }
    table->slot_count = count;
    return PBS_OK;
}

void handle_insert_at(struct handle_table *table, uint32_t slot, void *object) {
    table->slots[slot].object = object;
    table->slots[slot].serial = table->next_serial++;
    table->order[table->first + table->count] = slot;
    table->count++;
}

static uint32_t lowest_free(struct handle_table *table) {
    size_t slot = table->lowest;
    while (slot < table->slot_count && (table->slots[slot].object != NULL ||
                                        table->slots[slot].generation == HANDLE_GENERATION_LAST)) {
        slot++;
    }
    table->lowest = slot;
    return (uint32_t)slot;
}

uint32_t handle_insert(struct handle_table *table, void *object) {
    // If no slot is free, a new one is appended without a search.
    const uint32_t slot = table->count == table->slot_count ? (uint32_t)table->slot_count
                                                            : lowest_free(table);
    if (slot == table->slot_count) {
        table->slots[slot] = (struct handle_slot){.generation = 1};
        table->slot_count++;
    }
    handle_insert_at(table, slot, object);
    return slot;
}

size_t handle_index_of(const struct handle_table *table, uint32_t slot) {
    const uint64_t serial = table->slots[slot].serial;
    // Serials ascend in the order.
    size_t low = 0;
    size_t high = table->count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (table->slots[handle_slot_at(table, middle)].serial < serial) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void handle_remove(struct handle_table *table, uint32_t slot) {
    const size_t index = handle_index_of(table, slot);
    uint32_t *order = table->order + table->first;
    table->count--;
    // The shorter side is moved.
    if (index < table->count - index) {
        memmove(order + 1, order, index * sizeof *order);
        table->first++;
    } else {
        memmove(order + index, order + index + 1, (table->count - index) * sizeof *order);
    }
    table->slots[slot].object = NULL;
    table->slots[slot].generation++;
    table->lowest = slot < table->lowest ? slot : table->lowest;
}

void handle_free(struct handle_table *table, struct memory *memory) {
    memory_release(memory, table->slots);
    memory_release(memory, table->order);
    *table = (struct handle_table){0};
}

uint32_t handle_slot_at(const struct handle_table *table, size_t index) {
    return table->order[table->first + index];
}

void *handle_at(const struct handle_table *table, size_t index) {
    return table->slots[handle_slot_at(table, index)].object;
}

uint64_t handle_id(const struct handle_table *table, uint32_t slot, enum handle_kind kind,
                   uint32_t stamp) {
    uint64_t id = stamp;
    id = id << HANDLE_KIND_BITS | (uint64_t)kind;
    id = id << HANDLE_GENERATION_BITS | table->slots[slot].generation;
    return id << HANDLE_SLOT_BITS | slot;
}

enum handle_kind handle_kind_of(uint64_t id) {
    return (enum handle_kind)(id >> (HANDLE_SLOT_BITS + HANDLE_GENERATION_BITS) &
                              LOW_BITS(HANDLE_KIND_BITS));
}

void *handle_peek(const struct handle_table *table, uint64_t id, enum handle_kind kind,
                  uint32_t stamp) {
    const uint64_t slot = id & LOW_BITS(HANDLE_SLOT_BITS);
    if (slot >= table->slot_count || handle_id(table, (uint32_t)slot, kind, stamp) != id) {
        return NULL;
    }
    return table->slots[slot].object;
}

/// Sets the message that says why an id is not valid.
static void explain(const struct handle_table *table, uint64_t id, enum handle_kind kind,
                    uint32_t stamp) {
    const uint64_t slot = id & LOW_BITS(HANDLE_SLOT_BITS);
    const uint64_t generation = id >> HANDLE_SLOT_BITS & LOW_BITS(HANDLE_GENERATION_BITS);
    const uint64_t upper = id >> (HANDLE_SLOT_BITS + HANDLE_GENERATION_BITS);
    const uint64_t found_kind = upper & LOW_BITS(HANDLE_KIND_BITS);
    const uint64_t found_stamp = upper >> HANDLE_KIND_BITS;
    const char *reason = "was never created by this world";
    if (id == 0) {
        reason = "is null";
    } else if (found_stamp != stamp) {
        reason = "belongs to another world";
    } else if (found_kind != (uint64_t)kind) {
        reason = names_another[found_kind];
    } else if (slot < table->slot_count && generation < table->slots[slot].generation) {
        reason = "was destroyed";
    }
    status_fail(PBS_ERROR_HANDLE, "%s id %#llx %s", kind_names[kind], (unsigned long long)id,
                reason);
}

void *handle_find(const struct handle_table *table, uint64_t id, enum handle_kind kind,
                  uint32_t stamp) {
    void *object = handle_peek(table, id, kind, stamp);
    if (object == NULL) {
        explain(table, id, kind, stamp);
    }
    return object;
}

uint32_t handle_new_stamp(const void *world) {
    // The address differs between worlds that exist at the same time, the clock between worlds that
    // use the same address one after the other.
    const double now = clock_seconds();
    uint64_t bits;
    memcpy(&bits, &now, sizeof bits);
    bits ^= (uint64_t)(uintptr_t)world * UINT64_C(0x9e3779b97f4a7c15);
    bits ^= bits >> 29;
    bits *= UINT64_C(0xbf58476d1ce4e5b9);
    const uint32_t stamp = (uint32_t)(bits >> (64 - HANDLE_STAMP_BITS));
    return stamp != 0 ? stamp : 1;
}
